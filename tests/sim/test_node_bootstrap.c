/* A node that is set up in two stages: a Job runs another image up to a height, and then the node
 * gets its StatefulSet. Whatever happens on the way, the two are never on the volume together, what
 * the sidecar has done is not done again, and the node comes up.
 *
 * SEI_FAULTS=all strikes every call; without it, some. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

#define NODE   "rpc-0"
#define JOB    "rpc-0-bootstrap"
#define VOLUME "data-rpc-0"
#define BOOTSTRAP                                                                                  \
    "{spec: {peers: [{static: {addresses: "                                                        \
    "['0123456789abcdef0123456789abcdef01234567@peer:26656']}}],"                                  \
    " fullNode: {snapshot: {s3: {targetHeight: 950},"                                              \
    " bootstrapImage: 'ghcr.io/example/seid:v0'}}}}"

/* --- birth -------------------------------------------------------------------------------------
 */

static const char *const tasks[] = {
    "ensure-data-pvc",
    "apply-rbac-proxy-config",
    "deploy-bootstrap-service",
    "deploy-bootstrap-job",
    "snapshot-restore",
    "configure-genesis",
    "config-apply",
    "discover-peers",
    "configure-state-sync",
    "config-validate",
    "mark-ready",
    "await-bootstrap-complete",
    "teardown-bootstrap",
    "apply-statefulset",
    "apply-service",
    "configure-genesis",
    "config-apply",
    "discover-peers",
    "config-validate",
    "mark-ready",
};

TEST(a_node_becomes_ready_after_its_bootstrap_job)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_create_node(p, NODE, BOOTSTRAP);
    const char *wrong = play_settle(p);
    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);

    const SeiNode *node = play_node(p, NODE);
    then_int(node->status.phase, PHASE_RUNNING);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_int(node->status.plan.task_count, array_count(tasks));
    for (size_t i = 0; i < array_count(tasks); i++)
        then_str(node->status.plan.tasks[i].spelling, tasks[i]);
    then_int((int)node->status.history.count, 1);
    then_true(!play_find(p, kind_job, JOB));
    then_str(play_crowd(p), NULL);
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
    then_int(play_tasks_posted(p, NULL), 12);
    then_str(play_wrote_beside(p, NODE), NULL);
}

TEST(a_bootstrap_job_that_reached_its_height_succeeds_whatever_the_exit_code_of_seid)
{
    static const struct {
        const char *name;
        int code;
    } cases[] = {{"in order", 0}, {"by its second signal", 143}};

    each_case(i, cases) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2 + i}});

        outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1")->halt_height_code =
            cases[i].code;
        play_create_node(p, NODE, BOOTSTRAP);
        then_str(play_settle(p), NULL);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    }
}

/* --- what goes wrong, and when -----------------------------------------------------------------
 */

enum { SETUP_TASKS = 10, COURSES_MAX = 200 };

/* --- what must be so in the end ----------------------------------------------------------------
 */

static const char *not_whole(Play *p)
{
    const SeiNode *node = play_node(p, NODE);
    const Json *service = play_find(p, kind_service, NODE);

    if (!str_eq(play_condition(p, NODE, COND_READY), "True"))
        return str_format(play_arena(p),
            "the node is not Ready: %s; %s",
            play_message(p, NODE, COND_READY),
            play_message(p, NODE, COND_STALLED));
    if (!str_eq(node->status.volume.uid, meta_uid(play_find(p, kind_pvc, VOLUME))))
        return "the recorded volume is not the one that is there";
    if (play_find(p, kind_job, JOB))
        return "the Job is still there";
    if (!service || json_member(json_find(service, ".spec.selector"), LABEL_COMPONENT))
        return "the Service is not the node's own";
    if (!str_eq(node->status.current_image, node->spec.image))
        return "the recorded image is not that of the spec";
    return NULL;
}

