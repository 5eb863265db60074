/* Two nodes with one signing key, as two people apply them: never do two pods live that could sign,
 * whatever is created, paused, deleted, scaled or edited. The one that waits says for whom, and
 * starts when that one's pod is gone. */
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/reference.h"
#include "tests/sim/twins.h"

#include <string.h>

enum { LOOK_MS = 100 };

#define then_contains(text, part) then_true(text &&strstr(text, part))

/* Time passes, and at no moment of it the node has a pod. */
static void run_without_pod(Play *p, const char *name, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += LOOK_MS) {
        play_run(p, LOOK_MS);
        if (has_pod(p, name))
            play_tell(p);
        then_true(!has_pod(p, name));
    }
}

static void then_one_signs(Play *p, const char *who, const char *held)
{
    play_run(p, REST_MS); /* what is to end has ended */
    if (!play_until(p, is_ready, who))
        play_tell(p);
    play_run(p, REST_MS);
    then_true(is_ready(p, who));
    then_str(play_condition(p, who, COND_STALLED), "False");
    then_true(!has_pod(p, held));
    then_str(play_double_signer(p), NULL);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

static void then_is_held_by(Play *p, const char *held, const char *by)
{
    then_true(play_until(p, is_held, held));
    then_str(play_condition(p, held, COND_STALLED), "True");
    then_str(play_condition(p, held, COND_READY), "False");
    then_contains(play_message(p, held, COND_STALLED), "Secret signing");
    then_contains(play_message(p, held, COND_STALLED), by);
    then_contains(play_message(p, held, COND_STALLED), "ause or delete");
}

/* --- birth -------------------------------------------------------------------------------------
 */

TEST(a_second_validator_with_the_same_key_is_held_and_names_the_first_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_running(p, "val-0");
    create(p, "val-1");
    then_is_held_by(p, "val-1", "node val-0");
    run_without_pod(p, "val-1", 60000);

    then_one_signs(p, "val-0", "val-1");
    then_str(meta_name(play_find(p, kind_statefulset, "val-1")), NULL);
    then_int(play_events(p, "val-1", "SigningKeyInUse", NULL), 1);
    then_int(play_events(p, "val-0", "SigningKeyInUse", NULL), 0);
    then_contains(play_metrics(p, "sei_controller_seinode_attention"), "SigningKeyInUse");
    play_mark(p);
    play_run(p, 300000);
    then_int(play_requests(p), 0); /* it is woken, and does not ask */
}

TEST(a_restarted_operator_keeps_the_reported_reason_of_a_held_validator)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    given_running(p, "val-0");
    create(p, "val-1");
    then_true(play_until(p, is_held, "val-1"));
    then_one_signs(p, "val-0", "val-1");
    play_mark(p);
    replica_crash(play_replica(p, 0));
    run_without_pod(p, "val-1", 60000);
    then_int(play_writes(p, -1, kind_seinode), 0);
    then_one_signs(p, "val-0", "val-1");
}

TEST(of_two_validators_created_together_the_older_one_or_the_first_by_name_starts)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        bool is_later = seed % 2;
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}, .workers = 4});

        given_secrets(p);
        if (is_later) {
            create(p, "val-1");
            create_later(p, "val-0");
            then_one_signs(p, "val-1", "val-0");
        } else {
            create(p, "val-1");
            create(p, "val-0");
            then_one_signs(p, "val-0", "val-1");
        }
    }
}

TEST(a_key_in_another_secret_holds_no_validator)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_running(p, "val-0");
    const Json *secret = play_find(p, kind_secret, "signing");
    play_create(p,
        kind_secret,
        str_format(play_arena(p),
            "{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'other'}, data: %s}",
            json_write(play_arena(p), json_find(secret, ".data")).data));
    play_create_node(p,
        "val-1",
        "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 'other'}},"
        " nodeKey: {secret: {secretName: 'node'}}}}}");
    then_str(play_settle(p), NULL);
    then_true(is_ready(p, "val-0"));
    then_true(is_ready(p, "val-1"));
}

