/* Certificate: what a server shows of itself over TLS: from two files, read again when they change,
 * or made at the start and signed by itself. Used by the server's thread alone. */
#ifndef KUBE_SERVE_CERTIFICATE_H
#define KUBE_SERVE_CERTIFICATE_H

#include "base/err.h"
#include "kube/serve.h"
#include "kube/serve/certificate_texts.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

typedef struct Certificate Certificate;

/* A certificate with its key, as it was when a connection began. */
typedef struct CertificatePair CertificatePair;

/* The versions and ciphers of GnuTLS that are spoken. */
#define CERTIFICATE_PRIORITIES "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* ERR_TERMINAL names the file and what is wrong with it; a key that does not belong to the
 * certificate is wrong. */
Err *certificate_open(Arena *a, const ServeTls *tls, Certificate **ret) MUST_CHECK;

/* A certificate and its key as PEM. ERR_TERMINAL says what is wrong with them. */
Err *certificate_open_texts(Arena *a, const CertificateTexts *texts, Certificate **ret) MUST_CHECK;

/* When nothing is shown any more. Accepts NULL. */
void certificate_close(Certificate *c);

/* Lets a session show the certificate as it is now, and says which: to be given back when the
 * connection is over. Files that have changed and cannot be used are left for the next time: what
 * was shown before is shown still. */
CertificatePair *certificate_show(Certificate *c, gnutls_session_t session);

/* Accepts NULL. */
void certificate_give_back(CertificatePair *pair);

/* What libmicrohttpd asks for the certificate of a daemon: it says that there is none. */
void *certificate_none(void);

#endif
