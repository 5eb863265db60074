/* Four validators found a chain. Whatever goes wrong on the way, and wherever the operator dies:
 * one genesis is assembled and published, of what all have handed in; no sidecar ever has two
 * tasks; and all that is waited for is said. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { MINUTE_MS = 60000, WRITES_MAX = 2000 };

#define CHAIN      "founders-1"
#define URI        "s3://dev-sei-k8s-genesis-artifacts/" CHAIN "/genesis.json"
#define ASSEMBLY   "assemble-and-upload-genesis"
#define ALICE      "sei1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5jwagqa"
#define MISTYPED   "sei1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5jwagqb"
#define NOT_STRUCK "there is no such write"

#define NEW_SIDECAR "{image: 'ghcr.io/example/seictl:v0.0.68'}"

static void create_with(Play *p, const char *genesis, const char *sidecar)
{
    play_create_fleet(p,
        "v",
        str_format(play_arena(p),
            "{spec: {replicas: 4, genesis: {chainId: '%s'%s}, template: {spec: {chainId: '%s',"
            " fullNode: null, validator: {}, sidecar: %s}}}}",
            CHAIN,
            genesis,
            CHAIN,
            sidecar));
}

static void create(Play *p, const char *genesis)
{
    create_with(p, genesis, NEW_SIDECAR);
}

/* Its promises, as far as they can be seen from outside. */
static const char *unwell(Play *p)
{
    const Hazards *hazards = kubelet_hazards(play_kubelet(p));
    const Fleet *fleet = play_fleet(p, "v");

    if (hazards->count)
        return hazards_newest(hazards);
    if (!conds_is_true(&fleet->status.conds, COND_GENESIS_COMPLETE))
        return "the chain is not founded";
    if (!str_eq(fleet->status.genesis_uri, URI))
        return "it is not said where the genesis is";
    if (fleet->status.has_plan)
        return "there is still a plan";
    for (int i = 0; i < 4; i++) {
        const SeiNode *node = play_node(p, play_child(p, "v", i));
        if (json_count(json_find(node->object, ".spec.peers[0].static.addresses")) != 4)
            return str_format(play_arena(p), "%s does not know its peers", node->key.name);
    }
    return NULL;
}

static const char *trouble(Play *p)
{
    const char *wrong = play_fleet_trouble(p, "v", "v1");
    return wrong ? wrong : unwell(p);
}

static bool is_founding(Play *p, const char *name)
{
    return play_fleet(p, name)->status.has_plan;
}

static bool is_assembling(Play *p, const char *name)
{
    const Plan *plan = &play_fleet(p, name)->status.plan;
    return plan->task_count > 0 && plan->tasks[0].submitted_at;
}

static bool is_published(Play *p, const char *name)
{
    return play_fleet(p, name)->status.genesis_uri != NULL;
}

static bool is_stalled(Play *p, const char *name)
{
    return str_eq(play_fleet_condition(p, name, COND_STALLED), "True");
}

static bool is_not_stalled(Play *p, const char *name)
{
    return !is_stalled(p, name);
}

/* --- the course of it --- */

TEST(four_validators_complete_a_genesis_ceremony)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    create(p, ", accounts: [{address: '" ALICE "', balance: '5usei'}]");
    then_str(trouble(p), NULL);
    then_int(play_tasks_posted(p, ASSEMBLY), 1);
    then_int(play_tasks_posted(p, "configure-genesis"), 4);
    then_int((int)strlen(play_fleet(p, "v")->status.genesis_hash), 64);
    then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "Complete");
    then_int(play_events(p, "v", "PlanStarted", NULL), 1);
    then_int(play_events(p, "v", "PlanComplete", NULL), 1);
}

/* The reference chooses by name among all that are labelled so, and in any order (O-27, O-30). */
TEST(the_genesis_is_assembled_by_the_first_node_from_all_nodes_in_their_order)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});
    const Json *posted = NULL;

    create(p, "");
    then_str(trouble(p), NULL);
    for (int i = 0; play_posted(p, i); i++)
        if (str_eq(json_str(play_posted(p, i), ".type"), ASSEMBLY))
            posted = play_posted(p, i);
    then_json(json_find(posted, ".params.nodes"),
        "[{name: 'v-0'}, {name: 'v-1'}, {name: 'v-2'}, {name: 'v-3'}]");
}

