/* Bad input: whatever stands in a SeiNode, the operator says what is wrong with it where people
 * look, once, goes on with the others, and takes the node up when it has been corrected. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

enum { HOUR_MS = 3600000, PEERS = 10000, BIG = 1 << 20 };

/* What the schema refuses today may have been stored under another one. */
static void given_no_schema(Play *p)
{
    play_patch(p,
        kind_crd,
        "seinodes.sei.io",
        "{spec: {versions: [{name: 'v1alpha1', served: true, storage: true, subresources: {status:"
        " {}}, schema: {openAPIV3Schema: {type: 'object',"
        " 'x-kubernetes-preserve-unknown-fields': true}}}]}}");
}

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

static void then_runs(Play *p, const char *name)
{
    then_str(play_condition(p, name, COND_READY), "True");
    then_str(play_condition(p, name, COND_STALLED), "False");
}

static void then_refused(Play *p, const char *name, const char *phrase)
{
    const char *said = play_message(p, name, COND_STALLED), *note;

    then_str(play_condition(p, name, COND_STALLED), "True");
    then_str(play_reason(p, name, COND_STALLED), "InvalidSpec");
    if (!strstr(said, phrase))
        then_str(said, phrase);
    then_int(play_events(p, name, "InvalidSpec", &note), 1);
    then_str(note, said);
}

static const struct {
    const char *name, *bad, *phrase, *good;
} refusals[] = {
    {"no mode", "{spec: {fullNode: null}}", "fullNode", "{spec: {fullNode: {}}}"},
    {"two modes", "{spec: {archive: {}}}", "exactly one", "{spec: {archive: null}}"},
    {"a bootstrap image without a height",
        "{spec: {fullNode: {snapshot: {stateSync: {}, bootstrapImage: 'x'}}}}",
        "fullNode: bootstrapImage requires s3",
        "{spec: {fullNode: {snapshot: null}}}"},
    {"generation without a kind",
        "{spec: {fullNode: {snapshotGeneration: {}}}}",
        "fullNode: snapshotGeneration is set but has no sub-struct",
        "{spec: {fullNode: {snapshotGeneration: null}}}"},
    {"publishing what is not kept",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 1, publish: {}}}}}}",
        "fullNode: snapshotGeneration.tendermint.keepRecent must be >= 2",
        "{spec: {fullNode: {snapshotGeneration: null}}}"},
    {"a chain that is no label",
        "{spec: {chainId: 'a; rm -rf b'}}",
        "spec.chainId",
        "{spec: {chainId: 'pacific-1'}}"},
    {"an image that is none",
        "{spec: {image: 'a b'}}",
        "spec.image",
        "{spec: {image: 'ghcr.io/example/seid:v1'}}"},
    {"a port that is taken",
        "{spec: {sidecar: {port: 8443}}}",
        "spec.sidecar.port: 8443 is taken",
        "{spec: {sidecar: null}}"},
    {"a label that is none",
        "{spec: {podLabels: {team: 'a b'}}}",
        "spec.podLabels['team']",
        "{spec: {podLabels: null}}"},
    {"an image that is a number",
        "{spec: {image: 7}}",
        ".spec.image",
        "{spec: {image: 'ghcr.io/example/seid:v1'}}"},
    {"paused by a word", "{spec: {paused: 'yes'}}", ".spec.paused", "{spec: {paused: null}}"},
    {"a height in letters",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 'high'}}}}}",
        "targetHeight",
        "{spec: {fullNode: {snapshot: null}}}"},
    {"no chain", "{spec: {chainId: null}}", "chainId", "{spec: {chainId: 'pacific-1'}}"},
    {"a spec that is a list",
        "{spec: ['nonsense']}",
        "spec",
        "{spec: {chainId: 'pacific-1', image: 'ghcr.io/example/seid:v1', fullNode: {}}}"},
};

