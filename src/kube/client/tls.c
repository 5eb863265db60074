/* Tls, on OpenSSL. Certificates, keys and trust stores count their own references, so swapping in
 * what was re-read frees the old once the last connection that uses it has gone. */
#include "kube/client/tls.h"

#include "base/bytes.h"
#include "base/str.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

/* Where a piece of PEM stands: inline, or in a file. Neither: it is not given. */
typedef struct PemSource {
    const char *field;
    const char *text;
    const char *file;
} PemSource;

static Err *pem_err(Arena *a, const Config *config, const PemSource *source, const char *what)
{
    ERR_clear_error();
    return err_terminal(a,
        "%s: %s%s: %s",
        config->origin,
        source->field,
        source->file ? str_format(a, " %s", source->file) : "-data",
        what);
}

/* The PEM as something that OpenSSL reads; it borrows from `file`, which stays open for it. */
static Err *open_pem(
    Arena *a, const Config *config, const PemSource *source, Buf *file, FileStamp *ret_stamp)
{
    *file = (Buf){.ceiling = TLS_PEM_MAX};
    if (!source->file)
        return buf_append(file, source->text, strlen(source->text))
            ? OK
            : pem_err(a, config, source, "is too large");
    return err_wrap(
        a, file_read(a, source->file, file, ret_stamp), "%s: %s", config->origin, source->field);
}

static BIO *bio_of(const Buf *pem)
{
    BIO *bio = BIO_new_mem_buf(pem->data ? pem->data : "", (int)pem->len);
    if (!bio)
        BUG("OpenSSL ran out of memory");
    return bio;
}

/* OpenSSL reads a certificate's extensions when they are first asked for. Ask now: all threads
 * share these certificates later, and then nobody writes to them any more. A certificate whose
 * extensions make no sense is refused when it is used. */
static void read_extensions(X509 *cert)
{
    (void)X509_check_purpose(cert, -1, 0);
}

/* Every certificate of a PEM text; empty when there is none, NULL when one of them is broken. */
static STACK_OF(X509) * read_certificates(const Buf *pem)
{
    STACK_OF(X509) *certs = sk_X509_new_null();
    BIO *bio = bio_of(pem);
    X509 *cert;

    while (certs && sk_X509_num(certs) < TLS_CERTS_MAX
        && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        read_extensions(cert);
        if (sk_X509_push(certs, cert) <= 0)
            BUG("OpenSSL ran out of memory");
    }
    bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(bio);
    if (at_end)
        return certs;
    sk_X509_pop_free(certs, X509_free);
    return NULL;
}

/* Never ask a terminal: a daemon has none, and a prompt would hang it. */
static int refuse_passphrase(char *buffer, int size, int is_write, void *self)
{
    (void)buffer, (void)size, (void)is_write, (void)self;
    return -1;
}

static EVP_PKEY *read_key(const Buf *pem)
{
    BIO *bio = bio_of(pem);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, refuse_passphrase, NULL);
    BIO_free(bio);
    return key;
}

static void release(TlsMaterial *m)
{
    X509_STORE_free(m->trust);
    X509_free(m->cert);
    sk_X509_pop_free(m->chain, X509_free);
    EVP_PKEY_free(m->key);
    *m = (TlsMaterial){0};
}

/* A certificate in the list is trusted as it is, be it a root, an intermediate or the server's own:
 * so does Kubernetes' own client. */
static X509_STORE *new_trust(void)
{
    X509_STORE *trust = X509_STORE_new();
    if (!trust
        || !X509_STORE_set_flags(trust, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST))
        BUG("OpenSSL ran out of memory");
    return trust;
}

static Err *load_trust(Arena *a, const Config *config, TlsMaterial *m, FileStamp *ret_stamp)
{
    const PemSource source = {"certificate-authority", config->ca_pem, config->ca_file};

    if (config->insecure || str_has_prefix(config->server, "http://"))
        return OK;
    m->trust = new_trust();
    if (!source.text && !source.file) {
        if (!X509_STORE_set_default_paths(m->trust))
            BUG("OpenSSL ran out of memory");
        return OK;
    }
    Buf pem;
    Err *err = open_pem(a, config, &source, &pem, ret_stamp);
    STACK_OF(X509) *certs = err ? NULL : read_certificates(&pem);
    buf_close(&pem);
    if (err)
        return err;
    int count = certs ? sk_X509_num(certs) : -1;
    for (int i = 0; i < count; i++)
        if (!X509_STORE_add_cert(m->trust, sk_X509_value(certs, i)))
            BUG("OpenSSL ran out of memory");
    sk_X509_pop_free(certs, X509_free);
    if (count > 0)
        return OK;
    return pem_err(
        a, config, &source, count ? "a certificate in it is broken" : "has no certificate");
}

