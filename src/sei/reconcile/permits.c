/* Two lists: of holders, which is short, and of those who wait, in the order in which they came. */
#include "sei/reconcile/permits.h"

#include "base/str.h"
#include "kube/kube.h"
#include "sei/api/condition.h"

#include <string.h>

struct Permits {
    Slab *slab;
    int64_t limit;
    bool filled; /* from what is stored */
    Waker *waker;
    size_t count, waiting;
    char *holders[PERMITS_MAX];
    char *waiters[PERMITS_WAITERS_MAX];
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

void permits_bind(Permits *p, Waker *waker)
{
    p->waker = waker;
}

/* --- lists; the guard is held, here and below --- */

/* Place of a node, or count. */
static size_t find(char *const *list, size_t count, const char *node)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], node) != 0)
        i++;
    return i;
}

static char *keep(Permits *p, const char *node)
{
    size_t size = strlen(node) + 1;

    return memcpy(slab_alloc(p->slab, size), node, size);
}

static void let_go(Permits *p, char *node)
{
    slab_free(p->slab, node, strlen(node) + 1);
}

static void add(Permits *p, const char *node)
{
    if (find(p->holders, p->count, node) == p->count && p->count < PERMITS_MAX)
        p->holders[p->count++] = keep(p, node);
}

static void stand_in_line(Permits *p, const char *node)
{
    if (find(p->waiters, p->waiting, node) == p->waiting && p->waiting < PERMITS_WAITERS_MAX)
        p->waiters[p->waiting++] = keep(p, node);
}

static void leave_line(Permits *p, size_t at)
{
    if (at >= p->waiting)
        return;
    let_go(p, p->waiters[at]);
    p->waiting--;
    memmove(&p->waiters[at], &p->waiters[at + 1], (p->waiting - at) * sizeof p->waiters[0]);
}

/* --- taking and giving back --- */

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
    bool held = find(p->holders, p->count, text) < p->count;
    if (!held && (int64_t)p->count < p->limit) {
        add(p, text);
        held = true;
    }
    if (held)
        leave_line(p, find(p->waiters, p->waiting, text));
    else
        stand_in_line(p, text);
    guard_leave(guard);
    *ret = held;
    return OK;
}

/* The first in line when one is free; NULL for nobody. */
static const char *call_next(Permits *p, Arena *a)
{
    if (!p->waiting || (int64_t)p->count >= p->limit)
        return NULL;
    const char *next = str_copy(a, p->waiters[0]);
    leave_line(p, 0);
    return next;
}

static void wake(Permits *p, Arena *a, const char *node)
{
    const char *slash = strchr(node, '/');

    if (p->waker && slash)
        p->waker->wake(p->waker,
            (Key){.namespace = str_slice(a, node, (size_t)(slash - node)), .name = slash + 1});
}

void permits_release(Permits *p, Guard *guard, Key node)
{
    SCOPED_ARENA a = arena_open(1 << 14);
    const char *text = key_text(a, node);

    guard_enter(guard);
    size_t i = find(p->holders, p->count, text);
    if (i < p->count) {
        let_go(p, p->holders[i]);
        p->holders[i] = p->holders[--p->count];
    }
    const char *next = call_next(p, a);
    guard_leave(guard);
    if (next)
        wake(p, a, next);
}
