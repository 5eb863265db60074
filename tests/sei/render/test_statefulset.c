/* The StatefulSet: when its template counts as another one, and when not. A hash that moves
 * restarts pods; one that does not leaves them on what nobody wants any more. */
#include "base/draft.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

enum { ARENA_MAX = 16 << 20 };

static Wanted rendered(Arena *a, const char *patch, const Settings *settings)
{
    SeiNode *node = arena_new(a, SeiNode);
    Wanted wanted = {0};

    *node = sample_node(a, patch);
    Subject s = subject_of(a, node, settings, REPLICAS_ONE);
    then_ok(render_node(a, &s, &wanted));
    return wanted;
}

static const struct {
    const char *name, *patch;
    bool same;
} edits[] = {
    {"nothing", "{}", true},
    {"a pod label", "{spec: {podLabels: {team: 'x'}}}", true},
    {"a label of the node", "{metadata: {labels: {team: 'x'}}}", true},
    {"pausing", "{spec: {paused: true}}", true},
    {"peers", "{spec: {peers: [{static: {addresses: ['a@b:1']}}]}}", true},
    {"overrides", "{spec: {overrides: {'a.b': 'c'}}}", true},
    {"an external address", "{spec: {externalAddress: 'a:1'}}", true},
    {"a snapshot", "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}}", true},
    {"the keeping of the volume",
        "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}",
        true},
    {"the sidecar's port as it is anyway", "{spec: {sidecar: {port: 7777}}}", true},
    {"the sidecar's image as it is anyway",
        "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v0.0.50'}}}",
        true},
    {"the image", "{spec: {image: 'x'}}"},
    {"the sidecar's image", "{spec: {sidecar: {image: 'x'}}}"},
    {"the sidecar's port", "{spec: {sidecar: {port: 7778}}}"},
    {"the sidecar's resources", "{spec: {sidecar: {resources: {limits: {cpu: 1}}}}}"},
    {"the chain", "{spec: {chainId: 'other'}}"},
    {"the mode", "{spec: {fullNode: null, archive: {}}}"},
    {"keys", "{spec: {fullNode: null, validator: {" VALIDATOR_KEYS "}}}"},
    {"the claim", "{spec: {dataVolume: {import: {pvcName: 'x'}}}}"},
    {"a restart",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T12:00:00Z'}}}"},
};

TEST(a_spec_edit_changes_the_template_hash_only_if_the_pod_would_differ)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const char *before = rendered(a, NULL, sample_settings()).template_hash;

    each_case(i, edits)
        then_int(str_eq(rendered(a, edits[i].patch, sample_settings()).template_hash, before),
            edits[i].same);
}

/* The same amounts in other words are the same. */
TEST(the_template_hash_ignores_the_spelling_of_quantities)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    then_str(rendered(a,
                 "{spec: {sidecar: {resources: {limits: {cpu: '1', memory: '1Gi'}}}}}",
                 sample_settings())
                 .template_hash,
        rendered(a,
            "{spec: {sidecar: {resources: {limits: {memory: '1024Mi', cpu: '1000m'}}}}}",
            sample_settings())
            .template_hash);
}

/* --- the template itself --- */

static const struct {
    const char *name, *patch; /* onto the rendered template */
    bool same;
} changes[] = {
    {"labels", "{metadata: {labels: {x: 'y'}}}", true},
    {"other annotations", "{metadata: {annotations: {x: 'y'}}}", true},
    {"its own annotation", "{metadata: {annotations: {'sei.io/template-hash': 'x'}}}", true},
    {"not to be disrupted",
        "{metadata: {annotations: {'karpenter.sh/do-not-disrupt': 'false'}}}",
        true},
    {"the proxy's configuration", "{metadata: {annotations: {'sei.io/config-hash': 'x'}}}"},
    {"a restart",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T12:00:00Z'}}}"},
    {"the service account", "{spec: {serviceAccountName: 'x'}}"},
    {"the grace", "{spec: {terminationGracePeriodSeconds: 30}}"},
    {"the security of the pod", "{spec: {securityContext: {fsGroup: 1}}}"},
    {"tolerations", "{spec: {tolerations: []}}"},
    {"volumes", "{spec: {volumes: []}}"},
    {"a container's arguments", "{spec: {containers: [{name: 'seid', args: ['x']}]}}"},
    {"a container's environment",
        "{spec: {containers: [{name: 'seid', env: [{name: 'HOME', value: '/sei'}]}]}}"},
    {"a container's mounts",
        "{spec: {containers: [{name: 'seid', volumeMounts: [{name: 'data', mountPath: "
        "'/sei'}]}]}}"},
    {"a container's security",
        "{spec: {containers: [{name: 'seid', securityContext: {runAsUser: 0}}]}}"},
};

TEST(a_template_change_changes_the_hash_except_for_informational_metadata)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const Json *template =
        json_find(rendered(a, NULL, sample_settings()).statefulset, ".spec.template");
    const char *before = render_template_hash(a, template);

    each_case(i, changes) {
        const Json *changed = json_merge(a, template, json_fixture(a, changes[i].patch));
        then_int(str_eq(render_template_hash(a, changed), before), changes[i].same);
    }
}

TEST(the_template_hash_ignores_the_order_of_keys)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *sorted = NULL,
               *template =
                   json_find(rendered(a, NULL, sample_settings()).statefulset, ".spec.template");

    then_ok(json_parse(a, json_canonical(a, template), &sorted));
    then_true(!str_eq(json_write(a, template).data, json_write(a, sorted).data));
    then_str(render_template_hash(a, sorted), render_template_hash(a, template));
}

TEST(the_same_value_in_another_annotation_changes_the_template_hash)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *restart = "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': 'x'}}}";
    const char *config = "{metadata: {annotations: {'sei.io/config-hash': 'x'}}}";

    then_true(!str_eq(render_template_hash(a, json_fixture(a, restart)),
        render_template_hash(a, json_fixture(a, config))));
}

/* --- replicas --- */

static const struct {
    const char *name;
    ReplicaRule rule;
    int want; /* -1: not there */
} replicas[] = {
    {"a running node", REPLICAS_ONE, 1},
    {"a paused one", REPLICAS_ZERO, 0},
    {"one that was scaled by hand", REPLICAS_LEFT_OUT, -1},
};

TEST(replicas_are_1_unless_the_statefulset_was_scaled_to_zero)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const char *hash = rendered(a, NULL, sample_settings()).template_hash;

    each_case(i, replicas) {
        Wanted w = render_case(a, &(RenderCase){"", NULL, replicas[i].rule});
        then_int(json_int(w.statefulset, ".spec.replicas", -1), replicas[i].want);
        then_str(w.template_hash, hash);
    }
}

TEST(a_repair_renders_the_recorded_identity)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *running =
        "{status: {phase: 'Running', identity: {chainId: 'pacific-1', mode: 'fullNode'},"
        " dataVolume: {name: 'data-rpc-0', uid: 'u'}}}";
    const char *edited =
        "{spec: {chainId: 'other', fullNode: null, archive: {}, dataVolume: {import:"
        " {pvcName: 'x'}}}, status: {phase: 'Running', identity: {chainId: 'pacific-1',"
        " mode: 'fullNode'}, dataVolume: {name: 'data-rpc-0', uid: 'u'}}}";

    then_str(json_canonical(a, rendered(a, edited, sample_settings()).statefulset).data,
        json_canonical(a, rendered(a, running, sample_settings()).statefulset).data);
}
