/* Whatever a rollout does and however far it has come: a new template supersedes it, the old one
 * takes it back, and neither takes down more than one node at a time. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { ROLLOUT_MS = 60000, STRIDE_MS = 2311 };

/* One way to change one's mind. */
typedef struct Whim {
    int64_t after_ms;
    const char *change, *tag;
} Whim;

static const char *change_mind(Play *p, void *self)
{
    const Whim *whim = self;
    const char *volumes = play_volumes(p, "rpc");

    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, whim->after_ms);
    play_edit_fleet(p, "rpc", whim->change);
    const char *wrong = play_fleet_trouble(p, "rpc", whim->tag);
    if (!wrong && play_pods_deleted(p) > 6)
        wrong = "a pod was deleted more than once for each revision";
    if (!wrong && !str_eq(play_volumes(p, "rpc"), volumes))
        wrong = "a volume is another one";
    return wrong ? str_format(play_arena(p),
                       "changed to %s after %lld ms: %s",
                       whim->tag,
                       (long long)whim->after_ms,
                       wrong)
                 : NULL;
}

static void change_mind_at_every_point(Play *p, const char *change, const char *tag)
{
    int64_t stride = strike_wants_all() ? 101 : STRIDE_MS;

    for (int64_t ms = 0; ms < ROLLOUT_MS; ms += stride) {
        Whim whim = {.after_ms = ms, .change = change, .tag = tag};
        then_str(branch(p, change_mind, &whim), NULL);
    }
}

/* O-5 */
CAMPAIGN(a_rollout_can_be_reverted_at_every_point)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    change_mind_at_every_point(p, PLAY_TO("v1"), "v1");
}

CAMPAIGN(a_rollout_can_be_superseded_at_every_point)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    change_mind_at_every_point(p, PLAY_TO("v3"), "v3");
}

static bool is_rolling(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2");
}

TEST(the_event_of_a_superseding_rollout_names_both_templates_in_full)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});
    const char *note = NULL;

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, "rpc"));
    const char *hash = play_fleet(p, "rpc")->status.rollout.target_hash;
    play_edit_fleet(p, "rpc", PLAY_TO("v3"));
    then_str(play_fleet_trouble(p, "rpc", "v3"), NULL);
    then_int(play_events(p, "rpc", "RolloutSuperseded", &note), 1);
    then_true(strstr(note, hash) != NULL);
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 1);
}

/* --- a bad image -------------------------------------------------------------------------------
 */

static void given_bad_rollout(Play *p, const char *change)
{
    play_given_fleet(p, "rpc", change);
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 300000);
}

/* O-3 */
TEST(a_bad_image_stops_after_the_budget_and_is_reported)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_bad_rollout(p, "{}");
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_int(play_pods_deleted(p), 1);
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.counts.available, 2);
    then_int((int)fleet->status.counts.unavailable, 1);
    then_int(fleet->status.phase, FLEET_UPGRADING);
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_str(play_fleet_condition(p, "rpc", COND_AVAILABLE), "True");
    then_str(play_fleet_condition(p, "rpc", COND_ROLLOUT), "True");
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 0);
    const char *message = play_fleet_message(p, "rpc", COND_RECONCILING);
    then_true(strstr(message, "rpc-2") != NULL);
    then_true(strstr(message, "pull") != NULL);
    then_str(play_broken_promise(p), NULL);
}

static const struct {
    const char *name, *change, *tag;
} cures[] = {
    {"the one before", PLAY_TO("v1"), "v1"}, /* O-5 */
    {"another", PLAY_TO("v3"), "v3"},
};

TEST(a_bad_image_is_replaced_by_any_good_one)
{
    each_case(i, cures) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5 + (uint64_t)i}});

        given_bad_rollout(p, "{}");
        play_edit_fleet(p, "rpc", cures[i].change);
        then_str(play_fleet_trouble(p, "rpc", cures[i].tag), NULL);
        then_int(play_pods_deleted(p), str_eq(cures[i].tag, "v1") ? 2 : 4);
    }
}