TEST(a_genesis_without_a_reported_hash_is_complete)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    create_with(p, "", "null");
    then_str(trouble(p), NULL);
    then_str(play_fleet(p, "v")->status.genesis_hash, NULL);
}

/* O-26: the reference wipes them with the next edit of the fleet. */
TEST(the_peers_of_genesis_validators_survive_every_edit)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    create(p, "");
    then_str(trouble(p), NULL);
    play_edit_fleet(p, "v", "{spec: {template: {metadata: {labels: {team: 'x'}}}}}");
    then_str(trouble(p), NULL);
    play_edit_fleet(p, "v", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "v", "v2"), NULL);
    then_str(unwell(p), NULL);
}

/* The reference pushes it to all nodes at once when the ceremony ends, and calls it no rollout. */
TEST(an_edit_during_a_genesis_ceremony_is_rolled_out_after_the_ceremony)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    create(p, "");
    then_true(play_until(p, is_founding, "v"));
    play_edit_fleet(p, "v", PLAY_TO("v2"));
    play_run(p, 5000);
    then_str(play_tags(p, "v"), "v1 v1 v1 v1");
    then_str(play_fleet_trouble(p, "v", "v2"), NULL);
    then_str(unwell(p), NULL);
    then_int(play_events(p, "v", "RolloutStarted", NULL), 1);
    then_int(play_events(p, "v", "RolloutComplete", NULL), 1);
}

TEST(a_genesis_validator_that_is_deleted_before_the_assembly_uploads_its_part_again)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    create(p, "");
    then_true(play_until(p, is_founding, "v"));
    play_delete(p, kind_seinode, "v-3");
    then_str(trouble(p), NULL);
}

TEST(a_genesis_ceremony_makes_no_progress_while_the_fleet_is_paused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 17}});

    create(p, "");
    then_true(play_until(p, is_assembling, "v"));
    play_edit_fleet(p, "v", "{spec: {paused: true}}");
    play_run(p, 60 * MINUTE_MS);
    then_true(is_founding(p, "v"));
    play_edit_fleet(p, "v", "{spec: {paused: false}}");
    then_str(trouble(p), NULL);
    then_int(play_events(p, "v", "PlanFailed", NULL), 0);
}

/* As the reference leaves it: its plans have no kind, no beginning and no target. */
TEST(a_genesis_ceremony_of_the_go_operator_is_completed)
{
    static const struct {
        const char *name;
        bool (*when)(Play *p, const char *name);
    } cases[] = {{"just begun", is_founding}, {"being assembled", is_assembling}};

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30 + i}});
        create(p, "");
        then_true(play_until(p, cases[i].when, "v"));
        replica_crash(play_replica(p, 0));
        play_patch_status(p,
            kind_seinodedeployment,
            "v",
            "{status: {plan: {kind: null, cause: null, startedAt: null, generation: null,"
            " targetHash: null, waiting: null}, selector: null, history: null,"
            " completeRevision: null}}");
        then_str(trouble(p), NULL);
        then_int(play_tasks_posted(p, ASSEMBLY), 1);
        /* It is not begun again; that it was begun may have been lost in the crash. */
        then_true(play_events(p, "v", "PlanStarted", NULL) <= 1);
    }
}

/* Whoever assembled it again would give the chain another genesis. */
TEST(a_fleet_that_is_recreated_does_not_repeat_its_genesis)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 18}});

    create(p, "");
    play_edit_fleet(p, "v", "{spec: {deletionPolicy: 'Retain'}}");
    then_str(trouble(p), NULL);
    play_delete(p, kind_seinodedeployment, "v");
    play_run(p, MINUTE_MS);
    play_mark(p);
    create(p, "");
    then_str(trouble(p), NULL);
    then_int(play_tasks_posted(p, NULL), 0);
    then_int(play_pods_deleted(p), 0);
}

TEST(a_second_ceremony_of_one_chain_id_waits_until_the_first_fleet_is_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 19}});

    create(p, "");
    play_run(p, 2000);
    play_create_fleet(p,
        "a",
        "{spec: {replicas: 1, genesis: {chainId: '" CHAIN "'}, template: {spec: {chainId: '" CHAIN
        "', fullNode: null, validator: {}, sidecar: " NEW_SIDECAR "}}}}");
    play_run(p, 10 * MINUTE_MS);
    then_str(unwell(p), NULL);
    then_str(play_fleet_reason(p, "a", COND_STALLED), "InvalidSpec");
    then_true(
        strstr(play_fleet_message(p, "a", COND_STALLED), "SeiNodeDeployment sei/v founds") != NULL);
    then_true(play_find(p, kind_seinode, "a-0") == NULL);

    play_delete(p, kind_seinodedeployment, "v");
    play_run(p, 2 * MINUTE_MS);
    then_true(play_find(p, kind_seinode, "a-0") != NULL);
    then_str(play_fleet_condition(p, "a", COND_STALLED), "False");
}

