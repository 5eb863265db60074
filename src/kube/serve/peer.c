/* Peer: the common name is the user, every organization a group, as the API server reads them. */
#include "kube/serve/peer.h"

#include "base/str.h"

#include <gnutls/x509.h>
#include <string.h>

enum { NAME_MAX_SIZE = 1024 };

static bool is_trusted(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = {
        .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned status = 0;

    return gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 && status == 0;
}

/* The n-th part of a name that is of a sort; NULL when there is none. A text with a NUL in it is
 * none that anybody could be called. */
static const char *part_of(Arena *a, gnutls_x509_crt_t certificate, const char *sort, unsigned n)
{
    char text[NAME_MAX_SIZE];
    size_t size = sizeof text;

    if (gnutls_x509_crt_get_dn_by_oid(certificate, sort, n, 0, text, &size) != 0)
        return NULL;
    return strnlen(text, size) == size ? str_slice(a, text, size) : NULL;
}

static void read_names(Arena *a, gnutls_x509_crt_t certificate, HallPeer *ret)
{
    const char *user = part_of(a, certificate, GNUTLS_OID_X520_COMMON_NAME, 0);

    ret->user = user ? user : "";
    for (unsigned i = 0; i < HALL_GROUPS_MAX; i++) {
        ret->groups[i] = part_of(a, certificate, GNUTLS_OID_X520_ORGANIZATION_NAME, i);
        if (!ret->groups[i])
            break;
    }
}

HallPeer peer_read(Arena *a, gnutls_session_t session)
{
    HallPeer peer = {.user = ""};
    unsigned count = 0;
    const gnutls_datum_t *shown = gnutls_certificate_get_peers(session, &count);
    gnutls_x509_crt_t certificate;

    if (!shown || count == 0)
        return peer;
    peer.is_refused = !is_trusted(session);
    if (peer.is_refused)
        return peer;
    if (gnutls_x509_crt_init(&certificate))
        BUG("GnuTLS has no memory");
    if (gnutls_x509_crt_import(certificate, &shown[0], GNUTLS_X509_FMT_DER) == 0)
        read_names(a, certificate, &peer);
    gnutls_x509_crt_deinit(certificate);
    return peer;
}
