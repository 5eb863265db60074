/* JsonQuery: the part of kubectl's jsonpath that people type: text, {.a.b}, {.items[*].x}, [n],
 * ['key'], {range ...}...{end} and {"\n"}. Filters ?(), .. and slices are refused by name. */
#ifndef CLI_JSON_QUERY_H
#define CLI_JSON_QUERY_H

#include "base/json.h"

/* The text that a template makes of a value. What is not there gives nothing, as with kubectl.
 * ERR_TERMINAL says what in the template is not understood. */
Err *json_query(Arena *a, const Json *value, const char *template, const char **ret) MUST_CHECK;

#endif
