/* A small list: the limit is small. */
#include "sei/reconcile/permits.h"

#include "base/str.h"
#include "kube/kube.h"
#include "sei/api/condition.h"

#include <string.h>

struct Permits {
    Slab *slab;
    int64_t limit;
    bool filled; /* from what is stored */
    size_t count;
    char *holders[PERMITS_MAX];
};

Permits *permits_open(int64_t limit)
{
    Slab *slab = slab_open();
    Permits *p = slab_alloc(slab, sizeof *p);

    memset(p, 0, sizeof *p);
    p->slab = slab;
    p->limit = limit < PERMITS_MAX ? limit : PERMITS_MAX;
    return p;
}

void permits_close(Permits *p)
{
    if (p)
        slab_close(p->slab);
}

/* The last update was the platform's. Plans of other kinds may have followed it. */
static bool was_rolled_by_platform(const PlanHistory *history)
{
    for (size_t i = history->count; i > 0; i--)
        if (str_eq(history->items[i - 1].kind, plan_kind_text(PLAN_NODE_UPDATE)))
            return str_eq(history->items[i - 1].cause, "platform");
    return false;
}

bool permits_is_holder(const SeiNode *node)
{
    const NodeStatus *s = &node->status;
    bool updates = s->has_plan && s->plan.phase == PLAN_ACTIVE && s->plan.kind == PLAN_NODE_UPDATE;

    if (updates)
        return str_eq(s->plan.cause, "platform");
    return s->phase == PHASE_RUNNING && !node->spec.paused && was_rolled_by_platform(&s->history)
        && !conds_is_true(&s->conds, COND_READY);
}

/* Place of a holder, or count. The guard is held, here and below. */
static size_t find(const Permits *p, const char *node)
{
    size_t i = 0;

    while (i < p->count && strcmp(p->holders[i], node) != 0)
        i++;
    return i;
}

static void add(Permits *p, const char *node)
{
    size_t size = strlen(node) + 1;

    if (find(p, node) < p->count || p->count == PERMITS_MAX)
        return;
    p->holders[p->count] = slab_alloc(p->slab, size);
    memcpy(p->holders[p->count++], node, size);
}

/* Every node whose stored plan says that it was given one. */
static Err *fill(Ctx *c, Permits *p, Guard *guard)
{
    const Selector *any;
    Objects nodes;

    TRY(selector_parse(c->arena, "!sei.io/none", &any));
    TRY(kube_select(c, kind_seinode, NULL, any, &nodes));
    SeiNode *node = arena_new(c->arena, SeiNode);
    guard_enter(guard);
    for (size_t i = 0; i < nodes.count; i++)
        if (!node_decode(c->arena, nodes.items[i], node) && permits_is_holder(node))
            add(p, key_text(c->arena, node->key));
    p->filled = true;
    guard_leave(guard);
    return OK;
}

Err *permits_take(Ctx *c, Permits *p, Guard *guard, Key node, bool *ret)
{
    const char *text = key_text(c->arena, node);

    guard_enter(guard);
    bool filled = p->filled;
    guard_leave(guard);
    if (!filled)
        TRY(fill(c, p, guard));

    guard_enter(guard);
    bool held = find(p, text) < p->count;
    if (!held && (int64_t)p->count < p->limit) {
        add(p, text);
        held = true;
    }
    guard_leave(guard);
    *ret = held;
    return OK;
}

void permits_release(Permits *p, Guard *guard, Key node)
{
    SCOPED_ARENA a = arena_open(1 << 12);
    const char *text = key_text(a, node);

    guard_enter(guard);
    size_t i = find(p, text);
    if (i < p->count) {
        slab_free(p->slab, p->holders[i], strlen(p->holders[i]) + 1);
        p->holders[i] = p->holders[--p->count];
    }
    guard_leave(guard);
}
