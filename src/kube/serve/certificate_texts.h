/* CertificateTexts: a certificate and its key as PEM, for whoever need not know GnuTLS. */
#ifndef KUBE_SERVE_CERTIFICATE_TEXTS_H
#define KUBE_SERVE_CERTIFICATE_TEXTS_H

typedef struct CertificateTexts {
    const char *certificate, *key; /* the key is a secret */
    const char *clients; /* the authority whose clients are known by certificates; NULL: none is */
} CertificateTexts;

#endif
