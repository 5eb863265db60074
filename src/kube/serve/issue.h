/* Issue: an X.509 certificate filled in and signed: for a server on this machine, by itself or by
 * an authority. Functions give GnuTLS' error, or 0. */
#ifndef KUBE_SERVE_ISSUE_H
#define KUBE_SERVE_ISSUE_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>

/* Who signs; both NULL: the certificate itself. */
typedef struct Issuer {
    gnutls_x509_crt_t certificate;
    gnutls_x509_privkey_t key;
} Issuer;

/* A new key on the curve P-256. */
int issue_key(gnutls_x509_privkey_t key);

/* Everything about a certificate of this common name that is not its purpose: serial, times (from
 * an hour ago for ten years), key. */
int issue_fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *name);

/* Makes it one of a server that is called localhost, 127.0.0.1 or ::1, and signs it. */
int issue_server(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, Issuer by);

/* Makes it one of a client: its name, its groups (ended by NULL; or NULL), and signs it. */
typedef struct IssueName {
    const char *user;
    const char *const *groups;
} IssueName;
int issue_client(
    gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const IssueName *name, Issuer by);

/* Makes it one of an authority of this name, and signs it by itself. */
int issue_authority(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *name);

#endif
