/* What the operator before this one did wrong and this one must not: the defects that have no
 * better place. docs/PROMISES.md says where the others are. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/sim/play_modes.h"
#include "tests/test.h"

#define NODE "rpc-0"
#define POD  "rpc-0-0"

enum { LOOK_MS = 20 };

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

static void given_running(Play *p)
{
    play_create_node(p, NODE, "{}");
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    play_mark(p);
}

static void set_image(Play *p, const char *tag)
{
    play_patch(p,
        kind_seinode,
        NODE,
        str_format(play_arena(p), "{spec: {image: 'ghcr.io/example/seid:%s'}}", tag));
}

/* --- rollouts ----------------------------------------------------------------------------------
 */

/* OnDelete leaves currentRevision at the first revision for good: by that, the pod of the last one
 * would look right. */
TEST(a_node_can_return_to_its_very_first_image)
{
    static const char *const tags[] = {"v2", "v3", "v1"};
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_running(p);
    for (size_t i = 0; i < array_count(tags); i++) {
        play_mark(p);
        set_image(p, tags[i]);
        then_settled(p);
        then_int(play_pods_deleted(p), 1);
        then_str(play_node(p, NODE)->status.current_image,
            str_format(play_arena(p), "ghcr.io/example/seid:%s", tags[i]));
    }
}

TEST(an_init_that_hangs_on_a_bad_image_continues_after_an_edit)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = i}});

        play_prepare_mode(p, &play_modes[i]);
        play_order(p, "bad-image seid:v1");
        play_create_node(p, NODE, play_modes[i].change);
        play_run(p, 300000); /* one of them has a Job before */
        then_true(strstr(play_message(p, NODE, COND_READY), "cannot pull image") != NULL);
        then_str(play_node(p, NODE)->status.current_image, NULL);
        set_image(p, "v2");
        then_settled(p);
        then_str(play_condition(p, NODE, COND_READY), "True");
        then_int(play_pods_deleted(p), 1);
        then_int(play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready"),
            play_mode_bootstraps(&play_modes[i]));
        then_int(play_writes(p, VERB_CREATE, kind_pvc), 1);
    }
}

/* Nobody sees a plan that has ended and a condition that says it goes on. */
TEST(a_completed_update_plan_and_its_condition_are_stored_in_one_write)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});
    bool has_begun = false, has_ended = false;

    given_running(p);
    set_image(p, "v2");
    for (int i = 0; i < 3000 && !has_ended; i++) {
        SCOPED_ARENA a = arena_open(4 << 20);
        play_run(p, LOOK_MS);
        const Json *node = play_find(p, kind_seinode, NODE);
        Conds *conds = arena_new(a, Conds);
        conds_decode(json_find(node, ".status.conditions"), conds);
        bool goes_on = conds_is_true(conds, COND_NODE_UPDATE);
        has_begun = has_begun || goes_on;
        has_ended = has_begun && str_eq(json_str(node, ".status.plan.phase"), "Complete");
        then_true(!(has_ended && goes_on));
    }
    then_true(has_ended);
    then_str(play_reason(p, NODE, COND_NODE_UPDATE), "UpdateComplete");
}

/* What failed can be seen, also when what comes next puts it right. */
TEST(a_failed_update_is_reported_although_the_next_one_succeeds)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_running(p);
    play_order(p, "fail-task sei/rpc-0-0 mark-ready 1 no luck");
    set_image(p, "v2");
    for (int i = 0; i < 3000; i++) {
        play_run(p, LOOK_MS);
        if (str_eq(play_reason(p, NODE, COND_NODE_UPDATE), "UpdateFailed"))
            break;
    }
    then_str(play_reason(p, NODE, COND_NODE_UPDATE), "UpdateFailed");
    then_true(strstr(play_message(p, NODE, COND_NODE_UPDATE), "no luck") != NULL);
    const PlanHistory *history = &play_node(p, NODE)->status.history;
    then_str(history->items[history->count - 1].result, "Failed");
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_int(play_pods_deleted(p), 1);
}

TEST(the_phase_transition_time_does_not_change_with_a_plan)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_running(p);
    const char *since = play_node(p, NODE)->status.phase_transition_time;
    then_true(since != NULL);
    set_image(p, "v2");
    then_settled(p);
    play_delete(p, kind_service, NODE);
    then_settled(p);
    then_str(play_node(p, NODE)->status.phase_transition_time, since);
}

/* --- order of things ---------------------------------------------------------------------------
 */

/* What the operator wrote, in order. */
typedef struct Story {
    char writes[8][120];
    int count;
} Story;

static PortFault note_write(void *self, const PortCall *call)
{
    Story *story = self;
    const Request *r = call->request;

    if (!r || call->is_stream || r->verb == VERB_GET || r->verb == VERB_LIST
        || kind_eq(r->kind, kind_event) || kind_eq(r->kind, kind_lease) || story->count == 8)
        return (PortFault){0};
    SCOPED_ARENA a = arena_open(1 << 16);
    snprintf(story->writes[story->count++], sizeof story->writes[0], "%s", request_text(a, r));
    return (PortFault){0};
}

/* Finalizer, plan, volume, and only then whatever would mount it. */
TEST(a_plan_is_stored_before_any_object_is_created_and_the_volume_comes_first)
{
    static const char *const first[] = {
        "seinodes", "seinodes", "persistentvolumeclaims", "configmaps", "statefulsets"};
    Story story = {0};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 5, .judge = note_write, .judge_self = &story}});

    play_create_node(p, NODE, "{}");
    then_settled(p);
    for (size_t i = 0; i < array_count(first); i++)
        if (!strstr(story.writes[i], first[i]))
            then_str(story.writes[i], first[i]);
    then_true(strstr(story.writes[1], "status") != NULL);
}

