/* Monitoring: what rules and boards have in common: expressions that must ask for metrics that the
 * operator has, by labels that these have, with values that they can take. */
#ifndef TESTS_MONITORING_MONITORING_H
#define TESTS_MONITORING_MONITORING_H

#include "base/json.h"

/* A YAML file of the sources, read. */
const Json *monitoring_yaml(Arena *a, const char *path);

/* Fails, naming the place, when an expression asks for what is not there. */
void then_expression_exists(Arena *a, const char *where, const char *expression);

/* What is wrong with it, or NULL. */
const char *expression_fault(Arena *a, const char *expression);

#endif