CAMPAIGN(an_invalid_spec_is_refused_and_accepted_after_it_is_corrected)
{
    each_case(i, refusals) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_no_schema(p);
        play_create_node(p, "rpc-0", refusals[i].bad);
        play_create_node(p, "rpc-1", "{}");
        then_settled(p);
        then_refused(p, "rpc-0", refusals[i].phrase);
        then_runs(p, "rpc-1");
        then_true(play_find(p, kind_pvc, "data-rpc-0") == NULL);
        then_true(play_find(p, kind_statefulset, "rpc-0") == NULL);

        play_mark(p);
        play_run(p, HOUR_MS);
        then_int(play_requests(p), 0);
        then_refused(p, "rpc-0", refusals[i].phrase);
        play_patch(p, kind_seinode, "rpc-0", refusals[i].good);
        then_settled(p);
        then_runs(p, "rpc-0");
    }
}

static const struct {
    const char *name, *spec, *phrase;
} refused_modes[] = {
    {"an archive with snapshots of no kind",
        "{spec: {fullNode: null, archive: {snapshotGeneration: {}}}}",
        "archive: snapshotGeneration is set but has no sub-struct"},
    {"a validator with half of its keys",
        "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 's'}}}}}",
        "validator: signingKey requires nodeKey"},
    {"a replayer without peers",
        "{spec: {fullNode: null, replayer: {snapshot: {s3: {targetHeight: 5}}}}}",
        "replayer: peers are required"},
};

TEST(a_spec_that_its_mode_cannot_apply_is_refused)
{
    each_case(i, refused_modes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_no_schema(p);
        play_create_node(p, "rpc-0", refused_modes[i].spec);
        then_settled(p);
        then_refused(p, "rpc-0", refused_modes[i].phrase);
    }
}

TEST(a_seinode_name_that_is_too_long_is_refused)
{
    static const char name[] = "a23456789-b23456789-c23456789-d23456789-e23456789-f23456789";
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});

    play_create_node(p, name, "{}");
    play_create_node(p, "rpc.1", "{}");
    play_create_node(p, "rpc-1", "{}");
    then_settled(p);
    then_refused(p, name, "a shorter name");
    then_refused(p, "rpc.1", "another name");
    then_runs(p, "rpc-1");
}

TEST(a_running_node_with_an_invalid_spec_keeps_running_and_is_repaired)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 21}});

    play_create_node(p, "rpc-0", "{}");
    then_settled(p);
    play_mark(p);
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{spec: {image: 'ghcr.io/example/seid:v2', fullNode: {snapshotGeneration: {}}}}");
    then_settled(p);
    then_refused(p, "rpc-0", "has no sub-struct");
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    play_delete(p, kind_service, "rpc-0");
    then_settled(p);
    then_true(play_find(p, kind_service, "rpc-0") != NULL);
    then_int(play_pods_deleted(p), 0);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {fullNode: {snapshotGeneration: null}}}");
    then_settled(p);
    then_runs(p, "rpc-0");
    then_int(play_pods_deleted(p), 1);
}

TEST(a_running_node_whose_spec_cannot_be_decoded_does_not_count_as_down)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});

    given_no_schema(p);
    play_create_node(p, "rpc-0", "{}");
    then_settled(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 7}}");
    then_settled(p);
    then_refused(p, "rpc-0", ".spec.image");
    then_true(json_bool(play_find(p, kind_seinode, "rpc-0"), ".status.seid.ready", false));
}

static const char marked[] =
    "{metadata: {annotations: {'sei.io/maintenance': '{\"run\": \"0123456789ab\", \"by\": "
    "\"alice\", \"since\": \"2026-01-01T00:00:00Z\", \"image\": \"analyzer:v1\"}'}}}";

static const struct {
    const char *name, *pause, *reason;
} pauses[] = {
    {"paused", "{spec: {paused: true}}", "Paused"},
    {"in maintenance", marked, "Maintenance"},
};

