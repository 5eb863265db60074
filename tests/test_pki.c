/* The certificates that other tests rely on are what they claim to be, as OpenSSL itself sees it.
 */
#include "tests/pki.h"
#include "tests/test.h"

#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

static X509 *read_cert(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    then_true(cert != NULL);
    return cert;
}

/* What OpenSSL says of a server that shows `cert` under `host` to a client that trusts `ca`. */
static const char *verdict(const PkiCert *ca, const PkiCert *cert, const char *host)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509 *anchor = read_cert(ca->cert_pem);
    X509 *leaf = read_cert(cert->cert_pem);
    X509_VERIFY_PARAM *wanted;
    int code;

    then_true(X509_STORE_add_cert(store, anchor));
    then_true(X509_STORE_CTX_init(context, store, leaf, NULL));
    then_true(X509_STORE_CTX_set_default(context, "ssl_server"));
    wanted = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
    if (strchr("0123456789", host[0]))
        X509_VERIFY_PARAM_set1_ip_asc(wanted, host);
    else
        X509_VERIFY_PARAM_set1_host(wanted, host, 0);
    X509_verify_cert(context);
    code = X509_STORE_CTX_get_error(context);
    X509_free(leaf);
    X509_free(anchor);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return X509_verify_cert_error_string(code);
}

static const char *const names[] = {"kubernetes", "localhost", NULL};
static const char *const addresses[] = {"127.0.0.1", "::1", NULL};

static const struct {
    const char *name, *host, *verdict;
    PkiOptions options;
} cases[] = {
    {"good, by name", "localhost", "ok", {.dns_names = names}},
    {"good, by address", "127.0.0.1", "ok", {.ip_addresses = addresses}},
    {"good, with a subject", "localhost", "ok", {.common_name = "x", .dns_names = names}},
    {"another name", "example.com", "hostname mismatch", {.dns_names = names}},
    {"another address", "127.0.0.2", "IP address mismatch", {.ip_addresses = addresses}},
    {"expired",
        "localhost",
        "certificate has expired",
        {.dns_names = names, .not_after_seconds = -60}},
    {"not yet valid",
        "localhost",
        "certificate is not yet valid",
        {.dns_names = names, .not_before_seconds = 3000}},
};

TEST(openssl_judges_each_generated_certificate_as_intended)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca, cert;

    then_ok(pki_new_ca(a, "the CA", &ca));
    each_case(i, cases) {
        then_ok(pki_new_cert(a, &ca, &cases[i].options, &cert));
        then_str(verdict(&ca, &cert, cases[i].host), cases[i].verdict);
    }
}

TEST(a_certificate_of_an_unknown_authority_is_not_trusted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiOptions options = {.dns_names = names};
    PkiCert ca, stranger, cert;

    then_ok(pki_new_ca(a, "the CA", &ca));
    then_ok(pki_new_ca(a, "a stranger", &stranger));
    then_ok(pki_new_cert(a, &stranger, &options, &cert));
    then_str(verdict(&ca, &cert, "localhost"), "unable to get local issuer certificate");
    then_ok(pki_new_cert(a, NULL, &options, &cert));
    then_str(verdict(&ca, &cert, "localhost"), "self-signed certificate");
}

TEST(the_subject_of_a_generated_certificate_contains_user_and_groups)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static const char *const groups[] = {"system:masters", "devs", NULL};
    PkiOptions options = {.common_name = "alice", .organizations = groups};
    PkiCert ca, cert;
    char *subject;
    X509 *leaf;

    then_ok(pki_new_ca(a, "the CA", &ca));
    then_ok(pki_new_cert(a, &ca, &options, &cert));
    leaf = read_cert(cert.cert_pem);
    subject = X509_NAME_oneline(X509_get_subject_name(leaf), NULL, 0);
    then_str(subject, "/O=system:masters/O=devs/CN=alice");
    OPENSSL_free(subject);
    X509_free(leaf);
}

TEST(a_certificate_that_openssl_refuses_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static const char *const wrong[] = {"not an address", NULL};
    PkiOptions options = {.ip_addresses = wrong};
    PkiCert ca, cert = {0};

    then_ok(pki_new_ca(a, "the CA", &ca));
    then_err(pki_new_cert(a, &ca, &options, &cert), TERMINAL("not an address"));
    then_str(cert.cert_pem, NULL);
    then_err(pki_write(a, &ca, "/nonexistent", "ca"), FAILED("/nonexistent/ca.crt"));
}
