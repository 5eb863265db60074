/* What holds for a node holds for a node of every mode: it is born, rolled for whatever reason, and
 * removed, without a second bootstrap and on its one volume. */
#include "tests/sim/every_mode.h"

/* --- birth and rest ----------------------------------------------------------------------------
 */

static const char *tasks_text(Arena *a, const Plan *plan)
{
    const char *text = "";

    for (size_t i = 0; i < plan->task_count; i++)
        text = str_format(a, "%s%s%s", text, i ? " " : "", plan->tasks[i].spelling);
    return text;
}

static int sidecar_tasks(const Plan *plan)
{
    int count = 0;

    for (size_t i = 0; i < plan->task_count; i++)
        count += task_type_is_sidecar(plan->tasks[i].type);
    return count;
}

TEST(a_node_of_every_mode_is_initialized_once_and_then_left_alone)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);

        play_create_mode(p, NODE, &play_modes[i]);
        then_ready(p);
        const NodeStatus *status = &play_node(p, NODE)->status;
        then_str(tasks_text(play_arena(p), &status->plan), play_modes[i].tasks);
        then_int(status->plan.phase, PLAN_COMPLETE);
        then_int(status->phase, PHASE_RUNNING);
        then_int((int)status->history.count, 1);
        then_int(play_tasks_posted(p, NULL), sidecar_tasks(&status->plan));
        play_mark(p);
        replica_crash(play_replica(p, 0));
        play_run(p, 5000);
        then_settled(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0);
    }
}

/* --- rollouts ----------------------------------------------------------------------------------
 */

static void edit_image(Play *p)
{
    set_image(p, "v2");
}

static void edit_sidecar(Play *p)
{
    play_patch(p, kind_seinode, NODE, "{spec: {sidecar: {image: 'example/seictl:v2'}}}");
}

static void change_platform(Play *p)
{
    play_settings(p)->exporter_image = "ghcr.io/example/exporter:v2";
    replica_crash(play_replica(p, 0));
    play_run(p, 5000);
}

static void edit_to_bad_image_and_correct(Play *p)
{
    const char *before = play_node(p, NODE)->status.current_image;

    play_order(p, "bad-image seid:bad");
    set_image(p, "bad");
    play_run(p, 20000);
    then_str(play_node(p, NODE)->status.current_image, before);
    set_image(p, "v3");
}

static void edit_and_take_back(Play *p)
{
    set_image(p, "v4");
    play_run(p, 20000);
    set_image(p, "v1");
}

/* One after the other, so the last goes back to the very first image, too. */
static const struct {
    const char *name;
    void (*roll)(Play *p);
    int pods_deleted;
} rolls[] = {
    {"a new image", edit_image, 1},
    {"a new sidecar", edit_sidecar, 1},
    {"a new setting", change_platform, 1},
    {"an image that cannot be pulled", edit_to_bad_image_and_correct, 2},
    {"an image that is taken back", edit_and_take_back, 2},
};

static void then_rolled(Play *p, const char *volume_uid, int pods_deleted)
{
    then_untouched(p, volume_uid);
    then_int(play_pods_deleted(p), pods_deleted);
    then_str(play_node(p, NODE)->status.pod_template_hash,
        meta_annotation(play_find(p, kind_pod, POD), ANNOTATION_TEMPLATE_HASH));
}

CAMPAIGN(a_pod_of_every_mode_is_replaced_once_for_each_kind_of_change)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);

        for (size_t k = 0; k < array_count(rolls); k++) {
            play_mark(p);
            print_message("# %s: %s\n", play_modes[i].name, rolls[k].name);
            rolls[k].roll(p);
            then_rolled(p, volume_uid, rolls[k].pods_deleted);
        }
    }
}

TEST(a_seid_of_every_mode_that_is_halted_at_an_upgrade_is_replaced)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);
        const char *chain_id = play_node(p, NODE)->spec.chain_id;
        Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), chain_id);
        int64_t now = world_now_ms(sim_world(play_sim(p)));

        then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
        play_run(p, 300000);
        then_str(play_condition(p, NODE, COND_READY), "False");
        edit_image(p);
        then_untouched(p, volume_uid);
        then_int(play_pods_deleted(p), 1);
    }
}

/* --- the end -----------------------------------------------------------------------------------
 */

static const struct {
    const char *name, *change;
    bool keeps_volume;
} removals[] = {
    {"without its volume",
        "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}",
        .keeps_volume = true},
    {"with its volume", "{}"},
};

/* A node that was kept for its data is born again on it; then it goes with all that it has. */
TEST(a_deleted_node_of_every_mode_deletes_what_it_owns_and_keeps_a_retained_volume)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);

        given_running(p, i);
        for (size_t k = 0; k < array_count(removals); k++) {
            play_patch(p, kind_seinode, NODE, removals[k].change);
            play_run(p, 5000);
            play_delete_how(p, kind_seinode, NODE, PROPAGATION_FOREGROUND);
            play_run(p, 700000);
            then_true(play_find(p, kind_seinode, NODE) == NULL);
            then_true(play_find(p, kind_statefulset, NODE) == NULL);
            then_true(play_find(p, kind_pod, POD) == NULL);
            then_true((play_find(p, kind_pvc, VOLUME) != NULL) == removals[k].keeps_volume);
            then_str(play_wrote_beside(p, NODE), NULL);
            if (removals[k].keeps_volume) {
                play_create_node(p, NODE, play_modes[i].change);
                then_ready(p);
            }
        }
    }
}
