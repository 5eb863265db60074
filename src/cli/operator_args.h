/* OperatorArgs: what an operator was told on its command line, as its Deployment or its pod has it,
 * and as the kubelet fills it in. */
#ifndef CLI_OPERATOR_ARGS_H
#define CLI_OPERATOR_ARGS_H

#include "base/json.h"

#include <stdbool.h>

/* Of which operator: its arguments, and the namespace that its pod is in. */
typedef struct OperatorArgs {
    const Json *args;
    const char *namespace;
} OperatorArgs;

OperatorArgs operator_args_of_deployment(const Json *deployment);
OperatorArgs operator_args_of_pod(const Json *pod);

/* The value of a flag, or NULL. */
const char *operator_args_flag(Arena *a, OperatorArgs told, const char *name);

/* A switch is on: "--name" or "--name=true", the last one counts. */
bool operator_args_is_on(Arena *a, OperatorArgs told, const char *name);

enum { WATCHED_MAX = 8 }; /* the operator itself takes fewer */

/* The only namespaces that an operator looks after; none means all. */
typedef struct Watched {
    const char *names[WATCHED_MAX];
    size_t count;
} Watched;

Watched operator_args_watched(Arena *a, OperatorArgs told);

/* The namespace is one of these by name. */
bool watched_names(const Watched *watched, const char *namespace);

#endif
