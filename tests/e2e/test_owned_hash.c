/* "Differs from what we want" is one compare of hashes: proven on what a real server stores of
 * objects as operators render them. The server adds defaults, other managers add theirs; neither
 * may show, and a change of what is ours must. */
#include "kube/hash.h"
#include "kube/meta.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"

#define ME "renderer"

static const char statefulset[] =
    "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'node', namespace: 'hash',"
    "  labels: {app: 'node', 'example.io/role': 'full'}, annotations: {'example.io/note': 'a b'}},"
    " spec: {replicas: 1, serviceName: 'node', podManagementPolicy: 'OrderedReady',"
    "  updateStrategy: {type: 'OnDelete'}, selector: {matchLabels: {app: 'node'}},"
    "  template: {metadata: {labels: {app: 'node'}, annotations: {'example.io/hash': 'h'}}, spec: {"
    "   serviceAccountName: 'default', terminationGracePeriodSeconds: 120,"
    "   shareProcessNamespace: true,"
    "   securityContext: {fsGroup: 1000, runAsUser: 1000, runAsNonRoot: true,"
    "     fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: {type: 'RuntimeDefault'}},"
    "   affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {"
    "     nodeSelectorTerms: [{matchExpressions: [{key: 'pool', operator: 'In',"
    "       values: ['sei', 'big']}]}]}}},"
    "   tolerations: [{key: 'pool', operator: 'Equal', value: 'sei', effect: 'NoSchedule'},"
    "     {key: 'other', operator: 'Exists'}],"
    "   initContainers: [{name: 'init', image: 'example/init:1', command: ['sh', '-c'],"
    "     args: ['true'], volumeMounts: [{name: 'data', mountPath: '/data'}]},"
    "     {name: 'sidecar', image: 'example/sidecar:1', restartPolicy: 'Always',"
    "      ports: [{name: 'side', containerPort: 7777, protocol: 'TCP'}]}],"
    "   containers: [{name: 'seid', image: 'example/seid:1', command: ['seid'],"
    "     args: ['start', '--home', '/data'],"
    "     env: [{name: 'PLAIN', value: 'x'}, {name: 'EMPTY', value: ''},"
    "       {name: 'POD', valueFrom: {fieldRef: {apiVersion: 'v1', fieldPath: 'metadata.name'}}},"
    "       {name: 'KEY', valueFrom: {secretKeyRef: {name: 's', key: 'k', optional: true}}}],"
    "     envFrom: [{configMapRef: {name: 'env', optional: true}}],"
    "     ports: [{name: 'rpc', containerPort: 26657, protocol: 'TCP'},"
    "       {name: 'p2p', containerPort: 26656, protocol: 'TCP'},"
    "       {name: 'p2p-udp', containerPort: 26656, protocol: 'UDP'}],"
    "     resources: {requests: {cpu: '500m', memory: '4Gi'}, limits: {memory: '8Gi'}},"
    "     securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true,"
    "       capabilities: {drop: ['ALL']}},"
    "     volumeMounts: [{name: 'data', mountPath: '/data'},"
    "       {name: 'config', mountPath: '/config', readOnly: true}],"
    "     startupProbe: {httpGet: {path: '/status', port: 26657}, periodSeconds: 5,"
    "       failureThreshold: 120},"
    "     readinessProbe: {httpGet: {path: '/lag', port: 'rpc'}, periodSeconds: 10},"
    "     livenessProbe: {tcpSocket: {port: 26656}, initialDelaySeconds: 30},"
    "     lifecycle: {preStop: {exec: {command: ['sleep', '5']}}}}],"
    "   volumes: [{name: 'config', configMap: {name: 'config', defaultMode: 288,"
    "     items: [{key: 'key', path: 'app.toml'}]}}, {name: 'tmp', emptyDir: {}},"
    "     {name: 'keys', secret: {secretName: 'keys', optional: true}},"
    "     {name: 'token', projected: {sources: [{serviceAccountToken: {path: 'token',"
    "       audience: 'sidecar', expirationSeconds: 3600}}]}},"
    "     {name: 'data', persistentVolumeClaim: {claimName: 'disk'}}]}}}}";
