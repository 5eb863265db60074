/* Certificates and keys: what is wrong with them is told at the start, and what is replaced is read
 * again. */
#include "kube/client/tls.h"
#include "tests/kube/client/scratch.h"
#include "tests/pki.h"
#include "tests/test.h"

#include <openssl/pem.h>
#include <unistd.h>

static PkiCert new_ca(Arena *a, const char *name)
{
    PkiCert ca;
    then_ok(pki_new_ca(a, name, &ca));
    return ca;
}

static PkiCert new_client(Arena *a, const PkiCert *ca, const char *name)
{
    PkiCert cert;
    then_ok(pki_new_cert(a, ca, &(PkiOptions){.common_name = name}, &cert));
    return cert;
}

/* The key under a passphrase that nobody will be asked for. */
static const char *encrypted(Arena *a, const char *key_pem)
{
    BIO *in = BIO_new_mem_buf(key_pem, -1), *out = BIO_new(BIO_s_mem());
    EVP_PKEY *key = PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);
    char *text;

    then_true(PEM_write_bio_PKCS8PrivateKey(out, key, EVP_aes_128_cbc(), "pass", 4, NULL, NULL));
    long len = BIO_get_mem_data(out, &text);
    const char *copy = str_slice(a, text, (size_t)len);
    EVP_PKEY_free(key);
    BIO_free(in);
    BIO_free(out);
    return copy;
}

static const char broken_pem[] =
    "-----BEGIN CERTIFICATE-----\nMIIBdummy\n-----END CERTIFICATE-----\n";

TEST(valid_certificates_are_read_from_the_configuration_and_from_files)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca = new_ca(a, "ca"), client = new_client(a, &ca, "me");
    const char *folder = scratch_folder(a);
    Config inside = {.ca_pem = ca.cert_pem, .cert_pem = client.cert_pem, .key_pem = client.key_pem};
    Config files = {
        .ca_file = scratch_write(a, folder, "ca.crt", ca.cert_pem),
        .cert_file =
            scratch_write(a, folder, "me.crt", str_format(a, "%s%s", client.cert_pem, ca.cert_pem)),
        .key_file = scratch_write(a, folder, "me.key", client.key_pem),
    };
    Tls tls;

    then_ok(tls_open(a, &inside, &tls));
    then_true(tls.material.trust && tls.material.cert && tls.material.key);
    then_int(sk_X509_num(tls.material.chain), 0);
    tls_close(&tls);
    then_ok(tls_open(a, &files, &tls));
    then_true(tls.material.trust && tls.material.cert && tls.material.key);
    then_int(sk_X509_num(tls.material.chain), 1);
    tls_close(&tls);
}

TEST(the_system_trust_store_is_used_unless_an_authority_is_given_or_tls_is_not_verified)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Config system = {0}, insecure = {.insecure = true}, plain = {.server = "http://h:80"};
    Tls tls;

    then_ok(tls_open(a, &system, &tls));
    then_true(tls.material.trust);
    tls_close(&tls);
    then_ok(tls_open(a, &insecure, &tls));
    then_true(!tls.material.trust);
    tls_close(&tls);
    then_ok(tls_open(a, &plain, &tls));
    then_true(!tls.material.trust);
    tls_close(&tls);
}

static void then_refused(Arena *a, Config config, Want want)
{
    Tls tls;
    config.origin = "test";
    then_err(tls_open(a, &config, &tls), want);
}

