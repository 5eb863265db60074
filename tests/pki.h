/* Pki: certificates for tests, minted in milliseconds: good ones for the real control plane, and
 * every bad one a hostile server may show (expired, not yet valid, another name, a stranger's CA).
 *
 * A certificate is plain text, so tests mix as they like: the certificate of one and the key of
 * another is one assignment. All keys are EC P-256. */
#ifndef TESTS_PKI_H
#define TESTS_PKI_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A certificate and its key, both PEM, in the arena. */
typedef struct PkiCert {
    const char *cert_pem;
    const char *key_pem; /* PKCS #8, unencrypted */
} PkiCert;

/* What a certificate says. The zero value is a nameless one for server and client use that is
 * valid from an hour ago until tomorrow. Lists end with NULL; a NULL list is empty. */
typedef struct PkiOptions {
    const char *common_name;          /* Kubernetes' user, when a client shows it */
    const char *const *organizations; /* and its groups */
    const char *const *dns_names;     /* subject alternative names */
    const char *const *ip_addresses;
    int64_t not_before_seconds; /* from now, negative for the past; 0: an hour ago */
    int64_t not_after_seconds;  /* from now, negative: expired; 0: in a day */
} PkiOptions;

/* A self-signed CA that is valid from an hour ago until tomorrow. ERR_TERMINAL when OpenSSL
 * refuses. */
Err *pki_new_ca(Arena *a, const char *common_name, PkiCert *ret) MUST_CHECK;

/* A certificate signed by `ca`, or by itself when that is NULL. ERR_TERMINAL says which part
 * OpenSSL refused. */
Err *pki_new_cert(Arena *a, const PkiCert *ca, const PkiOptions *options, PkiCert *ret) MUST_CHECK;

/* Writes folder/name.crt, and folder/name.key for the owner alone. ERR_FAILED names the file. */
Err *pki_write(Arena *a, const PkiCert *cert, const char *folder, const char *name) MUST_CHECK;

#endif
