/* Authority: a certificate authority for one server, and one for its clients, as PEM texts.
 *
 * The key of the first is forgotten as soon as it has signed the one certificate, so whoever trusts
 * the authority trusts that server and nothing that could ever come later. */
#ifndef KUBE_SERVE_AUTHORITY_H
#define KUBE_SERVE_AUTHORITY_H

#include "base/err.h"
#include "kube/serve/certificate_texts.h"

typedef struct Authority {
    const char *certificate;         /* for those who are to trust */
    const char *server, *server_key; /* for the server; the key is a secret */
} Authority;

/* Makes one for a server that is reached as 127.0.0.1, ::1 or localhost; texts are in the arena.
 * ERR_TERMINAL says what GnuTLS says. */
Err *authority_make(Arena *a, Authority *ret) MUST_CHECK;

/* --- clients */

/* An authority of clients keeps its key: there are always more of them. */
typedef struct ClientAuthority {
    const char *certificate, *key; /* the key is a secret */
} ClientAuthority;

/* Makes one; texts are in the arena. ERR_TERMINAL says what GnuTLS says. */
Err *authority_make_clients(Arena *a, ClientAuthority *ret) MUST_CHECK;

/* Whom a certificate is for. */
typedef struct ClientName {
    const char *user;          /* its common name */
    const char *const *groups; /* its organizations, ended by NULL; or NULL */
} ClientName;

/* A certificate of a client, with a key of its own, in the arena. ERR_TERMINAL says what is wrong
 * with the authority, or the name. */
Err *authority_issue(
    Arena *a, const ClientAuthority *by, const ClientName *name, CertificateTexts *ret) MUST_CHECK;

#endif
