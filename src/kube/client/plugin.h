/* Plugin: asks a credential plugin (client.authentication.k8s.io) who we are. */
#ifndef KUBE_CLIENT_PLUGIN_H
#define KUBE_CLIENT_PLUGIN_H

#include "base/clock.h"
#include "kube/config.h"

enum {
    PLUGIN_ANSWER_MAX = 1 << 20,
    PLUGIN_TIMEOUT_MS = 60000,              /* where nobody can be asked */
    PLUGIN_INTERACTIVE_TIMEOUT_MS = 300000, /* a person may have to log in */
};

typedef struct PluginAnswer {
    const char *token;              /* or NULL */
    const char *cert_pem, *key_pem; /* both, or NULL */
    int64_t expires_ns;             /* of the wall clock; INT64_MAX: not said */
} PluginAnswer;

/* Runs the plugin of the config. ERR_TERMINAL names the plugin and says what to do: its installHint
 * where there is no such program; with status 401 where it would not say who we are. What it prints
 * is never repeated. */
Err *plugin_ask(Arena *a, const Config *config, Clock *clock, PluginAnswer *ret) MUST_CHECK;

#endif