static const char *was_unsafe(Play *p)
{
    const char *beside = play_wrote_beside(p, NODE);

    if (play_crowd(p))
        return play_crowd(p);
    if (kubelet_hazards(play_kubelet(p))->count)
        return hazards_newest(kubelet_hazards(play_kubelet(p)));
    return beside ? str_format(play_arena(p), "something foreign was touched: %s", beside) : NULL;
}

static const char *judge_end(Play *p, bool is_done_once)
{
    const char *wrong = play_settle(p);

    if (!wrong)
        wrong = not_whole(p);
    if (!wrong)
        wrong = was_unsafe(p);
    if (wrong || !is_done_once)
        return wrong;
    int tasks_done = play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready");
    return tasks_done == SETUP_TASKS
        ? NULL
        : str_format(play_arena(p), "%d tasks were handed over", tasks_done);
}

/* --- courses -----------------------------------------------------------------------------------
 */

#define NOT_STRUCK "there is no such call"

typedef struct Course {
    const char *name;
    Strike *strike;
    void (*act)(Play *p); /* at the struck call; NULL: the fault is all */
    bool is_done_once;    /* no task of the sidecar but mark-ready is done again */
} Course;

static const char *told(Play *p, const Course *c, const char *wrong)
{
    Arena *a = play_arena(p);

    return wrong ? str_format(a,
                       "%s: call %d, %s: %s: %s",
                       c->name,
                       (int)c->strike->number,
                       c->strike->what,
                       port_fault_text(a, c->strike->fault),
                       wrong)
                 : NULL;
}

static const char *take_course(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    play_create_node(p, NODE, BOOTSTRAP);
    for (int64_t ms = 0; c->act && ms < 300000 && c->strike->seen < c->strike->number; ms++)
        play_run(p, 1);
    if (c->act && c->strike->seen < c->strike->number)
        return NOT_STRUCK;
    if (c->act)
        c->act(p);
    const char *wrong = judge_end(p, c->is_done_once);
    /* The proof that a Job has ended is stored before the Job goes: nobody runs it again. */
    if (!wrong && !c->act && play_writes(p, VERB_CREATE, kind_job) != 1)
        wrong = "the Job was not made once";
    if (c->strike->seen < c->strike->number && !wrong)
        return NOT_STRUCK;
    return told(p, c, wrong);
}

/* A course for each call in turn, or, unless all are asked for, for one of `stride`; how many calls
 * there were. */
static int take_courses(Course *c, uint64_t stride)
{
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 31, .judge = strike_judge, .judge_self = c->strike}});

    play_run(p, 5000);
    for (uint64_t k = 1; k < COURSES_MAX; k += strike_wants_all() ? 1 : stride) {
        c->strike->number = k;
        const char *wrong = branch(p, take_course, c);
        if (str_eq(wrong, NOT_STRUCK))
            return (int)k - 1;
        then_str(wrong, NULL);
    }
    return COURSES_MAX;
}

static const struct {
    const char *name;
    PortFault fault;
} deaths[] = {
    {"death before the call", {.kind = PORT_CRASH_BEFORE}},
    {"death before the answer", {.kind = PORT_CRASH_AFTER}},
};

TEST(the_operator_may_crash_at_every_write_of_a_bootstrap)
{
    each_case(i, deaths) {
        Strike strike = {.fault = deaths[i].fault, .writes_only = true};
        int courses = take_courses(&(Course){deaths[i].name, &strike, .is_done_once = true}, 6);
        print_message("# %d deaths\n", courses);
        then_true(courses > 20);
    }
}

static const struct {
    const char *name;
    PortFault fault;
} faults[] = {
    {"no connection", {.kind = PORT_UNSENT}},
    {"the answer is lost", {.kind = PORT_LOST}},
    {"a conflict", {.kind = PORT_REFUSED, .status = 409}},
};

