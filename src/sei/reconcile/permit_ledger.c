/* Entries are freed as soon as nothing is left to know of them: a cluster at rest has none. */
#include "sei/reconcile/permit_ledger.h"

#include "base/str.h"

#include <string.h>

enum { KEY_MAX = 1 << 12 };

void ledger_init(Ledger *l, Slab *slab)
{
    *l = (Ledger){
        .slab = slab,
        .domains = map_open(PERMITS_NODES_MAX + 1), /* one that an entry moves to */
        .entries = map_open(PERMITS_NODES_MAX),
    };
}

void ledger_close(Ledger *l)
{
    map_close(l->domains);
    map_close(l->entries);
}

/* --- domains --- */

static const char *domain_key(Arena *a, PermitDomain domain)
{
    return str_format(
        a, "%s/%s/%s", domain.is_fleet ? "fleet" : "chain", domain.namespace, domain.name);
}

LedgerDomain *ledger_domain(const Ledger *l, PermitDomain domain)
{
    SCOPED_ARENA a = arena_open(KEY_MAX);

    return map_find(l->domains, domain_key(a, domain));
}

static LedgerDomain *meet_domain(Ledger *l, PermitDomain of)
{
    SCOPED_ARENA a = arena_open(KEY_MAX);
    const char *key = domain_key(a, of);
    LedgerDomain *domain = map_find(l->domains, key);
    size_t size = strlen(key) + 1;

    if (domain)
        return domain;
    domain = slab_alloc(l->slab, sizeof *domain + size);
    *domain = (LedgerDomain){0};
    memcpy(domain->key, key, size);
    link_init(&domain->members);
    link_init(&domain->line);
    if (!map_put(l->domains, domain->key, domain))
        BUG("there are more domains than nodes in them");
    return domain;
}

static void join(LedgerDomain *domain, LedgerEntry *entry)
{
    entry->domain = domain;
    link_insert_before(&domain->members, &entry->in_domain);
    domain->held += ledger_is_held(entry);
}

static void leave(Ledger *l, LedgerEntry *entry)
{
    LedgerDomain *domain = entry->domain;

    ledger_leave_line(entry);
    domain->held -= ledger_is_held(entry);
    link_remove(&entry->in_domain);
    if (!link_is_alone(&domain->members))
        return;
    ledger_reopen(l, domain);
    map_remove(l->domains, domain->key);
    slab_free(l->slab, domain, sizeof *domain + strlen(domain->key) + 1);
}

void ledger_reopen(Ledger *l, LedgerDomain *domain)
{
    if (domain->refusal)
        slab_free(l->slab, domain->refusal, strlen(domain->refusal) + 1);
    domain->refusal = NULL;
}

void ledger_refuse(Ledger *l, LedgerDomain *domain, const char *sentence)
{
    size_t size = strlen(sentence) + 1;

    ledger_reopen(l, domain);
    domain->refusal = memcpy(slab_alloc(l->slab, size), sentence, size);
}

/* --- entries --- */

LedgerEntry *ledger_find(const Ledger *l, const char *key)
{
    return map_find(l->entries, key);
}

static LedgerEntry *make(Ledger *l, const char *key, LedgerDomain *domain)
{
    size_t size = strlen(key) + 1;
    LedgerEntry *entry = slab_alloc(l->slab, sizeof *entry + size);

    *entry = (LedgerEntry){0};
    memcpy(entry->key, key, size);
    link_init(&entry->in_domain);
    link_init(&entry->in_line);
    join(domain, entry);
    if (!map_put(l->entries, entry->key, entry))
        BUG("the ledger is full, and says that it is not");
    return entry;
}

/* A fleet may have adopted a node, or have let it go. */
LedgerEntry *ledger_meet(Ledger *l, const char *key, PermitDomain of)
{
    LedgerEntry *entry = ledger_find(l, key);

    if (!entry && map_count(l->entries) >= PERMITS_NODES_MAX)
        return NULL;
    LedgerDomain *domain = meet_domain(l, of);
    if (!entry)
        return make(l, key, domain);
    if (entry->domain != domain) {
        leave(l, entry);
        join(domain, entry);
    }
    return entry;
}

void ledger_drop_if_idle(Ledger *l, LedgerEntry *entry)
{
    if (ledger_is_held(entry) || entry->waits || entry->down || entry->settled)
        return;
    map_remove(l->entries, entry->key);
    leave(l, entry);
    slab_free(l->slab, entry, sizeof *entry + strlen(entry->key) + 1);
}

bool ledger_is_held(const LedgerEntry *entry)
{
    return entry && (entry->granted || entry->reserved);
}

void ledger_hold(LedgerEntry *entry, bool *which, bool is_so)
{
    entry->domain->held -= ledger_is_held(entry);
    *which = is_so;
    entry->domain->held += ledger_is_held(entry);
}

/* --- the line --- */

void ledger_leave_line(LedgerEntry *entry)
{
    if (!entry->waits)
        return;
    link_remove(&entry->in_line);
    entry->domain->waiting--;
    entry->waits = false;
}

/* The first of those that serve, or the end. */
static Link *first_that_serves(LedgerDomain *domain)
{
    Link *l = domain->line.next;

    while (l != &domain->line && !link_owner(LedgerEntry, in_line, l)->serves)
        l = l->next;
    return l;
}

void ledger_stand(LedgerEntry *entry, bool serves)
{
    LedgerDomain *domain = entry->domain;

    if (entry->waits && entry->serves == serves)
        return;
    ledger_leave_line(entry);
    if (domain->waiting >= PERMITS_LINE_MAX)
        return;
    link_insert_before(serves ? &domain->line : first_that_serves(domain), &entry->in_line);
    domain->waiting++;
    entry->waits = true;
    entry->serves = serves;
}

const char *ledger_next(const LedgerDomain *domain, Arena *a)
{
    if (domain->refusal || !domain->waiting)
        return NULL;
    return str_copy(a, link_owner(LedgerEntry, in_line, domain->line.next)->key);
}
