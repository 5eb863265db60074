/* Fault: libcurl's codes as sentences. Each says who (host:port), what, and where it helps, what to
 * look at next. */
#include "kube/client/fault.h"

#include "base/str.h"

#include <errno.h>
#include <openssl/x509_vfy.h>
#include <string.h>

static Err *connect_err(Arena *a, const Fault *f)
{
    switch (f->os_error) {
    case ECONNREFUSED:
        return err_retry(a, "connection to %s refused: is the API server running?", f->address);
    case EHOSTUNREACH:
    case ENETUNREACH:
        return err_retry(a, "no route to %s: check the address and the network", f->address);
    case ETIMEDOUT:
        return err_retry(a, "%s does not answer: check the address and the firewall", f->address);
    default:
        return err_retry(a, "no connection to %s: %s", f->address, f->detail);
    }
}

static Err *timeout_err(Arena *a, const Fault *f)
{
    long long ms = f->timeout_ms;

    if (!f->connected)
        return err_retry(a, "no connection to %s within %lld ms", f->address, ms);
    if (!f->answered)
        return err_retry(a, "%s did not answer within %lld ms", f->address, ms);
    return err_retry(a, "%s did not end its answer within %lld ms", f->address, ms);
}

static Err *certificate_err(Arena *a, const Fault *f)
{
    switch (f->verify_result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return err_retry(
            a, "the certificate of %s has expired: renew it on the server", f->address);
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return err_retry(
            a, "the certificate of %s is not valid yet: compare the clocks", f->address);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        return err_retry(a,
            "the certificate of %s is not signed by a trusted authority: check "
            "certificate-authority",
            f->address);
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED: /* libcurl looks at the name before it asks for the judgement */
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return err_retry(a,
            "the certificate of %s is for another name: check server and tls-server-name",
            f->address);
    default:
        return err_retry(a,
            "the certificate of %s cannot be verified: %s",
            f->address,
            X509_verify_cert_error_string(f->verify_result));
    }
}

static Err *broken_err(Arena *a, const Fault *f)
{
    if (!f->answered)
        return err_retry(a, "%s closed the connection without an answer", f->address);
    return err_retry(a, "the answer of %s broke off: %s", f->address, f->detail);
}

Err *fault_err(Arena *a, const Fault *f)
{
    switch (f->code) {
    case CURLE_OK:
        BUG("a fault that is none");
    case CURLE_COULDNT_RESOLVE_HOST:
        return err_retry(a, "cannot resolve the host of %s: check server, and DNS", f->address);
    case CURLE_COULDNT_CONNECT:
        return connect_err(a, f);
    case CURLE_OPERATION_TIMEDOUT:
        return timeout_err(a, f);
    case CURLE_PEER_FAILED_VERIFICATION:
        return certificate_err(a, f);
    case CURLE_SSL_CONNECT_ERROR:
        return err_retry(a, "no TLS with %s: %s", f->address, f->detail);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_retry(a, "%s does not speak HTTP: is it an API server?", f->address);
    case CURLE_OUT_OF_MEMORY: /* so libcurl before 8.6 calls a header line that is too long */
#if LIBCURL_VERSION_NUM >= 0x080600
    case CURLE_TOO_LARGE:
#endif
        return err_retry(a, "%s answers with more than libcurl takes in", f->address);
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_ABORTED_BY_CALLBACK:
        return broken_err(a, f);
    default:
        return err_retry(a,
            "talking to %s failed: %s",
            f->address,
            str_empty(f->detail) ? curl_easy_strerror(f->code) : f->detail);
    }
}
