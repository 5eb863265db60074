/* Nodes of every mode and variant, from their creation until they run: which tasks, under which
 * ids, and what exactly their sidecars are asked for. Then what is special about some of them:
 * ceremonies that wait for others, uploads that never end, keys that are exchanged. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sei/golden.h"
#include "tests/sei/modes.h"
#include "tests/sim/play.h"

#define NODE   "rpc-0"
#define SECRET "do-not-tell"

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

static void then_runs(Play *p)
{
    then_settled(p);
    then_str(play_message(p, NODE, COND_STALLED), "nothing needs a person");
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_str(play_condition(p, NODE, COND_UP_TO_DATE), "True");
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
}

static void create_secret(Play *p, const char *name, const char *data)
{
    play_create(p,
        kind_secret,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'Secret', metadata: {name: '%s'}, stringData: {%s}}",
            name,
            data));
}

#define KEY                                                                                        \
    "'{\"address\":\"A1\",\"pub_key\":{\"type\":\"t\",\"value\":\"p\"},"                           \
    "\"priv_key\":{\"type\":\"t\",\"value\":\"" SECRET "\"}}'"

static void given_secrets(Play *p)
{
    create_secret(p, "signing", "'priv_validator_key.json': " KEY);
    create_secret(p, "signing-2", "'priv_validator_key.json': " KEY);
    create_secret(p, "node", "'node_key.json': " KEY);
    create_secret(p, "keyring", "'admin.info': '" SECRET "', 'a1.address': '" SECRET "'");
    create_secret(p, "passphrase", "word: '" SECRET "'");
}

/* Whoever leads the ceremony has seen the others, and says who they are. */
static void publish_genesis(Play *p)
{
    Outside *outside = kubelet_outside(play_kubelet(p));

    then_true(outside_put(outside, "founders-1/genesis.json", "hash"));
    then_true(outside_put(outside, "founders-1/peers.json", "[]"));
}

/* --- birth -------------------------------------------------------------------------------------
 */

static const char *tasks_text(Arena *a, const Plan *plan)
{
    const char *text = "";

    for (size_t i = 0; i < plan->task_count; i++)
        text = str_format(a, "%s%s%s", text, i ? " " : "", plan->tasks[i].spelling);
    return text;
}

/* Each has the id of its place, and that is the one that the sidecar heard. */
static void then_ids_are_right(Play *p, const Plan *plan)
{
    Arena *a = play_arena(p);
    Plan *same = arena_new(a, Plan);
    int number = 0;

    same->id = plan->id;
    for (size_t i = 0; i < plan->task_count; i++) {
        const PlannedTask *task = &plan->tasks[i];

        plan_add_task(a, same, task->type, NULL);
        if (task_type_never_ends(task->type)) /* it has one id for as long as the node lives */
            plan_fix_task(a, &same->tasks[i], play_node(p, NODE)->uid);
        then_str(task->id, same->tasks[i].id);
        then_int(task->status, TASK_COMPLETE);
        if (task_type_is_sidecar(task->type))
            then_str(json_str(play_posted(p, number++), ".id"), task->id);
    }
    then_true(play_posted(p, number) == NULL);
}

/* What sidecars were sent, without the ids. */
static const Json *posts(Play *p)
{
    Arena *a = play_arena(p);
    Draft *all = draft_array(a);
    const Json *post;

    for (int i = 0; (post = play_posted(p, i)); i++)
        draft_push(all,
            draft(a,
                str("type", json_str(post, ".type")),
                draft_json("params", json_find(post, ".params"))));
    return json_seal(a, all);
}

