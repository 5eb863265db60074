/* Sidecars that misbehave: the operator believes nothing that is not so, waits without making
 * others wait, says what it waits for, and goes on when they behave again. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/test.h"

#define NODE "rpc-0"

enum { TROUBLE_MS = 180000, HUNG = 50 };

static void then_settles(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

static void then_ready(Play *p)
{
    then_settles(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_str(play_condition(p, NODE, COND_SIDECAR_READY), "True");
}

/* --- answers that are none ---------------------------------------------------------------------
 */

/* What becomes of calls to sidecars. */
typedef struct Wire {
    PortFault fault;     /* of every call, while it is on */
    const char *revoked; /* this token is not accepted */
    char token[4096];    /* the last one seen */
} Wire;

static PortFault judge(void *self, const PortCall *call)
{
    Wire *w = self;

    if (!call->http)
        return (PortFault){0};
    if (call->http->bearer)
        snprintf(w->token, sizeof w->token, "%s", call->http->bearer);
    if (w->revoked && str_eq(call->http->bearer, w->revoked))
        return (PortFault){.kind = PORT_REFUSED, .status = 401};
    return w->fault;
}

static const struct {
    const char *name;
    const char *temper; /* of the sidecar, or NULL */
    PortFault fault;    /* of the wire */
    bool goes_on;       /* it comes up all the same */
} troubles[] = {
    {"it refuses connections", .fault = {.kind = PORT_UNSENT}},
    {"it hangs", .temper = "hanging"},
    {"it is silent in the middle of an answer", .fault = {.kind = PORT_SILENT, .bytes = 10}},
    {"it breaks off every answer", .fault = {.kind = PORT_CUT, .bytes = 10}},
    {"every answer is lost", .fault = {.kind = PORT_LOST}},
    {"it answers 503 in plain text", .temper = "failing"},
    {"it answers 500", .fault = {.kind = PORT_REFUSED, .status = 500}},
    {"it answers 500 after it has done it", .fault = {.kind = PORT_DISGUISED, .status = 500}},
    {"a gateway answers 502", .fault = {.kind = PORT_REFUSED, .status = 502}},
    {"another server answers 404", .fault = {.kind = PORT_REFUSED, .status = 404}},
    {"too many requests", .fault = {.kind = PORT_REFUSED, .status = 429}},
    {"no token is good enough", .fault = {.kind = PORT_REFUSED, .status = 401}},
    {"it is forbidden", .fault = {.kind = PORT_REFUSED, .status = 403}},
    {"it answers for another id", .temper = "lying"},
    {"its bodies are huge", .temper = "huge"},
    {"its bodies are malformed", .temper = "malformed"},
    {"its store cannot be read", .temper = "wedged"},
    {"it forgets every task that ends", .temper = "forgetful"},
    {"it takes three seconds", .temper = "slow", .goes_on = true},
};

static void behave(Play *p, Wire *wire, size_t i, bool badly)
{
    const char *temper = badly && troubles[i].temper ? troubles[i].temper : "none";

    wire->fault = badly ? troubles[i].fault : (PortFault){0};
    play_order(p, str_format(play_arena(p), "temper sei/rpc-0-0 %s 3000", temper));
}

static Play *open_play(uint64_t seed, Wire *wire)
{
    return play_open(&(PlayOptions){.sim = {.seed = seed, .judge = judge, .judge_self = wire}});
}

CAMPAIGN(an_init_waits_for_a_misbehaving_sidecar_and_continues_when_it_recovers)
{
    each_case(i, troubles) {
        Wire wire = {0};
        SCOPED_PLAY p = open_play((uint64_t)i, &wire);

        behave(p, &wire, (size_t)i, true);
        play_create_node(p, NODE, "{}");
        play_run(p, TROUBLE_MS);
        const SeiNode *node = play_node(p, NODE);
        if (!troubles[i].goes_on) {
            then_int(node->status.phase, PHASE_INITIALIZING);
            then_true(node->status.plan.waiting != NULL);
            then_str(play_condition(p, NODE, COND_READY), "False");
        }
        behave(p, &wire, (size_t)i, false);
        then_ready(p);
        then_int(play_tasks_posted(p, NULL), 4);
    }
}

CAMPAIGN(an_update_waits_for_a_misbehaving_sidecar_and_continues_when_it_recovers)
{
    each_case(i, troubles) {
        Wire wire = {0};
        SCOPED_PLAY p = open_play((uint64_t)i + 100, &wire);

        play_create_node(p, NODE, "{}");
        then_ready(p);
        play_mark(p);
        behave(p, &wire, (size_t)i, true);
        play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        play_run(p, TROUBLE_MS);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
        behave(p, &wire, (size_t)i, false);
        then_ready(p);
        then_int(play_pods_deleted(p), 1);
        then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
    }
}