/* Whoever waits for the pause works on the volume next. */
TEST(a_node_with_an_invalid_spec_is_not_reported_as_paused_while_its_pod_runs)
{
    each_case(i, pauses) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22 + (uint64_t)i}});

        given_no_schema(p);
        play_create_node(p, "rpc-0", "{}");
        then_settled(p);
        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 7}}");
        play_patch(p, kind_seinode, "rpc-0", pauses[i].pause);
        play_run(p, HOUR_MS);
        then_refused(p, "rpc-0", ".spec.image");
        then_true(play_find(p, kind_pod, "rpc-0-0") != NULL);
        then_str(play_condition(p, "rpc-0", COND_PAUSED), "False");
        then_str(play_reason(p, "rpc-0", COND_PAUSED), "NotHeld");
        then_true(strstr(play_message(p, "rpc-0", COND_PAUSED), ".spec.image") != NULL);

        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v1'}}");
        play_run(p, HOUR_MS);
        then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
        then_str(play_condition(p, "rpc-0", COND_PAUSED), "True");
        then_str(play_reason(p, "rpc-0", COND_PAUSED), pauses[i].reason);

        play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 7}}");
        play_run(p, HOUR_MS);
        then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
        then_str(play_condition(p, "rpc-0", COND_PAUSED), "True");
        then_str(play_reason(p, "rpc-0", COND_PAUSED), pauses[i].reason);
    }
}

static bool has_job(Play *p, const char *name)
{
    return play_find(p, kind_job, name) != NULL;
}

static bool is_suspended(Play *p, const char *name)
{
    return json_bool(play_find(p, kind_job, name), ".spec.suspend", false);
}

TEST(a_node_with_an_invalid_spec_is_not_reported_as_paused_while_its_job_runs)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 24}});

    given_no_schema(p);
    play_create_node(p,
        "rpc-0",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 950}, bootstrapImage: 'seid:v0'}}}}");
    then_true(play_until(p, has_job, "rpc-0-bootstrap"));
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 7, paused: true}}");
    play_run(p, 1000);
    then_refused(p, "rpc-0", ".spec.image");
    then_true(!is_suspended(p, "rpc-0-bootstrap"));
    then_str(play_reason(p, "rpc-0", COND_PAUSED), "NotHeld");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v1'}}");
    then_true(play_until(p, is_suspended, "rpc-0-bootstrap"));
    then_settled(p);
    then_str(play_reason(p, "rpc-0", COND_PAUSED), "Paused");
}

/* --- much of it --------------------------------------------------------------------------------
 */

TEST(a_node_with_ten_thousand_peers_becomes_ready)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});
    size_t size = 64 + (size_t)PEERS * 32, at;
    char *change = arena_alloc(play_arena(p), size);

    at = (size_t)snprintf(change, size, "{spec: {peers: [{static: {addresses: [");
    for (int i = 0; i < PEERS; i++)
        at += (size_t)snprintf(change + at, size - at, "%s'n%d@10.0.0.1:26656'", i ? "," : "", i);
    snprintf(change + at, size - at, "]}}]}}");
    play_create_node(p, "rpc-0", change);
    play_create_node(p, "rpc-1", "{}");
    then_settled(p);
    then_runs(p, "rpc-0");
    then_runs(p, "rpc-1");
}

/* The status of a plan would carry it a second time, which no object can. */
TEST(a_spec_that_is_too_large_is_reported_and_affects_no_other_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});
    char *change = arena_alloc(play_arena(p), BIG + 100);

    memset(change, 'x', BIG + 100);
    memcpy(change, "{spec: {overrides: {a: '", strlen("{spec: {overrides: {a: '"));
    memcpy(change + BIG, "'}}}", sizeof "'}}}");
    play_create_node(p, "rpc-0", change);
    play_create_node(p, "rpc-1", "{}");
    then_settled(p);
    then_runs(p, "rpc-1");
    then_refused(p, "rpc-0", "spec: has 10");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {overrides: null}}");
    then_settled(p);
    then_runs(p, "rpc-0");
}

/* --- somebody who changes what we write --------------------------------------------------------
 */

/* As a webhook would: after every write. */
static void let_webhook_be(Play *p, int64_t ms, void (*mutate)(Play *p))
{
    for (int64_t passed = 0; passed < ms; passed += 1000) {
        play_run(p, 1000);
        mutate(p);
    }
}

