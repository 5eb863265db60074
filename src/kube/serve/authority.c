/* Authority: two keys and two certificates, written out. */
#include "kube/serve/authority.h"

#include "base/str.h"
#include "kube/serve/issue.h"

#include <gnutls/crypto.h>

typedef struct Pair {
    gnutls_x509_crt_t certificate;
    gnutls_x509_privkey_t key;
} Pair;

static void pair_open(Pair *ret)
{
    if (gnutls_x509_crt_init(&ret->certificate) || gnutls_x509_privkey_init(&ret->key))
        BUG("GnuTLS has no memory");
}

static void pair_close(Pair *pair)
{
    gnutls_x509_crt_deinit(pair->certificate);
    gnutls_x509_privkey_deinit(pair->key);
}

static int write_certificate(Arena *a, gnutls_x509_crt_t certificate, const char **ret)
{
    gnutls_datum_t text = {0};
    int error = gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &text);

    if (!error)
        *ret = str_slice(a, (const char *)text.data, text.size);
    gnutls_free(text.data);
    return error;
}

static int write_key(Arena *a, gnutls_x509_privkey_t key, const char **ret)
{
    gnutls_datum_t text = {0};
    int error =
        gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &text);

    if (!error)
        *ret = str_slice(a, (const char *)text.data, text.size);
    if (text.data)
        gnutls_memset(text.data, 0, text.size);
    gnutls_free(text.data);
    return error;
}

static int make(Arena *a, Pair *authority, Pair *server, Authority *ret)
{
    int error = issue_key(authority->key);

    error = error ? error : issue_authority(authority->certificate, authority->key);
    error = error ? error : issue_key(server->key);
    error = error
        ? error
        : issue_server(
              server->certificate, server->key, (Issuer){authority->certificate, authority->key});
    error = error ? error : write_certificate(a, authority->certificate, &ret->certificate);
    error = error ? error : write_certificate(a, server->certificate, &ret->server);
    return error ? error : write_key(a, server->key, &ret->server_key);
}

Err *authority_make(Arena *a, Authority *ret)
{
    Pair authority, server;

    pair_open(&authority);
    pair_open(&server);
    int error = make(a, &authority, &server, ret);
    pair_close(&authority);
    pair_close(&server);
    if (error < 0)
        return err_terminal(a, "cannot make a certificate for TLS: %s", gnutls_strerror(error));
    return OK;
}