TEST(every_call_of_a_bootstrap_may_fail)
{
    each_case(i, faults) {
        Strike strike = {.fault = faults[i].fault};
        int courses = take_courses(&(Course){faults[i].name, &strike, .is_done_once = true}, 31);
        print_message("# up to call %d failed\n", courses);
        then_true(courses > 40);
    }
}

/* --- people at every step ----------------------------------------------------------------------
 */

static void delete_job(Play *p)
{
    if (play_find(p, kind_job, JOB))
        play_delete(p, kind_job, JOB);
}

static void delete_bootstrap_objects(Play *p)
{
    delete_job(p);
    if (play_find(p, kind_service, NODE))
        play_delete(p, kind_service, NODE);
}

static void pause_a_while(Play *p)
{
    play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
    play_run(p, 60000);
    play_patch(p, kind_seinode, NODE, "{spec: {paused: false}}");
}

static void pause_and_think_again(Play *p)
{
    play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
    play_run(p, 30);
    play_patch(p, kind_seinode, NODE, "{spec: {paused: false}}");
}

static void edit_image(Play *p)
{
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
}

static void edit_sidecar(Play *p)
{
    play_patch(p, kind_seinode, NODE, "{spec: {sidecar: {image: 'ghcr.io/other/seictl:v0.0.50'}}}");
}

static void restart_sidecar(Play *p)
{
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = PLAY_NAMESPACE}};
    Answer answer = {0};
    const Json *pod;

    server_call(world_server(sim_world(play_sim(p))), play_arena(p), "judge", &list, &answer);
    json_each(pod, json_find(answer.body, ".items")) {
        Key key = meta_key(pod);
        KubeletOrder order = {.deed = DEED_KILL_SIDECAR, .pod = key};
        (void)kubelet_order(play_kubelet(p), &order, world_now_ms(sim_world(play_sim(p))));
        world_wake(sim_world(play_sim(p)), kubelet_actor(play_kubelet(p)));
    }
}

static const struct {
    const char *name;
    void (*act)(Play *p);
    uint64_t stride;
} deeds[] = {
    {"the Job is deleted", delete_job, 11},
    {"the Job and its Service are deleted", delete_bootstrap_objects, 11},
    {"the node is paused for a minute", pause_a_while, 11},
    {"the node is paused for a moment", pause_and_think_again, 11},
    {"the image is edited", edit_image, 11},
    {"the image of the sidecar is edited, and with it the Job", edit_sidecar, 11},
    {"the sidecar restarts", restart_sidecar, 11},
};

CAMPAIGN(whatever_users_do_at_any_step_of_a_bootstrap_the_node_becomes_ready)
{
    each_case(i, deeds) {
        Strike strike = {.writes_only = true};
        Course c = {deeds[i].name, &strike, deeds[i].act, .is_done_once = true};
        int courses = take_courses(&c, deeds[i].stride);
        print_message("# %s: at %d writes\n", deeds[i].name, courses);
        then_true(courses > 20);
    }
}

/* --- scenes ------------------------------------------------------------------------------------
 */

static bool is_at(Play *p, const char *task)
{
    const Json *object = play_find(p, kind_seinode, NODE);
    SeiNode *node = arena_new(play_arena(p), SeiNode);

    if (node_decode(play_arena(p), object, node) || !node->status.has_plan)
        return false;
    const PlannedTask *next = plan_next_task(&node->status.plan);
    return next && str_eq(next->spelling, task);
}

/* The Job runs, and is awaited. */
static void given_awaited_job(Play *p)
{
    play_create_node(p, NODE, BOOTSTRAP);
    then_true(play_until(p, is_at, "await-bootstrap-complete"));
}

static bool job_has_ended(Play *p, const char *name)
{
    const Json *job = play_find(p, kind_job, name);

    return job_is_complete(job) || job_is_failed(job);
}