static void shorten_grace(Play *p)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Request get = {
        .verb = VERB_GET,
        .kind = kind_statefulset,
        .key = {.namespace = PLAY_NAMESPACE, .name = "rpc-0"},
    };
    const Json *set;

    then_ok(api_call(world_api(sim_world(play_sim(p)), "webhook"), a, &get, &set));
    if (json_int(set, ".spec.template.spec.terminationGracePeriodSeconds", 30) != 30)
        play_patch(p,
            kind_statefulset,
            "rpc-0",
            "{spec: {template: {spec: {terminationGracePeriodSeconds: 30}}}}");
}

TEST(a_webhook_that_changes_the_statefulset_causes_no_write_loop)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 40}});

    play_create_node(p, "rpc-0", "{}");
    then_settled(p);
    play_mark(p);
    let_webhook_be(p, HOUR_MS / 4, shorten_grace);
    print_message("# %d writes of the StatefulSet in a quarter of an hour\n",
        play_writes(p, -1, kind_statefulset));
    then_true(play_writes(p, -1, kind_statefulset) >= 1);
    then_true(play_writes(p, -1, kind_statefulset) <= 12);
    then_int(play_pods_deleted(p), 0);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
}

/* Nor does it while an approval waits, which gives way to repairs. */
TEST(a_webhook_causes_no_write_loop_while_an_approval_is_pending)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    play_create_node(p, "rpc-0", "{}");
    then_settled(p);
    play_order(p, "kill-sidecar sei/rpc-0-0");
    play_order(p, "task-takes sei/rpc-0-0 mark-ready 3600000");
    play_run(p, 45000);
    then_int(play_node(p, "rpc-0")->status.plan.kind, PLAN_MARK_READY);
    then_int(play_node(p, "rpc-0")->status.plan.phase, PLAN_ACTIVE);
    play_mark(p);
    let_webhook_be(p, HOUR_MS / 12, shorten_grace);
    print_message("# %d writes of the StatefulSet and %d of the node in five minutes\n",
        play_writes(p, -1, kind_statefulset),
        play_writes(p, -1, kind_seinode));
    then_true(play_writes(p, -1, kind_statefulset) >= 1);
    then_true(play_writes(p, -1, kind_statefulset) <= 16);
    then_true(play_writes(p, -1, kind_seinode) <= 32);
    then_int(play_pods_deleted(p), 0);
}

/* As behind a registry that mirrors another: the pods have images that nobody rendered. */
static void rewrite_image(Play *p)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Api *api = world_api(sim_world(play_sim(p)), "webhook");
    Request request = {
        .verb = VERB_GET,
        .kind = kind_pod,
        .key = {.namespace = PLAY_NAMESPACE, .name = "rpc-0-0"},
        .manager = "webhook",
    };
    const Json *pod;

    if (api_call(api, a, &request, &pod)
        || str_has_prefix(json_str(pod, ".spec.containers[0].image"), "mirror/"))
        return;
    request.verb = VERB_JSON_PATCH;
    request.body = json_fixture(a,
        str_format(a,
            "[{op: 'replace', path: '/spec/containers/0/image', value: 'mirror/%s'}]",
            json_str(pod, ".spec.containers[0].image")));
    then_ok(api_call(api, a, &request, NULL));
}

TEST(a_registry_that_rewrites_images_causes_no_write_loop)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    play_create_node(p, "rpc-0", "{}");
    let_webhook_be(p, HOUR_MS / 12, rewrite_image);
    then_settled(p);
    then_runs(p, "rpc-0");
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v1");
    then_int(play_pods_deleted(p), 0);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    let_webhook_be(p, HOUR_MS / 12, rewrite_image);
    then_settled(p);
    then_runs(p, "rpc-0");
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
    then_int(play_pods_deleted(p), 1);
}

TEST(the_event_of_a_started_plan_names_its_cause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 50}});
    const char *note;

    play_create_node(p, "rpc-0", "{}");
    then_settled(p);
    then_int(play_events(p, "rpc-0", "PlanStarted", &note), 1);
    then_str(note, "Plan init started, to set the node up");
}
