/* Taking over in the middle of a plan of the reference: whatever it was doing, and wherever it was
 * stopped, its plan is carried on. What it has done is not done again, what it has begun is
 * awaited, its pod is left alone, and there is one volume.
 *
 * SEI_TAKEOVERS=all stops nodes of every mode in every way. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/reference.h"
#include "tests/test.h"

#define NODE "rpc-0"

#define UPDATE "apply-statefulset apply-service replace-pod observe-image mark-ready"

enum { STOPS = 3, REPLACE_POD = 2 };

static const char *const stop_texts[] = {
    [STOP_BEFORE] = "before it was begun",
    [STOP_UNTOLD] = "when it was begun and nothing was stored",
    [STOP_BEGUN] = "when it was begun",
    [STOP_FAILED] = "when it had failed",
};

/* --- what was there when we came ---------------------------------------------------------------
 */

typedef struct Before {
    const char *volume_uid, *pod_uid; /* NULL: there was none */
} Before;

static const Json *pod(Play *p)
{
    return play_find(p, kind_pod, NODE "-0");
}

static Before remember(Play *p)
{
    play_mark(p);
    return (Before){
        .volume_uid = str_copy(play_arena(p), meta_uid(play_find(p, kind_pvc, "data-" NODE))),
        .pod_uid = str_copy(play_arena(p), meta_uid(pod(p))),
    };
}

static void given_nobody_works(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5000);
}

/* --- what must be so in the end ----------------------------------------------------------------
 */

/* Bootstrap tasks that are still to be handed over when the plan was stopped there. */
static int left_to_hand_over(Arena *a, const ReferencePlan *plan)
{
    int left = 0;

    for (size_t i = plan->stop_at; i < reference_count(plan->tasks); i++) {
        const char *type = reference_type(a, plan->tasks, i);
        bool is_known = i == plan->stop_at && plan->how == STOP_BEGUN;

        left +=
            task_type_is_sidecar(task_type_parse(type)) && !str_eq(type, "mark-ready") && !is_known;
    }
    return left;
}

static int bootstraps(const Play *p)
{
    return play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready");
}

static void then_runs(Play *p, const Before *before)
{
    const char *wrong = play_settle(p);
    const SeiNode *node = play_node(p, NODE);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    if (!str_eq(play_condition(p, NODE, COND_READY), "True"))
        then_str(play_message(p, NODE, COND_STALLED), play_message(p, NODE, COND_READY));
    then_int(node->status.phase, PHASE_RUNNING);
    then_int(node->status.plan.phase, PLAN_COMPLETE);
    then_str(node->status.current_image, node->spec.image);
    then_str(node->status.volume.uid, meta_uid(play_find(p, kind_pvc, "data-" NODE)));
    if (before->volume_uid)
        then_str(node->status.volume.uid, before->volume_uid);
    then_int(play_writes(p, VERB_CREATE, kind_pvc), before->volume_uid ? 0 : 1);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

/* --- inits -------------------------------------------------------------------------------------
 */

/* The task at which it stopped, and how. */
typedef struct Stop {
    size_t at;
    ReferenceStop how;
} Stop;

static Before given_init(Play *p, const PlayMode *init, Stop stop)
{
    ReferencePlan plan = {.tasks = init->tasks, .stop_at = stop.at, .how = stop.how};

    print_message("# %s: stopped at %s, %s\n",
        init->name,
        reference_type(play_arena(p), init->tasks, stop.at),
        stop_texts[stop.how]);
    given_nobody_works(p);
    play_prepare_mode(p, init);
    reference_create(p, NODE, init->change);
    reference_work(p, NODE, &plan);
    return remember(p);
}

/* The Job has the volume for itself, and the pod beside it goes. */
static bool is_bootstrapping(const ReferencePlan *plan)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    for (size_t i = plan->stop_at; i < reference_count(plan->tasks); i++)
        if (str_eq(reference_type(a, plan->tasks, i), "teardown-bootstrap"))
            return true;
    return false;
}

