/* The keys that a genesis counts on. Each was made on the volume of its node, so the volumes tell
 * whether all founders are still who they were: which ones they had when the keys were handed over
 * is remembered in status.founderVolumes, beyond every plan.
 *
 * What surprises: a volume that a person gave a node (imported, or named by sei.io/adopt-volume) is
 * believed to be a copy of the one before, because nobody but a person can make one. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/plan/fleet_parts.h"

enum { NAMES_TOLD = 3 };

bool plan_fleet_is_founder(const FleetPlanning *p, size_t child)
{
    const BatchNode *node = &p->s->children[child].health;
    return node->ordinal < p->fleet->spec.replicas && !node->leaving;
}

const char *plan_fleet_name_founders(const FleetPlanning *p, FounderQuestion *is)
{
    const char *names = NULL;
    int count = 0;

    for (size_t i = 0; i < p->s->count; i++) {
        if (!plan_fleet_is_founder(p, i) || !is(p, i))
            continue;
        const char *name = p->s->children[i].node->key.name;
        if (count++ < NAMES_TOLD)
            names = names ? str_format(p->a, "%s, %s", names, name) : name;
    }
    if (count <= NAMES_TOLD)
        return names;
    return str_format(p->a, "%s and %d more", names, count - NAMES_TOLD);
}

/* --- who has lost his key --- */

static const char *counted_volume(const FleetPlanning *p, const SeiNode *node)
{
    return json_text(json_member(p->status->founder_volumes, node->key.name));
}

static bool is_given(const SeiNode *node)
{
    const NodeVolume *volume = &node->status.volume;
    return volume->imported || str_eq(node->wishes.adopt_volume, volume->uid);
}

/* Asked when what a person gave was noted. One whose volume is yet to be made has lost nothing. */
static bool has_lost_key(const FleetPlanning *p, size_t child)
{
    const SeiNode *node = p->s->children[child].node;
    const char *counted = counted_volume(p, node), *uid = node->status.volume.uid;

    return counted && uid && !str_eq(counted, uid);
}

/* Of the plan that handed the keys over; no other knows when that was. */
static bool is_made_since(const SeiNode *node, const PlannedTask *assembly)
{
    const char *made = json_str(node->object, ".metadata.creationTimestamp");
    int64_t made_ns, handed_over_ns;

    return assembly && timestamp_parse(assembly->submitted_at, &handed_over_ns)
        && timestamp_parse(made, &made_ns) && made_ns > handed_over_ns;
}

static bool is_told_of(const PlannedTask *assembly, const char *name)
{
    const Json *node;

    if (!assembly)
        return true;
    json_each(node, json_find(assembly->params, ".Nodes"))
        if (str_eq(json_str(node, ".name"), name))
            return true;
    return false;
}

const char *plan_fleet_lost_founder(const FleetPlanning *p, const PlannedTask *handed_over)
{
    for (size_t i = 0; i < p->s->count; i++) {
        const SeiNode *node = p->s->children[i].node;
        if (!plan_fleet_is_founder(p, i) || !is_told_of(handed_over, node->key.name))
            continue;
        if (has_lost_key(p, i) || is_made_since(node, handed_over))
            return node->key.name;
    }
    return NULL;
}

/* --- what is remembered --- */

static bool is_to_be_noted(
    const FleetPlanning *p, const SeiNode *node, const PlannedTask *handed_over)
{
    const char *counted = counted_volume(p, node), *uid = node->status.volume.uid;

    if (!uid || str_eq(counted, uid) || (counted && !is_given(node)))
        return false;
    return is_told_of(handed_over, node->key.name) && !is_made_since(node, handed_over);
}

void plan_fleet_note_keys(FleetPlanning *p, const PlannedTask *handed_over)
{
    Draft *noted = draft_object(p->a);
    size_t count = 0;

    for (size_t i = 0; i < p->s->count; i++) {
        const SeiNode *node = p->s->children[i].node;
        if (!plan_fleet_is_founder(p, i) || !is_to_be_noted(p, node, handed_over))
            continue;
        draft_set(noted, str(node->key.name, node->status.volume.uid));
        count++;
    }
    if (count > 0)
        p->status->founder_volumes =
            json_merge(p->a, p->status->founder_volumes, json_seal(p->a, noted));
}

void plan_fleet_keep_founders(FleetPlanning *p)
{
    plan_fleet_note_keys(p, NULL);
    p->d->lost_founders = plan_fleet_name_founders(p, has_lost_key);
}