/* Trouble at rest is told, and moves nothing. */
TEST(a_running_node_is_not_restarted_for_a_misbehaving_sidecar)
{
    each_case(i, troubles) {
        Wire wire = {0};
        SCOPED_PLAY p = open_play((uint64_t)i + 200, &wire);

        play_create_node(p, NODE, "{}");
        then_ready(p);
        play_mark(p);
        behave(p, &wire, (size_t)i, true);
        play_run(p, TROUBLE_MS);
        then_int(play_pods_deleted(p), 0);
        then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
        if (play_requests(p) > 20)
            play_tell(p);
        then_true(play_requests(p) <= 20);
        behave(p, &wire, (size_t)i, false);
        then_ready(p);
        then_int(play_pods_deleted(p), 0);
    }
}

/* --- tokens ------------------------------------------------------------------------------------
 */

TEST(a_token_that_a_sidecar_no_longer_accepts_is_replaced_at_once)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(31, &wire);

    play_create_node(p, NODE, "{}");
    then_ready(p);
    wire.revoked = str_copy(play_arena(p), wire.token);
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_ready(p);
    then_true(!str_eq(wire.token, wire.revoked));
}

TEST(a_sidecar_token_is_renewed_before_it_expires)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(32, &wire);

    play_create_node(p, NODE, "{}");
    then_ready(p);
    play_run(p, 24 * 3600000);
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_ready(p);
}

/* --- a sidecar that dies -----------------------------------------------------------------------
 */

static const char *kill_sidecar(Play *p, void *self)
{
    int64_t after_ms = *(int64_t *)self;
    World *w = sim_world(play_sim(p));
    KubeletOrder kill = {.deed = DEED_KILL_SIDECAR, .pod = {"sei", "rpc-0-0"}};

    play_create_node(p, NODE, "{}");
    play_run(p, after_ms);
    kubelet_order(play_kubelet(p), &kill, world_now_ms(w)); /* in vain before it runs */
    world_wake(w, kubelet_actor(play_kubelet(p)));
    const char *wrong = play_settle(p);
    if (!wrong && !str_eq(play_condition(p, NODE, COND_READY), "True"))
        wrong = "it is not Ready";
    if (!wrong && kubelet_hazards(play_kubelet(p))->count)
        wrong = hazards_newest(kubelet_hazards(play_kubelet(p)));
    if (!wrong && play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready") != 3)
        wrong = "a bootstrap task was repeated";
    return wrong ? str_format(play_arena(p), "killed after %d ms: %s", (int)after_ms, wrong) : NULL;
}

CAMPAIGN(a_sidecar_may_crash_at_any_moment_of_an_init)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(41, &wire);

    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 3000");
    play_order(p, "task-takes sei/rpc-0-0 config-apply 3000");
    play_run(p, 5000);
    play_mark(p);
    for (int64_t after_ms = 500; after_ms < 18000; after_ms += 590)
        then_str(branch(p, kill_sidecar, &after_ms), NULL);
}

/* --- tasks that fail ---------------------------------------------------------------------------
 */

static void then_failed(Play *p, const char *why)
{
    const SeiNode *node = play_node(p, NODE);

    then_settles(p);
    then_int(node->status.phase, PHASE_FAILED);
    then_str(play_condition(p, NODE, COND_READY), "False");
    then_str(play_condition(p, NODE, COND_STALLED), "True");
    then_str(play_reason(p, NODE, COND_STALLED), "PlanFailed");
    then_true(node->status.history.count > 0);
    const PlanEnded *last = &node->status.history.items[node->status.history.count - 1];
    then_str(last->result, "Failed");
    then_true(last->message && strstr(last->message, why));
}

static void given_failed_node(Play *p)
{
    play_order(p, "fail-task sei/rpc-0-0 config-apply 1 disk is on fire");
    play_create_node(p, NODE, "{}");
    play_run(p, 60000);
    then_failed(p, "disk is on fire");
    play_run(p, 3600000);
    then_failed(p, "disk is on fire");
    then_int(play_tasks_posted(p, "config-apply"), 1);
}

static const struct {
    const char *name, *change;
} cures[] = {
    {"a retry that is asked for", "{metadata: {annotations: {'sei.io/retry': '1'}}}"},
    {"a corrected spec", "{spec: {overrides: {'chain.moniker': 'other'}}}"},
};

TEST(a_failed_node_is_left_alone_until_a_user_retries_or_edits_it)
{
    each_case(i, cures) {
        Wire wire = {0};
        SCOPED_PLAY p = open_play((uint64_t)i + 50, &wire);

        given_failed_node(p);
        play_patch(p, kind_seinode, NODE, cures[i].change);
        then_ready(p);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
        then_int(play_tasks_posted(p, "configure-genesis"), 1);
        then_int(play_tasks_posted(p, "config-apply"), 2);
    }
}