/* An edit makes the older fleet the owner while the other one has nodes. */
TEST(a_ceremony_that_is_refused_midway_keeps_its_nodes_and_the_fleet_can_pause_them)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});
    play_create_fleet(p,
        "a",
        "{spec: {replicas: 1, paused: true, template: {spec: {chainId: '" CHAIN
        "', fullNode: null, validator: {}}}}}");
    play_run(p, 2000);
    create(p, "");
    play_run(p, 2000);
    then_true(play_find(p, kind_seinode, "v-3") != NULL);
    play_edit_fleet(p, "a", "{spec: {genesis: {chainId: '" CHAIN "'}}}");
    play_edit_fleet(p, "v", "{spec: {paused: true}}");
    play_run(p, MINUTE_MS);
    then_str(play_fleet_reason(p, "v", COND_STALLED), "InvalidSpec");
    for (int i = 0; i < 4; i++)
        then_true(
            json_bool(play_find(p, kind_seinode, play_child(p, "v", i)), ".spec.paused", false));
}

/* --- what goes wrong --- */

CAMPAIGN(a_genesis_ceremony_waits_for_an_assembler_whose_sidecar_fails)
{
#define CURE "temper sei/v-0-0 none 0"
    static const struct {
        const char *name, *trouble, *cure;
        bool (*when)(Play *p, const char *name);
    } cases[] = {
        {"fails a few times",
            "fail-task sei/v-0-0 " ASSEMBLY " 3 the bucket is away",
            NULL,
            is_founding},
        {"takes long", "task-takes sei/v-0-0 " ASSEMBLY " 240000", NULL, is_founding},
        {"hangs from the beginning", "temper sei/v-0-0 hanging 0", CURE, is_founding},
        {"hangs", "temper sei/v-0-0 hanging 0", CURE, is_assembling},
        {"forgets", "temper sei/v-0-0 forgetful 0", CURE, is_assembling},
        {"lies", "temper sei/v-0-0 lying 0", CURE, is_assembling},
        {"fails to answer", "temper sei/v-0-0 failing 0", CURE, is_assembling},
        {"cannot store a task", "temper sei/v-0-0 wedged 0", CURE, is_assembling},
        {"dies at work", "kill-sidecar sei/v-0-0", NULL, is_assembling},
        {"is evicted at work", "evict sei/v-0-0", NULL, is_assembling},
    };

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7 + i}});
        create(p, "");
        then_true(play_until(p, cases[i].when, "v"));
        play_order(p, cases[i].trouble);
        play_run(p, 2 * MINUTE_MS);
        if (cases[i].cure)
            play_order(p, cases[i].cure);
        then_str(trouble(p), NULL);
    }
}

/* O-27: told once, and tried again. */
TEST(a_genesis_ceremony_that_exceeds_its_deadline_fails_and_is_retried)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});

    play_order(p, "fail-task sei/v-0-0 " ASSEMBLY " 100 the bucket is away");
    create(p, ", maxCeremonyDuration: '2m'");
    then_true(play_until(p, is_stalled, "v"));
    then_str(play_fleet_reason(p, "v", COND_STALLED), "CeremonyFailed");
    then_true(strstr(play_fleet_message(p, "v", COND_STALLED), "not over after 2m") != NULL);
    then_true(strstr(play_fleet_message(p, "v", COND_STALLED), "the bucket is away") != NULL);
    then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "Failed");
    then_int(play_events(p, "v", "PlanFailed", NULL), 1);
    then_int(play_events(p, "v", "CeremonyFailed", NULL), 1);
    play_order(p, "fail-task sei/v-0-0 " ASSEMBLY " 0 x");
    then_true(play_until(p, is_not_stalled, "v"));
    then_str(trouble(p), NULL);
}

/* A second one would change the file that the first is at work on; nobody who remembers the first
 * need be alive. */
