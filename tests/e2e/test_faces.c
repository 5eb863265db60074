/* The faces of the server beside the real one's: what it says of the kinds that it serves, and
 * tables of the same objects. Equal but for these differences, each of which is settled by the
 * function of its name:
 *
 * - only_served: the real server serves more kinds, versions and subresources (proxy, exec,
 * resize).
 * - without_hash: the hash of a kind's storage version, which only a migrator of storage reads.
 * - in_order: kinds of one definition after another come in any order.
 * - without_words: descriptions of columns are our own for built-in kinds, and for every Name.
 *
 * Objects come from the real server for both sides, so UIDs and versions are the same; ages are
 * counted at one second or the next, so a table may be that of any second around the question. */
#include "base/draft.h"
#include "kube/meta.h"
#include "kube/request.h"
#include "sandbox/catalog.h"
#include "sandbox/discovery.h"
#include "sandbox/negotiation.h"
#include "sandbox/table.h"
#include "tests/crds/crds.h"
#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/scene.h"
#include "world/object.h"

#include <time.h>

#define WHOLE "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"

enum { FACES_ARENA_MAX = 256 << 20, SECONDS_AROUND = 3 };

/* --- both sides --- */

typedef struct Faces {
    Arena *arena;
    Controlplane *cp;
    ManualClock clock;
    SeededRng rng;
    Server *server;
} Faces;

static void faces_close(Faces **f)
{
    server_close((*f)->server);
    arena_close((*f)->arena);
}

#define SCOPED_FACES __attribute__((cleanup(faces_close))) Faces *

static const Kind *const definitions[] = {crd_seinode, crd_seinodedeployment};

/* Both have our definitions. */
static Faces *faces_open(void)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    Arena *a = arena_open(FACES_ARENA_MAX);
    Faces *f = arena_new(a, Faces);

    root = root ? root : ".";
    f->arena = a;
    f->cp = scene_begin(controlplane_shared());
    clock_manual_init(&f->clock, 0, 0);
    rng_seed(&f->rng, 1);
    f->server = server_open(&(ServerOptions){.clock = &f->clock.port, .rng = &f->rng.port});
    for (size_t i = 0; i < array_count(definitions); i++)
        then_ok(server_add_crd(a, f->server, crd_load(a, definitions[i])));
    kubectl(f->cp, a, "apply", "--server-side", "-f", str_format(a, "%s/deploy/crds", root));
    kubectl(f->cp, a, "wait", "--for=condition=Established", "crd/seinodes.sei.io");
    kubectl(f->cp, a, "wait", "--for=condition=Established", "crd/seinodedeployments.sei.io");
    eventually(
        json_count(json_find(scene_get(f->cp, a, "/apis/sei.io/v1alpha1"), ".resources")) == 5);
    return f;
}

static int ask(Faces *f, Fetch fetch, const char *path, const Json **ret)
{
    const char *body = NULL;
    int status = 0;

    fetch.url = controlplane_url(f->cp, f->arena, CONTROLPLANE_PORT, path);
    then_ok(fetch_any(f->arena, &fetch, &status, &body));
    then_ok(json_parse(f->arena, bytes_of(body), ret));
    return status;
}

/* The real server's answer in this form. */
static const Json *real(Faces *f, const char *path, const char *accept)
{
    Fetch fetch = controlplane_fetch(f->cp, f->arena);
    const Json *answer = NULL;

    fetch.accept = accept;
    then_int(ask(f, fetch, path, &answer), 200);
    return answer;
}

static void then_equal(Faces *f, const char *what, const Json *got, const Json *want)
{
    if (!json_equal(got, want))
        fail_msg("%s\nours: %s\nreal: %s",
            what,
            json_canonical(f->arena, got).data,
            json_canonical(f->arena, want).data);
}

/* --- discovery --- */

static const Json *find_named(const Json *list, const char *path, const char *name)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_str(each, path), name))
            return each;
    return NULL;
}

/* Those elements of a list that ours has, too, each as `cut` leaves it. */
static const Json *only_served(Faces *f, const Json *list, const Json *ours, const char *name,
    const Json *(*cut)(Faces *f, const Json *theirs, const Json *ours))
{
    Draft *kept = draft_array(f->arena);
    const Json *each;

    json_each(each, list) {
        const Json *own = find_named(ours, name, json_str(each, name));
        if (own)
            draft_push_json(kept, cut(f, each, own));
    }
    return json_seal(f->arena, kept);
}

static const Json *as_it_is(Faces *f, const Json *theirs, const Json *ours)
{
    (void)f;
    (void)ours;
    return theirs;
}

