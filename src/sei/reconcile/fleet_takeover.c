/* The reference made and changed children by plain updates, under whatever name its binary had. It
 * is known by what nobody else writes: the labels that make a SeiNode a child of a fleet, of which
 * it rewrote one with every change. Updates of people and of other tools have none of them. */
#include "sei/reconcile/fleet_takeover.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/core/handover.h"
#include "kube/meta.h"
#include "sei/api/names.h"

static bool is_of_a_fleets_operator(const Json *entry)
{
    static const char *const signs[] = {
        "f:" LABEL_FLEET, "f:" LABEL_FLEET_ORDINAL, "f:" LABEL_FLEET_REVISION};
    const Json *labels = json_find(entry, ".fieldsV1['f:metadata']['f:labels']");

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (json_member(labels, signs[i]))
            return true;
    return false;
}

/* The reference paused children for no other reason than that their fleet was: its pause comes into
 * the fleet's hands also when the fleet has ended its own meanwhile, and ends with the apply. */
static const Json *with_its_pause(Arena *a, const Json *wanted)
{
    return json_merge(a, wanted, json_seal(a, draft(a, obj("spec", flag("paused", true)))));
}

Err *take_over_child(FleetPass *p, const Json *child, const Json *wanted, const Json **ret)
{
    static const Handover handover = {.to = FLEET_MANAGER, .is_from = is_of_a_fleets_operator};
    const Json *live;

    *ret = NULL;
    TRY(kube_get(p->c, kind_seinode, meta_key(child), &live));
    if (!str_eq(meta_uid(live), meta_uid(child)))
        return err_wait(p->c->arena,
            "SeiNode %s was replaced by another one of its name; it is looked at again",
            meta_name(child));
    const Json *taken = with_its_pause(p->c->arena, wanted);
    const Json *patch = handover_patch(p->c->arena, live, taken, &handover);
    return patch ? kube_json_patch(p->c, kind_seinode, meta_key(child), patch, ret) : OK;
}
