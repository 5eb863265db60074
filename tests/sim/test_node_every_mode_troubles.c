/* Nodes of every mode in trouble: sidecars that misbehave or die in the middle of a birth, and
 * specs that are refused. Whatever it is, it is waited for, told, and over when it is over. */
#include "tests/sim/every_mode.h"

/* --- sidecars ----------------------------------------------------------------------------------
 */

static const char *const tempers[] = {
    "forgetful", "slow", "lying", "hanging", "failing", "huge", "malformed", "wedged"};

static int bootstraps(Play *p)
{
    return play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready");
}

/* Each mode meets one of them. */
CAMPAIGN(an_init_of_every_mode_continues_when_its_sidecar_answers_correctly_again)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *temper = tempers[i % array_count(tempers)];

        print_message("# %s: %s\n", play_modes[i].name, temper);
        play_order(p, str_format(play_arena(p), "temper sei/rpc-0-0 %s 3000", temper));
        play_create_mode(p, NODE, &play_modes[i]);
        play_run(p, 60000);
        play_order(p, "temper sei/rpc-0-0 none 0");
        then_ready(p);
        then_int(bootstraps(p), play_mode_bootstraps(&play_modes[i]));
    }
}

CAMPAIGN(a_sidecar_of_every_mode_may_crash_in_the_middle_of_a_task)
{
    for (int64_t after_ms = 6000; after_ms < 18000; after_ms += 5990)
        each_case(i, play_modes) {
            SCOPED_PLAY p = open_play(i);
            World *w = sim_world(play_sim(p));
            KubeletOrder kill = {.deed = DEED_KILL_SIDECAR, .pod = {"sei", POD}};

            play_order(p, "task-takes sei/rpc-0-0 configure-genesis 3000");
            play_order(p, "task-takes sei/rpc-0-0 config-apply 3000");
            play_create_mode(p, NODE, &play_modes[i]);
            play_run(p, after_ms);
            kubelet_order(play_kubelet(p), &kill, world_now_ms(w)); /* in vain before it runs */
            world_wake(w, kubelet_actor(play_kubelet(p)));
            then_ready(p);
            then_int(bootstraps(p), play_mode_bootstraps(&play_modes[i]));
        }
}

/* --- specs -------------------------------------------------------------------------------------
 */

TEST(an_invalid_spec_of_every_mode_is_reported_and_the_node_keeps_running)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);

        play_patch(p, kind_seinode, NODE, "{spec: {podLabels: {'no label!': 'x'}}}");
        then_settled(p);
        then_str(play_reason(p, NODE, COND_STALLED), "InvalidSpec");
        then_str(play_condition(p, NODE, COND_READY), "True");
        play_run(p, 300000);
        then_int(play_pods_deleted(p), 0);
        play_patch(p, kind_seinode, NODE, "{spec: {podLabels: null}}");
        then_untouched(p, volume_uid);
        then_int(play_pods_deleted(p), 0);
    }
}