TEST(invalid_certificate_material_is_named_by_its_field)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca = new_ca(a, "ca"), one = new_client(a, &ca, "one"), two = new_client(a, &ca, "two");
    const char *empty = scratch_write(a, scratch_folder(a), "empty", "");

    then_refused(a,
        (Config){.ca_pem = ca.key_pem},
        TERMINAL("test: certificate-authority-data: has no certificate"));
    then_refused(a,
        (Config){.ca_pem = broken_pem},
        TERMINAL("test: certificate-authority-data: a certificate in it is broken"));
    then_refused(a,
        (Config){.ca_pem = str_format(a, "%s%s", ca.cert_pem, broken_pem)},
        TERMINAL("a certificate in it is broken"));
    then_refused(a, (Config){.ca_file = empty}, TERMINAL("/empty: has no certificate"));
    then_refused(a,
        (Config){.ca_file = "/nowhere/ca.crt"},
        TERMINAL("test: certificate-authority: cannot read /nowhere/ca.crt: No such file"));

    then_refused(a,
        (Config){.cert_pem = one.key_pem, .key_pem = one.key_pem},
        TERMINAL("test: client-certificate-data: has no certificate"));
    then_refused(a,
        (Config){.cert_pem = broken_pem, .key_pem = one.key_pem},
        TERMINAL("test: client-certificate-data: a certificate in it is broken"));
    then_refused(a,
        (Config){.cert_file = "/nowhere/c", .key_pem = one.key_pem},
        TERMINAL("test: client-certificate: cannot read /nowhere/c"));

    then_refused(a,
        (Config){.cert_pem = one.cert_pem, .key_pem = two.key_pem},
        TERMINAL("test: client-key-data: does not belong to the client certificate"));
    then_refused(a,
        (Config){.cert_pem = one.cert_pem, .key_pem = one.cert_pem},
        TERMINAL("test: client-key-data: is no private key in PEM, or needs a passphrase"));
    then_refused(a,
        (Config){.cert_pem = one.cert_pem, .key_pem = encrypted(a, one.key_pem)},
        TERMINAL("needs a passphrase"));
    then_refused(a,
        (Config){.cert_pem = one.cert_pem, .key_file = "/nowhere/k"},
        TERMINAL("test: client-key: cannot read /nowhere/k"));
}

TEST(changed_certificate_files_are_read_again_when_all_of_them_match)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca = new_ca(a, "ca"), one = new_client(a, &ca, "one"), two = new_client(a, &ca, "two");
    const char *folder = scratch_folder(a);
    Config config = {
        .ca_file = scratch_write(a, folder, "ca.crt", ca.cert_pem),
        .cert_file = scratch_write(a, folder, "me.crt", one.cert_pem),
        .key_file = scratch_write(a, folder, "me.key", one.key_pem),
    };
    Tls tls;

    then_ok(tls_open(a, &config, &tls));
    tls_refresh(&tls, 10000, false);
    then_int(tls.generation, 0);

    scratch_write(a, folder, "me.crt", two.cert_pem);
    tls_refresh(&tls, 11000, false);
    then_int(tls.generation, 0); /* the key is not that of the new certificate yet */
    scratch_write(a, folder, "me.key", two.key_pem);
    tls_refresh(&tls, 11999, false);
    then_int(tls.generation, 0); /* looked a moment ago */
    tls_refresh(&tls, 12000, false);
    then_int(tls.generation, 1);

    scratch_write(a, folder, "ca.crt", "nothing");
    tls_refresh(&tls, 12001, true);
    then_int(tls.generation, 1);
    scratch_write(a, folder, "ca.crt", new_ca(a, "other").cert_pem);
    tls_refresh(&tls, 12002, true);
    then_int(tls.generation, 2);
    tls_close(&tls);
}

TEST(a_copy_of_tls_material_stays_valid_without_its_original)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca = new_ca(a, "ca"), client = new_client(a, &ca, "me");
    Config config = {.ca_pem = ca.cert_pem, .cert_pem = client.cert_pem, .key_pem = client.key_pem};
    Tls tls;

    then_ok(tls_open(a, &config, &tls));
    Tls copy = tls_copy(&tls);
    tls_close(&tls);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    then_true(tls_install(&copy, context));
    then_true(SSL_CTX_get0_certificate(context) == copy.material.cert);
    X509_STORE *trust = NULL;
    SSL_CTX_get0_verify_cert_store(context, &trust);
    then_true(trust == copy.material.trust);
    then_true(SSL_CTX_get_mode(context) & SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_free(context);
    tls_close(&copy);
}
