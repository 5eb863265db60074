/* Budget: how often something may be said about each of many things: a bucket of tokens per key.
 *
 * A key begins with a full bucket, and one that was not heard of for long is forgotten first when
 * there are too many: its bucket is then full again. A machine: time is passed in. */
#ifndef KUBE_RUNTIME_BUDGET_H
#define KUBE_RUNTIME_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Budget Budget;

typedef struct BudgetOptions {
    size_t keys_max;   /* at least 1 */
    int64_t burst;     /* tokens of a full bucket */
    int64_t refill_ms; /* time in which one token comes back */
} BudgetOptions;

Budget *budget_open(const BudgetOptions *options);

/* Accepts NULL. */
void budget_close(Budget *b);

/* Takes a token of the key; false when there is none. The key is copied. */
bool budget_take(Budget *b, const char *key, int64_t now_ms);

#endif
