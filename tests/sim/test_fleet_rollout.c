/* An edit of the template reaches every node: one batch after the other, each pod replaced once,
 * and only for what pods are replaced for. */
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <string.h>

enum { STEP_MS = 10, WORDS_MS = 19000, PATIENCE_MS = 600000, LOOK_MAX = 4 << 20 };

/* What the children were asked to run, from the first to the last moment of a rollout. */
static const char *watch_tags(Play *p, const char *until)
{
    const char *all = "", *last = play_tags(p, "rpc");

    for (int64_t ms = 0; ms < PATIENCE_MS && !str_eq(last, until); ms += STEP_MS) {
        play_run(p, STEP_MS);
        const char *tags = play_tags(p, "rpc");
        if (!str_eq(tags, last))
            all = str_format(play_arena(p), "%s[%s]", all, tags);
        last = tags;
    }
    return all;
}

/* O-1 */
TEST(a_new_image_is_rolled_out_node_by_node_from_the_highest_ordinal)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    const char *volumes = play_volumes(p, "rpc");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(watch_tags(p, "v2 v2 v2"), "[v1 v1 v2][v1 v2 v2][v2 v2 v2]");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
    then_int(play_most_down(p), 1);
    then_str(play_volumes(p, "rpc"), volumes);
    then_int(play_tasks_posted(p, "mark-ready"), 3);
    then_int(play_tasks_posted(p, NULL), 3); /* O-19: each is handed over once */
    then_int(play_events(p, "rpc", "RolloutStarted", NULL), 1);
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 1);
    then_str(play_fleet_condition(p, "rpc", COND_ROLLOUT), "False");
    then_str(play_fleet_reason(p, "rpc", COND_ROLLOUT), "RolloutComplete");
}

/* O-2: whoever writes first and stores later leaves half a rollout behind when he dies. */
TEST(a_rollout_is_stored_before_the_first_node_is_written)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    for (int ms = 0; ms < 60000 && str_eq(play_tags(p, "rpc"), "v1 v1 v1"); ms++)
        play_run(p, 1);
    const Fleet *fleet = play_fleet(p, "rpc");
    then_true(fleet->status.rollout.target_hash != NULL);
    then_true(fleet->status.has_plan);
    then_int(fleet->status.phase, FLEET_UPGRADING);
    then_str(play_fleet_condition(p, "rpc", COND_ROLLOUT), "True");
    then_str(play_fleet_condition(p, "rpc", COND_RECONCILING), "True");
}

/* A label costs no pod, so all nodes get it at once; but who is to be rolled does not wait for
 * them. */
TEST(a_node_in_its_turn_is_written_before_edits_that_all_nodes_get)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 48}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p,
        "rpc",
        "{spec: {template: {metadata: {labels: {tier: 'gold'}},"
        " spec: {image: '" PLAY_IMAGE("v2") "'}}}}");
    for (int ms = 0; ms < 60000 && str_eq(play_tags(p, "rpc"), "v1 v1 v1")
        && !meta_label(play_find(p, kind_seinode, "rpc-0"), "tier");
        ms++)
        play_run(p, 1);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_str(meta_label(play_find(p, kind_seinode, "rpc-0"), "tier"), NULL);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_str(meta_label(play_find(p, kind_seinode, "rpc-0"), "tier"), "gold");
}

CAMPAIGN(a_large_fleet_updates_as_many_nodes_at_a_time_as_its_budget_allows)
{
    static const struct {
        const char *name, *change;
        int replicas, most;
    } fleets[] = {
        {"all of fifty",
            "{spec: {replicas: 50, updateStrategy: {maxUnavailable: '100%'}}}",
            50,
            50},
        {"ten of fifty", "{spec: {replicas: 50, updateStrategy: {maxUnavailable: 10}}}", 50, 10},
        {"a tenth of fifty",
            "{spec: {replicas: 50, updateStrategy: {maxUnavailable: '10%'}}}",
            50,
            5},
        {"a fifth of twenty",
            "{spec: {replicas: 20, updateStrategy: {maxUnavailable: '20%'}}}",
            20,
            4},
        {"the percentage of a node",
            "{spec: {replicas: 3, updateStrategy: {maxUnavailable: '10%'}}}",
            3,
            1},
    };

    each_case(i, fleets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3 + (uint64_t)i}});

        play_given_fleet(p, "rpc", fleets[i].change);
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
        then_int(play_pods_deleted(p), fleets[i].replicas);
        then_int(play_most_down(p), fleets[i].most);
    }
}