static const Json *without_hash(Faces *f, const Json *theirs, const Json *ours)
{
    (void)ours;
    return object_with(f->arena, theirs, "storageVersionHash", NULL);
}

static const Json *cut_resource(Faces *f, const Json *theirs, const Json *ours)
{
    const Json *parts = only_served(f,
        json_find(theirs, ".subresources"),
        json_find(ours, ".subresources"),
        ".subresource",
        as_it_is);

    return object_with(f->arena, theirs, "subresources", json_count(parts) > 0 ? parts : NULL);
}

static const Json *cut_version(Faces *f, const Json *theirs, const Json *ours)
{
    return object_with(f->arena,
        theirs,
        "resources",
        only_served(f,
            json_find(theirs, ".resources"),
            json_find(ours, ".resources"),
            ".resource",
            cut_resource));
}

static const Json *cut_group(Faces *f, const Json *theirs, const Json *ours)
{
    return object_with(f->arena,
        theirs,
        "versions",
        only_served(f,
            json_find(theirs, ".versions"),
            json_find(ours, ".versions"),
            ".version",
            cut_version));
}

static const Json *our_discovery(Faces *f, const char *path, bool whole)
{
    return discovery_find(f->arena,
        f->server,
        &(DiscoveryQuestion){.path = path,
            .whole = whole,
            .address =
                str_format(f->arena, "%s:%d", controlplane_address(f->cp), CONTROLPLANE_PORT)});
}

static int by_name(const void *left, const void *right)
{
    return strcmp(json_str(*(const Json *const *)left, ".name"),
        json_str(*(const Json *const *)right, ".name"));
}

static const Json *in_order(Faces *f, const Json *document)
{
    const Json *list = json_find(document, ".resources"), *each;
    const Json **items = arena_array(f->arena, const Json *, json_count(list));
    Draft *sorted = draft_array(f->arena);
    size_t count = 0;

    json_each(each, list)
        items[count++] = each;
    qsort(items, count, sizeof *items, by_name);
    for (size_t i = 0; i < count; i++)
        draft_push_json(sorted, items[i]);
    return object_with(f->arena, document, "resources", json_seal(f->arena, sorted));
}

TEST(discovery_of_each_api_version_equals_that_of_the_real_server)
{
    SCOPED_FACES f = faces_open();
    Catalog c = catalog_of(f->arena, f->server);
    size_t seen = 0;

    for (size_t i = 0; i < c.count; i = catalog_version_end(&c, i)) {
        const Kind *kind = c.rows[i].served.kind;
        const char *path = *kind->group
            ? str_format(f->arena, "/apis/%s/%s", kind->group, kind->version)
            : "/api/v1";
        const Json *ours = our_discovery(f, path, false), *theirs = real(f, path, NULL);
        theirs = object_with(f->arena,
            theirs,
            "resources",
            only_served(f,
                json_find(theirs, ".resources"),
                json_find(ours, ".resources"),
                ".name",
                without_hash));
        if (c.rows[i].served.definition)
            then_equal(f, path, in_order(f, ours), in_order(f, theirs));
        else
            then_equal(f, path, ours, theirs);
        seen += json_count(json_find(ours, ".resources"));
    }
    then_true(seen > 25);
}

TEST(discovery_of_api_groups_equals_that_of_the_real_server)
{
    SCOPED_FACES f = faces_open();
    const Json *ours = our_discovery(f, "/apis", false), *theirs = real(f, "/apis", NULL);

    then_equal(f, "/api", our_discovery(f, "/api", false), real(f, "/api", NULL));
    then_equal(
        f, "/apis/sei.io", our_discovery(f, "/apis/sei.io", false), real(f, "/apis/sei.io", NULL));
    theirs = object_with(f->arena,
        theirs,
        "groups",
        only_served(
            f, json_find(theirs, ".groups"), json_find(ours, ".groups"), ".name", as_it_is));
    then_equal(f, "/apis", ours, theirs);
}

TEST(aggregated_discovery_equals_that_of_the_real_server)
{
    static const char *const paths[] = {"/api", "/apis"};
    SCOPED_FACES f = faces_open();

    for (size_t i = 0; i < array_count(paths); i++) {
        const Json *ours = our_discovery(f, paths[i], true), *theirs = real(f, paths[i], WHOLE);
        theirs = object_with(f->arena,
            theirs,
            "items",
            only_served(f,
                json_find(theirs, ".items"),
                json_find(ours, ".items"),
                ".metadata.name",
                cut_group));
        then_equal(f, paths[i], ours, theirs);
    }
}

/* --- tables --- */

