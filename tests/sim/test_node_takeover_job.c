/* Taking over in the first stage of a set-up that has two: while the Job is there the node is not
 * set up, however much else of it is there. Whoever made the Job, and whatever was lost: the data
 * come to their height on the node's own volume, with one pod on it at a time. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/reference.h"
#include "tests/test.h"

#define NODE "rpc-0"
#define JOB  "rpc-0-bootstrap"

#define LOSE_STATUS                                                                                \
    "{status: {phase: null, plan: null, dataVolume: null, statefulSet: null, identity: null,"      \
    " conditions: null, history: null, podTemplateHash: null, currentImage: null}}"

static const PlayMode *const by_job = &play_modes[PLAY_MODES - 1];

static void given_nobody_works(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5000);
}

/* The task of the plan that is next; NULL: there is none. */
static const char *next_task(Play *p)
{
    const Json *object = play_find(p, kind_seinode, NODE);
    SeiNode *node = arena_new(play_arena(p), SeiNode);

    if (node_decode(play_arena(p), object, node) || !node->status.has_plan)
        return NULL;
    const PlannedTask *next = plan_next_task(&node->status.plan);
    return next ? next->spelling : NULL;
}

static bool is_at(Play *p, const char *task)
{
    return str_eq(next_task(p), task);
}

static void then_comes_up_after_its_job(Play *p)
{
    const char *wrong = play_settle(p);
    const SeiNode *node = play_node(p, NODE);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    if (!str_eq(play_condition(p, NODE, COND_READY), "True"))
        then_str(play_message(p, NODE, COND_STALLED), play_message(p, NODE, COND_READY));
    then_int(node->status.phase, PHASE_RUNNING);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_true(plan_has_bootstrap(&node->status.plan));
    then_int(node->status.plan.phase, PLAN_COMPLETE);
    then_true(!play_find(p, kind_job, JOB));
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

/* --- the status is lost ------------------------------------------------------------------------
 */

/* A set-up without a Job hung, and was edited into one with a Job: its StatefulSet is left. */
static void given_edited_node(Play *p)
{
    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 20000");
    play_create_node(p, NODE, "{}");
    then_true(play_until(p, is_at, "configure-genesis"));
    play_patch(p, kind_seinode, NODE, by_job->change);
    then_true(play_until(p, is_at, "await-bootstrap-complete"));
}

/* It makes the StatefulSet first of all. */
static void given_node_of_reference(Play *p)
{
    given_nobody_works(p);
    reference_create(p, NODE, by_job->change);
    reference_work(p, NODE, &(ReferencePlan){.tasks = by_job->tasks, .stop_at = 10});
}

static const struct {
    const char *name;
    void (*given)(Play *p);
} losses[] = {
    {"of a node that was edited into one by a Job", given_edited_node},
    {"of a node of the Go operator", given_node_of_reference},
};

TEST(a_status_that_is_lost_while_a_job_runs_beside_a_statefulset_does_not_end_the_bootstrap)
{
    each_case(i, losses) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 53 + i}});

        losses[i].given(p);
        then_true(play_find(p, kind_statefulset, NODE) != NULL);
        then_true(play_find(p, kind_job, JOB) != NULL);
        play_patch_status(p, kind_seinode, NODE, LOSE_STATUS);
        if (!replica_manager(play_replica(p, 0)))
            replica_start(play_replica(p, 0));
        play_run(p, 2000);
        then_int(play_node(p, NODE)->status.phase, PHASE_INITIALIZING);
        then_comes_up_after_its_job(p);
    }
}

/* --- the volume is imported --------------------------------------------------------------------
 */

#define IMPORT "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"

enum { SNAPSHOT_RESTORE = 4, CONFIGURE_STATE_SYNC = 8, TASKS_LEFT = 10, LOOKS_MAX = 60 };

static void given_claim(Play *p, const char *name)
{
    play_create(p,
        kind_pvc,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: '%s'},"
            " spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'gp3',"
            " resources: {requests: {storage: '3000Gi'}}}}",
            name));
}

static const struct {
    const char *name, *other; /* a claim that is not the node's, or NULL */
    size_t stop_at;
    ReferenceStop how;
} imports[] = {
    {"the claim of its Job does not exist", NULL, SNAPSHOT_RESTORE, STOP_BEFORE},
    {"its Job is on another claim", "data-" NODE, SNAPSHOT_RESTORE, STOP_BEFORE},
    {"its Job has begun on another claim", "data-" NODE, SNAPSHOT_RESTORE, STOP_BEGUN},
    {"its Job has done much on another claim", "data-" NODE, CONFIGURE_STATE_SYNC, STOP_UNTOLD},
};

static bool job_mounts_import(Play *p)
{
    return job_mounts_claim(play_find(p, kind_job, JOB), "mine");
}

/* What was done on another volume was not done on that of the node. */
TEST(a_job_of_the_go_operator_that_ignores_an_import_is_recreated_on_the_imported_pvc)
{
    each_case(i, imports) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 60 + i}});

        given_nobody_works(p);
        given_claim(p, "mine");
        if (imports[i].other)
            given_claim(p, imports[i].other);
        reference_create(p, NODE, by_job->change);
        play_patch(p, kind_seinode, NODE, IMPORT);
        reference_work(p,
            NODE,
            &(ReferencePlan){
                .tasks = by_job->tasks,
                .stop_at = imports[i].stop_at,
                .how = imports[i].how,
            });
        then_true(!job_mounts_import(p));
        play_mark(p);
        replica_start(play_replica(p, 0));
        for (int looks = 0; looks < LOOKS_MAX && !job_mounts_import(p); looks++)
            play_run(p, 500);
        then_true(job_mounts_import(p));
        then_comes_up_after_its_job(p);
        then_int(play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready"), TASKS_LEFT);
        then_str(play_node(p, NODE)->status.volume.name, "mine");
    }
}
