/* Explain: how what is there differs from what is wanted, for people: field by field, in values
 * that may be shown. */
#ifndef SEI_PLAN_EXPLAIN_H
#define SEI_PLAN_EXPLAIN_H

#include "base/json.h"
#include "sei/api/plan.h"

/* Field by field, how two values differ: only what `want` has, elements of lists by name. Values of
 * Secrets never. Cut at DRIFT_FIELDS_MAX fields. */
void plan_explain(Arena *a, const Json *have, const Json *want, Drift *ret);

/* How the pod template of a live StatefulSet differs from that of the rendered one: in what is
 * ours, so also what we no longer want is named, and what others added is not. NULL: nothing is
 * there. */
void plan_explain_template(Arena *a, const Json *live, const Json *rendered, Drift *ret);

/* What others have put into the pod template of a live StatefulSet, by its managedFields: a
 * sentence, or NULL. */
const char *plan_foreign_fields(Arena *a, const Json *live);

#endif