/* A list of pods, which also tells whether the volume is free. */
TEST(a_validator_with_a_unique_key_costs_one_more_request)
{
    int reads[2];

    for (int i = 0; i < 2; i++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});
        given_secrets(p);
        play_run(p, 5000);
        play_mark(p);
        play_create_node(p, "val-0", i ? VALIDATOR : "{spec: {fullNode: null, validator: {}}}");
        then_str(play_settle(p), NULL);
        reads[i] = play_reads(p);
    }
    then_int(reads[1] - reads[0], 2 + 1); /* its two Secrets, and that one */
}

/* --- moving ------------------------------------------------------------------------------------
 */

TEST(a_validator_is_moved_by_pausing_the_running_one)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        given_running(p, "val-0");
        create(p, "val-1");
        then_is_held_by(p, "val-1", "node val-0");
        stop(p, "val-0");
        while (has_pod(p, "val-0"))
            play_run(p, LOOK_MS);
        play_run(p, 3000); /* it is woken when that pod is gone */
        then_true(has_pod(p, "val-1"));
        then_one_signs(p, "val-1", "val-0");
    }
}

TEST(a_validator_is_moved_by_deleting_the_running_one)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        given_running(p, "val-0");
        create(p, "val-1");
        then_is_held_by(p, "val-1", "node val-0");
        play_delete(p, kind_seinode, "val-0");
        while (has_pod(p, "val-0"))
            play_run(p, LOOK_MS);
        then_true(!play_find(p, kind_seinode, "val-0"));
        play_run(p, 6000);
        then_true(has_pod(p, "val-1"));
        then_one_signs(p, "val-1", "val-0");
    }
}

/* Its StatefulSet and its pod go on without it. */
TEST(a_validator_that_was_deleted_with_an_orphaned_pod_still_blocks_its_key)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_running(p, "val-0");
    create(p, "val-1");
    then_is_held_by(p, "val-1", "node val-0");
    play_delete_how(p, kind_seinode, "val-0", PROPAGATION_ORPHAN);
    run_without_pod(p, "val-1", 60000);
    then_true(!play_find(p, kind_seinode, "val-0"));
    replica_crash(play_replica(p, 0));
    run_without_pod(p, "val-1", 60000);
    play_delete(p, kind_pod, "val-0-0"); /* and comes back */
    run_without_pod(p, "val-1", 60000);
    play_delete(p, kind_statefulset, "val-0");
    then_true(play_until(p, has_pod, "val-1"));
    then_one_signs(p, "val-1", "val-0");
}

/* --- whoever was stopped -----------------------------------------------------------------------
 */

static const struct {
    const char *name, *stop, *go;
} stops[] = {
    {"a pause", PAUSED, UNPAUSED},
    {"maintenance",
        "{metadata: {annotations: {'sei.io/maintenance': 'yes'}}}",
        "{metadata: {annotations: {'sei.io/maintenance': null}}}"},
};

TEST(a_validator_that_returns_is_held_at_0_replicas_while_another_one_signs)
{
    each_case(i, stops) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_running(p, "val-0");
        play_patch(p, kind_seinode, "val-0", stops[i].stop);
        then_true(play_until(p, has_none, "val-0"));
        create(p, "val-1");
        then_str(play_settle(p), NULL);
        then_true(is_ready(p, "val-1"));

        play_patch(p, kind_seinode, "val-0", stops[i].go);
        then_is_held_by(p, "val-0", "node val-1");
        run_without_pod(p, "val-0", 60000);
        then_int((int)json_int(play_find(p, kind_statefulset, "val-0"), ".spec.replicas", 1), 0);
        then_str(play_condition(p, "val-1", COND_STALLED), "False");
        then_true(is_ready(p, "val-1"));

        play_patch(p, kind_seinode, "val-1", PAUSED);
        then_true(play_until(p, has_pod, "val-0"));
        then_one_signs(p, "val-0", "val-1");
    }
}