static const char service[] =
    "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'node', namespace: 'hash',"
    "  labels: {app: 'node'}},"
    " spec: {clusterIP: 'None', publishNotReadyAddresses: true, selector: {app: 'node'},"
    "  ports: [{name: 'rpc', port: 26657, targetPort: 26657, protocol: 'TCP'},"
    "   {name: 'grpc', port: 9090, targetPort: 'grpc', protocol: 'TCP', appProtocol: 'h2c'},"
    "   {name: 'p2p', port: 26656, targetPort: 26656, protocol: 'TCP'}]}}";
static const char configmap[] =
    "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'config', namespace: 'hash',"
    "  labels: {app: 'node'}},"
    " data: {'app.toml': 'a = 1\\nb = \"x\"\\n', key: ''}, binaryData: {blob: 'AAEC'}}";
static const char pvc[] =
    "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'disk',"
    "  namespace: 'hash', labels: {app: 'node'}, annotations: {'example.io/keep': 'true'}},"
    " spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'fast', volumeMode: 'Filesystem',"
    "  resources: {requests: {storage: '100Gi'}}}}";

static const struct {
    const char *name;
    const Kind *kind;
    const char *rendered;
    const char *foreign; /* what another manager adds */
    const char *change;  /* a change of what is ours, as a merge patch */
    const char *resource;
} cases[] = {
    {"a StatefulSet",
        kind_statefulset,
        statefulset,
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'node', namespace: 'hash',"
        " labels: {theirs: 'x'}, annotations: {theirs: 'x'}}, spec: {revisionHistoryLimit: 3,"
        " template: {spec: {containers: [{name: 'seid', env: [{name: 'THEIRS', value: 'x'}]}],"
        " nodeSelector: {theirs: 'x'}}}}}",
        "{spec: {template: {spec: {terminationGracePeriodSeconds: 60}}}}",
        "/apis/apps/v1/namespaces/hash/statefulsets/node"},
    {"a headless Service",
        kind_service,
        service,
        "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'node', namespace: 'hash',"
        " labels: {theirs: 'x'}}, spec: {ports: [{name: 'theirs', port: 1, protocol: 'TCP'}]}}",
        "{spec: {publishNotReadyAddresses: false}}",
        "/api/v1/namespaces/hash/services/node"},
    {"a ConfigMap",
        kind_configmap,
        configmap,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'config', namespace: 'hash',"
        " annotations: {theirs: 'x'}}, data: {theirs: 'x'}}",
        "{data: {'app.toml': 'c = 2'}}",
        "/api/v1/namespaces/hash/configmaps/config"},
    {"a PersistentVolumeClaim",
        kind_pvc,
        pvc,
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'disk',"
        " namespace: 'hash', finalizers: ['example.io/theirs'], labels: {theirs: 'x'}}}",
        "{metadata: {annotations: {'example.io/keep': 'false'}}}",
        "/api/v1/namespaces/hash/persistentvolumeclaims/disk"},
};

static const Json *apply(Live *live, const Kind *kind, const char *object, const char *manager)
{
    const Json *stored = NULL;

    then_ok(kube_apply(&live->ctx,
        kind,
        json_fixture(live->ctx.arena, object),
        (ApplyOptions){manager, .force = true},
        &stored));
    return stored;
}

TEST(the_owned_hash_of_a_stored_object_equals_that_of_the_rendered_one)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = live_open(a, controlplane_admin(cp));

    scene_namespaces(cp, a, "hash");
    each_case(i, cases) {
        const Json *live_object, *rendered = json_fixture(a, cases[i].rendered);
        const char *wanted = hash_owned_of_rendered(a, rendered);

        live_object = apply(live, cases[i].kind, cases[i].rendered, ME);
        if (!str_eq(hash_owned(a, live_object, ME), wanted))
            print_error("owned:    %s\nrendered: %s\n",
                json_canonical(a, hash_owned_part(a, live_object, ME)).data,
                json_canonical(a, rendered).data);
        then_str(hash_owned(a, live_object, ME), wanted);
        live_object = scene_get(cp, a, cases[i].resource);
        then_str(hash_owned(a, live_object, ME), wanted);
        then_true(hash_owned(a, live_object, "somebody") == NULL);
    }
    live_close(live);
}

