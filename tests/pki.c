/* Minting certificates with OpenSSL.
 *
 * OpenSSL's objects are tied to an arena of each call's own, so that no path has to free them:
 * what leaves a call is PEM text in the caller's arena. */
#include "tests/pki.h"

#include "base/bytes.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

enum {
    PKI_ARENA_MAX = 1 << 20,
    PKI_HOUR_SECONDS = 3600,
    PKI_DAY_SECONDS = 24 * 3600,
};

/* A certificate in the making: OpenSSL's objects live in `scratch`, errors in `out`. */
typedef struct Mint {
    Arena *scratch, *out;
    X509 *cert;
    EVP_PKEY *key;
    X509 *issuer; /* itself when self-signed */
    EVP_PKEY *issuer_key;
} Mint;

static void release_x509(void *thing)
{
    X509_free(thing);
}

static void release_key(void *thing)
{
    EVP_PKEY_free(thing);
}

static void release_bio(void *thing)
{
    BIO_free(thing);
}

static void release_extension(void *thing)
{
    X509_EXTENSION_free(thing);
}

static Err *refused(Arena *a, const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_get_error());

    ERR_clear_error();
    return err_terminal(a, "openssl refused %s: %s", what, reason ? reason : "no reason given");
}

static Err *new_key(Mint *m)
{
    m->key = EVP_EC_gen("P-256");
    if (!m->key)
        return refused(m->out, "a P-256 key");
    arena_pin(m->scratch, release_key, m->key);
    return OK;
}

static Err *read_issuer(Mint *m, const PkiCert *ca)
{
    BIO *cert = BIO_new_mem_buf(ca->cert_pem, -1);
    BIO *key = BIO_new_mem_buf(ca->key_pem, -1);

    arena_pin(m->scratch, release_bio, cert);
    arena_pin(m->scratch, release_bio, key);
    m->issuer = PEM_read_bio_X509(cert, NULL, NULL, NULL);
    if (!m->issuer)
        return refused(m->out, "the certificate of the CA");
    arena_pin(m->scratch, release_x509, m->issuer);
    m->issuer_key = PEM_read_bio_PrivateKey(key, NULL, NULL, NULL);
    if (!m->issuer_key)
        return refused(m->out, "the key of the CA");
    arena_pin(m->scratch, release_key, m->issuer_key);
    return OK;
}

static Err *add_name(Mint *m, const char *field, const char *value)
{
    X509_NAME *name = X509_get_subject_name(m->cert);

    if (value
        && !X509_NAME_add_entry_by_txt(
            name, field, MBSTRING_UTF8, (const unsigned char *)value, -1, -1, 0))
        return refused(m->out, str_format(m->scratch, "%s=%s", field, value));
    return OK;
}

static Err *add_subject(Mint *m, const PkiOptions *options)
{
    for (const char *const *group = options->organizations; group && *group; group++)
        TRY(add_name(m, "O", *group));
    return add_name(m, "CN", options->common_name);
}

static Err *add_validity(Mint *m, const PkiOptions *options)
{
    int64_t before = options->not_before_seconds ? options->not_before_seconds : -PKI_HOUR_SECONDS;
    int64_t after = options->not_after_seconds ? options->not_after_seconds : PKI_DAY_SECONDS;

    if (!X509_gmtime_adj(X509_getm_notBefore(m->cert), (long)before)
        || !X509_gmtime_adj(X509_getm_notAfter(m->cert), (long)after))
        return refused(m->out, "the time of validity");
    return OK;
}

/* A serial number of 63 random bits: positive, and never seen before. */
static Err *add_serial(Mint *m)
{
    uint64_t serial = 0;

    if (RAND_bytes((unsigned char *)&serial, sizeof(serial)) != 1
        || !ASN1_INTEGER_set_uint64(X509_get_serialNumber(m->cert), serial >> 1))
        return refused(m->out, "a serial number");
    return OK;
}

static Err *add_extension(Mint *m, int nid, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, m->issuer, m->cert, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (!extension)
        return refused(m->out, str_format(m->scratch, "%s %s", OBJ_nid2sn(nid), value));
    arena_pin(m->scratch, release_extension, extension);
    if (!X509_add_ext(m->cert, extension, -1))
        return refused(m->out, str_format(m->scratch, "adding %s", OBJ_nid2sn(nid)));
    return OK;
}

