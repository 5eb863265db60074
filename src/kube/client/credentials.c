/* Credentials: token and TLS side by side. A client reads them once and never changes its own; each
 * Api and Streams goes on with a copy, so that no thread waits for another. */
#include "kube/client/credentials.h"

Err *client_credentials_open(Arena *a, const Config *config, Credentials *ret)
{
    Credentials credentials;

    TRY(token_open(a, config, &credentials.token));
    Err *err = tls_open(a, config, &credentials.tls);
    if (err) {
        token_close(&credentials.token);
        return err;
    }
    *ret = credentials;
    return OK;
}

void client_credentials_close(Credentials *c)
{
    token_close(&c->token);
    tls_close(&c->tls);
}

Credentials client_credentials_copy(const Credentials *from)
{
    return (Credentials){.token = token_copy(&from->token), .tls = tls_copy(&from->tls)};
}

void client_credentials_refresh(Credentials *c, int64_t now_ms, bool force)
{
    token_refresh(&c->token, now_ms, force);
    tls_refresh(&c->tls, now_ms, force);
}
