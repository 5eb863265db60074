/* Cond: conditions as metav1.Condition has them, with one setter for the whole house. */
#ifndef KUBE_COND_H
#define KUBE_COND_H

#include "base/draft.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Cond {
    const char *type;    /* "Ready" */
    const char *status;  /* "True", "False", "Unknown" */
    const char *reason;  /* one PascalCase word, never empty */
    const char *message; /* a sentence for people; may be "" */
    int64_t observed_generation;
    const char *last_transition_time; /* RFC 3339 in UTC, whole seconds */
} Cond;

enum { CONDS_MAX = 32, COND_MESSAGE_MAX = 32768 };

/* The conditions of one object, in the order in which they were first set. The zero value is empty.
 */
typedef struct Conds {
    Cond items[CONDS_MAX];
    size_t count;
} Conds;

/* Reads .status.conditions; entries without a type, of a type seen before, or past CONDS_MAX are
 * skipped. Strings are borrowed. */
void conds_decode(const Json *conditions, Conds *ret);

/* The condition of a type, or NULL. */
const Cond *conds_find(const Conds *conds, const char *type);

/* The condition exists with status "True". */
bool conds_is_true(const Conds *conds, const char *type);

/* The condition of a type as it stands in an object's status, for who wants only that one; NULL
 * when there is none. */
const Json *cond_in(const Json *object, const char *type);

/* Sets type, status, reason, message and observedGeneration from `cond`. lastTransitionTime moves
 * to `now` (RFC 3339) only when the status changes. Too long a message is cut, in the arena. True
 * when anything changed. Strings are borrowed. A new type where there are CONDS_MAX already takes
 * the place of the last. */
bool conds_set(Arena *a, Conds *conds, const Cond *cond, const char *now);

/* The condition of a type stays as it is, and speaks of this generation; nothing where there is
 * none. */
void conds_keep(Arena *a, Conds *conds, const char *type, int64_t generation, const char *now);

/* Removes a type; true when it was there. */
bool conds_remove(Conds *conds, const char *type);

/* The array for .status.conditions. */
Draft *conds_encode(Arena *a, const Conds *conds);

#endif
