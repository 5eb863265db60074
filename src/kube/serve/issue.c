/* Issue: GnuTLS' setters in a row; the first that fails ends it. */
#include "kube/serve/issue.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <string.h>

enum {
    SERIAL_SIZE = 16,
    HOUR_S = 3600,
    YEARS_10_S = 10 * 365 * 24 * HOUR_S,
};

int issue_key(gnutls_x509_privkey_t key)
{
    unsigned bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);

    return gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, bits, 0);
}

int issue_fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *name)
{
    unsigned char serial[SERIAL_SIZE];
    time_t now = clock_wall_ms(clock_system()) / 1000;
    unsigned length = (unsigned)strlen(name);
    int error = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);

    serial[0] &= 0x7f; /* a positive number */
    error = error ? error : gnutls_x509_crt_set_version(certificate, 3);
    error = error ? error : gnutls_x509_crt_set_serial(certificate, serial, sizeof serial);
    error = error ? error : gnutls_x509_crt_set_activation_time(certificate, now - HOUR_S);
    error = error ? error : gnutls_x509_crt_set_expiration_time(certificate, now + YEARS_10_S);
    error = error
        ? error
        : gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, length);
    return error ? error : gnutls_x509_crt_set_key(certificate, key);
}

static int sign(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, Issuer by)
{
    return gnutls_x509_crt_sign2(certificate,
        by.certificate ? by.certificate : certificate,
        by.certificate ? by.key : key,
        GNUTLS_DIG_SHA256,
        0);
}

static int name_address(gnutls_x509_crt_t certificate, int family, const char *text)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    unsigned length = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);

    inet_pton(family, text, bytes);
    return gnutls_x509_crt_set_subject_alt_name(
        certificate, GNUTLS_SAN_IPADDRESS, bytes, length, GNUTLS_FSAN_APPEND);
}

int issue_server(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, Issuer by)
{
    static const char name[] = "localhost";
    int error = issue_fill(certificate, key, name);

    error = error ? error
                  : gnutls_x509_crt_set_subject_alt_name(
                        certificate, GNUTLS_SAN_DNSNAME, name, sizeof name - 1, GNUTLS_FSAN_SET);
    error = error ? error : name_address(certificate, AF_INET, "127.0.0.1");
    error = error ? error : name_address(certificate, AF_INET6, "::1");
    error =
        error ? error : gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    return error ? error : sign(certificate, key, by);
}

int issue_client(
    gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const IssueName *name, Issuer by)
{
    int error = issue_fill(certificate, key, name->user);

    for (size_t i = 0; !error && name->groups && name->groups[i]; i++)
        error = gnutls_x509_crt_set_dn_by_oid(certificate,
            GNUTLS_OID_X520_ORGANIZATION_NAME,
            0,
            name->groups[i],
            (unsigned)strlen(name->groups[i]));
    error =
        error ? error : gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    error = error ? error
                  : gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_CLIENT, 0);
    return error ? error : sign(certificate, key, by);
}

int issue_authority(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, const char *name)
{
    int error = issue_fill(certificate, key, name);

    error = error ? error : gnutls_x509_crt_set_basic_constraints(certificate, 1, 0);
    error = error ? error : gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_KEY_CERT_SIGN);
    return error ? error : sign(certificate, key, (Issuer){0});
}