static Err *load_certificate(Arena *a, const Config *config, TlsMaterial *m, FileStamp *ret_stamp)
{
    const PemSource source = {"client-certificate", config->cert_pem, config->cert_file};
    Buf pem;

    Err *err = open_pem(a, config, &source, &pem, ret_stamp);
    m->chain = err ? NULL : read_certificates(&pem);
    buf_close(&pem);
    if (err)
        return err;
    if (!m->chain)
        return pem_err(a, config, &source, "a certificate in it is broken");
    m->cert = sk_X509_shift(m->chain);
    return m->cert ? OK : pem_err(a, config, &source, "has no certificate");
}

static Err *load_key(Arena *a, const Config *config, TlsMaterial *m, FileStamp *ret_stamp)
{
    const PemSource source = {"client-key", config->key_pem, config->key_file};
    Buf pem;

    Err *err = open_pem(a, config, &source, &pem, ret_stamp);
    m->key = err ? NULL : read_key(&pem);
    buf_close(&pem);
    if (err)
        return err;
    if (!m->key)
        return pem_err(a, config, &source, "is no private key in PEM, or needs a passphrase");
    if (!X509_check_private_key(m->cert, m->key))
        return pem_err(a, config, &source, "does not belong to the client certificate");
    return OK;
}

/* Everything that the config names, with the stamps of the files that it was read from. */
static Err *load(Arena *a, const Config *config, Tls *ret)
{
    Err *err = load_trust(a, config, &ret->material, &ret->ca_stamp);
    if (!err && (config->cert_pem || config->cert_file)) {
        err = load_certificate(a, config, &ret->material, &ret->cert_stamp);
        if (!err)
            err = load_key(a, config, &ret->material, &ret->key_stamp);
    }
    if (err)
        release(&ret->material);
    return err;
}

Err *tls_open(Arena *a, const Config *config, Tls *ret)
{
    Tls tls = {.config = config};

    TRY(load(a, config, &tls));
    *ret = tls;
    return OK;
}

void tls_close(Tls *t)
{
    release(&t->material);
}

static bool file_changed(const char *path, FileStamp known)
{
    return path && !file_stamp_eq(known, file_stamp(path));
}

static bool any_changed(const Tls *t)
{
    const Config *config = t->config;
    return file_changed(config->ca_file, t->ca_stamp)
        || file_changed(config->cert_file, t->cert_stamp)
        || file_changed(config->key_file, t->key_stamp);
}

Tls tls_copy(const Tls *from)
{
    Tls tls = *from;
    TlsMaterial *m = &tls.material;

    if (m->trust)
        X509_STORE_up_ref(m->trust);
    if (m->cert)
        X509_up_ref(m->cert);
    if (m->key)
        EVP_PKEY_up_ref(m->key);
    if (m->chain)
        m->chain = X509_chain_up_ref(m->chain);
    return tls;
}

void tls_refresh(Tls *t, int64_t now_ms, bool force)
{
    if (!force && now_ms - t->checked_ms < TLS_CHECK_EVERY_MS)
        return;
    t->checked_ms = now_ms;
    if (!any_changed(t))
        return;
    SCOPED_ARENA scratch = arena_open(64 << 10);
    Tls fresh = {.config = t->config, .checked_ms = now_ms, .generation = t->generation + 1};
    if (load(scratch, t->config, &fresh))
        return;
    release(&t->material);
    *t = fresh;
}

bool tls_install(const Tls *t, SSL_CTX *context)
{
    const TlsMaterial *m = &t->material;

    /* An idle watch would otherwise hold 17 KiB for a record that is not coming, and as much again
     * for one that it will never send: OpenSSL makes room for an answer to each session ticket. */
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_max_send_fragment(context, TLS_SEND_MAX);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    /* Not the context's plain store: libcurl fills that one later, replaces it by one that it
     * remembers from another connection, and in some builds adds the system's authorities. */
    if (m->trust)
        SSL_CTX_set1_verify_cert_store(context, m->trust);
    if (!m->cert)
        return true;
    return SSL_CTX_use_certificate(context, m->cert) == 1
        && SSL_CTX_use_PrivateKey(context, m->key) == 1
        && SSL_CTX_set1_chain(context, m->chain) == 1;
}
