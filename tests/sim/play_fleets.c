/* PlayFleets: what there is to be said about all nodes of a fleet at once. */
#include "tests/sim/play_fleets.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/test.h"

#include <string.h>

enum { LOOK_ARENA_MAX = 16 << 20 };

#define DEFAULT_FLEET                                                                              \
    "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', metadata: {name: '%s'},"           \
    " spec: {replicas: 3, updateStrategy: {type: 'InPlace'}, template: {spec:"                     \
    " {chainId: 'pacific-1', image: '" PLAY_IMAGE("v1") "', fullNode: {}}}}}"

void play_create_fleet(Play *p, const char *name, const char *change)
{
    Arena *a = play_arena(p);
    const Json *base = json_fixture(a, str_format(a, DEFAULT_FLEET, name));
    const Json *object = json_merge(a, base, json_fixture(a, change));

    play_create(p, kind_seinodedeployment, json_write(a, object).data);
}

void play_scale_fleet(Play *p, const char *name, int replicas)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_seinodedeployment,
        .key = {.name = name},
        .subresource = "scale",
    };

    then_int(
        play_try(p, request, str_format(play_arena(p), "{spec: {replicas: %d}}", replicas)), 200);
}

void play_edit_fleet(Play *p, const char *name, const char *change)
{
    play_patch(p, kind_seinodedeployment, name, change);
}

const Fleet *play_fleet(Play *p, const char *name)
{
    Fleet *fleet = arena_new(play_arena(p), Fleet);
    const Json *object = play_find(p, kind_seinodedeployment, name);

    then_true(object != NULL);
    then_ok(fleet_decode(play_arena(p), object, fleet));
    return fleet;
}

static const Cond *condition(Play *p, const char *name, const char *type)
{
    const Json *object = play_find(p, kind_seinodedeployment, name);
    Conds *conds = arena_new(play_arena(p), Conds);

    conds_decode(json_find(object, ".status.conditions"), conds);
    return conds_find(conds, type);
}

const char *play_fleet_condition(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p, name, type);

    return cond ? cond->status : NULL;
}

const char *play_fleet_reason(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p, name, type);

    return cond ? cond->reason : NULL;
}

const char *play_fleet_message(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p, name, type);

    return cond ? cond->message : NULL;
}

/* --- its nodes ---------------------------------------------------------------------------------
 */

const char *play_child(Play *p, const char *fleet, int ordinal)
{
    return fleet_child_name(play_arena(p), fleet, ordinal);
}

const char *play_child_pod(Play *p, const char *fleet, int ordinal)
{
    return name_pod(play_arena(p), play_child(p, fleet, ordinal));
}

const char *play_child_volume(Play *p, const char *fleet, int ordinal)
{
    return name_data_volume(play_arena(p), play_child(p, fleet, ordinal));
}

static int replicas(Play *p, const char *fleet)
{
    SCOPED_ARENA a = arena_open(LOOK_ARENA_MAX);

    return (int)json_int(play_look(p, a, kind_seinodedeployment, fleet), ".spec.replicas", 0);
}

const char *play_volumes(Play *p, const char *fleet)
{
    const char *all = "";

    for (int i = 0; i < replicas(p, fleet); i++) {
        const Json *volume = play_find(p, kind_pvc, play_child_volume(p, fleet, i));
        all = str_format(play_arena(p), "%s%s ", all, volume ? meta_uid(volume) : "none");
    }
    return all;
}

const char *play_pods(Play *p, const char *fleet)
{
    const char *all = "";

    for (int i = 0; i < replicas(p, fleet); i++) {
        const Json *pod = play_find(p, kind_pod, play_child_pod(p, fleet, i));
        all = str_format(play_arena(p), "%s%s ", all, pod ? meta_uid(pod) : "none");
    }
    return all;
}

static const char *tag_of(const char *image)
{
    const char *colon = image ? strrchr(image, ':') : NULL;

    return colon ? colon + 1 : "none";
}

