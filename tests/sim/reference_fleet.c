/* What the reference did about fleets, by its specification. */
#include "tests/sim/reference_fleet.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/reference.h"
#include "tests/test.h"

#define UPDATE   "apply-statefulset apply-service replace-pod observe-image mark-ready"
#define LONG_AGO "2026-01-01T00:00:00Z"

enum { REPLICAS = 3, UPDATE_TASKS = 5, REPLACE_POD = 2, OBSERVE_IMAGE = 3 };

/* --- children ----------------------------------------------------------------------------------
 */

/* The generation of the fleet goes into a label of every node and of every pod to come. */
static const char *marks(Play *p, const char *fleet, int ordinal)
{
    const Json *object = play_find(p, kind_seinodedeployment, fleet);
    long long generation = (long long)meta_generation(object);

    return str_format(play_arena(p),
        "metadata: {labels: {'" LABEL_FLEET "': '%s', '" LABEL_FLEET_ORDINAL "': '%d',"
        " '" LABEL_FLEET_REVISION "': '%lld', '" LABEL_CHAIN "': 'pacific-1'},"
        " ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
        " name: '%s', uid: '%s', controller: true, blockOwnerDeletion: true}]},"
        " spec: {podLabels: {'" LABEL_FLEET "': '%s', '" LABEL_FLEET_REVISION "': '%lld'}",
        fleet,
        ordinal,
        generation,
        fleet,
        meta_uid(object),
        fleet,
        generation);
}

/* A node that runs: set up, and updated once, because nothing was recorded of its image. */
static void make_child(Play *p, const char *fleet, int ordinal)
{
    const char *name = play_child(p, fleet, ordinal);
    ReferencePlan init = {
        .tasks = play_modes[0].tasks,
        .stop_at = reference_count(play_modes[0].tasks),
    };
    ReferencePlan update = {.tasks = UPDATE, .stop_at = UPDATE_TASKS, .of_running = true};

    reference_create(p, name, str_format(play_arena(p), "{%s}}", marks(p, fleet, ordinal)));
    reference_work(p, name, &init);
    reference_work(p, name, &update);
}

/* --- the status of the fleet -------------------------------------------------------------------
 */

static const char *condition(Arena *a, const char *type, const char *status, const char *reason)
{
    return str_format(a,
        "{type: '%s', status: '%s', reason: '%s', message: '', observedGeneration: 1,"
        " lastTransitionTime: '" LONG_AGO "'}",
        type,
        status,
        reason);
}

static const char *conditions(Arena *a, bool rolls)
{
    const char *moves = rolls ? "True" : "False";

    return str_format(a,
        "[%s, %s, %s, %s, %s, %s]",
        condition(a, "PlanInProgress", moves, rolls ? "PlanStarted" : "NotStarted"),
        condition(a, "RolloutInProgress", moves, rolls ? "TemplateChanged" : "NotStarted"),
        condition(a, "GenesisCeremonyComplete", "False", "NotApplicable"),
        condition(a, "Paused", "False", "NotPaused"),
        condition(a, "NodesReady", "True", "AllNodesReady"),
        condition(a, "NetworkingReady", "False", "NetworkingDisabled"));
}

/* Its lists come in no order. */
static const char *nodes(Play *p, const char *fleet)
{
    Arena *a = play_arena(p);

    return str_format(a,
        "nodes: [{name: '%s-1', phase: 'Running'}, {name: '%s-0', phase: 'Running'},"
        " {name: '%s-2', phase: 'Running'}], incumbentNodes: ['%s-1', '%s-0', '%s-2']",
        fleet,
        fleet,
        fleet,
        fleet,
        fleet,
        fleet);
}

void reference_create_fleet(Play *p, const char *name)
{
    Arena *a = play_arena(p);

    play_create_fleet(p, name, "{metadata: {finalizers: ['" FLEET_FINALIZER "']}}");
    for (int i = 0; i < REPLICAS; i++)
        make_child(p, name, i);
    play_patch_status(p,
        kind_seinodedeployment,
        name,
        str_format(a,
            "{status: {observedGeneration: 1, templateHash: '%s', phase: 'Ready', replicas: 3,"
            " readyReplicas: 3, %s, conditions: %s}}",
            fleet_template_hash(a, &play_fleet(p, name)->spec),
            nodes(p, name),
            conditions(a, false)));
}

/* --- a rollout ---------------------------------------------------------------------------------
 */

static void ask_child(Play *p, const char *fleet, int ordinal)
{
    play_patch(p,
        kind_seinode,
        play_child(p, fleet, ordinal),
        str_format(
            play_arena(p), "{%s, image: '" PLAY_IMAGE("v2") "'}}", marks(p, fleet, ordinal)));
}

static void update_child(Play *p, const char *name, size_t stop_at)
{
    ReferencePlan update = {.tasks = UPDATE, .stop_at = stop_at, .of_running = true};

    reference_work(p, name, &update);
}

static void store_rollout(Play *p, const char *name)
{
    Arena *a = play_arena(p);

    play_patch_status(p,
        kind_seinodedeployment,
        name,
        str_format(a,
            "{status: {phase: 'Upgrading', conditions: %s,"
            " rollout: {targetHash: '%s', startedAt: '" LONG_AGO "'},"
            " plan: {id: '11111111-2222-4333-8444-777777777777', phase: 'Active', tasks: ["
            "{type: 'update-node-specs', id: '22222222-2222-5333-8444-000000000000',"
            " status: 'Complete', submittedAt: '" LONG_AGO "', params: {groupName: '%s',"
            " namespace: '" PLAY_NAMESPACE "', nodeNames: ['%s-1', '%s-0', '%s-2']}},"
            "{type: 'await-spec-update', id: '22222222-2222-5333-8444-000000000001',"
            " status: 'Pending', submittedAt: '" LONG_AGO "', params: {"
            " namespace: '" PLAY_NAMESPACE "', nodeNames: ['%s-1', '%s-0', '%s-2']}}]}}}",
            conditions(a, true),
            fleet_template_hash(a, &play_fleet(p, name)->spec),
            name,
            name,
            name,
            name,
            name,
            name,
            name));
}

static void ask_all(Play *p, const char *name)
{
    play_edit_fleet(p, name, PLAY_TO("v2"));
    for (int i = 0; i < REPLICAS; i++)
        ask_child(p, name, i);
    store_rollout(p, name);
}

void reference_begin_rollout(Play *p, const char *name)
{
    ask_all(p, name);
    for (int i = 0; i < REPLICAS; i++)
        update_child(p, play_child(p, name, i), REPLACE_POD);
}

void reference_roll_fleet(Play *p, const char *name, int replaced)
{
    ask_all(p, name);
    for (int i = 0; i < REPLICAS && i <= replaced; i++)
        update_child(p, play_child(p, name, i), i < replaced ? UPDATE_TASKS : OBSERVE_IMAGE);
}