static const Json *pod_of_job(Play *p)
{
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = PLAY_NAMESPACE}};
    Answer answer = {0};
    const Json *pod;

    server_call(world_server(sim_world(play_sim(p))), play_arena(p), "judge", &list, &answer);
    json_each(pod, json_find(answer.body, ".items"))
        if (meta_label(pod, LABEL_COMPONENT) && !meta_deleting(pod) && !pod_is_finished(pod))
            return pod;
    return NULL;
}

TEST(a_bootstrap_job_that_ended_while_the_operator_was_stopped_is_not_run_again)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});

    given_awaited_job(p);
    replica_stop(play_replica(p, 0));
    then_true(play_until(p, job_has_ended, JOB));
    const char *uid = meta_uid(play_find(p, kind_job, JOB));
    play_run(p, 6 * 3600000);
    then_str(meta_uid(play_find(p, kind_job, JOB)), uid);
    play_mark(p);
    replica_continue(play_replica(p, 0));
    then_str(play_settle(p), NULL);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING); /* and hours behind its chain */
    then_true(!play_find(p, kind_job, JOB));
    then_int(play_writes(p, VERB_CREATE, kind_job), 0);
    then_str(play_crowd(p), NULL);
}

TEST(an_evicted_bootstrap_job_fails_the_node_and_a_retry_creates_a_new_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 42}});

    given_awaited_job(p);
    const char *uid = meta_uid(play_find(p, kind_job, JOB));
    const char *pod = meta_name(pod_of_job(p));
    play_order(p, str_format(play_arena(p), "evict " PLAY_NAMESPACE "/%s", pod));
    then_str(play_settle(p), NULL);

    const SeiNode *node = play_node(p, NODE);
    then_int(node->status.phase, PHASE_FAILED);
    then_str(play_reason(p, NODE, COND_STALLED), "PlanFailed");
    then_true(strstr(play_message(p, NODE, COND_STALLED), "bootstrap Job rpc-0-bootstrap failed"));
    then_true(strstr(node->status.history.items[0].message, "BackoffLimitExceeded"));
    then_str(meta_uid(play_find(p, kind_job, JOB)), uid);

    play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    then_str(play_settle(p), NULL);
    then_str(not_whole(p), NULL);
    then_str(was_unsafe(p), NULL);
    then_int(play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready"), SETUP_TASKS);
}

TEST(a_bad_bootstrap_image_is_corrected_by_an_edit)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 43}});

    play_order(p, "bad-image ghcr.io/example/seid:v0");
    play_create_node(p, NODE, BOOTSTRAP);
    play_run(p, 60000);
    then_true(strstr(play_message(p, NODE, COND_RECONCILING), "cannot pull image"));
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {fullNode: {snapshot: {bootstrapImage: 'ghcr.io/example/seid:w0'}}}}");
    then_str(judge_end(p, true), NULL);
}

TEST(the_bootstrap_job_waits_for_other_pods_on_the_volume)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 44}});

    play_create_node(p, NODE, "{}");
    then_str(play_settle(p), NULL);
    play_delete_how(p, kind_seinode, NODE, PROPAGATION_ORPHAN);
    play_run(p, 60000);
    play_create(p,
        kind_pod,
        "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'analyzer'},"
        " spec: {containers: [{name: 'a', image: 'a'}], volumes: [{name: 'data',"
        " persistentVolumeClaim: {claimName: 'data-rpc-0'}}]}}");
    play_run(p, 1000);
    then_true(play_find(p, kind_pvc, VOLUME) != NULL);
    play_delete(p, kind_statefulset, NODE);
    play_run(p, 60000);
    play_delete(p, kind_service, NODE);
    play_create_node(p, NODE, BOOTSTRAP);
    play_run(p, 60000);
    then_true(!play_find(p, kind_job, JOB));
    then_str(play_reason(p, NODE, COND_READY), "VolumeInUse");
    play_delete(p, kind_pod, "analyzer");
    then_str(play_settle(p), NULL);
    then_str(not_whole(p), NULL);
}

