/* Tls: what proves the server to us (trusted certificates) and us to the server (certificate and
 * key). Parsed once; every connection holds references.
 *
 * libcurl would parse all of it again for each connection, and keep a copy in each. Files are read
 * again when they changed, and the next connection has the new ones. One caller at a time; but
 * copies share what was parsed, which OpenSSL counts safely between threads. */
#ifndef KUBE_CLIENT_TLS_H
#define KUBE_CLIENT_TLS_H

#include "base/err.h"
#include "kube/client/file.h"
#include "kube/config.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TLS_PEM_MAX = 1 << 20,
    TLS_CERTS_MAX = 1000, /* in one file; the system's own bundle has about 150 */
    TLS_CHECK_EVERY_MS = 1000,
    TLS_SEND_MAX = 4096, /* bytes of a record that we send: most requests are smaller */
};

/* References to parsed material; each may be NULL. */
typedef struct TlsMaterial {
    X509_STORE *trust;
    X509 *cert;
    STACK_OF(X509) * chain; /* what stood behind the certificate in its file */
    EVP_PKEY *key;
} TlsMaterial;

typedef struct Tls {
    const Config *config;
    TlsMaterial material;
    FileStamp ca_stamp, cert_stamp, key_stamp;
    int64_t checked_ms;
    uint64_t generation; /* counts the materials that there were */
} Tls;

/* Reads and checks everything that the config names; the config must outlive the result. Without a
 * certificate authority the system's are trusted; without TLS nobody is. ERR_TERMINAL names field
 * and file. Close with tls_close. */
Err *tls_open(Arena *a, const Config *config, Tls *ret) MUST_CHECK;
void tls_close(Tls *t);

/* A Tls of one's own that starts as `from` is now. Close with tls_close. */
Tls tls_copy(const Tls *from);

/* Reads again what changed, looking at most every TLS_CHECK_EVERY_MS; with `force` now. Files that
 * are missing or wrong change nothing: they may be half-way through being replaced. */
void tls_refresh(Tls *t, int64_t now_ms, bool force);

/* Makes a new connection's context use the material, verify with it, keep no session and give its
 * buffers back while idle. False when OpenSSL refuses. */
bool tls_install(const Tls *t, SSL_CTX *context);

#endif