static void take_over_init(const PlayMode *init, Stop stop)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = stop.at * STOPS + stop.how}});
    ReferencePlan plan = {.tasks = init->tasks, .stop_at = stop.at, .how = stop.how};
    Before before = given_init(p, init, stop);
    const char *id = play_node(p, NODE)->status.plan.id;

    replica_start(play_replica(p, 0));
    then_runs(p, &before);
    then_str(play_node(p, NODE)->status.plan.id, id);
    then_int(play_pods_deleted(p), 0);
    if (before.pod_uid && !is_bootstrapping(&plan))
        then_str(meta_uid(pod(p)), before.pod_uid);
    then_int(bootstraps(p), left_to_hand_over(play_arena(p), &plan));
}

static bool wants_all(void)
{
    return str_eq(getenv("SEI_TAKEOVERS"), "all"); /* NOLINT(concurrency-mt-unsafe) */
}

/* A full node is stopped in every way at every task, the others in one. */
CAMPAIGN(an_init_of_the_go_operator_is_continued_from_every_task)
{
    each_case(i, play_modes)
        for (size_t at = 0; at < reference_count(play_modes[i].tasks); at++)
            for (size_t how = 0; how < STOPS; how++)
                if (i == 0 || how == (at + i) % STOPS || wants_all())
                    take_over_init(&play_modes[i], (Stop){at, (ReferenceStop)how});
}

/* Its pod is of the image before, and goes once; what was done on the volume stays done. */
TEST(an_image_that_was_edited_while_no_operator_ran_is_applied_by_the_init)
{
    for (size_t at = 0; at < reference_count(play_modes[0].tasks); at++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = at}});
        ReferencePlan plan = {.tasks = play_modes[0].tasks, .stop_at = at};
        Before before = given_init(p, &play_modes[0], (Stop){at, STOP_BEFORE});

        play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
        replica_start(play_replica(p, 0));
        then_runs(p, &before);
        then_true(play_pods_deleted(p) <= 1);
        then_int(bootstraps(p), left_to_hand_over(play_arena(p), &plan));
    }
}

static bool is_failed(Play *p, const char *name)
{
    return str_eq(play_reason(p, name, COND_STALLED), "PlanFailed");
}

/* The reference never leaves it. */
TEST(a_node_that_failed_under_the_go_operator_is_recovered_by_a_retry)
{
    for (size_t at = 0; at < reference_count(play_modes[0].tasks); at++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = at}});
        ReferencePlan plan = {.tasks = play_modes[0].tasks, .stop_at = at};
        Before before = given_init(p, &play_modes[0], (Stop){at, STOP_FAILED});

        replica_start(play_replica(p, 0));
        then_true(play_until(p, is_failed, NODE));
        play_run(p, 60000);
        then_int(play_tasks_posted(p, NULL), 0);
        then_int(play_writes(p, -1, kind_statefulset), 0);
        play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_runs(p, &before);
        then_int(play_pods_deleted(p), 0);
        then_int(bootstraps(p), left_to_hand_over(play_arena(p), &plan));
    }
}

/* --- nodes at rest -----------------------------------------------------------------------------
 */

TEST(a_node_of_every_mode_at_rest_is_taken_over_without_a_restart)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = i}});
        size_t all = reference_count(play_modes[i].tasks);

        given_nobody_works(p);
        play_prepare_mode(p, &play_modes[i]);
        reference_create(p, NODE, play_modes[i].change);
        reference_work(p, NODE, &(ReferencePlan){.tasks = play_modes[i].tasks, .stop_at = all});
        reference_work(
            p, NODE, &(ReferencePlan){.tasks = UPDATE, .stop_at = 5, .of_running = true});
        Before before = remember(p);
        replica_start(play_replica(p, 0));
        then_runs(p, &before);
        then_str(meta_uid(pod(p)), before.pod_uid);
        then_str(play_reason(p, NODE, COND_UP_TO_DATE), "AdoptedDrift");
        then_int(play_pods_deleted(p), 0);
        then_int(play_tasks_posted(p, NULL), 0);
    }
}

/* --- plans of a node that runs -----------------------------------------------------------------
 */

static void given_node_of_reference(Play *p)
{
    ReferencePlan init = {
        .tasks = play_modes[0].tasks,
        .stop_at = reference_count(play_modes[0].tasks),
    };

    given_nobody_works(p);
    reference_create(p, NODE, "{}");
    reference_work(p, NODE, &init);
}