CAMPAIGN(a_node_of_every_mode_and_variant_becomes_ready_with_its_golden_requests)
{
    each_case(i, mode_cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 100 + (uint64_t)i}});
        Arena *a = play_arena(p);

        given_secrets(p);
        publish_genesis(p);
        play_create_node(p, NODE, mode_cases[i].patch);
        then_runs(p);
        const NodeStatus *status = &play_node(p, NODE)->status;
        then_str(tasks_text(a, &status->plan), mode_cases[i].tasks);
        then_int(status->plan.phase, PLAN_COMPLETE);
        then_int((int)status->history.count, 1);
        then_ids_are_right(p, &status->plan);
        then_golden(a, posts(p), str_format(a, "posts/%s.json", mode_cases[i].name));
    }
}

/* --- ceremonies --------------------------------------------------------------------------------
 */

#define CEREMONY_NODE "{spec: {chainId: 'founders-1', fullNode: null, validator: {" CEREMONY "}}}"

static const PlannedTask *task_of(Play *p, TaskType type)
{
    return plan_find_task((Plan *)&play_node(p, NODE)->status.plan, type);
}

static bool waits_for_genesis(Play *p, const char *name)
{
    (void)name;
    return play_node(p, NODE)->status.has_plan
        && task_of(p, TASK_CONFIGURE_GENESIS)->retry_count == 3;
}

TEST(a_genesis_validator_uploads_its_part_and_waits_for_the_others)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});
    const Outside *outside = kubelet_outside(play_kubelet(p));

    play_create_node(p, NODE, CEREMONY_NODE);
    then_true(play_until(p, waits_for_genesis, NODE));
    then_true(outside_find(outside, "founders-1/" NODE "/gentx.json") != NULL);
    then_true(strstr(task_of(p, TASK_CONFIGURE_GENESIS)->error, "not found") != NULL);
    then_true(strstr(play_message(p, NODE, COND_RECONCILING), "genesis.json") != NULL);
    then_int(play_node(p, NODE)->status.phase, PHASE_INITIALIZING);

    publish_genesis(p);
    then_runs(p);
    then_true(task_of(p, TASK_CONFIGURE_GENESIS)->retry_count >= 3);
    then_int(play_tasks_posted(p, "generate-gentx"), 1);
}

TEST(an_edit_of_the_stake_after_it_was_signed_is_reported_and_not_applied)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 32}});

    play_create_node(p, NODE, CEREMONY_NODE);
    then_true(play_until(p, waits_for_genesis, NODE));
    play_patch(
        p, kind_seinode, NODE, "{spec: {validator: {genesisCeremony: {stakingAmount: '11usei'}}}}");
    play_run(p, 60000);
    then_str(play_reason(p, NODE, COND_STALLED), "NeedsReset");
    then_true(strstr(play_message(p, NODE, COND_STALLED), "genesis ceremony was edited") != NULL);

    play_patch(
        p, kind_seinode, NODE, "{spec: {validator: {genesisCeremony: {stakingAmount: '10usei'}}}}");
    publish_genesis(p);
    then_runs(p);
    then_int(play_tasks_posted(p, "generate-gentx"), 1);
}

TEST(a_genesis_transaction_that_failed_half_way_is_reported_as_final)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 33}});

    publish_genesis(p);
    play_order(p, "fail-task sei/" NODE "-0 generate-gentx 1 disk is on fire");
    play_create_node(p, NODE, CEREMONY_NODE);
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
    then_true(strstr(play_message(p, NODE, COND_STALLED), "disk is on fire") != NULL);
    then_true(strstr(play_message(p, NODE, COND_STALLED), "reset the data of the node") != NULL);
    play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
    then_true(strstr(play_message(p, NODE, COND_STALLED), "already exists in keybase") != NULL);

    play_order(p, "empty-disk sei/" NODE "-0");
    play_delete(p, kind_pod, NODE "-0"); /* the next one lays out the home */
    play_run(p, 60000);
    play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '2'}}}");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
}

/* --- uploads -----------------------------------------------------------------------------------
 */