TEST(a_task_that_never_times_out_is_reported_once_and_awaited)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(54, &wire);

    play_order(p, "task-takes sei/rpc-0-0 config-apply 3600000");
    play_create_node(p, NODE, "{}");
    play_run(p, 12 * 60000);
    then_str(play_reason(p, NODE, COND_RECONCILING), "Progressing");
    play_run(p, 10 * 60000);
    then_str(play_reason(p, NODE, COND_RECONCILING), "TaskOverdue");
    then_true(strstr(play_message(p, NODE, COND_RECONCILING), "delete the pod") != NULL);
    play_mark(p);
    play_run(p, 10 * 60000);
    then_int(play_writes(p, -1, kind_seinode), 0);
    play_run(p, 60 * 60000);
    then_ready(p);
    then_int(play_tasks_posted(p, "config-apply"), 0);
}

TEST(a_failed_init_is_retried_once_for_each_value_of_the_retry_annotation)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(52, &wire);

    given_failed_node(p);
    play_order(p, "fail-task sei/rpc-0-0 config-apply 1 still burning");
    play_patch(p, kind_seinode, NODE, cures[0].change);
    play_run(p, 600000);
    then_failed(p, "still burning");
    then_int(play_tasks_posted(p, "config-apply"), 2);
    play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '2'}}}");
    then_ready(p);
}

TEST(a_task_with_retries_left_is_retried_with_growing_delays)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(53, &wire);

    play_order(p, "fail-task sei/rpc-0-0 configure-genesis 5 no bucket yet");
    play_create_node(p, NODE, "{}");
    play_run(p, 80000); /* 10 s, 20 s, 30 s: the fourth attempt */
    PlannedTask *task =
        plan_find_task((Plan *)&play_node(p, NODE)->status.plan, TASK_CONFIGURE_GENESIS);
    then_true(task->retry_count >= 3 && task->retry_count <= 4);
    then_true(strstr(play_node(p, NODE)->status.plan.waiting, "no bucket yet") != NULL);
    then_ready(p);
    task = plan_find_task((Plan *)&play_node(p, NODE)->status.plan, TASK_CONFIGURE_GENESIS);
    then_int(task->retry_count, 5);
    then_int(play_tasks_posted(p, "configure-genesis"), 1);
}

TEST(a_task_fails_its_node_after_180_retries)
{
    Wire wire = {0};
    SCOPED_PLAY p = open_play(54, &wire);

    play_order(p, "fail-task sei/rpc-0-0 configure-genesis 181 no bucket");
    play_create_node(p, NODE, "{}");
    play_run(p, 5300000);
    then_int(play_node(p, NODE)->status.phase, PHASE_INITIALIZING);
    play_run(p, 600000);
    then_failed(p, "no bucket");
    PlannedTask *task =
        plan_find_task((Plan *)&play_node(p, NODE)->status.plan, TASK_CONFIGURE_GENESIS);
    then_int(task->retry_count, 180);
}

/* --- many that hang ----------------------------------------------------------------------------
 */

/* How long a node needs to be Ready. */
static int64_t birth_ms(Play *p, const char *name)
{
    World *w = sim_world(play_sim(p));
    int64_t began = world_now_ms(w);

    play_create_node(p, name, "{}");
    while (!str_eq(play_condition(p, name, COND_READY), "True")) {
        then_true(world_now_ms(w) < began + PLAY_PATIENCE_MS);
        play_run(p, 100);
    }
    return world_now_ms(w) - began;
}

CAMPAIGN(fifty_hung_sidecars_delay_no_other_node)
{
    Wire wire = {0};
    SCOPED_PLAY alone = open_play(61, &wire);
    SCOPED_PLAY p = open_play(61, &wire);
    int64_t usual_ms = birth_ms(alone, "free");

    for (int i = 0; i < HUNG; i++) {
        play_order(p, str_format(play_arena(p), "temper sei/hung-%d-0 hanging 0", i));
        play_create_node(p, str_format(play_arena(p), "hung-%d", i), "{}");
    }
    play_run(p, 120000);
    int64_t took_ms = birth_ms(p, "free");
    print_message("# alone %d ms, among %d that hang %d ms\n", (int)usual_ms, HUNG, (int)took_ms);
    then_true(took_ms <= usual_ms + 3000);
    play_mark(p);
    play_patch(p, kind_seinode, "free", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    play_run(p, usual_ms + 3000);
    then_str(play_node(p, "free")->status.current_image, "ghcr.io/example/seid:v2");
    then_str(play_condition(p, "free", COND_READY), "True");
}