const char *play_tags(Play *p, const char *fleet)
{
    SCOPED_ARENA a = arena_open(LOOK_ARENA_MAX);
    const char *all = "";

    for (int i = 0; i < replicas(p, fleet); i++) {
        const Json *node = play_look(p, a, kind_seinode, fleet_child_name(a, fleet, i));
        all = str_format(a, "%s%s%s", all, i ? " " : "", tag_of(json_str(node, ".spec.image")));
    }
    return str_copy(play_arena(p), all);
}

/* --- a fleet that is well ----------------------------------------------------------------------
 */

static const char *node_trouble(Play *p, const char *name, const char *tag)
{
    Arena *a = play_arena(p);
    const Json *node = play_find(p, kind_seinode, name);
    const Json *pod = play_find(p, kind_pod, name_pod(a, name));

    if (!node)
        return str_format(a, "%s is not there", name);
    if (!str_eq(tag_of(json_str(node, ".spec.image")), tag))
        return str_format(a, "%s is asked to run %s", name, json_str(node, ".spec.image"));
    if (!str_eq(tag_of(json_str(node, ".status.currentImage")), tag))
        return str_format(a, "%s has not come to %s", name, tag);
    if (!strstr(
            json_write(a, json_find(pod, ".spec.containers")).data, json_str(node, ".spec.image")))
        return str_format(a, "the pod of %s does not run %s", name, tag);
    if (!str_eq(play_condition(p, name, COND_READY), "True"))
        return str_format(a, "%s is not Ready", name);
    return NULL;
}

static const char *count_trouble(const Fleet *fleet)
{
    const FleetCounts *counts = &fleet->status.counts;
    int64_t wanted = fleet->spec.replicas;

    return counts->replicas != wanted                            ? "status.replicas is wrong"
        : counts->ready != wanted                                ? "status.readyReplicas is wrong"
        : counts->available != wanted                            ? "availableReplicas is wrong"
        : counts->updated != wanted                              ? "updatedReplicas is wrong"
        : counts->unavailable > 0                                ? "unavailableReplicas is wrong"
        : fleet->status.phase != FLEET_READY                     ? "the phase is not Ready"
        : fleet->status.has_plan                                 ? "a plan is left"
        : fleet->status.rollout.target_hash                      ? "a rollout is left"
        : fleet->status.observed_generation != fleet->generation ? "the newest spec was not seen"
                                                                 : NULL;
}

const char *play_fleet_unwell(Play *p, const char *name, const char *tag)
{
    const Fleet *fleet = play_fleet(p, name);
    const char *wrong = play_broken_promise(p);

    for (int i = 0; i < fleet->spec.replicas && !wrong; i++)
        wrong = node_trouble(p, play_child(p, name, i), tag);
    if (!wrong && !str_eq(play_fleet_condition(p, name, COND_READY), "True"))
        wrong = str_format(
            play_arena(p), "the fleet is not Ready: %s", play_fleet_message(p, name, COND_READY));
    if (!wrong && !str_eq(play_fleet_condition(p, name, COND_UP_TO_DATE), "True"))
        wrong = str_format(play_arena(p),
            "the fleet is not UpToDate: %s",
            play_fleet_message(p, name, COND_UP_TO_DATE));
    return wrong ? wrong : count_trouble(fleet);
}

const char *play_fleet_trouble(Play *p, const char *name, const char *tag)
{
    const char *wrong = play_settle(p);

    return wrong ? wrong : play_fleet_unwell(p, name, tag);
}

void play_given_fleet(Play *p, const char *name, const char *change)
{
    play_create_fleet(p, name, change);
    then_str(play_fleet_trouble(p, name, "v1"), NULL);
    play_mark(p);
}

void play_given_node_of(Play *p, const char *fleet, const char *name)
{
    const Json *owner = play_find(p, kind_seinodedeployment, fleet);

    play_create_node(p, name, "{}");
    then_str(play_settle(p), NULL);
    play_patch(p,
        kind_seinode,
        name,
        str_format(play_arena(p),
            "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1',"
            " kind: 'SeiNodeDeployment', name: '%s', uid: '%s', controller: true}]}}",
            fleet,
            meta_uid(owner)));
}