TEST(an_edit_can_add_and_remove_the_bootstrap_job_during_an_init)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 45}});

    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 20000");
    play_create_node(p, NODE, "{}");
    then_true(play_until(p, is_at, "configure-genesis"));
    play_patch(p, kind_seinode, NODE, BOOTSTRAP);
    then_true(play_until(p, is_at, "await-bootstrap-complete"));
    then_int(json_int(play_find(p, kind_statefulset, NODE), ".spec.replicas", 1), 0);
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {fullNode: {snapshot: {bootstrapImage: null, s3: {targetHeight: 950}}}}}");
    then_str(play_settle(p), NULL);
    then_str(not_whole(p), NULL);
    then_str(was_unsafe(p), NULL);
}

TEST(an_init_that_starts_again_waits_until_the_pod_of_the_old_bootstrap_job_is_gone)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 53}});

    given_awaited_job(p);
    const char *uid = meta_uid(play_find(p, kind_job, JOB));
    play_mark(p);
    play_patch_status(p,
        kind_seinode,
        NODE,
        "{status: {phase: null, plan: null, dataVolume: null, conditions: null, history: null}}");
    for (int ms = 0; ms < 300000 && !play_tasks_posted(p, "snapshot-restore"); ms += 100)
        play_run(p, 100);
    then_int(play_tasks_posted(p, "snapshot-restore"), 1);
    then_true(!str_eq(meta_uid(play_find(p, kind_job, JOB)), uid));
    then_str(judge_end(p, false), NULL);
}

static const struct {
    const char *name, *patch;
} late_edits[] = {
    {"peers",
        "{spec: {peers: [{static: {addresses: "
        "['1123456789abcdef0123456789abcdef01234567@peer:26656']}}]}}"},
    {"configuration", "{spec: {overrides: {'a.b': 'c'}}}"},
};

/* Its seid has read everything, and may end before a sidecar has written anything once more. */
TEST(an_edit_while_a_released_bootstrap_job_runs_waits_for_the_second_stage)
{
    each_case(i, late_edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 54}});
        Arena *a = play_arena(p);

        given_awaited_job(p);
        const char *uid = meta_uid(play_find(p, kind_job, JOB));
        const char *pod = meta_name(pod_of_job(p));
        play_order(
            p, str_format(a, "task-takes " PLAY_NAMESPACE "/%s discover-peers 9000000", pod));
        play_mark(p);
        play_patch(p, kind_seinode, NODE, late_edits[i].patch);
        then_true(play_until(p, job_has_ended, JOB));
        then_str(meta_uid(play_find(p, kind_job, JOB)), uid);
        then_int(play_tasks_posted(p, NULL), 0);
        then_str(judge_end(p, false), NULL);
        then_int(play_tasks_posted(p, "config-apply"), 1);
        then_int(play_tasks_posted(p, "discover-peers"), 1);
    }
}

/* Nothing of the node was ever on the volume but the Job. */
TEST(a_ceremony_that_replaces_a_bootstrap_job_begins_when_the_job_is_gone)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 52}});

    play_create_node(p,
        NODE,
        "{spec: {chainId: 'c-1', fullNode: null, validator: {snapshot: {s3: {targetHeight: 950},"
        " bootstrapImage: 'ghcr.io/example/seid:v0'}}}}");
    then_true(play_until(p, is_at, "snapshot-restore"));
    then_true(pod_of_job(p) != NULL);
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {validator: {snapshot: null, genesisCeremony: {chainId: 'c-1',"
        " stakingAmount: '10usei', accountBalance: '20usei', index: 0}}}}");
    play_run(p, 60000);
    then_true(!play_find(p, kind_job, JOB));
    then_true(play_find(p, kind_statefulset, NODE) != NULL);
    then_str(was_unsafe(p), NULL);
}

TEST(a_node_can_be_deleted_while_its_bootstrap_job_runs)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 46}});

    given_awaited_job(p);
    play_delete(p, kind_seinode, NODE);
    play_run(p, 300000);
    then_true(!play_find(p, kind_seinode, NODE));
    then_true(!play_find(p, kind_job, JOB));
    then_true(!play_find(p, kind_pvc, VOLUME));
    then_true(!pod_of_job(p));
    then_true(!play_find(p, kind_service, NODE));
}

