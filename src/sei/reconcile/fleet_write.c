/* One apply, and what it needs besides: the fields of an operator before us are taken over first,
 * what the server cannot empty by an apply is emptied for it, and what others have added is taken
 * away after it. All are rare, and all leave a child at which the same apply works when the
 * operator dies in between. */
#include "sei/reconcile/fleet_write.h"

#include "base/str.h"
#include "kube/core/emptying.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/fleet_admission.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet_strays.h"
#include "sei/reconcile/fleet_takeover.h"
#include "sei/reconcile/fleet_telling.h"

enum { CHILD_BYTES_MAX = 64 << 20 };

static Err *apply_emptied(
    FleetPass *p, const Json *wanted, ApplyOptions options, Err *refusal, const Json **ret)
{
    Arena *a = p->c->arena;
    const Json *patch = emptying_patch(a, options.seen, wanted, err_text(a, refusal));

    if (!patch)
        return refusal;
    TRY(kube_json_patch(p->c, kind_seinode, meta_key(wanted), patch, &options.seen));
    return kube_apply(p->c, kind_seinode, wanted, options, ret);
}

/* One that somebody paused for himself is neither paused nor resumed with its fleet. */
static void tell_pause(FleetPass *p, const Json *before, const Json *after)
{
    bool was_paused = json_bool(before, ".spec.paused", false);
    bool is_paused = json_bool(after, ".spec.paused", false);

    if (was_paused != is_paused)
        fleet_telling_child(p->c,
            &p->fleet,
            is_paused ? FLEET_TIDINGS_CHILD_PAUSED : FLEET_TIDINGS_CHILD_RESUMED,
            meta_name(after));
}

bool child_is_right(Arena *a, const Json *child, const Json *wanted)
{
    return str_eq(meta_owned_hash(child), hash_owned_of_rendered(a, wanted));
}

static Err *apply_child(
    FleetPass *p, const Json *child, const Json *wanted, bool stops_pod, const Json **ret_written)
{
    ApplyOptions options = {
        .manager = FLEET_MANAGER, .force = true, .seen = child, .any_version = !stops_pod};
    const char *is = meta_owned_hash(child), *should = hash_owned_of_rendered(p->c->arena, wanted);
    const Json *taken = NULL;

    *ret_written = child;
    if (str_eq(is, should))
        return OK;
    if (!is)
        TRY(take_over_child(p, child, wanted, &taken));
    if (taken && str_eq(hash_owned(p->c->arena, taken, FLEET_MANAGER), should))
        return OK; /* it was what we want, and now it is ours: there is nothing left to apply */
    if (taken)
        options.seen = taken;
    Err *err = kube_apply(p->c, kind_seinode, wanted, options, ret_written);
    if (status_is_invalid(err))
        err = apply_emptied(p, wanted, options, err, ret_written);
    TRY(err);
    if (meta_generation(*ret_written) != meta_generation(child))
        p->progress.child_written = true;
    tell_pause(p, child, *ret_written);
    return OK;
}

static void tell_admission(FleetPass *p, const Json *stored)
{
    SeiNode *node = arena_new(p->c->arena, SeiNode);

    if (node_decode(p->c->arena, stored, node))
        return;
    const char *fields = fleet_admission_text(p->c->arena, node);
    if (fields)
        fleet_telling_admission(p->c, &p->fleet, node->key.name, fields);
}

/* Admission has changed what was asked for, and would do so again: the node may follow what was
 * stored. Until this is written the node waits, and the next pass writes it. */
static Err *release_as_stored(FleetPass *p, const Json *wanted, const Json *stored)
{
    Arena *a = p->c->arena;
    const Json *notes = fleet_admission_notes(a, wanted, stored);
    ApplyOptions options = {.manager = FLEET_MANAGER, .force = true, .seen = stored};

    if (!notes)
        return OK;
    TRY(kube_apply(p->c, kind_seinode, json_merge(a, wanted, notes), options, &stored));
    tell_admission(p, stored);
    return OK;
}

static Err *apply_and_strip(FleetPass *p, const Json *child, const Json *wanted, bool stops_pod)
{
    const Json *written;

    TRY(apply_child(p, child, wanted, stops_pod, &written));
    if (!stops_pod)
        return OK;
    const Json *patch = strays_patch(p->c->arena, written, wanted);
    if (patch)
        TRY(kube_json_patch(p->c, kind_seinode, meta_key(child), patch, &written));
    return release_as_stored(p, wanted, written);
}

/* --- in memory of its own ----------------------------------------------------------------------
 */

typedef struct ChildWrite {
    const Json *child, *wanted;
    bool stops_pod;
} ChildWrite;

/* Requests and answers of one child are let go before the next one: a hundred large children fit
 * into one reconcile. */
static Err *in_own_memory(
    FleetPass *p, const ChildWrite *w, Err *(*run)(FleetPass *p, const ChildWrite *w))
{
    SCOPED_ARENA own = arena_open(CHILD_BYTES_MAX);
    Ctx *outer = p->c, inner = *outer;

    inner.arena = own;
    p->c = &inner;
    Err *err = run(p, w);
    p->c = outer;
    return err_copy(outer->arena, err);
}

/* What is there already, unseen, is looked at when the cache shows it. */
static Err *create(FleetPass *p, const ChildWrite *w)
{
    ApplyOptions options = {.manager = FLEET_MANAGER};
    const Json *live;

    TRY(kube_get_if_any(p->c, kind_seinode, meta_key(w->wanted), &live));
    if (live)
        return err_wait(p->c->arena,
            "SeiNode %s exists and is not what the cache shows; it is looked at again",
            meta_name(w->wanted));
    TRY(kube_apply(p->c, kind_seinode, w->wanted, options, &live));
    return release_as_stored(p, w->wanted, live);
}

Err *create_child(FleetPass *p, const Json *wanted)
{
    return in_own_memory(p, &(ChildWrite){.wanted = wanted}, create);
}

static Err *change(FleetPass *p, const ChildWrite *w)
{
    return apply_and_strip(p, w->child, w->wanted, w->stops_pod);
}

/* A lost race is no fault: what won wakes the fleet, and the next pass sees it. */
Err *write_child(FleetPass *p, const Json *child, const Json *wanted, bool stops_pod)
{
    Err *err = in_own_memory(p, &(ChildWrite){child, wanted, stops_pod}, change);

    if (!status_is_conflict(err))
        return err;
    return err_wait(p->c->arena,
        "SeiNode %s was changed by somebody else at the same time; it is looked at again",
        meta_name(child));
}