/* A chain stops without two thirds of its validators, whatever was allowed. */
TEST(a_rollout_of_validators_never_stops_so_many_that_the_chain_halts)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p,
        "rpc",
        "{spec: {replicas: 7, updateStrategy: {maxUnavailable: '100%'},"
        " template: {spec: {fullNode: null, validator: {}}}}}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 7);
    then_int(play_most_down(p), 2);
}

static const struct {
    const char *name, *change;
} restarts[] = {
    {"the sidecar's image", /* O-9 */
        "{spec: {template: {spec: {sidecar: {image: 'ghcr.io/example/seictl:v9'}}}}}"},
    {"the sidecar's port", "{spec: {template: {spec: {sidecar: {port: 7778}}}}}"},
    {"the sidecar's resources",
        "{spec: {template: {spec: {sidecar: {resources: {requests: {cpu: '1'}}}}}}}"},
    {"a restart on request",
        "{spec: {template: {metadata: {annotations:"
        " {'kubectl.kubernetes.io/restartedAt': '2026-11-15T00:00:00Z'}}}}}"},
};

TEST(every_edit_that_replaces_pods_replaces_each_pod_once)
{
    each_case(i, restarts) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10 + (uint64_t)i}});

        play_given_fleet(p, "rpc", "{}");
        play_edit_fleet(p, "rpc", restarts[i].change);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_int(play_pods_deleted(p), 3);
        then_int(play_most_down(p), 1);
        then_int(play_events(p, "rpc", "RolloutComplete", NULL), 1);
    }
}

static const struct {
    const char *name, *change, *path, *reads;
} quiet_edits[] = {
    {"a label",
        "{spec: {template: {metadata: {labels: {tier: 'gold'}}}}}",
        ".metadata.labels.tier",
        "\"gold\""},
    {"an annotation",
        "{spec: {template: {metadata: {annotations: {note: 'hello'}}}}}",
        ".metadata.annotations.note",
        "\"hello\""},
    {"a pod label",
        "{spec: {template: {spec: {podLabels: {team: 'blue'}}}}}",
        ".spec.podLabels.team",
        "\"blue\""},
    {"peers",
        "{spec: {template: {spec: {peers: [{static: {addresses: ['a@b:1']}}]}}}}",
        ".spec.peers",
        "[{\"static\":{\"addresses\":[\"a@b:1\"]}}]"},
    {"overrides", /* O-11 */
        "{spec: {template: {spec: {overrides: {'logging.level': 'debug'}}}}}",
        ".spec.overrides",
        "{\"logging.level\":\"debug\"}"},
};

TEST(an_edit_that_replaces_no_pods_reaches_all_nodes_at_once_and_restarts_none)
{
    each_case(i, quiet_edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20 + (uint64_t)i}});

        play_given_fleet(p, "rpc", "{}");
        const char *pods = play_pods(p, "rpc");
        play_edit_fleet(p, "rpc", quiet_edits[i].change);
        play_run(p, 2000);
        for (int n = 0; n < 3; n++) {
            const Json *node = play_find(p, kind_seinode, play_child(p, "rpc", n));
            const Json *value = json_find(node, quiet_edits[i].path);
            then_str(json_write(play_arena(p), value).data, quiet_edits[i].reads);
        }
        then_str(play_settle(p), NULL);
        then_int(play_pods_deleted(p), 0);
        then_str(play_pods(p, "rpc"), pods);
        then_int(play_events(p, "rpc", "RolloutStarted", NULL), 0);
        then_str(play_broken_promise(p), NULL);
    }
}

/* It must not wait for its node's turn. */
TEST(peers_reach_the_children_in_the_middle_of_a_rollout)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 2000);
    play_edit_fleet(p, "rpc", quiet_edits[3].change);
    play_run(p, 1000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    for (int i = 0; i < 3; i++) {
        const Json *node = play_find(p, kind_seinode, play_child(p, "rpc", i));
        then_int((int)json_count(json_find(node, ".spec.peers")), 1);
    }
    then_str(play_settle(p), NULL);
    then_int(play_pods_deleted(p), 3);
    then_str(play_tags(p, "rpc"), "v2 v2 v2");
    then_str(play_broken_promise(p), NULL);
}