TEST(the_pod_of_a_bootstrap_job_is_not_stopped_while_its_volume_is_being_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 47}});

    given_awaited_job(p);
    const char *uid = meta_uid(pod_of_job(p));
    play_delete(p, kind_pvc, VOLUME);
    play_run(p, 1000);
    pause_and_think_again(p);
    edit_sidecar(p);
    play_run(p, 1000);
    then_str(meta_uid(pod_of_job(p)), uid);
    then_str(play_reason(p, NODE, COND_STALLED), "DataVolumeTerminating");
    play_run(p, 300000);
    then_true(play_find(p, kind_pvc, VOLUME) != NULL);
    then_true(play_find(p, kind_job, JOB) != NULL);
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *object;
} strangers[] = {
    {"a Service",
        kind_service,
        "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'rpc-0'},"
        " spec: {clusterIP: 'None', selector: {'sei.io/node': 'rpc-0',"
        " 'sei.io/component': 'bootstrap'}, ports: [{port: 80}]}}"},
    {"a Job",
        kind_job,
        "{apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'rpc-0-bootstrap'},"
        " spec: {template: {spec: {restartPolicy: 'Never',"
        " containers: [{name: 'a', image: 'a'}]}}}}"},
};

TEST(foreign_bootstrap_objects_are_reported_and_left_alone)
{
    each_case(i, strangers) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 48}});

        play_create(p, strangers[i].kind, strangers[i].object);
        const char *name = i == 0 ? NODE : JOB;
        const char *uid = meta_uid(play_find(p, strangers[i].kind, name));
        play_create_node(p, NODE, BOOTSTRAP);
        play_run(p, 120000);
        then_str(meta_uid(play_find(p, strangers[i].kind, name)), uid);
        then_str(play_reason(p, NODE, COND_STALLED), "ForeignObject");
        then_true(strstr(play_message(p, NODE, COND_STALLED), "left alone"));
        play_delete(p, strangers[i].kind, name);
        then_str(play_settle(p), NULL);
        then_str(not_whole(p), NULL);
    }
}

/* One that is ours and production-shaped would lead to whatever pod there is. */
TEST(a_service_of_the_node_that_selects_other_pods_is_replaced)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 49}});

    given_awaited_job(p);
    const char *uid = meta_uid(play_find(p, kind_service, NODE));
    play_patch(p, kind_service, NODE, "{spec: {selector: {'sei.io/component': null}}}");
    play_run(p, 2000);
    then_true(!str_eq(meta_uid(play_find(p, kind_service, NODE)), uid));
    then_str(judge_end(p, true), NULL);
}

TEST(the_bootstrap_job_is_suspended_while_its_node_is_paused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 50}});

    given_awaited_job(p);
    play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
    play_run(p, 60000);
    then_true(json_bool(play_find(p, kind_job, JOB), ".spec.suspend", false));
    then_true(!pod_of_job(p));
    then_str(play_reason(p, NODE, COND_READY), "Paused");
    play_patch(p, kind_seinode, NODE, "{spec: {paused: false}}");
    then_str(judge_end(p, true), NULL);
}

TEST(a_bootstrap_job_that_a_user_suspended_stays_suspended)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 51}});

    given_awaited_job(p);
    play_patch(p, kind_job, JOB, "{spec: {suspend: true}}");
    play_run(p, 120000);
    then_true(json_bool(play_find(p, kind_job, JOB), ".spec.suspend", false));
    then_true(strstr(play_message(p, NODE, COND_RECONCILING), "is suspended"));
    pause_a_while(p);
    then_str(judge_end(p, true), NULL);
}
