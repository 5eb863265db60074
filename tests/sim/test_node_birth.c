/* A full node from its creation until it runs, and what that costs. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

TEST(a_new_node_becomes_ready_and_records_what_it_runs)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_create_node(p, "rpc-0", "{}");
    const char *wrong = play_settle(p);
    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);

    const SeiNode *node = play_node(p, "rpc-0");
    then_int(node->status.phase, PHASE_RUNNING);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_condition(p, "rpc-0", COND_STALLED), "False");
    then_str(node->status.current_image, "ghcr.io/example/seid:v1");
    then_str(node->status.identity.chain_id, "pacific-1");
    then_str(node->status.volume.uid, meta_uid(play_find(p, kind_pvc, "data-rpc-0")));
    then_str(node->status.statefulset_uid, meta_uid(play_find(p, kind_statefulset, "rpc-0")));
    then_str(node->status.pod_template_hash,
        meta_annotation(play_find(p, kind_pod, "rpc-0-0"), ANNOTATION_TEMPLATE_HASH));
    then_int(node->status.plan.phase, PLAN_COMPLETE);
    then_int((int)node->status.history.count, 1);
    then_str(node->status.history.items[0].kind, "init");
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

TEST(a_node_at_rest_sends_no_requests)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    play_mark(p);
    play_run(p, 3600000);
    if (play_requests(p))
        play_tell(p);
    then_int(play_requests(p), 0);
}

TEST(the_creation_of_a_node_costs_at_most_fourteen_requests)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_mark(p);
    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    print_message("# %d requests, and %d that tell what it waits for\n",
        play_requests(p) - play_waits_told(p),
        play_waits_told(p));
    then_true(play_requests(p) - play_waits_told(p) <= 14);
}

TEST(each_init_task_is_submitted_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    then_int(play_tasks_posted(p, "configure-genesis"), 1);
    then_int(play_tasks_posted(p, "config-apply"), 1);
    then_int(play_tasks_posted(p, "config-validate"), 1);
    then_int(play_tasks_posted(p, "mark-ready"), 1);
    then_int(play_tasks_posted(p, NULL), 4);
}

typedef struct Told {
    int of_us, of_others;
} Told;

static void count_event(void *self, const Kind *kind, const Json *object)
{
    Told *told = self;
    bool is_ours = str_eq(json_str(object, ".reportingController"), NODE_MANAGER);

    if (!kind_eq(kind, kind_event) || !str_eq(json_str(object, ".regarding.kind"), "SeiNode"))
        return;
    told->of_us += is_ours;
    told->of_others += !is_ours;
}

TEST(events_are_reported_under_the_controller_name_of_the_go_operator)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});
    Told told = {0};

    play_create_node(p, "rpc-0", "{}");
    then_str(play_settle(p), NULL);
    server_each(world_server(sim_world(play_sim(p))), play_arena(p), count_event, &told);
    then_true(told.of_us >= 3);
    then_int(told.of_others, 0);
}