/* --- hold, partition, patience -----------------------------------------------------------------
 */

#define HOLD(word) "{spec: {updateStrategy: {hold: " word "}}}"

static bool is_on_its_way(Play *p, const char *fleet)
{
    (void)fleet;
    return str_eq(play_tags(p, "rpc"), "v1 v1 v2");
}

/* O-12 */
TEST(a_held_rollout_keeps_every_pod_and_continues_when_the_hold_is_removed)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 40}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_on_its_way, "rpc"));
    play_edit_fleet(p, "rpc", HOLD("true"));
    play_run(p, 300000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 3);
    then_int((int)play_fleet(p, "rpc")->status.counts.updated, 1);
    then_int(play_pods_deleted(p), 1);
    play_edit_fleet(p, "rpc", HOLD("false"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

TEST(a_held_rollout_can_be_reverted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    play_given_fleet(p, "rpc", HOLD("true"));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 60000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 0);
}

#define PARTITION(ordinal) "{spec: {updateStrategy: {partition: " ordinal "}}}"

static bool has_canary(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2")
        && play_fleet(p, fleet)->status.counts.available == 3
        && play_fleet(p, fleet)->status.counts.updated == 1;
}

TEST(a_canary_is_updated_first_and_the_others_when_it_is_promoted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 42}});

    play_given_fleet(p, "rpc", PARTITION("2"));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_canary, "rpc"));
    play_run(p, 120000);
    then_true(has_canary(p, "rpc"));
    then_int(play_pods_deleted(p), 1);
    play_edit_fleet(p, "rpc", PARTITION("0"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

TEST(a_recreated_node_below_the_partition_keeps_its_old_revision)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 43}});

    play_given_fleet(p, "rpc", PARTITION("2"));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_canary, "rpc"));
    play_delete(p, kind_seinode, "rpc-0");
    play_delete(p, kind_seinode, "rpc-2");
    play_run(p, 1000);
    then_true(play_until(p, has_canary, "rpc"));
    play_run(p, 60000);
    then_true(has_canary(p, "rpc"));
    play_edit_fleet(p, "rpc", PARTITION("0"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

TEST(a_node_must_be_ready_for_the_minimum_time_before_the_next_one_is_updated)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 44}});

    play_given_fleet(p, "rpc", "{spec: {updateStrategy: {minReadySeconds: 60}}}");
    int64_t start = world_now_ms(sim_world(play_sim(p)));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(watch_tags(p, "v2 v2 v2"), "[v1 v1 v2][v1 v2 v2][v2 v2 v2]");
    then_true(world_now_ms(sim_world(play_sim(p))) - start >= 2 * 59000);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

/* --- an operator that has changed --------------------------------------------------------------
 */

static void upgrade_operator(Play *p)
{
    play_upgrade(p, "8");
    play_run(p, 5000);
}

TEST(an_operator_upgrade_rolls_a_fleet_by_the_budget_of_the_fleet)
{
    static const struct {
        const char *name, *strategy;
        int most;
    } budgets[] = {
        {"one", "{}", 1},
        {"two", "{spec: {updateStrategy: {maxUnavailable: 2}}}", 2},
    };

    each_case(i, budgets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 50 + (uint64_t)i}});

        play_given_fleet(p, "rpc", budgets[i].strategy);
        upgrade_operator(p);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_int(play_pods_deleted(p), 3);
        then_int(play_most_down(p), budgets[i].most);
        then_int(play_events(p, "rpc", "RolloutStarted", NULL), 0);
    }
}

TEST(an_operator_upgrade_waits_for_a_fleet_on_hold)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 52}});

    play_given_fleet(p, "rpc", HOLD("true"));
    upgrade_operator(p);
    play_run(p, 300000);
    then_int(play_pods_deleted(p), 0);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 3);
    then_str(play_fleet_condition(p, "rpc", COND_UP_TO_DATE), "False");
    play_edit_fleet(p, "rpc", HOLD("false"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 3);
}

/* Both want the same nodes down: they share the budget. */
TEST(an_operator_upgrade_during_a_rollout_takes_down_no_more_nodes_than_the_budget)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 53}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_on_its_way, "rpc"));
    upgrade_operator(p);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_true(play_pods_deleted(p) <= 4); /* the one that was on its way may go twice */
}

