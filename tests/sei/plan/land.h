/* Land: a fleet for tests, moment by moment. A moment is the template's image in a letter, and a
 * word per node: its image, and how it is (see fleets.h); -- stands for a node that is missing.
 * Image D is A with another sidecar.
 *
 *     Land l = land(a, "{spec: {updateStrategy: {hold: true}}}");
 *     land_ask(&l, 'B', "Aa Aa Bs");
 */
#ifndef TESTS_SEI_PLAN_LAND_H
#define TESTS_SEI_PLAN_LAND_H

#include "kube/timestamp.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/fleet_status.h"
#include "sei/plan/fleet_plan.h"
#include "tests/sei/fleets.h"
#include "tests/sei/plan/fleets.h"

enum { ARENA_MAX = 32 << 20, START_S = 1767323045 };

/* All that is said of a fleet. */
static const char *const land_types[] = {COND_READY,
    COND_RECONCILING,
    COND_STALLED,
    COND_UP_TO_DATE,
    COND_AVAILABLE,
    COND_PAUSED,
    COND_NODES_READY,
    COND_PLAN,
    COND_ROLLOUT,
    COND_GENESIS_COMPLETE,
    COND_NETWORKING};

typedef struct Land {
    Arena *a;
    const char *patch;   /* of the fleet, or NULL */
    const char *sick;    /* the status of nodes that are not available, or NULL */
    const char *trouble; /* of the pods of those, or NULL */
    size_t replicas;     /* 0: as many as there are words */
    const Json *status;  /* as stored */
    int64_t now_s;
    int64_t working_since_s; /* 0: for ever */
    int64_t made_s;          /* when the last node was made; 0: long ago */
    int plans;
    int64_t jump_s; /* by so much the wall clock has jumped ahead of the monotonic one */
    struct {        /* as the process has noted it, by the monotonic clock */
        int64_t progress_at_ms, progress_s, down_s;
        bool all_down;
    } noted;
    Fleet *fleet;
    SeiNode nodes[NODES_MAX];
    FleetChild children[NODES_MAX];
    FleetSnapshot snapshot;
    FleetDecision *d;
} Land;

static inline Land land(Arena *a, const char *patch)
{
    return (Land){.a = a, .patch = patch, .now_s = START_S, .status = json_fixture(a, "{}")};
}

static inline const char *spec_text(Arena *a, char image)
{
    return str_format(a,
        "{spec: {chainId: 'pacific-1', fullNode: {}, image: 'seid:%c', sidecar: {port: %d}}}",
        image == 'D' ? 'A' : image,
        image == 'D' ? 7001 : 7000);
}

static inline const char *revision_of(Arena *a, char image)
{
    const char *revision = NULL;

    then_ok(fleet_revision(a, json_fixture(a, spec_text(a, image)), &revision));
    return revision;
}

static inline void land_read_fleet(Land *l, char image, size_t replicas)
{
    const Json *object = sample_fleet_object(l->a, l->patch);
    const Json *edit = json_fixture(l->a,
        str_format(
            l->a, "{spec: {replicas: %zu, template: %s}}", replicas, spec_text(l->a, image)));
    Draft *stored = draft(l->a, draft_json("status", l->status));

    object = json_merge(l->a, json_merge(l->a, object, edit), json_seal(l->a, stored));
    l->fleet = arena_new(l->a, Fleet);
    then_ok(fleet_decode(l->a, object, l->fleet));
}

static inline NodePhase land_phase(char how)
{
    return how == 'f' ? PHASE_FAILED : how == 'n' ? PHASE_INITIALIZING : PHASE_RUNNING;
}

static inline void land_read_child(Land *l, const char *word, size_t ordinal)
{
    size_t place = l->snapshot.count++;
    SeiNode *node = &l->nodes[place];
    const char *name = fleet_child_name(l->a, "rpc", (int64_t)ordinal);
    char at[TIMESTAMP_SIZE];
    const char *made =
        l->made_s && !word[2] ? str_copy(l->a, timestamp_format(l->made_s * 1000000000, at)) : NULL;
    const Json *object = json_merge(l->a,
        json_seal(
            l->a, draft(l->a, obj("metadata", str("name", name), str("creationTimestamp", made)))),
        json_fixture(l->a, spec_text(l->a, word[0])));

    if (l->sick && word[1] != 'a')
        object =
            json_merge(l->a, object, json_fixture(l->a, str_format(l->a, "{status: %s}", l->sick)));
    then_ok(node_decode(l->a, object, node));
    node->status.phase = land_phase(word[1]);
    l->children[place] = (FleetChild){
        .node = node,
        .revision = fleet_child_revision(l->a, node, l->fleet->spec.template),
        .health = node_of(word, ordinal),
        .trouble = word[1] != 'a' ? l->trouble : NULL,
    };
}

static inline FleetSeen land_seen(const Land *l)
{
    int64_t mono_s = l->now_s - l->jump_s;

    return (FleetSeen){
        .progress_at_ms = l->noted.progress_at_ms,
        .progress_ms = (mono_s - l->noted.progress_s) * 1000,
        .all_down_ms = l->noted.all_down ? (mono_s - l->noted.down_s) * 1000 : 0,
    };
}

static inline void land_note(Land *l)
{
    int64_t mono_s = l->now_s - l->jump_s;

    if (l->noted.progress_at_ms != l->d->progress_at_ms)
        l->noted.progress_s = mono_s;
    if (!l->noted.all_down)
        l->noted.down_s = mono_s;
    l->noted.progress_at_ms = l->d->progress_at_ms;
    l->noted.all_down = l->d->batch.all_down;
}

/* Asks once, without storing. */
static inline void land_ask(Land *l, char image, const char *words)
{
    size_t count = (strlen(words) + 1) / 3;
    char now[TIMESTAMP_SIZE];

    land_read_fleet(l, image, l->replicas ? l->replicas : count);
    l->snapshot = (FleetSnapshot){
        .fleet = l->fleet,
        .revision = revision_of(l->a, image),
        .children = l->children,
        .plan_id = str_format(l->a, "plan-%d", ++l->plans),
        .now = str_copy(l->a, timestamp_format(l->now_s * 1000000000, now)),
        .now_ms = l->now_s * 1000,
        .working_since_ms = l->working_since_s * 1000,
        .seen = land_seen(l),
    };
    for (size_t i = 0; i < count; i++)
        if (words[3 * i] != '-')
            land_read_child(l, words + 3 * i, i);
    l->d = arena_new(l->a, FleetDecision);
    plan_fleet(l->a, &l->snapshot, l->d);
    land_note(l);
}

#endif
