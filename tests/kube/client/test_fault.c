/* libcurl's codes as sentences. Those that a server on this machine can bring about are also in
 * test_client_api.c, test_client_faults.c and test_client_tls.c. */
#include "kube/client/fault.h"
#include "tests/test.h"

#include <errno.h>
#include <openssl/x509_vfy.h>

static const struct {
    const char *name;
    Fault fault;
    Want want;
} cases[] = {
    {"refused",
        {.code = CURLE_COULDNT_CONNECT, .os_error = ECONNREFUSED},
        RETRY("connection to h:1 refused: is the API server running?")},
    {"no route to the host",
        {.code = CURLE_COULDNT_CONNECT, .os_error = EHOSTUNREACH},
        RETRY("no route to h:1")},
    {"no route to the network",
        {.code = CURLE_COULDNT_CONNECT, .os_error = ENETUNREACH},
        RETRY("no route to h:1")},
    {"a silent firewall",
        {.code = CURLE_COULDNT_CONNECT, .os_error = ETIMEDOUT},
        RETRY("h:1 does not answer: check the address and the firewall")},
    {"another cause",
        {.code = CURLE_COULDNT_CONNECT, .os_error = EMFILE},
        RETRY("no connection to h:1: the detail")},
    {"no such host", {.code = CURLE_COULDNT_RESOLVE_HOST}, RETRY("cannot resolve the host of h:1")},
    {"too slow to connect",
        {.code = CURLE_OPERATION_TIMEDOUT},
        RETRY("no connection to h:1 within 50 ms")},
    {"too slow to answer",
        {.code = CURLE_OPERATION_TIMEDOUT, .connected = true},
        RETRY("h:1 did not answer within 50 ms")},
    {"too slow to end",
        {.code = CURLE_OPERATION_TIMEDOUT, .connected = true, .answered = true},
        RETRY("h:1 did not end its answer within 50 ms")},
    {"an expired certificate",
        {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_result = X509_V_ERR_CERT_HAS_EXPIRED},
        RETRY("the certificate of h:1 has expired")},
    {"another thing about the certificate",
        {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_result = X509_V_ERR_CERT_REVOKED},
        RETRY("the certificate of h:1 cannot be verified: certificate revoked")},
    {"no TLS", {.code = CURLE_SSL_CONNECT_ERROR}, RETRY("no TLS with h:1: the detail")},
    {"a dead connection",
        {.code = CURLE_SEND_ERROR, .connected = true},
        RETRY("h:1 closed the connection without an answer")},
    {"a connection that died within the answer",
        {.code = CURLE_RECV_ERROR, .connected = true, .answered = true},
        RETRY("the answer of h:1 broke off: the detail")},
    {"anything else",
        {.code = CURLE_BAD_CONTENT_ENCODING},
        RETRY("talking to h:1 failed: the detail")},
};

TEST(every_connection_error_names_the_address_and_the_cause_and_is_retried)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Fault fault = cases[i].fault;
        fault.address = "h:1";
        fault.detail = "the detail";
        fault.timeout_ms = 50;

        Err *err = fault_err(a, &fault);
        then_err(err, cases[i].want);
        then_int(err->status, 0);
    }
}

TEST(a_connection_error_without_a_detail_quotes_libcurl)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Fault fault = {.code = CURLE_BAD_CONTENT_ENCODING, .address = "h:1", .detail = ""};

    then_err(fault_err(a, &fault), RETRY("Unrecognized or bad HTTP Content"));
}

TEST(a_successful_curl_code_is_not_a_connection_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_bug("a fault that is none", fault_err(a, &(Fault){.code = CURLE_OK}));
}