/* It updates every node once after its init, because an init observes no image. */
TEST(a_node_whose_image_the_go_operator_has_not_yet_observed_is_left_alone)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_node_of_reference(p);
    Before before = remember(p);
    replica_start(play_replica(p, 0));
    then_runs(p, &before);
    then_str(meta_uid(pod(p)), before.pod_uid);
    then_int(play_pods_deleted(p), 0);
    then_int(play_tasks_posted(p, NULL), 0);
}

static const struct {
    const char *name, *image;
} updates[] = {
    {"right after its init", "ghcr.io/example/seid:v1"},
    {"to a new image", "ghcr.io/example/seid:v2"},
};

static bool is_other_image(const char *image)
{
    return !str_eq(image, updates[0].image);
}

/* The pod of the old image goes once, by whoever comes to it. */
static int pods_left_to_delete(const char *image, Stop stop)
{
    return is_other_image(image)
        && (stop.at < REPLACE_POD || (stop.at == REPLACE_POD && stop.how == STOP_BEFORE));
}

static void take_over_update(const char *image, Stop stop)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = stop.at * STOPS + stop.how}});
    const char *edit = str_format(play_arena(p), "{spec: {image: '%s'}}", image);
    ReferencePlan plan = {.tasks = UPDATE, .stop_at = stop.at, .how = stop.how, .of_running = true};

    print_message("# %s: stopped at %s, %s\n",
        image,
        reference_type(play_arena(p), UPDATE, stop.at),
        stop_texts[stop.how]);
    given_node_of_reference(p);
    if (is_other_image(image))
        play_patch_status(
            p, kind_seinode, NODE, "{status: {currentImage: 'ghcr.io/example/seid:v1'}}");
    play_patch(p, kind_seinode, NODE, edit);
    reference_look(p, NODE);
    reference_work(p, NODE, &plan);
    Before before = remember(p);
    replica_start(play_replica(p, 0));
    then_runs(p, &before);
    then_int(bootstraps(p), 0);
    then_int(play_pods_deleted(p), pods_left_to_delete(image, stop));
}

CAMPAIGN(an_update_of_the_go_operator_is_continued_from_every_task)
{
    each_case(i, updates)
        for (size_t at = 0; at < reference_count(UPDATE); at++)
            for (int how = 0; how < STOPS; how++)
                take_over_update(updates[i].image, (Stop){at, (ReferenceStop)how});
}

/* Its sidecar has forgotten that it may let seid go. */
TEST(a_mark_ready_plan_of_the_go_operator_is_continued)
{
    for (int how = 0; how < STOPS; how++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)how}});
        ReferencePlan plan = {.tasks = "mark-ready", .how = (ReferenceStop)how, .of_running = true};

        given_node_of_reference(p);
        play_order(p, "kill-sidecar " PLAY_NAMESPACE "/" NODE "-0");
        reference_work(p, NODE, &plan);
        Before before = remember(p);
        replica_start(play_replica(p, 0));
        then_runs(p, &before);
        then_str(meta_uid(pod(p)), before.pod_uid);
        then_int(bootstraps(p), 0);
    }
}

/* --- old and new pods side by side -------------------------------------------------------------
 */

static void then_approved(Play *p, const char *name)
{
    const Plan *plan = &play_node(p, name)->status.plan;

    then_int(plan->kind, PLAN_MARK_READY);
    then_int(plan->phase, PLAN_COMPLETE);
    then_str(play_condition(p, name, COND_READY), "True");
}

/* The proxy of an old pod takes tokens of the API server's own audience, that of a new one of its
 * own alone. */
TEST(sidecars_of_old_and_of_new_pods_get_tokens_for_their_own_audiences)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_node_of_reference(p);
    replica_start(play_replica(p, 0));
    play_create_node(p, "new-0", "{}");
    then_str(play_settle(p), NULL);
    play_mark(p);
    play_order(p, "kill-sidecar " PLAY_NAMESPACE "/" NODE "-0");
    play_order(p, "kill-sidecar " PLAY_NAMESPACE "/new-0-0");
    play_run(p, 60000);
    then_str(play_settle(p), NULL);
    then_approved(p, NODE);
    then_approved(p, "new-0");
    then_true(meta_annotation(pod(p), ANNOTATION_TEMPLATE_HASH) == NULL);
    then_int(play_pods_deleted(p), 0);
}
