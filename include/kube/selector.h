/* Selector: label and field selectors, in the text form of query strings and in the JSON form of
 * LabelSelector. */
#ifndef KUBE_SELECTOR_H
#define KUBE_SELECTOR_H

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

typedef struct Selector Selector;

/* Parses "a=b,c!=d,e in (x,y),f notin (z),g,!h". "" selects everything. ERR_TERMINAL with the
 * position of the fault. */
Err *selector_parse(Arena *a, const char *text, const Selector **ret) MUST_CHECK;

/* Decodes {matchLabels, matchExpressions}. NULL or an empty one is ERR_TERMINAL ("empty selector"):
 * in Kubernetes it would select everything, which no caller here ever means. */
Err *selector_decode(Arena *a, const Json *label_selector, const Selector **ret) MUST_CHECK;

/* Parses a field selector "metadata.name=x,status.phase!=Running" (equality only). */
Err *selector_parse_fields(Arena *a, const char *text, const Selector **ret) MUST_CHECK;

/* Whether an object's labels match. A NULL selector matches everything. */
bool selector_matches(const Selector *selector, const Json *object);

/* Whether an object's fields match a selector of selector_parse_fields; an absent field counts as
 * "". */
bool selector_matches_fields(const Selector *selector, const Json *object);

/* The one value that the selector demands of a label (a=b, or "in" with one value), or NULL: what
 * an index can answer. */
const char *selector_value_of(const Selector *selector, const char *label);

/* The text form, requirements sorted by key. */
const char *selector_text(Arena *a, const Selector *selector);

#endif
