/* Templates of before, as ControllerRevisions: there when they are needed, no more than so many,
 * gone with the fleet; and what a fleet does when one is lost or somebody else has its name. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

enum { END_MS = 120000, KEPT_MAX = 10 };

#define PARTITION(ordinal) "{spec: {updateStrategy: {partition: " ordinal "}}}"

static const Json *revisions(Play *p)
{
    Api *api = world_api(sim_world(play_sim(p)), "looker");
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_controllerrevision,
        .key.namespace = PLAY_NAMESPACE,
        .labels = LABEL_FLEET "=rpc,!" LABEL_NODE,
    };
    const Json *answer;

    then_ok(api_call(api, play_arena(p), &list, &answer));
    return json_find(answer, ".items");
}

/* The one of the template that the first node is on. */
static const char *current(Play *p)
{
    return name_fleet_revision(
        play_arena(p), "rpc", play_fleet(p, "rpc")->status.nodes[0].revision);
}

static bool is_stalled(Play *p, const char *reason)
{
    return str_eq(play_fleet_condition(p, "rpc", COND_STALLED), "True")
        && str_eq(play_fleet_reason(p, "rpc", COND_STALLED), reason);
}

/* --- how many --- */

TEST(one_controller_revision_is_kept_per_template_and_the_oldest_are_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{spec: {replicas: 1}}");
    const char *first = current(p);
    then_int(json_count(revisions(p)), 1);
    for (int i = 2; i < KEPT_MAX + 3; i++) {
        const char *tag = str_format(play_arena(p), "v%d", i);
        play_edit_fleet(p,
            "rpc",
            str_format(
                play_arena(p), "{spec: {template: {spec: {image: '" PLAY_IMAGE("%s") "'}}}}", tag));
        then_str(play_fleet_trouble(p, "rpc", tag), NULL);
        then_true(play_find(p, kind_controllerrevision, current(p)) != NULL);
    }
    then_int(json_count(revisions(p)), KEPT_MAX);
    then_true(play_find(p, kind_controllerrevision, first) == NULL);
}

TEST(an_edit_that_replaces_no_pod_creates_no_controller_revision)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", "{spec: {template: {spec: {overrides: {a: 'b'}}}}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(json_count(revisions(p)), 1);
    then_int(play_writes(p, -1, kind_controllerrevision), 0);
}

/* StatefulSets of nodes take what carries their label for their own. */
TEST(no_statefulset_adopts_the_controller_revision_of_a_fleet)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", "{}");
    play_run(p, END_MS);
    const Json *kept = play_find(p, kind_controllerrevision, current(p));
    then_true(meta_controlled_by(kept, play_fleet(p, "rpc")->object));
}

/* --- somebody else's --- */

static bool has_no_place(Play *p, const char *fleet)
{
    (void)fleet;
    return is_stalled(p, "ForeignObject");
}

/* Back to v1 is what shows the name that v2's will have. */
static const char *given_name_of_v2(Play *p)
{
    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    const char *name = current(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    play_delete(p, kind_controllerrevision, name);
    play_mark(p);
    return name;
}

TEST(a_foreign_controller_revision_of_the_expected_name_blocks_the_rollout_until_it_is_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});
    const char *name = given_name_of_v2(p);

    play_create(p,
        kind_controllerrevision,
        str_format(play_arena(p),
            "{apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: {name: '%s',"
            " namespace: '" PLAY_NAMESPACE "'}, data: {mine: true}, revision: 1}",
            name));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_no_place, "rpc"));
    play_run(p, END_MS);
    then_true(strstr(play_fleet_message(p, "rpc", COND_STALLED), name) != NULL);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    then_true(json_bool(play_find(p, kind_controllerrevision, name), ".data.mine", false));
    /* What was there before is kept up meanwhile. */
    play_delete(p, kind_seinode, "rpc-1");
    play_run(p, END_MS);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    play_delete(p, kind_controllerrevision, name);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

/* --- lost --- */

static bool has_canary(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2")
        && play_fleet(p, fleet)->status.counts.available == 3;
}

/* A child is what its template made of it. */
TEST(a_node_below_the_partition_is_recreated_from_its_sibling_if_the_template_is_lost)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", PARTITION("2"));
    const char *before = current(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_canary, "rpc"));
    play_delete(p, kind_controllerrevision, before);
    play_delete(p, kind_seinode, "rpc-0");
    play_run(p, 1000);
    then_true(play_until(p, has_canary, "rpc"));
}

static bool has_two_canaries(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v2 v2")
        && play_fleet(p, fleet)->status.counts.available == 3;
}

static bool has_lost_template(Play *p, const char *fleet)
{
    (void)fleet;
    return is_stalled(p, "RevisionLost");
}

TEST(a_template_that_no_object_has_any_more_is_reported_as_lost)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_given_fleet(p, "rpc", PARTITION("1"));
    const char *before = current(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_two_canaries, "rpc"));
    play_delete(p, kind_controllerrevision, before);
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, has_lost_template, "rpc"));
    then_true(strstr(play_fleet_message(p, "rpc", COND_STALLED), before) != NULL);
    then_true(play_find(p, kind_pod, "rpc-2-0") != NULL);
    /* As the message says. */
    play_edit_fleet(p, "rpc", PARTITION("0"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

/* --- the end --- */

static const struct {
    const char *name, *policy;
    Propagation how;
} ends[] = {
    {"of all", "Delete", PROPAGATION_BACKGROUND},
    {"of all, in the foreground", "Delete", PROPAGATION_FOREGROUND},
    {"of the fleet alone", "Retain", PROPAGATION_BACKGROUND},
    {"of the fleet alone, in the foreground", "Retain", PROPAGATION_FOREGROUND},
};

TEST(the_controller_revisions_of_a_fleet_are_deleted_with_it)
{
    each_case(i, ends) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7 + (uint64_t)i}});

        play_given_fleet(
            p, "rpc", str_format(play_arena(p), "{spec: {deletionPolicy: '%s'}}", ends[i].policy));
        play_delete_how(p, kind_seinodedeployment, "rpc", ends[i].how);
        play_run(p, END_MS);
        then_true(play_find(p, kind_seinodedeployment, "rpc") == NULL);
        then_int(json_count(revisions(p)), 0);
    }
}

/* `kubectl delete --cascade=orphan`, and the same fleet again. */
TEST(orphaned_controller_revisions_are_adopted_by_the_same_fleet)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    play_given_fleet(p, "rpc", "{}");
    const char *pods = play_pods(p, "rpc"), *name = current(p);
    play_delete_how(p, kind_seinodedeployment, "rpc", PROPAGATION_ORPHAN);
    play_run(p, END_MS);
    then_true(play_find(p, kind_controllerrevision, name) != NULL);
    play_create_fleet(p, "rpc", "{}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_pods(p, "rpc"), pods);
    then_true(meta_controlled_by(
        play_find(p, kind_controllerrevision, name), play_fleet(p, "rpc")->object));
}

/* --- writing --- */

/* The server takes the last member of an object for its end. */
TEST(a_template_edit_may_remove_the_last_entry_of_an_object)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 13}});

    play_given_fleet(p, "rpc", "{spec: {template: {spec: {overrides: {a: 'b'}}}}}");
    play_edit_fleet(p, "rpc", "{spec: {template: {spec: {overrides: {a: null}}}}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    for (int i = 0; i < 3; i++)
        then_int(json_count(json_find(
                     play_find(p, kind_seinode, play_child(p, "rpc", i)), ".spec.overrides")),
            0);
    then_int(play_pods_deleted(p), 0);
}