static Err *add_alternative_names(Mint *m, const PkiOptions *options)
{
    /* Who has no subject must call its other names critical (RFC 5280, 4.2.1.6). */
    bool nameless = X509_NAME_entry_count(X509_get_subject_name(m->cert)) == 0;
    const char *names = "";

    for (const char *const *name = options->dns_names; name && *name; name++)
        names = str_format(m->scratch, "%s,DNS:%s", names, *name);
    for (const char *const *address = options->ip_addresses; address && *address; address++)
        names = str_format(m->scratch, "%s,IP:%s", names, *address);
    if (!*names)
        return OK;
    return add_extension(m,
        NID_subject_alt_name,
        nameless ? str_format(m->scratch, "critical%s", names) : names + 1);
}

static Err *add_uses(Mint *m, bool is_ca)
{
    if (is_ca) {
        TRY(add_extension(m, NID_basic_constraints, "critical,CA:TRUE"));
        TRY(add_extension(m, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature"));
    } else {
        TRY(add_extension(m, NID_basic_constraints, "critical,CA:FALSE"));
        TRY(add_extension(m, NID_key_usage, "critical,digitalSignature"));
        TRY(add_extension(m, NID_ext_key_usage, "serverAuth,clientAuth"));
    }
    return add_extension(m, NID_subject_key_identifier, "hash");
}

static Err *sign(Mint *m)
{
    if (!X509_set_issuer_name(m->cert, X509_get_subject_name(m->issuer)))
        return refused(m->out, "the name of the issuer");
    TRY(add_extension(m, NID_authority_key_identifier, "keyid"));
    if (!X509_sign(m->cert, m->issuer_key, EVP_sha256()))
        return refused(m->out, "to sign");
    return OK;
}

static Err *write_pem(Mint *m, PkiCert *ret)
{
    BIO *cert = BIO_new(BIO_s_mem());
    BIO *key = BIO_new(BIO_s_mem());
    char *text;
    long len;

    arena_pin(m->scratch, release_bio, cert);
    arena_pin(m->scratch, release_bio, key);
    if (!PEM_write_bio_X509(cert, m->cert)
        || !PEM_write_bio_PrivateKey(key, m->key, NULL, NULL, 0, NULL, NULL))
        return refused(m->out, "to write PEM");
    len = BIO_get_mem_data(cert, &text);
    ret->cert_pem = str_slice(m->out, text, (size_t)len);
    len = BIO_get_mem_data(key, &text);
    ret->key_pem = str_slice(m->out, text, (size_t)len);
    return OK;
}

static Err *mint(Arena *a, const PkiCert *ca, const PkiOptions *options, bool is_ca, PkiCert *ret)
{
    SCOPED_ARENA scratch = arena_open(PKI_ARENA_MAX);
    Mint m = {.scratch = scratch, .out = a};

    TRY(new_key(&m));
    m.cert = X509_new();
    arena_pin(scratch, release_x509, m.cert);
    if (!X509_set_version(m.cert, X509_VERSION_3) || !X509_set_pubkey(m.cert, m.key))
        return refused(a, "a certificate");
    if (ca) {
        TRY(read_issuer(&m, ca));
    } else {
        m.issuer = m.cert;
        m.issuer_key = m.key;
    }
    TRY(add_serial(&m));
    TRY(add_subject(&m, options));
    TRY(add_validity(&m, options));
    TRY(add_uses(&m, is_ca));
    TRY(add_alternative_names(&m, options));
    TRY(sign(&m));
    return write_pem(&m, ret);
}

Err *pki_new_ca(Arena *a, const char *common_name, PkiCert *ret)
{
    PkiOptions options = {.common_name = common_name};

    return mint(a, NULL, &options, true, ret);
}

Err *pki_new_cert(Arena *a, const PkiCert *ca, const PkiOptions *options, PkiCert *ret)
{
    return mint(a, ca, options, false, ret);
}

static Err *write_file(Arena *a, const char *path, const char *text, mode_t mode)
{
    size_t len = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    ssize_t written;

    if (fd < 0)
        return err_failed(a, "cannot create %s: %s", path, strerror(errno));
    written = write(fd, text, len);
    if (close(fd) != 0 || written != (ssize_t)len)
        return err_failed(a, "cannot write %s", path);
    return OK;
}

Err *pki_write(Arena *a, const PkiCert *cert, const char *folder, const char *name)
{
    TRY(write_file(a, str_format(a, "%s/%s.crt", folder, name), cert->cert_pem, 0644));
    return write_file(a, str_format(a, "%s/%s.key", folder, name), cert->key_pem, 0600);
}
