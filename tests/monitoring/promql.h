/* Promql: which metrics an expression asks for, and by which labels: enough of the language to hold
 * rules and boards to the metrics that exist. Whether it is an expression at all is promtool's
 * business. What surprises: a label of `by (...)` or `on (...)` belongs to no metric of its own. */
#ifndef TESTS_MONITORING_PROMQL_H
#define TESTS_MONITORING_PROMQL_H

#include "base/arena.h"

#include <stddef.h>

enum { PROMQL_USES_MAX = 64 };

typedef struct PromqlUse {
    const char *metric; /* NULL: of the expression as a whole */
    const char *label;  /* NULL: the metric itself */
    const char *value;  /* what a selector compares it with; or NULL */
} PromqlUse;

typedef struct PromqlUses {
    PromqlUse items[PROMQL_USES_MAX];
    size_t count;
} PromqlUses;

/* Grafana's variables may stand for durations and inside strings; its label_values(metric, label)
 * counts as a selector. A label that label_replace makes is no use. More uses than fit are a BUG.
 */
PromqlUses promql_uses(Arena *a, const char *expression);

#endif