TEST(an_assembly_that_outlasts_its_ceremony_stays_the_only_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 24}});

    create(p, ", maxCeremonyDuration: '2m'");
    then_true(play_until(p, is_founding, "v"));
    play_order(p, "task-takes sei/v-0-0 " ASSEMBLY " 600000");
    then_true(play_until(p, is_stalled, "v"));
    play_run(p, 1000); /* events are sent after the status was stored */
    then_int(play_events(p, "v", "PlanFailed", NULL), 1);
    replica_crash(play_replica(p, 0));
    play_run(p, 30 * MINUTE_MS);
    then_str(trouble(p), NULL);
    then_int(play_tasks_posted(p, ASSEMBLY), 1);
}

/* O-27: a failed node is named; the ceremony goes on when it was helped. */
TEST(a_ceremony_reports_a_failed_validator_and_completes_after_its_recovery)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 21}});

    play_order(p, "fail-task sei/v-2-0 generate-gentx 1 disk is on fire");
    create(p, "");
    then_true(play_until(p, is_stalled, "v"));
    then_str(play_fleet_reason(p, "v", COND_STALLED), "CeremonyFailed");
    then_true(strstr(play_fleet_message(p, "v", COND_STALLED), "SeiNode v-2 is Failed") != NULL);
    play_run(p, 30 * MINUTE_MS);
    then_int(play_events(p, "v", "PlanStarted", NULL), 1); /* nothing hopeless is begun */
    then_int(play_tasks_posted(p, ASSEMBLY), 0);
    play_delete(p, kind_seinode, "v-2"); /* a sidecar cannot repeat that task on one volume */
    then_str(trouble(p), NULL);
}

static bool has_failed_founder(Play *p, const char *name)
{
    (void)name;
    return play_find(p, kind_seinode, "v-1") && play_node(p, "v-1")->status.phase == PHASE_FAILED;
}

/* The genesis task behind the failed one was never submitted, and waits for the fleet. */
TEST(a_validator_whose_genesis_upload_failed_uploads_its_part_after_a_retry)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});

    play_order(p, "fail-task sei/v-1-0 upload-genesis-artifacts 1 access denied to s3://genesis");
    create(p, "");
    then_true(play_until(p, has_failed_founder, "v"));
    play_run(p, MINUTE_MS);
    play_patch(p, kind_seinode, "v-1", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    play_run(p, 5 * MINUTE_MS);
    then_str(trouble(p), NULL);
}

/* The genesis has its old key: all would run, and no block would ever be made. */
TEST(a_genesis_validator_that_is_deleted_after_the_assembly_began_is_reported)
{
    static const struct {
        const char *name;
        bool (*when)(Play *p, const char *name);
    } cases[] = {{"being assembled", is_assembling}, {"published", is_published}};

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 40 + i}});
        play_order(p, "task-takes sei/v-0-0 " ASSEMBLY " 60000");
        create(p, "");
        then_true(play_until(p, cases[i].when, "v"));
        play_run(p, 2000);
        play_delete(p, kind_seinode, "v-3");
        replica_crash(play_replica(p, 0));
        then_true(play_until(p, is_stalled, "v"));
        then_str(play_fleet_reason(p, "v", COND_STALLED), "CeremonyFailed");
        then_true(strstr(play_fleet_message(p, "v", COND_STALLED), "SeiNode v-3 was") != NULL);
        play_run(p, 60 * MINUTE_MS);
        then_true(is_stalled(p, "v"));
        then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "Failed");
        then_int(play_tasks_posted(p, ASSEMBLY), 1);
        then_int(play_events(p, "v", "CeremonyFailed", NULL), 1);
    }
}

static bool is_overdue(Play *p, const char *name)
{
    return play_fleet(p, name)->status.history.count > 0;
}

/* The ceremony that handed the keys over has ended by then, and nobody who saw it need be alive. */
TEST(a_validator_that_is_deleted_after_a_ceremony_exceeded_its_deadline_is_reported)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 42}});

    play_order(p, "task-takes sei/v-3-0 configure-genesis 7200000");
    create(p, ", maxCeremonyDuration: '5m'");
    then_true(play_until(p, is_published, "v"));
    then_true(play_until(p, is_overdue, "v"));
    play_delete(p, kind_seinode, "v-3");
    replica_crash(play_replica(p, 0));
    play_run(p, 60 * MINUTE_MS);
    then_true(is_stalled(p, "v"));
    then_true(strstr(play_fleet_message(p, "v", COND_STALLED), "SeiNode v-3 was") != NULL);
    then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "Failed");
    then_int(play_tasks_posted(p, ASSEMBLY), 1);
}

