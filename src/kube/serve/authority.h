/* Authority: a certificate authority for one server, as PEM texts.
 *
 * Its key is forgotten as soon as it has signed the one certificate, so whoever trusts the
 * authority trusts that server and nothing that could ever come later. */
#ifndef KUBE_SERVE_AUTHORITY_H
#define KUBE_SERVE_AUTHORITY_H

#include "base/err.h"

typedef struct Authority {
    const char *certificate;         /* for those who are to trust */
    const char *server, *server_key; /* for the server; the key is a secret */
} Authority;

/* Makes one for a server that is reached as 127.0.0.1, ::1 or localhost; texts are in the arena.
 * ERR_TERMINAL says what GnuTLS says. */
Err *authority_make(Arena *a, Authority *ret) MUST_CHECK;

#endif
