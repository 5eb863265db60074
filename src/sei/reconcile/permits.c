/* A verdict is: read the domain, then, under the guard, add what the ledger knows, decide, and
 * write the outcome down. Nobody is woken under the guard. */
#include "sei/reconcile/permits.h"

#include "base/str.h"
#include "kube/kube.h"
#include "sei/api/condition.h"
#include "sei/reconcile/permit_census.h"
#include "sei/reconcile/permit_ledger.h"

typedef enum FillState { FILL_NONE, FILL_BEGUN, FILL_DONE } FillState;

struct Permits {
    Slab *slab;
    int64_t platform_max;
    Waker *waker;
    FillState fill;
    Ledger ledger;
    uint64_t epoch; /* moves when reservations end: a census from before has missed the writes */
};

enum {
    SCRATCH_MAX = 1 << 14,
    CENSUS_TRIES = 3,
    LOOK_MS = 300000, /* whoever gives a permit back wakes the next; this is a net */
    LOOK_SOON_MS = 1000,
};

Permits *permits_open(int64_t platform_max)
{
    Slab *slab = slab_open();
    Permits *p = slab_alloc(slab, sizeof *p);

    *p = (Permits){.slab = slab, .platform_max = platform_max};
    ledger_init(&p->ledger, slab);
    return p;
}

void permits_close(Permits *p)
{
    if (!p)
        return;
    ledger_close(&p->ledger);
    slab_close(p->slab);
}

void permits_bind(Permits *p, Waker *waker)
{
    p->waker = waker;
}

size_t permits_count(const Permits *p)
{
    return map_count(p->ledger.entries);
}

static void wake(Permits *p, Arena *a, const char *node)
{
    if (p->waker && node)
        p->waker->wake(p->waker, key_parse(a, node));
}

/* --- who holds one, by what is stored --- */

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

    if (node->spec.paused) /* a person has taken it out, and nobody waits for it */
        return false;
    if (updates)
        return str_eq(s->plan.cause, "platform");
    return s->phase == PHASE_RUNNING && was_rolled_by_platform(&s->history)
        && !conds_is_true(&s->conds, COND_READY);
}

/* --- filling, from what is stored --- */

typedef struct Filling {
    Walker port; /* first, so that the port is this */
    Permits *permits;
    Guard *guard;
    Arena *one;
} Filling;

static void see_stored(Walker *self, const Json *object)
{
    Filling *f = (Filling *)self;
    Ledger *ledger = &f->permits->ledger;
    SeiNode *node = arena_new(f->one, SeiNode);

    if (!node_decode(f->one, object, node) && permits_is_holder(node)) {
        guard_enter(f->guard);
        LedgerEntry *entry =
            ledger_meet(ledger, key_text(f->one, node->key), permits_domain_of(object));
        if (entry && !entry->settled)
            ledger_hold(entry, &entry->granted, true);
        guard_leave(f->guard);
    }
    arena_reset(f->one);
}

/* What was settled in the meantime need not be known any longer. */
static void end_filling(Permits *p, bool is_whole)
{
    size_t cursor = 0;
    LedgerEntry *entry;

    p->fill = is_whole ? FILL_DONE : FILL_NONE;
    while ((entry = map_next(p->ledger.entries, &cursor))) {
        entry->settled = false;
        ledger_drop_if_idle(&p->ledger, entry);
    }
}

/* False: somebody else is at it. */
static Err *fill(Ctx *c, Permits *p, Guard *guard, bool *ret_filled)
{
    SCOPED_ARENA one = arena_open(CENSUS_ARENA_MAX);
    Filling f = {.port = {.see = see_stored}, .permits = p, .guard = guard, .one = one};

    guard_enter(guard);
    FillState state = p->fill;
    if (state == FILL_NONE)
        p->fill = FILL_BEGUN;
    guard_leave(guard);
    *ret_filled = state != FILL_BEGUN;
    if (state != FILL_NONE)
        return OK;
    Err *err = kube_walk(c, kind_seinode, &f.port);
    guard_enter(guard);
    end_filling(p, err == OK);
    guard_leave(guard);
    return err;
}

/* --- taking --- */

typedef struct Taking {
    Ctx *c;
    Permits *p;
    Guard *guard;
    const PermitAsk *ask;
    const char *key;
    PermitDomain domain;
    bool serves;
    PermitAnswer *ret;
    const char *next; /* to be woken */
} Taking;