/* --- objects -----------------------------------------------------------------------------------
 */

/* A StatefulSet that came back under another uid is taken for what it is, whatever else goes wrong
 * in that pass. */
TEST(a_recreated_statefulset_is_not_deleted_while_the_spec_is_refused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_running(p);
    play_patch(p, kind_seinode, NODE, "{spec: {fullNode: {snapshotGeneration: {}}}}");
    then_settled(p);
    then_str(play_reason(p, NODE, COND_STALLED), "InvalidSpec");
    play_delete(p, kind_statefulset, NODE);
    then_settled(p);
    const char *uid = meta_uid(play_find(p, kind_statefulset, NODE));
    then_true(uid != NULL);
    play_run(p, 600000);
    then_str(meta_uid(play_find(p, kind_statefulset, NODE)), uid);
    then_str(play_node(p, NODE)->status.statefulset_uid, uid);
    then_int(play_writes(p, VERB_DELETE, NULL), 0);
}

/* Somebody restores the StatefulSet from a copy: same owner, another uid. */
TEST(a_statefulset_with_another_uid_is_recorded_and_not_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    given_running(p);
    play_patch_status(p,
        kind_seinode,
        NODE,
        "{status: {statefulSet: {name: 'rpc-0', uid: '00000000-0000-4000-8000-000000000000'}}}");
    set_image(p, "v2");
    then_settled(p);
    then_str(
        play_node(p, NODE)->status.statefulset_uid, meta_uid(play_find(p, kind_statefulset, NODE)));
    then_int(play_writes(p, VERB_DELETE, kind_statefulset), 0);
}

TEST(edits_that_only_an_init_reads_are_reported_and_restart_nothing)
{
    static const struct {
        const char *name, *change;
    } edits[] = {
        {"overrides", "{spec: {overrides: {'chain.moniker': 'other'}}}"},
        {"peers", "{spec: {peers: [{static: {addresses: ['c@d:1']}}]}}"},
        {"the external address", "{spec: {externalAddress: 'rpc.example.org:26656'}}"},
    };

    each_case(i, edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = i}});

        given_running(p);
        play_patch(p, kind_seinode, NODE, edits[i].change);
        then_settled(p);
        then_str(play_condition(p, NODE, COND_UP_TO_DATE), "False");
        then_str(play_reason(p, NODE, COND_UP_TO_DATE), "ConfigDrift");
        then_str(play_condition(p, NODE, COND_READY), "True");
        then_int(play_pods_deleted(p), 0);
        then_int(play_tasks_posted(p, NULL), 0);
    }
}

TEST(a_deleted_node_causes_no_more_requests)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    given_running(p);
    play_delete(p, kind_seinode, NODE);
    play_run(p, 700000);
    then_true(play_find(p, kind_seinode, NODE) == NULL);
    play_mark(p);
    play_run(p, 3600000);
    then_int(play_requests(p), 0);
}

/* --- the Job before the node -------------------------------------------------------------------
 */

#define JOB "rpc-0-bootstrap"

static bool has_job(Play *p, const char *name)
{
    (void)name;
    return play_find(p, kind_job, JOB) != NULL;
}

static const PlayMode *job_mode(void)
{
    return &play_modes[PLAY_MODES - 1];
}

TEST(a_paused_node_has_no_bootstrap_pod_either)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    play_create_mode(p, NODE, job_mode());
    then_true(play_until(p, has_job, NODE));
    play_run(p, 10000);
    play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
    play_run(p, 200000);
    then_true(json_bool(play_find(p, kind_job, JOB), ".spec.suspend", false));
    then_int((int)json_int(play_find(p, kind_job, JOB), ".status.active", 0), 0);
    play_patch(p, kind_seinode, NODE, "{spec: {paused: null}}");
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_str(play_crowd(p), NULL);
}

/* An object of somebody else has not our label, so no cache has it: the task that comes to it
 * tells, and looks again. One that selects other pods would lead to whatever they are. */
TEST(a_foreign_object_of_the_expected_name_is_reported_and_left_alone_until_it_is_gone)
{
    static const struct {
        const char *name;
        const Kind *kind;
        const char *object;
    } foreign[] = {
        {"a Service",
            kind_service,
            "{apiVersion: 'v1', kind: 'Service', metadata: {name: 'rpc-0'},"
            " spec: {selector: {app: 'other'}, ports: [{port: 80}]}}"},
        {"a ConfigMap",
            kind_configmap,
            "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'rpc-0-rbac-proxy-config'},"
            " data: {mine: 'x'}}"},
    };

    for (size_t mode = 0; mode < PLAY_MODES; mode += PLAY_MODES - 1)
        each_case(i, foreign) {
            SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10 + i}});
            const Json *object = json_fixture(play_arena(p), foreign[i].object);
            const char *name = meta_name(object);

            play_create(p, foreign[i].kind, foreign[i].object);
            const char *uid = meta_uid(play_find(p, foreign[i].kind, name));
            play_create_mode(p, NODE, &play_modes[mode]);
            play_run(p, 120000);
            then_str(play_reason(p, NODE, COND_STALLED), "ForeignObject");
            then_str(play_condition(p, NODE, COND_RECONCILING), "False");
            then_str(meta_uid(play_find(p, foreign[i].kind, name)), uid);
            then_int(play_tasks_posted(p, NULL), 0);
            play_delete(p, foreign[i].kind, name);
            play_run(p, 60000);
            then_settled(p);
            then_str(play_condition(p, NODE, COND_READY), "True");
        }
}