/* The older one waits, and goes on waiting: who ran until now is first. */
TEST(a_deleted_statefulset_comes_back_before_another_validator_gets_the_key)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        given_secrets(p);
        play_create_node(p, "val-0", BORN_PAUSED);
        create_later(p, "val-1");
        then_str(play_settle(p), NULL);
        let_go(p, "val-0");
        then_is_held_by(p, "val-0", "node val-1");
        if (seed % 2)
            replica_crash(play_replica(p, 0));
        play_delete(p, kind_statefulset, "val-1");
        then_one_signs(p, "val-1", "val-0");
    }
}

TEST(an_evicted_pod_comes_back_although_another_validator_waits_for_its_key)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_running(p, "val-0");
    create(p, "val-1");
    then_is_held_by(p, "val-1", "node val-0");
    for (int i = 0; i < 5; i++) {
        play_delete(p, kind_pod, "val-0-0");
        play_run(p, 500 * i);
        if (i % 2)
            replica_crash(play_replica(p, 0));
        then_one_signs(p, "val-0", "val-1");
    }
}

/* Nobody asks the operator before he scales it back. */
TEST(a_validator_that_was_scaled_to_0_by_hand_keeps_its_key)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    given_running(p, "val-0");
    play_scale(p, "val-0", 0);
    then_true(play_until(p, has_none, "val-0"));
    create(p, "val-1");
    then_is_held_by(p, "val-1", "node val-0");
    run_without_pod(p, "val-1", 60000);
    play_scale(p, "val-0", 1);
    then_one_signs(p, "val-0", "val-1");

    play_scale(p, "val-0", 0);
    then_true(play_until(p, has_none, "val-0"));
    run_without_pod(p, "val-1", 60000);
    stop(p, "val-0"); /* now the operator holds it */
    then_true(play_until(p, has_pod, "val-1"));
    then_one_signs(p, "val-1", "val-0");
}

/* --- others than nodes -------------------------------------------------------------------------
 */

static const char signer_pod[] =
    "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'by-hand'}, spec: {containers: [{name: "
    "'seid', image: 'seid:v1', volumeMounts: [{name: 'k', mountPath: '/k'}]}], volumes: [{name: "
    "'k', %s}]}}";

TEST(no_validator_starts_while_a_manually_created_pod_mounts_its_key)
{
    static const struct {
        const char *name, *volume;
    } volumes[] = {
        {"a volume of its own", "secret: {secretName: 'signing'}"},
        {"a part of a volume", "projected: {sources: [{secret: {name: 'signing'}}]}"},
    };

    each_case(i, volumes) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_secrets(p);
        play_create(p, kind_pod, str_format(play_arena(p), signer_pod, volumes[i].volume));
        create(p, "val-0");
        then_true(play_until(p, is_held, "val-0"));
        then_contains(play_message(p, "val-0", COND_STALLED), "pod by-hand");
        run_without_pod(p, "val-0", 60000);
        play_delete(p, kind_pod, "by-hand");
        then_str(play_settle(p), NULL);
        then_true(is_ready(p, "val-0"));
    }
}

/* --- keys that are edited ----------------------------------------------------------------------
 */

/* It runs already, but does not sign. */
TEST(a_running_node_does_not_get_a_key_while_another_validator_uses_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    given_running(p, "val-0");
    play_create_node(p, "val-1", "{spec: {fullNode: null, validator: {}}}");
    then_str(play_settle(p), NULL);
    const char *pod = meta_uid(play_find(p, kind_pod, "val-1-0"));
    play_patch(p, kind_seinode, "val-1", VALIDATOR);
    then_is_held_by(p, "val-1", "node val-0");
    play_run(p, 60000);
    then_str(meta_uid(play_find(p, kind_pod, "val-1-0")), pod);
    then_str(play_condition(p, "val-0", COND_STALLED), "False");
    play_delete(p, kind_pod, "val-1-0"); /* whoever evicts it gets one that does not sign */
    play_run(p, 60000);
    then_str(play_double_signer(p), NULL);

    stop(p, "val-0");
    then_str(play_settle(p), NULL);
    then_true(pod_mounts_secret(play_find(p, kind_pod, "val-1-0"), "signing"));
    then_true(is_ready(p, "val-1"));
    then_str(play_double_signer(p), NULL);
}