TEST(foreign_fields_do_not_change_the_owned_hash)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = live_open(a, controlplane_admin(cp));

    scene_namespaces(cp, a, "hash");
    each_case(i, cases) {
        apply(live, cases[i].kind, cases[i].rendered, ME);
        apply(live, cases[i].kind, cases[i].foreign, "somebody");
        const Json *now = scene_get(cp, a, cases[i].resource);
        then_str(
            hash_owned(a, now, ME), hash_owned_of_rendered(a, json_fixture(a, cases[i].rendered)));
    }
    kubectl(cp, a, "label", "statefulset", "node", "-n", "hash", "by=kubectl");
    const Json *now = scene_get(cp, a, cases[0].resource);
    then_str(hash_owned(a, now, ME), hash_owned_of_rendered(a, json_fixture(a, statefulset)));
    live_close(live);
}

TEST(a_change_of_an_owned_field_changes_the_owned_hash_and_an_apply_restores_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = live_open(a, controlplane_admin(cp));

    scene_namespaces(cp, a, "hash");
    each_case(i, cases) {
        const char *wanted = hash_owned_of_rendered(a, json_fixture(a, cases[i].rendered));
        const Json *now = apply(live, cases[i].kind, cases[i].rendered, ME);
        then_ok(kube_merge_patch(
            &live->ctx, cases[i].kind, now, json_fixture(a, cases[i].change), &now));
        then_true(!str_eq(hash_owned(a, now, ME), wanted));
        now = apply(live, cases[i].kind, cases[i].rendered, ME);
        then_str(hash_owned(a, now, ME), wanted);
    }
    live_close(live);
}

TEST(owner_references_are_part_of_the_owned_hash)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = live_open(a, controlplane_admin(cp));
    const Json *now = NULL;

    scene_namespaces(cp, a, "hash");
    const Json *owner = apply(live, kind_service, service, ME);
    const Json *rendered = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "ConfigMap"),
            obj("metadata",
                str("name", "child"),
                str("namespace", "hash"),
                list("ownerReferences", meta_owner_reference(a, kind_service, owner)))));
    then_ok(kube_apply(&live->ctx, kind_configmap, rendered, (ApplyOptions){ME}, &now));
    then_str(hash_owned(a, now, ME), hash_owned_of_rendered(a, rendered));
    then_ok(kube_merge_patch(&live->ctx,
        kind_configmap,
        now,
        json_fixture(a, "{metadata: {ownerReferences: null}}"),
        &now));
    then_true(!str_eq(hash_owned(a, now, ME), hash_owned_of_rendered(a, rendered)));
    live_close(live);
}

/* Whoever scales takes the field away from us: it is then missing from what is ours, so the hash
 * differs, and the next apply takes it back. */
TEST(a_scaled_statefulset_differs_in_its_owned_hash_until_it_is_applied_again)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    Live *live = live_open(a, controlplane_admin(cp));
    const char *wanted = hash_owned_of_rendered(a, json_fixture(a, statefulset));

    scene_namespaces(cp, a, "hash");
    apply(live, kind_statefulset, statefulset, ME);
    kubectl(cp, a, "scale", "statefulset", "node", "-n", "hash", "--replicas=0");
    const Json *now = scene_get(cp, a, cases[0].resource);
    then_int(json_int(now, ".spec.replicas", -1), 0);
    then_true(!str_eq(hash_owned(a, now, ME), wanted));
    now = apply(live, kind_statefulset, statefulset, ME);
    then_int(json_int(now, ".spec.replicas", -1), 1);
    then_str(hash_owned(a, now, ME), wanted);
    live_close(live);
}