TEST(a_snapshot_upload_continues_and_is_never_started_twice)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    play_order(p, "task-takes sei/" NODE "-0 config-validate 60000");
    play_create_node(p, NODE, "{spec: {fullNode: {" PUBLISHES "}}}");
    then_runs(p);
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_runs(p);
    play_order(p, "kill-sidecar sei/" NODE "-0");
    then_runs(p);
    then_int(play_tasks_posted(p, "snapshot-upload"), 1);
    then_true(play_tasks_posted(p, "mark-ready") >= 3);
}

/* The id under which the upload was submitted last, since the mark; NULL: it was not. */
static const char *upload_id(Play *p)
{
    const char *id = NULL;

    for (int i = 0; play_posted(p, i); i++)
        if (str_eq(json_str(play_posted(p, i), ".type"), "snapshot-upload"))
            id = json_str(play_posted(p, i), ".id");
    return id;
}

TEST(an_upload_that_a_new_pod_interrupted_is_submitted_again_under_its_id)
{
    static const struct {
        const char *name; /* of the sidecar image */
    } images[] = {{"seictl:v0.0.50"}, {"seictl:v0.0.62"}};

    each_case(i, images) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 43 + (uint64_t)i}});
        const char *node = str_format(play_arena(p),
            "{spec: {sidecar: {image: '%s'}, fullNode: {" PUBLISHES "}}}",
            images[i].name);

        play_create_node(p, NODE, node);
        then_runs(p);
        const char *id = upload_id(p);
        play_mark(p);
        play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        then_runs(p);
        then_str(upload_id(p), id);
        play_mark(p);
        play_order(p, "kill-sidecar sei/" NODE "-0");
        then_runs(p);
        then_str(upload_id(p), id);
    }
}

static bool is_uploading(Play *p, const char *name)
{
    (void)name;
    return play_tasks_posted(p, "snapshot-upload") == 1;
}

TEST(an_init_that_is_edited_while_it_uploads_snapshots_continues)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 42}});

    play_create_node(p, NODE, "{spec: {fullNode: {" PUBLISHES "}}}");
    then_true(play_until(p, is_uploading, NODE));
    play_patch(p, kind_seinode, NODE, "{spec: {overrides: {'evm.http_port': '1'}}}");
    then_runs(p);
    then_int(play_tasks_posted(p, "snapshot-upload"), 1);
    then_int(play_tasks_posted(p, "config-apply"), 2);
}

/* --- drift -------------------------------------------------------------------------------------
 */

TEST(a_changed_signing_key_secret_is_rolled_out)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 51}});

    given_secrets(p);
    play_create_node(p, NODE, "{spec: {fullNode: null, validator: {" MODE_KEYS "}}}");
    then_runs(p);
    play_mark(p);
    /* The schema lets a key go, and another one come: not be exchanged at once. */
    play_patch(p, kind_seinode, NODE, "{spec: {validator: {signingKey: null, nodeKey: null}}}");
    then_runs(p);
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {validator: {signingKey: {secret: {secretName: 'signing-2'}},"
        " nodeKey: {secret: {secretName: 'node'}}}}}");
    then_runs(p);
    then_int(play_pods_deleted(p), 2);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

static const struct {
    const char *name, *patch;
} set_up_edits[] = {
    {"a ceremony that is over",
        "{spec: {validator: {genesisCeremony: {accountBalance: '5usei'}}}}"},
    {"a snapshot", "{spec: {validator: {snapshot: {stateSync: {}}}}}"},
    {"overrides", "{spec: {overrides: {'evm.http_port': '1'}}}"},
};

TEST(an_edit_that_only_an_init_reads_is_reported_and_changes_nothing)
{
    each_case(i, set_up_edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 52 + (uint64_t)i}});

        publish_genesis(p);
        play_create_node(p, NODE, CEREMONY_NODE);
        then_runs(p);
        play_mark(p);
        play_patch(p, kind_seinode, NODE, set_up_edits[i].patch);
        then_settled(p);
        then_str(play_reason(p, NODE, COND_UP_TO_DATE), "ConfigDrift");
        then_int(play_tasks_posted(p, NULL), 0);
        then_int(play_pods_deleted(p), 0);
    }
}
