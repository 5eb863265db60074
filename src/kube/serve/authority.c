/* Authority: two keys and two certificates, written out. */
#include "kube/serve/authority.h"

#include "base/str.h"
#include "kube/serve/issue.h"

#include <gnutls/crypto.h>
#include <stdint.h>
#include <string.h>

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

    error =
        error ? error : issue_authority(authority->certificate, authority->key, "sei-sandbox-ca");
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

/* --- clients */

static int make_clients(Arena *a, Pair *authority, ClientAuthority *ret)
{
    int error = issue_key(authority->key);

    error = error
        ? error
        : issue_authority(authority->certificate, authority->key, "sei-sandbox-client-ca");
    error = error ? error : write_certificate(a, authority->certificate, &ret->certificate);
    return error ? error : write_key(a, authority->key, &ret->key);
}

Err *authority_make_clients(Arena *a, ClientAuthority *ret)
{
    Pair authority;

    pair_open(&authority);
    int error = make_clients(a, &authority, ret);
    pair_close(&authority);
    if (error < 0)
        return err_terminal(a, "cannot make an authority of clients: %s", gnutls_strerror(error));
    return OK;
}

static int read_authority(const ClientAuthority *from, Pair *ret)
{
    gnutls_datum_t certificate = {
        (unsigned char *)(uintptr_t)from->certificate, (unsigned)strlen(from->certificate)};
    gnutls_datum_t key = {(unsigned char *)(uintptr_t)from->key, (unsigned)strlen(from->key)};
    int error = gnutls_x509_crt_import(ret->certificate, &certificate, GNUTLS_X509_FMT_PEM);

    return error ? error
                 : gnutls_x509_privkey_import2(ret->key, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
}

static int issue(Arena *a, const Pair *authority, const ClientName *name, CertificateTexts *ret)
{
    Pair client;

    pair_open(&client);
    int error = issue_key(client.key);
    error = error ? error
                  : issue_client(client.certificate,
                        client.key,
                        &(IssueName){name->user, name->groups},
                        (Issuer){authority->certificate, authority->key});
    error = error ? error : write_certificate(a, client.certificate, &ret->certificate);
    error = error ? error : write_key(a, client.key, &ret->key);
    pair_close(&client);
    return error;
}

Err *authority_issue(
    Arena *a, const ClientAuthority *by, const ClientName *name, CertificateTexts *ret)
{
    Pair authority;

    *ret = (CertificateTexts){0};
    pair_open(&authority);
    int error = read_authority(by, &authority);
    error = error ? error : issue(a, &authority, name, ret);
    pair_close(&authority);
    if (error < 0)
        return err_terminal(a,
            "cannot make a certificate of the client '%s': %s",
            name->user,
            gnutls_strerror(error));
    return OK;
}