static void refuse(Taking *t, const char *sentence, int64_t look_again_ms)
{
    Ledger *ledger = &t->p->ledger;
    LedgerEntry *entry = ledger_meet(ledger, t->key, t->domain);

    if (entry) {
        ledger_stand(entry, t->serves);
        ledger_drop_if_idle(ledger, entry);
    }
    *t->ret = (PermitAnswer){
        .sentence = str_copy(t->c->arena, sentence),
        .look_again_ms = look_again_ms && look_again_ms < LOOK_MS ? look_again_ms : LOOK_MS,
    };
}

/* It is known without a look at the domain: the node has one, or nobody gets one now. */
static bool is_known(Taking *t)
{
    const LedgerEntry *entry = ledger_find(&t->p->ledger, t->key);
    const LedgerDomain *domain = ledger_domain(&t->p->ledger, t->domain);

    t->ret->granted = entry && entry->granted;
    if (t->ret->granted)
        return true;
    if (!domain || !domain->refusal || (!t->serves && !domain->is_full)
        || clock_mono_ms(t->c->clock) - domain->refused_ms >= PERMITS_TRUST_MS)
        return false;
    refuse(t, domain->refusal, 0);
    return true;
}

/* What the ledger knows besides. */
static void mark_held(const Taking *t, PermitCensus *census)
{
    const LedgerDomain *domain = ledger_domain(&t->p->ledger, t->domain);

    for (size_t i = 0; domain && domain->held && i < census->count; i++)
        census->nodes[i].held = ledger_is_held(ledger_find(&t->p->ledger, census->keys[i]));
}

/* Those who come after it need not look. */
static void close_domain(Taking *t, const PermitCensus *census, bool is_full)
{
    LedgerDomain *domain = ledger_domain(&t->p->ledger, t->domain);
    PermitQuestion of_all = census->question;

    if (!domain)
        return;
    of_all.asker = NULL;
    ledger_refuse(&t->p->ledger, domain, permit_line_sentence(t->c->arena, &of_all));
    domain->is_full = is_full;
    domain->refused_ms = clock_mono_ms(t->c->clock);
}

static void grant(Taking *t, PermitCensus *census, const PermitVerdict *verdict)
{
    LedgerEntry *entry = ledger_meet(&t->p->ledger, t->key, t->domain);

    if (!entry) {
        refuse(t, "too many nodes of all domains are down or wait for their turn", 0);
        return;
    }
    ledger_leave_line(entry);
    ledger_hold(entry, &entry->granted, true);
    t->ret->granted = true;
    if ((int64_t)verdict->in_flight + 1 < census->question.budget) {
        t->next = ledger_next(entry->domain, t->c->arena);
        return;
    }
    mark_held(t, census);
    close_domain(t, census, true);
}

static void judge(Taking *t, PermitCensus *census)
{
    PermitVerdict verdict;

    mark_held(t, census);
    plan_permit(t->c->arena, &census->question, &verdict);
    if (verdict.granted) {
        grant(t, census, &verdict);
        return;
    }
    refuse(t, verdict.sentence, verdict.look_again_ms);
    close_domain(t, census, verdict.full);
}

/* One census, and the verdict if it still holds. */
static Err *try_to_take(Taking *t, bool *ret_done)
{
    SCOPED_ARENA a = arena_open(CENSUS_ARENA_MAX);
    PermitCensus census;

    guard_enter(t->guard);
    uint64_t epoch = t->p->epoch;
    *ret_done = is_known(t);
    guard_leave(t->guard);
    if (*ret_done)
        return OK;
    TRY(permit_census_read(t->c, a, t->ask, t->p->platform_max, &census));
    guard_enter(t->guard);
    *ret_done = t->p->epoch == epoch;
    if (*ret_done)
        judge(t, &census);
    guard_leave(t->guard);
    return OK;
}

Err *permits_take(Ctx *c, Permits *p, Guard *guard, const PermitAsk *ask, PermitAnswer *ret)
{
    BatchNode health;
    bool done;

    *ret = (PermitAnswer){
        .sentence = "the operator has just started and is counting its nodes",
        .look_again_ms = LOOK_SOON_MS,
    };
    TRY(fill(c, p, guard, &done));
    if (!done)
        return OK;
    batch_node_read(ask->node, ask->pod, clock_wall_ms(c->clock), &health);
    Taking t = {
        .c = c,
        .p = p,
        .guard = guard,
        .ask = ask,
        .key = key_text(c->arena, ask->node->key),
        .domain = permits_domain_of(ask->node->object),
        .serves = health.serves,
        .ret = ret,
    };
    done = false;
    for (int i = 0; !done && i < CENSUS_TRIES; i++)
        TRY(try_to_take(&t, &done));
    if (!done)
        ret->sentence = "the rollout of its fleet is writing nodes";
    wake(p, c->arena, t.next);
    return OK;
}