/* Its spec does not name the key any more, and its pod still has it. */
TEST(a_key_that_was_removed_from_a_spec_is_free_when_the_pod_is_replaced)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        given_running(p, "val-0");
        create(p, "val-1");
        then_is_held_by(p, "val-1", "node val-0");
        play_patch(
            p, kind_seinode, "val-0", "{spec: {validator: {signingKey: null, nodeKey: null}}}");
        then_str(play_settle(p), NULL);
        then_true(is_ready(p, "val-0"));
        then_true(is_ready(p, "val-1"));
        then_str(play_double_signer(p), NULL);
    }
}

/* --- two that run already ----------------------------------------------------------------------
 */

/* As another operator has left them. */
static void given_two_that_run(Play *p)
{
    static const char *const names[] = {"val-0", "val-1"};

    given_secrets(p);
    replica_end(play_replica(p, 0));
    play_run(p, 1000);
    for (size_t i = 0; i < array_count(names); i++) {
        const char *tasks = play_modes[WITH_KEYS].tasks;
        reference_create(p, names[i], play_modes[WITH_KEYS].change);
        reference_work(
            p, names[i], &(ReferencePlan){.tasks = tasks, .stop_at = reference_count(tasks)});
    }
    play_run(p, 5000);
    replica_start(play_replica(p, 0));
}

static bool shares(Play *p, const char *node)
{
    return str_eq(play_reason(p, node, COND_STALLED), "SigningKeyShared");
}

TEST(two_running_validators_with_one_key_both_report_it_and_neither_is_stopped)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    given_two_that_run(p);
    then_true(play_until(p, shares, "val-0"));
    then_true(play_until(p, shares, "val-1"));
    then_str(play_settle(p), NULL);
    then_contains(play_message(p, "val-0", COND_STALLED), "node val-1");
    then_contains(play_message(p, "val-1", COND_STALLED), "node val-0");
    then_true(is_ready(p, "val-0"));
    then_true(is_ready(p, "val-1"));
    then_int(play_events(p, "val-0", "SigningKeyShared", NULL), 1);
    then_int(play_events(p, "val-1", "SigningKeyShared", NULL), 1);
    then_contains(play_metrics(p, "sei_controller_seinode_attention"), "SigningKeyShared");

    /* An update is held: of these two pods none is started anew. */
    play_mark(p);
    play_patch(p, kind_seinode, "val-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    play_run(p, 120000);
    then_int(play_pods_deleted(p), 0);
    then_str(play_condition(p, "val-0", COND_UP_TO_DATE), "False");
    then_true(shares(p, "val-0"));

    stop(p, "val-1");
    then_str(play_settle(p), NULL);
    then_str(play_condition(p, "val-0", COND_STALLED), "False");
    then_str(play_condition(p, "val-0", COND_UP_TO_DATE), "True");
    then_true(is_ready(p, "val-0"));
    then_int(play_pods_deleted(p), 1);
    then_true(has_none(p, "val-1"));
}

/* --- fleets ------------------------------------------------------------------------------------
 */

#define FLEET "{spec: {replicas: 1, template: {spec: {fullNode: null, validator: {" KEYS "}}}}}"

TEST(two_fleets_with_one_signing_key_have_one_running_signer)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}, .workers = 4});

        given_secrets(p);
        play_create_fleet(p, "red", FLEET);
        play_create_fleet(p, "blue", FLEET);
        then_true(play_until(p, is_held, "red-0"));
        then_one_signs(p, "blue-0", "red-0");
        then_str(play_fleet_condition(p, "red", COND_STALLED), "True");
        then_contains(play_fleet_message(p, "red", COND_STALLED), "red-0");
        play_patch(p, kind_seinodedeployment, "blue", PAUSED);
        then_true(play_until(p, is_ready, "red-0"));
        play_patch(p, kind_seinodedeployment, "blue", UNPAUSED);
        then_true(play_until(p, is_held, "blue-0"));
        then_one_signs(p, "red-0", "blue-0");
    }
}
