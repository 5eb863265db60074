/* PermitLedger: an entry for each node of which there is something to know, in the list of its
 * domain, and in each domain the line of those that wait. Whoever uses it holds the guard. */
#ifndef SEI_RECONCILE_PERMIT_LEDGER_H
#define SEI_RECONCILE_PERMIT_LEDGER_H

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "sei/reconcile/permits.h"

#include <stddef.h>

typedef struct LedgerDomain {
    Link members;   /* LedgerEntry.in_domain */
    Link line;      /* LedgerEntry.in_line */
    size_t waiting; /* in line */
    size_t held;    /* members that are granted or reserved */
    char *refusal;  /* what those are told who come after one that was refused; NULL: it is open */
    bool is_full;   /* of the refusal: it holds for those that do not serve as well */
    int64_t refused_ms; /* when, in ms of the monotonic clock */
    char key[];
} LedgerDomain;

typedef struct LedgerEntry {
    Link in_domain, in_line;
    LedgerDomain *domain;
    bool granted, reserved; /* set by ledger_hold alone */
    bool waits;             /* it stands in line */
    bool serves;            /* of one that waits */
    bool down;              /* as its own reconcile saw it last */
    bool settled;           /* while the ledger is being filled: what is found of it is old */
    char key[];             /* "namespace/name" */
} LedgerEntry;

typedef struct Ledger {
    Slab *slab;
    Map *domains, *entries;
} Ledger;

void ledger_init(Ledger *l, Slab *slab);
void ledger_close(Ledger *l);

/* What is known of a domain, and of a node; NULL: nothing. */
LedgerDomain *ledger_domain(const Ledger *l, PermitDomain domain);
LedgerEntry *ledger_find(const Ledger *l, const char *key);

/* The entry of a node in its domain, made when there is none. NULL: there are too many. */
LedgerEntry *ledger_meet(Ledger *l, const char *key, PermitDomain domain);

/* An entry of which nothing is left to know is freed, and a domain without entries. */
void ledger_drop_if_idle(Ledger *l, LedgerEntry *entry);

/* Sets entry->granted or entry->reserved. */
void ledger_hold(LedgerEntry *entry, bool *which, bool is_so);

/* The node has a permit, or is reserved. Accepts NULL. */
bool ledger_is_held(const LedgerEntry *entry);

/* Whoever comes is told so from now on, and: is judged again. */
void ledger_refuse(Ledger *l, LedgerDomain *domain, const char *sentence);
void ledger_reopen(Ledger *l, LedgerDomain *domain);

/* Puts an entry in line, if there is room: those that do not serve before all that do. Who stands
 * there already keeps his place. */
void ledger_stand(LedgerEntry *entry, bool serves);
void ledger_leave_line(LedgerEntry *entry);

/* The key of the first in line of a domain that is open, copied; NULL: nobody is to be woken. */
const char *ledger_next(const LedgerDomain *domain, Arena *a);

#endif