#define POD_SPEC "containers: [{name: 'a', image: 'i:1'}, {name: 'b', image: 'j:2'}]"
#define POD_TEMPLATE                                                                               \
    "selector: {matchLabels: {k: 'v'}}, "                                                          \
    "template: {metadata: {labels: {k: 'v'}}, spec: {" POD_SPEC "}}"
#define JOB_SPEC "template: {spec: {restartPolicy: 'Never', " POD_SPEC "}}"

/* An object to be made, and its status, where somebody else would write it. */
static const struct {
    const char *name;
    const Kind *kind;
    const char *object, *status;
} rows[] = {
    {"pod-pending", kind_pod, "{spec: {" POD_SPEC "}}"},
    {"pod-runs",
        kind_pod,
        "{spec: {" POD_SPEC ", readinessGates: [{conditionType: 'a.b/c'}, {conditionType: "
        "'a.b/d'}]}}",
        "{phase: 'Running', podIP: '10.0.0.1', podIPs: [{ip: '10.0.0.1'}], conditions: [{type: "
        "'Ready', status: 'True'}, {type: 'a.b/d', status: 'True'}], containerStatuses: ["
        "{name: 'a', image: 'i', imageID: '', ready: true, restartCount: 2, state: {running: {}}, "
        "lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:00:00Z'}}},"
        "{name: 'b', image: 'i', imageID: '', ready: false, restartCount: 0, state: {waiting: "
        "{reason: 'CrashLoopBackOff'}}}]}"},
    {"pod-initializes",
        kind_pod,
        "{spec: {initContainers: [{name: 'i', image: 'i'}, {name: 's', image: 'i', restartPolicy: "
        "'Always'}], " POD_SPEC "}}",
        "{phase: 'Pending', initContainerStatuses: [{name: 'i', image: 'i', imageID: '', ready: "
        "true, restartCount: 0, state: {terminated: {exitCode: 0}}}, {name: 's', image: 'i', "
        "imageID: '', ready: false, started: false, restartCount: 3, state: {running: {}}}]}"},
    {"pod-done",
        kind_pod,
        "{spec: {" POD_SPEC "}}",
        "{phase: 'Succeeded', containerStatuses: [{name: 'a', image: 'i', imageID: '', ready: "
        "false, restartCount: 0, state: {terminated: {exitCode: 0, reason: 'Completed'}}}]}"},
    {"pod-failed",
        kind_pod,
        "{spec: {" POD_SPEC "}}",
        "{phase: 'Failed', containerStatuses: [{name: 'a', image: 'i', imageID: '', ready: false, "
        "restartCount: 0, state: {terminated: {exitCode: 137, signal: 9}}}]}"},
    {"set", kind_statefulset, "{spec: {serviceName: 's', replicas: 0, " POD_TEMPLATE "}}"},
    {"deployment",
        kind_deployment,
        "{spec: {replicas: 0, selector: {matchExpressions: [{key: 'k', operator: 'In', values: "
        "['w', 'v']}, {key: 'b', operator: 'Exists'}]}, template: {metadata: {labels: {k: 'v', b: "
        "''}}, spec: {" POD_SPEC "}}}}"},
    {"replicas", kind_replicaset, "{spec: {replicas: 0, " POD_TEMPLATE "}}"},
    {"revision",
        kind_controllerrevision,
        "{revision: 3, data: {}, metadata: {ownerReferences: [{apiVersion: 'apps/v1', kind: "
        "'StatefulSet', name: 'w', uid: 'u', controller: true}], finalizers: ['a.b/c']}}"},
    {"job", kind_job, "{spec: {suspend: true, completions: 2, " JOB_SPEC "}}"},
    {"cron",
        kind_cronjob,
        "{spec: {schedule: '0 0 1 1 *', suspend: true, jobTemplate: {spec: {" JOB_SPEC "}}}}"},
    {"service",
        kind_service,
        "{spec: {selector: {b: '2', a: '1'}, ports: [{name: 'w', port: 80}, {name: 'x', port: 81, "
        "protocol: 'UDP'}]}}"},
    {"balanced", kind_service, "{spec: {type: 'LoadBalancer', ports: [{port: 80}]}}"},
    {"headless", kind_service, "{spec: {clusterIP: 'None'}}"},
    {"elsewhere", kind_service, "{spec: {type: 'ExternalName', externalName: 'a.example'}}"},
    {"map", kind_configmap, "{data: {a: '1'}, binaryData: {b: 'AA=='}}"},
    {"secret", kind_secret, "{stringData: {a: '1', b: '2'}}"},
    {"account", kind_serviceaccount, "{secrets: [{name: 's'}]}"},
    {"lease", kind_lease, "{spec: {holderIdentity: 'me'}}"},
    {"claim",
        kind_pvc,
        "{spec: {storageClassName: 'none', accessModes: ['ReadWriteMany', 'ReadWriteOnce'], "
        "resources: {requests: {storage: '1Gi'}}}}"},
    {"volume",
        kind_pv,
        "{spec: {storageClassName: 'none', accessModes: ['ReadWriteOncePod'], capacity: {storage: "
        "'1Gi'}, claimRef: {namespace: 'nobody', name: 'c'}, hostPath: {path: '/tmp/x'}}}"},
    {"node",
        kind_node,
        "{metadata: {labels: {'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'a'}}, "
        "spec: {unschedulable: true}}",
        "{conditions: [{type: 'Ready', status: 'False'}], addresses: [{type: 'Hostname', address: "
        "'h'}, {type: 'InternalIP', address: '10.0.0.1'}], nodeInfo: {kubeletVersion: 'v1', "
        "osImage: '', kernelVersion: 'k', containerRuntimeVersion: 'c', machineID: '', systemUUID: "
        "'', bootID: '', kubeProxyVersion: '', operatingSystem: '', architecture: ''}}"},
    {"room", kind_namespace, "{}"},
    {"old-event",
        kind_core_event,
        "{involvedObject: {namespace: 'default', kind: 'Pod', name: 'p', fieldPath: 'f'}, message: "
        "'  m\\n', reason: 'R', type: 'Normal', count: 4, source: {component: 'kubelet', host: "
        "'h'}, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-02-01T00:00:00Z'}"},
    {"event",
        kind_event,
        "{regarding: {namespace: 'default', kind: 'SeiNode'}, note: 'n', reason: 'R', type: "
        "'Warning', action: 'A', reportingController: 'a.b/c', reportingInstance: 'i', eventTime: "
        "'2026-01-01T00:00:00.000000Z', series: {count: 3, lastObservedTime: "
        "'2026-03-01T00:00:00.000000Z'}}"},
    {"role", kind_role, "{rules: []}"},
    {"cluster-role", kind_clusterrole, "{rules: []}"},
    {"binding",
        kind_rolebinding,
        "{roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r'}, subjects: ["
        "{kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io'}, {kind: 'User', name: "
        "'v', apiGroup: 'rbac.authorization.k8s.io'}, {kind: 'ServiceAccount', name: 'a', "
        "namespace: 'n'}]}"},
    {"cluster-binding",
        kind_clusterrolebinding,
        "{roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r'}, "
        "subjects: [{kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io'}]}"},
    {"budget", kind_pdb, "{spec: {maxUnavailable: '10%', selector: {matchLabels: {nobody: 'x'}}}}"},
    {"policy", kind_networkpolicy, "{spec: {podSelector: {matchLabels: {k: 'v'}}}}"},
    {"slice",
        kind_endpointslice,
        "{addressType: 'IPv4', ports: [{port: 1}, {name: 'n', port: 2}, {name: 'o', port: 3}, "
        "{name: 'p', port: 4}], endpoints: [{addresses: ['10.0.0.1']}]}"},
    {"class",
        kind_storageclass,
        "{provisioner: 'p', metadata: {annotations: {'storageclass.kubernetes.io/is-default-class':"
        " 'true'}}}"},
    {"sei",
        crd_seinode,
        NULL,
        "{phase: 'Running', conditions: [{type: 'Ready', status: 'True', reason: 'Serving', "
        "message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}"},
    {"fleet", crd_seinodedeployment, NULL, "{phase: 'Ready', replicas: 2, readyReplicas: 1}"},
};

