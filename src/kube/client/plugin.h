/* Plugin: asks a credential plugin (client.authentication.k8s.io) who we are. */
#ifndef KUBE_CLIENT_PLUGIN_H
#define KUBE_CLIENT_PLUGIN_H

#include "base/clock.h"
#include "kube/client.h"
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
    bool may_have_asked;            /* a person, so that the time it took is theirs */
} PluginAnswer;

/* On what terms it is run. A person who logs in is not hurried, unless it is said so. */
typedef struct PluginTerms {
    Clock *clock;
    int64_t left_ms;        /* in which it must end; 0: only its own limit */
    bool hurries;           /* also where a person may be asked */
    bool asks_nobody;       /* not even where stdin is a terminal */
    const PluginWait *wait; /* who is told that one waits for it; or NULL */
} PluginTerms;

/* Runs the plugin of the config. ERR_TERMINAL names the plugin and says what to do: its installHint
 * where there is no such program; with status 401 where it would not say who we are. What it prints
 * is never repeated. */
Err *plugin_ask(
    Arena *a, const Config *config, const PluginTerms *terms, PluginAnswer *ret) MUST_CHECK;

#endif
