/* Credentials: who we are and whom we trust, as one Api or Streams holds it: token and TLS. */
#ifndef KUBE_CLIENT_CREDENTIALS_H
#define KUBE_CLIENT_CREDENTIALS_H

#include "kube/client/tls.h"
#include "kube/client/token.h"

typedef struct Credentials {
    Token token;
    Tls tls;
} Credentials;

/* Reads all that the config names; it must outlive the result. ERR_TERMINAL names field and file.
 * Close with client_credentials_close. */
Err *client_credentials_open(Arena *a, const Config *config, Credentials *ret) MUST_CHECK;
void client_credentials_close(Credentials *c);

/* Credentials of one's own that start as `from` are now; `from` must not be changing meanwhile.
 * Close with client_credentials_close. */
Credentials client_credentials_copy(const Credentials *from);

/* Reads again what changed in files; with `force` whatever the last look was. */
void client_credentials_refresh(Credentials *c, int64_t now_ms, bool force);

#endif