/* --- an upgrade height -------------------------------------------------------------------------
 */

static void halt_chain(Play *p)
{
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");
    int64_t now = world_now_ms(sim_world(play_sim(p)));

    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 600000);
}

TEST(a_fleet_that_halted_at_an_upgrade_height_is_updated_at_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 45}});

    play_given_fleet(p, "rpc", "{}");
    halt_chain(p);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 0);
    play_mark(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 2000);
    then_str(play_tags(p, "rpc"), "v2 v2 v2");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

/* Their exporters are never Ready, because the user has turned gRPC off. */
#define WITHOUT_GRPC                                                                               \
    "{spec: {template: {spec: {fullNode: null, validator: {},"                                     \
    " overrides: {'api.grpc.enable': 'false'}}}}}"
enum { AFTER_CREATION_MS = 61000 };

TEST(a_rollout_waits_at_the_first_validator_whose_exporter_is_not_ready)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 46}});

    play_create_fleet(p, "rpc", WITHOUT_GRPC);
    play_run(p, AFTER_CREATION_MS);
    then_true(strstr(play_message(p, "rpc-0", COND_READY), "cosmos-exporter") != NULL);
    play_mark(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 600000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_int(play_pods_deleted(p), 1);
}

TEST(a_fleet_of_validators_becomes_ready_because_validators_serve_grpc_by_default)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 47}});

    play_given_fleet(p, "rpc", "{spec: {template: {spec: {fullNode: null, validator: {}}}}}");
}

/* --- how often the fleet says how far it is */

typedef struct Said {
    char version[64], counts[128];
} Said;

static Said said_now(Play *p)
{
    SCOPED_ARENA a = arena_open(LOOK_MAX);
    const Json *fleet = play_look(p, a, kind_seinodedeployment, "rpc");
    Said said = {0};

    snprintf(said.version, sizeof said.version, "%s", meta_resource_version(fleet));
    snprintf(said.counts,
        sizeof said.counts,
        "%d %d %d %d %d",
        (int)json_int(fleet, ".status.replicas", -1),
        (int)json_int(fleet, ".status.readyReplicas", -1),
        (int)json_int(fleet, ".status.availableReplicas", -1),
        (int)json_int(fleet, ".status.unavailableReplicas", -1),
        (int)json_int(fleet, ".status.updatedReplicas", -1));
    return said;
}

typedef struct Writes {
    int of_counts;
    int early_words; /* that change no count, less than WORDS_MS after the write before */
} Writes;

static Writes watch_writes(Play *p, int64_t for_ms)
{
    Said last = said_now(p);
    Writes found = {0};
    int64_t written_ms = 0;

    for (int64_t ms = 0; ms < for_ms; ms += STEP_MS) {
        play_run(p, STEP_MS);
        Said now = said_now(p);
        if (str_eq(now.version, last.version))
            continue;
        bool counts = !str_eq(now.counts, last.counts);
        found.of_counts += counts ? 1 : 0;
        found.early_words += !counts && ms - written_ms < WORDS_MS ? 1 : 0;
        written_ms = ms;
        last = now;
    }
    return found;
}

#define ALL_AT_ONCE "{spec: {replicas: 8, updateStrategy: {maxUnavailable: '100%'}}}"

CAMPAIGN(the_status_of_a_fleet_during_a_rollout_is_written_on_count_changes_or_rarely)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        play_given_fleet(p, "rpc", ALL_AT_ONCE);
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        Writes writes = watch_writes(p, 120000);
        then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
        then_true(writes.of_counts >= 3); /* all written, some back, all back */
        then_int(writes.early_words, 0);
    }
}

TEST(the_status_shows_within_a_minute_that_every_pod_was_updated_though_none_is_ready)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){0});

    play_given_fleet(p, "rpc", ALL_AT_ONCE);
    for (int i = 0; i < 8; i++)
        play_order(p, str_format(play_arena(p), "never-ready sei/%s", play_child_pod(p, "rpc", i)));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 60000);
    const Json *fleet = play_find(p, kind_seinodedeployment, "rpc");
    then_int(json_int(fleet, ".status.availableReplicas", -1), 0);
    then_str(json_str(fleet, ".status.plan.phase"), "Active");
    then_str(json_str(cond_in(fleet, COND_UP_TO_DATE), ".status"), "True");
}