/* --- giving back --- */

static bool is_missed(const PermitStanding *s)
{
    static const FleetStrategy of_any_fleet = {0};
    bool is_fleet = permits_domain_of(s->node->object).is_fleet;
    BatchNode health;

    batch_node_read(s->node, s->pod, 0, &health);
    return permit_is_down(is_fleet ? &of_any_fleet : NULL, &health);
}

/* What there is to know of a node from now on; who is to be woken, or NULL. */
static const char *settle(
    Permits *p, Arena *a, LedgerEntry *entry, const PermitStanding *s, bool missed)
{
    if ((entry->granted && !s->holds) || (entry->down && !missed))
        ledger_reopen(&p->ledger, entry->domain);
    ledger_hold(entry, &entry->granted, s->holds);
    entry->down = missed;
    entry->settled = p->fill == FILL_BEGUN;
    if (!s->waits)
        ledger_leave_line(entry);
    const char *next = ledger_next(entry->domain, a);
    ledger_drop_if_idle(&p->ledger, entry);
    return next;
}

void permits_settle(Permits *p, Guard *guard, const PermitStanding *s)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const char *key = key_text(a, s->node->key), *next = NULL;
    bool missed = is_missed(s);

    guard_enter(guard);
    bool is_news = missed || s->holds || p->fill == FILL_BEGUN;
    LedgerEntry *entry = is_news ? ledger_meet(&p->ledger, key, permits_domain_of(s->node->object))
                                 : ledger_find(&p->ledger, key);
    if (entry)
        next = settle(p, a, entry, s, missed);
    guard_leave(guard);
    wake(p, a, next);
}

void permits_forget(Permits *p, Guard *guard, Key node)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const char *next = NULL;

    guard_enter(guard);
    LedgerEntry *entry = ledger_find(&p->ledger, key_text(a, node));
    if (entry) {
        if (ledger_is_held(entry) || entry->down)
            ledger_reopen(&p->ledger, entry->domain);
        ledger_hold(entry, &entry->granted, false);
        ledger_hold(entry, &entry->reserved, false);
        ledger_leave_line(entry);
        entry->down = false;
        next = ledger_next(entry->domain, a);
        ledger_drop_if_idle(&p->ledger, entry);
    }
    guard_leave(guard);
    wake(p, a, next);
}

/* --- fleets --- */

void permits_changed(Permits *p, Guard *guard, PermitDomain of)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const char *next = NULL;

    guard_enter(guard);
    LedgerDomain *domain = ledger_domain(&p->ledger, of);
    if (domain) {
        ledger_reopen(&p->ledger, domain);
        next = ledger_next(domain, a);
    }
    guard_leave(guard);
    wake(p, a, next);
}

bool permits_is_held(const Permits *p, Key node)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const LedgerEntry *entry = ledger_find(&p->ledger, key_text(a, node));

    return entry && entry->granted;
}

bool permits_reserve(Permits *p, Key fleet, Key node)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    LedgerEntry *entry = ledger_meet(&p->ledger, key_text(a, node), permits_domain_of_fleet(fleet));

    if (entry)
        ledger_hold(entry, &entry->reserved, true);
    return entry != NULL;
}

/* The domain goes with its last entry. */
static void end_reservations(Permits *p, LedgerDomain *domain)
{
    Link *next;

    for (Link *l = domain->members.next; l != &domain->members; l = next) {
        LedgerEntry *entry = link_owner(LedgerEntry, in_domain, l);
        next = l->next;
        bool is_last = next == &domain->members;
        if (entry->reserved)
            p->epoch++;
        ledger_hold(entry, &entry->reserved, false);
        ledger_drop_if_idle(&p->ledger, entry);
        if (is_last)
            return;
    }
}

void permits_unreserve(Permits *p, Guard *guard, Key fleet)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);

    guard_enter(guard);
    LedgerDomain *domain = ledger_domain(&p->ledger, permits_domain_of_fleet(fleet));
    if (domain)
        end_reservations(p, domain);
    guard_leave(guard);
    permits_changed(p, guard, permits_domain_of_fleet(fleet));
}