static const char *path_to(Faces *f, size_t row, const char *subresource, Verb verb)
{
    Request request = {.verb = verb, .kind = rows[row].kind, .subresource = subresource};
    const char *path;

    if (verb != VERB_CREATE && verb != VERB_LIST)
        request.key.name = rows[row].name;
    if (rows[row].kind->namespaced)
        request.key.namespace = "default";
    if (verb == VERB_CREATE || verb == VERB_MERGE_PATCH)
        request.body = json_fixture(f->arena, "{}");
    then_ok(request_url(f->arena, &request, &path));
    return path;
}

static const Json *object_of(Faces *f, size_t row)
{
    Arena *a = f->arena;
    const Kind *kind = rows[row].kind;
    const Json *said = rows[row].object ? json_fixture(a, rows[row].object) : crd_minimal(a, kind);
    char api_version[KIND_API_VERSION_SIZE];
    const Json *self = json_seal(a,
        draft(a,
            str("apiVersion", kind_api_version(kind, api_version)),
            str("kind", kind->name),
            obj("metadata", str("name", rows[row].name))));

    return json_copy(a, json_merge(a, said, self));
}

static int post(Faces *f, const char *path, const char *method, const Json *body)
{
    Fetch fetch = controlplane_fetch(f->cp, f->arena);
    const Json *answer;

    fetch.method = method;
    fetch.type = str_eq(method, "PATCH") ? "application/merge-patch+json" : NULL;
    fetch.body = json_write(f->arena, body).data;
    return ask(f, fetch, path, &answer);
}

