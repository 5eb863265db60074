/* The environment of an operator that could start: every setting has some value. */
#ifndef TESTS_OPERATOR_WORLD_H
#define TESTS_OPERATOR_WORLD_H

#include "operator/launch.h"
#include "tests/test.h"

static const char kubeconfig[] =
    "{apiVersion: v1, kind: Config, current-context: c,"
    " contexts: [{name: c, context: {cluster: k, user: u, namespace: home}}],"
    " clusters: [{name: k, cluster: {server: 'https://api:6443'}}],"
    " users: [{name: u, user: {token: secret-token}}]}";

typedef struct Variable {
    const char *name, *value;
} Variable;

/* What is changed, ended by a NULL name; then what every setting needs. */
static inline const char *some_environment(void *self, const char *name)
{
    for (const Variable *v = self; v && v->name; v++)
        if (str_eq(v->name, name))
            return v->value;
    for (const SettingRow *row = setting_rows; row->name; row++)
        if (str_eq(row->name, name) && !row->fallback)
            return row->type == SETTING_QUANTITY ? "4" : "some";
    return NULL;
}

#endif
