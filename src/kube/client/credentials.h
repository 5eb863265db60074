/* Credentials: who we are and whom we trust, as one Api or Streams holds it: token and TLS. */
#ifndef KUBE_CLIENT_CREDENTIALS_H
#define KUBE_CLIENT_CREDENTIALS_H

#include "base/clock.h"
#include "kube/client/plugin.h"
#include "kube/client/tls.h"
#include "kube/client/token.h"

/* What a credential plugin said, where there is one; else the zero value. */
typedef struct Plugged {
    const Config *asked; /* the config that names the plugin */
    Clock *clock;
    Arena *arena;   /* of what follows */
    Config *config; /* that config with what the plugin said */
    int64_t expires_ns;
    bool may_have_asked; /* a person, when it was opened */
} Plugged;

typedef struct Credentials {
    Token token;
    Tls tls;
    Plugged plugged;
} Credentials;

/* Reads all that the config names, and runs the credential plugin where it names one; it must
 * outlive the result. ERR_TERMINAL names field, file and plugin. Close with
 * client_credentials_close. */
Err *client_credentials_open(
    Arena *a, const Config *config, const PluginTerms *terms, Credentials *ret) MUST_CHECK;
void client_credentials_close(Credentials *c);

/* Credentials of one's own that start as `from` are now; `from` must not be changing meanwhile.
 * Close with client_credentials_close. */
Credentials client_credentials_copy(const Credentials *from);

/* Reads again what changed in files; with `force` whatever the last look was. A plugin is run again
 * once what it said has expired, and with `force`, for `left_ms` at most (0: its own limit); one
 * that fails then changes nothing. It asks nobody then: somebody may be typing something else. */
void client_credentials_refresh(Credentials *c, int64_t now_ms, int64_t left_ms, bool force);

#endif