static bool has_lost_a_founder(Play *p, const char *name)
{
    return str_eq(play_fleet_reason(p, name, COND_GENESIS_COMPLETE), "FounderLost");
}

/* All nodes are Ready again, and only this tells that one validator is missing. */
TEST(a_genesis_validator_that_loses_its_volume_after_the_ceremony_is_reported_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 43}});

    create(p, "");
    then_str(trouble(p), NULL);
    play_delete(p, kind_seinode, "v-3");
    then_true(play_until(p, has_lost_a_founder, "v"));
    play_run(p, 2000);
    replica_crash(play_replica(p, 0));
    play_run(p, 30 * MINUTE_MS);
    then_str(play_fleet_condition(p, "v", COND_GENESIS_COMPLETE), "True");
    then_true(has_lost_a_founder(p, "v"));
    then_true(strstr(play_fleet_message(p, "v", COND_GENESIS_COMPLETE), "v-3") != NULL);
    then_int(play_events(p, "v", "FounderLost", NULL), 1);
}

/* The volume was kept, and the key with it. */
TEST(a_recreated_genesis_validator_that_kept_its_volume_is_not_reported)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 44}});

    create(p, "");
    play_edit_fleet(p, "v", "{spec: {deletionPolicy: 'Retain'}}");
    then_str(trouble(p), NULL);
    play_delete(p, kind_seinode, "v-3");
    play_run(p, 30 * MINUTE_MS);
    then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "Complete");
    then_int(play_events(p, "v", "FounderLost", NULL), 0);
}

/* O-20: the reference says nothing, and tries for ever. */
TEST(an_invalid_genesis_account_address_is_reported)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});

    create(p, ", accounts: [{address: '" MISTYPED "', balance: '5usei'}]");
    then_true(play_until(p, is_stalled, "v"));
    then_str(play_fleet_reason(p, "v", COND_STALLED), "InvalidSpec");
    then_true(strstr(play_fleet_message(p, "v", COND_STALLED), MISTYPED) != NULL);
    then_str(play_fleet_reason(p, "v", COND_GENESIS_COMPLETE), "InvalidGenesis");
    play_run(p, 30 * MINUTE_MS);
    then_int(play_events(p, "v", "InvalidSpec", NULL), 1);
    then_int(play_tasks_posted(p, ASSEMBLY), 0);
    play_delete(p, kind_seinodedeployment, "v");
    play_run(p, 2 * MINUTE_MS);
    create(p, ", accounts: [{address: '" ALICE "', balance: '5usei'}]");
    then_str(trouble(p), NULL);
}

/* --- wherever the operator dies --- */

static const char *die(Play *p, void *self)
{
    Strike *strike = self;

    strike->armed = true;
    create(p, ", accounts: [{address: '" ALICE "', balance: '5usei'}]");
    const char *wrong = trouble(p);
    int assemblies = play_tasks_posted(p, ASSEMBLY);
    if (!wrong && assemblies != 1)
        wrong = str_format(play_arena(p), "it was assembled %d times", assemblies);
    if (wrong)
        return str_format(
            play_arena(p), "write %d, %s: %s", (int)strike->number, strike->what, wrong);
    return strike->seen < strike->number ? NOT_STRUCK : NULL;
}

CAMPAIGN(the_operator_may_crash_at_any_write_of_a_genesis_ceremony)
{
    static const struct {
        const char *name;
        PortFault fault;
    } deaths[] = {
        {"death before the call", {.kind = PORT_CRASH_BEFORE}},
        {"death before the answer", {.kind = PORT_CRASH_AFTER}},
        {"a conflict", {.kind = PORT_REFUSED, .status = 409}},
    };
    int courses = 0;

    each_case(i, deaths) {
        Strike strike = {.fault = deaths[i].fault, .writes_only = true};
        SCOPED_PLAY p = play_open(&(PlayOptions){
            .sim = {.seed = 23, .judge = strike_judge, .judge_self = &strike},
        });
        play_run(p, 5000);
        play_mark(p);
        uint64_t stride = strike_wants_all() ? 1 : 9;
        for (strike.number = 1 + i; strike.number < WRITES_MAX; strike.number += stride) {
            const char *wrong = branch(p, die, &strike);
            if (str_eq(wrong, NOT_STRUCK))
                break;
            then_str(wrong, NULL);
            courses++;
        }
    }
    print_message("# %d deaths\n", courses);
    then_true(courses > 20);
}
