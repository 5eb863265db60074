/* What a node of every mode loses comes back: objects, its pod, its status; its volume never does
 * as an empty one. */
#include "tests/sim/every_mode.h"

/* --- repair ------------------------------------------------------------------------------------
 */

static void delete_all(Play *p)
{
    if (play_find(p, kind_statefulset, NODE))
        play_delete(p, kind_statefulset, NODE);
    if (play_find(p, kind_service, NODE))
        play_delete(p, kind_service, NODE);
    if (play_find(p, kind_configmap, CONFIG))
        play_delete(p, kind_configmap, CONFIG);
}

TEST(deleted_objects_of_a_node_of_every_mode_are_created_again)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);

        delete_all(p);
        play_run(p, 1000);
        then_true(play_find(p, kind_statefulset, NODE) != NULL);
        then_true(play_find(p, kind_service, NODE) != NULL);
        then_true(play_find(p, kind_configmap, CONFIG) != NULL);
        then_untouched(p, volume_uid);
        set_image(p, "v2");
        play_run(p, 4000);
        delete_all(p);
        then_untouched(p, volume_uid);
        then_true(play_pods_deleted(p) <= 1);
    }
}

CAMPAIGN(objects_of_every_mode_that_are_deleted_during_an_init_are_created_again)
{
    for (int64_t after_ms = 1000; after_ms < 20000; after_ms += 7919)
        each_case(i, play_modes) {
            SCOPED_PLAY p = open_play(i + (size_t)after_ms);

            play_create_mode(p, NODE, &play_modes[i]);
            play_run(p, after_ms);
            delete_all(p);
            then_ready(p);
            then_int(play_tasks_posted(p, NULL) - play_tasks_posted(p, "mark-ready"),
                play_mode_bootstraps(&play_modes[i]));
            then_int(play_writes(p, VERB_CREATE, kind_pvc), 1);
        }
}

/* --- hands off ---------------------------------------------------------------------------------
 */

TEST(a_node_of_every_mode_can_be_paused_and_scaled_by_hand)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);

        play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
        play_run(p, 60000);
        then_true(play_find(p, kind_pod, POD) == NULL);
        delete_all(p);
        play_run(p, 60000);
        then_true(play_find(p, kind_statefulset, NODE) != NULL);
        then_true(play_find(p, kind_pod, POD) == NULL);
        play_patch(p, kind_seinode, NODE, "{spec: {paused: null}}");
        then_untouched(p, volume_uid);
        play_scale(p, NODE, 0);
        play_run(p, 60000);
        then_str(play_reason(p, NODE, COND_READY), "ScaledByHand");
        then_true(play_find(p, kind_pod, POD) == NULL);
        play_scale(p, NODE, 1);
        then_untouched(p, volume_uid);
    }
}

/* --- data --------------------------------------------------------------------------------------
 */

TEST(a_node_of_every_mode_whose_status_was_wiped_keeps_running)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);
        const char *volume_uid = given_running(p, i);
        const char *pod = meta_uid(play_find(p, kind_pod, POD));

        replica_end(play_replica(p, 0));
        play_run(p, 5000);
        play_patch_status(p,
            kind_seinode,
            NODE,
            "{status: {phase: null, plan: null, dataVolume: null, identity: null,"
            " statefulSet: null, currentImage: null, podTemplateHash: null, specHash: null,"
            " setupHash: null, conditions: null, history: null}}");
        replica_start(play_replica(p, 0));
        then_untouched(p, volume_uid);
        then_str(meta_uid(play_find(p, kind_pod, POD)), pod);
    }
}

TEST(a_lost_volume_of_every_mode_is_not_replaced_by_an_empty_one)
{
    each_case(i, play_modes) {
        SCOPED_PLAY p = open_play(i);

        given_running(p, i);
        play_patch(p, kind_seinode, NODE, "{spec: {paused: true}}");
        play_run(p, 60000);
        play_delete(p, kind_pvc, VOLUME);
        play_run(p, 60000);
        play_patch(p, kind_seinode, NODE, "{spec: {paused: null}}");
        then_settled(p);
        then_true(play_find(p, kind_pvc, VOLUME) == NULL);
        then_str(play_reason(p, NODE, COND_STALLED), "DataVolumeMissing");
        then_int(play_tasks_posted(p, NULL), 0);
    }
}