/* What `kubectl sei rollout undo` goes to once the present one is complete; NULL: nothing. */
static const char *before_the_present(Play *p)
{
    const char *complete = play_fleet(p, "rpc")->status.complete_revision;
    const char *name = name_fleet_revision(play_arena(p), "rpc", complete);

    return meta_annotation(play_find(p, kind_controllerrevision, name), ANNOTATION_CAME_AFTER);
}

TEST(a_template_that_failed_never_becomes_the_previous_complete_revision)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_bad_rollout(p, "{}");
    const char *first = play_fleet(p, "rpc")->status.complete_revision;
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(before_the_present(p), NULL);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 300000);
    play_edit_fleet(p, "rpc", PLAY_TO("v3"));
    then_str(play_fleet_trouble(p, "rpc", "v3"), NULL);
    then_str(before_the_present(p), first);
    const char *third = play_fleet(p, "rpc")->status.complete_revision;
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(before_the_present(p), third);
}

TEST(a_bad_image_takes_down_no_more_nodes_than_a_wider_budget_allows)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    given_bad_rollout(p, "{spec: {replicas: 5, updateStrategy: {maxUnavailable: 2}}}");
    then_str(play_tags(p, "rpc"), "v1 v1 v1 v2 v2");
    then_int(play_pods_deleted(p), 2);
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 4);
}

/* --- an update that waits for a Secret, and leaves the old pod alone meanwhile ------------------
 */

#define KEYRING                                                                                    \
    "{secret: {secretName: 'ring', keyName: 'node_admin',"                                         \
    " passphraseSecretRef: {secretName: 'pass', key: 'word'}}}"
#define TO_KEYRING(keyring)                                                                        \
    "{spec: {template: {spec: {validator: {operatorKeyring: " keyring "}}}}}"
#define VALIDATORS(more)                                                                           \
    "{spec: {template: {spec: {fullNode: null, validator: {}}}, updateStrategy:"                   \
    " {progressDeadlineSeconds: 120" more "}}}"

static bool asks_for_keyring(Play *p, int ordinal)
{
    const Json *child = play_find(p, kind_seinode, play_child(p, "val", ordinal));

    return json_find(child, ".spec.validator.operatorKeyring") != NULL;
}

static void given_update_without_its_secret(Play *p, const char *change, int replicas)
{
    play_create_fleet(p, "val", change);
    play_scale_fleet(p, "val", replicas);
    then_str(play_fleet_trouble(p, "val", "v1"), NULL);
    play_mark(p);
    play_edit_fleet(p, "val", TO_KEYRING(KEYRING));
    play_run(p, 60000);
    then_true(asks_for_keyring(p, replicas - 1));
    then_true(replicas == 1 || !asks_for_keyring(p, replicas - 2));
}

TEST(an_update_that_waits_for_a_secret_is_reverted_without_stopping_a_pod)
{
    for (int replicas = 1; replicas <= 3; replicas += 2) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

        given_update_without_its_secret(p, VALIDATORS(""), replicas);
        play_edit_fleet(p, "val", TO_KEYRING("null"));
        play_run(p, 5000);
        then_true(!asks_for_keyring(p, replicas - 1));
        then_str(play_fleet_trouble(p, "val", "v1"), NULL);
        then_int(play_pods_deleted(p), 0);
    }
}

TEST(an_update_that_waits_for_a_secret_is_rolled_back_without_stopping_a_pod)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    given_update_without_its_secret(p, VALIDATORS(", onFailure: 'Rollback'"), 3);
    play_run(p, 120000);
    then_true(play_fleet(p, "val")->status.rollout.failed_hash != NULL);
    then_true(!asks_for_keyring(p, 2));
    then_int((int)play_fleet(p, "val")->status.counts.available, 3);
    then_int(play_pods_deleted(p), 0);
    then_str(play_broken_promise(p), NULL);
}