/* A pod is refused until its namespace has an account. */
static void make(Faces *f, size_t row)
{
    const char *path = path_to(f, row, NULL, VERB_CREATE);

    eventually(post(f, path, "POST", object_of(f, row)) == 201);
    if (!rows[row].status)
        return;
    path = path_to(f, row, "status", VERB_MERGE_PATCH);
    then_int(
        post(f,
            path,
            "PATCH",
            json_seal(f->arena,
                draft(f->arena, draft_json("status", json_fixture(f->arena, rows[row].status))))),
        200);
}

static const Json *without_words(Faces *f, const Json *table, bool custom)
{
    const Json *each;
    Draft *columns = draft_array(f->arena);
    size_t place = 0;

    json_each(each, json_find(table, ".columnDefinitions"))
        draft_push_json(columns,
            place++ > 0 && custom ? each : object_with(f->arena, each, "description", NULL));
    return object_with(f->arena, table, "columnDefinitions", json_seal(f->arena, columns));
}

/* The tables that both make of an object in the same state, and whether there is a second at which
 * ours is the real one. */
static bool tables_agree(
    Faces *f, size_t row, const char *include, const Json **ret_ours, const Json **ret_theirs)
{
    const char *path = path_to(f, row, NULL, VERB_GET);
    const char *question = str_format(f->arena, "%s?includeObject=%s", path, include);
    bool custom = rows[row].kind == crd_seinode || rows[row].kind == crd_seinodedeployment;
    const Json *object, *theirs;
    Served served;

    then_true(server_find_served(f->server, rows[row].kind, &served));
    do {
        object = real(f, path, NULL);
        theirs = real(f, question, TABLE);
    } while (!str_eq(json_str(theirs, ".metadata.resourceVersion"), meta_resource_version(object)));
    *ret_theirs = without_words(f, theirs, custom);
    for (int64_t around = -SECONDS_AROUND; around <= SECONDS_AROUND; around++) {
        TableWish wish = {.version = "v1",
            .include = include,
            .now_ns = ((int64_t)time(NULL) + around) * 1000000000};
        *ret_ours = without_words(f, table_of(f->arena, &served, object, &wish), custom);
        if (json_equal(*ret_ours, *ret_theirs))
            return true;
    }
    return false;
}

TEST(the_table_of_an_object_equals_that_of_the_real_server)
{
    SCOPED_FACES f = faces_open();

    each_case(i, rows) {
        static const char *const includes[] = {"Metadata", "Object", "None"};
        const Json *ours, *theirs;

        make(f, i);
        for (size_t j = 0; j < array_count(includes); j++)
            if (!tables_agree(f, i, includes[j], &ours, &theirs))
                then_equal(f, rows[i].name, ours, theirs);
    }
}

/* --- forms --- */

static const struct {
    const char *name, *accept;
    int status;
} forms[] = {
    {"JSON", "application/json", 200},
    {"anything", "*/*", 200},
    {"protobuf or JSON", "application/x, application/json;q=0.5", 200},
    {"a table", TABLE, 200},
    {"metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200},
    {"a page", "text/html", 406},
    {"a chart", "application/json;as=Chart;g=meta.k8s.io;v=v1", 406},
    {"no type", "json", 406},
};

TEST(a_content_type_is_served_or_refused_as_by_the_real_server)
{
    SCOPED_FACES f = faces_open();

    each_case(i, forms) {
        Fetch fetch = controlplane_fetch(f->cp, f->arena);
        Negotiated ours = negotiate(f->arena, forms[i].accept, ENDPOINT_RESOURCE);
        const Json *answer, *own = NULL;

        fetch.accept = forms[i].accept;
        then_int(ask(f, fetch, "/api/v1/namespaces/default", &answer), forms[i].status);
        then_int(ours.form == FORM_NOT_ACCEPTABLE ? 406 : 200, forms[i].status);
        if (ours.form != FORM_METADATA)
            continue;
        then_ok(table_metadata(
            f->arena, ours.version, real(f, "/api/v1/namespaces/default", NULL), &own));
        then_equal(f, forms[i].name, own, answer);
    }
}
