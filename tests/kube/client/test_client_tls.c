/* TLS end to end: whose certificate is believed, and that nothing is sent to anybody else. */
#include "tests/kube/client/client_world.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <openssl/ssl.h>

/* A CA, and a stranger's. */
typedef struct Authorities {
    PkiCert ours, others;
} Authorities;

static Authorities authorities(Arena *a)
{
    Authorities all;
    then_ok(pki_new_ca(a, "ours", &all.ours));
    then_ok(pki_new_ca(a, "others", &all.others));
    return all;
}

static const char *const local_address[] = {"127.0.0.1", NULL};
static const char *const other_address[] = {"127.0.0.2", NULL};
static const char *const kubernetes_name[] = {"kubernetes", NULL};

static PkiCert new_cert(Arena *a, const PkiCert *ca, PkiOptions options)
{
    PkiCert cert;
    then_ok(pki_new_cert(a, ca, &options, &cert));
    return cert;
}

static PkiCert good_cert(Arena *a, const PkiCert *ca)
{
    return new_cert(a, ca, (PkiOptions){.common_name = "apiserver", .ip_addresses = local_address});
}

/* Answers one request, whoever asks. */
static const Step *serving(Arena *a)
{
    Step *script = arena_array(a, Step, 5);
    script[0] = (Step){STEP_ACCEPT};
    script[1] = (Step){STEP_REQUEST};
    script[2] = (Step){STEP_SEND, ok_answer(a, "{\"a\": 1}")};
    script[3] = (Step){STEP_STALL};
    return script;
}

static const struct {
    const char *name;
    PkiOptions options;
    enum { OURS, OTHERS, ITSELF } signer;
    Want want;
} certificates[] = {
    {"a good one", {.ip_addresses = local_address}, OURS},
    {"an expired one",
        {.ip_addresses = local_address, .not_before_seconds = -7200, .not_after_seconds = -3600},
        OURS,
        RETRY("has expired: renew it on the server")},
    {"one of tomorrow",
        {.ip_addresses = local_address, .not_before_seconds = 3600, .not_after_seconds = 7200},
        OURS,
        RETRY("is not valid yet: compare the clocks")},
    {"one for another address",
        {.ip_addresses = other_address},
        OURS,
        RETRY("is for another name: check server and tls-server-name")},
    {"one for a name alone",
        {.dns_names = kubernetes_name},
        OURS,
        RETRY("is for another name: check server and tls-server-name")},
    {"of an unknown authority",
        {.ip_addresses = local_address},
        OTHERS,
        RETRY("is not signed by a trusted authority: check certificate-authority")},
    {"one signed by itself",
        {.ip_addresses = local_address},
        ITSELF,
        RETRY("is not signed by a trusted authority: check certificate-authority")},
};

TEST(only_a_server_with_a_valid_certificate_gets_a_request)
{
    each_case(i, certificates) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Authorities all = authorities(a);
        const PkiCert *signers[] = {&all.ours, &all.others, NULL};
        PkiCert cert = new_cert(a, signers[certificates[i].signer], certificates[i].options);
        World w = world_open(a,
            &(Given){
                .script = serving(a),
                .server.cert = &cert,
                .config = {.ca_pem = all.ours.cert_pem, .token = "s3cret"},
            });
        Request create = create_configmap(a);

        Err *err = api_call(w.api, a, &create, NULL);
        then_err(err, certificates[i].want);
        if (!err)
            continue;
        then_true(!err->outcome_unknown);
        then_int(err->status, 0);
        hostile_stop(w.server);
        for (const char *seen; (seen = hostile_next(a, w.server));)
            then_true(!strstr(seen, "s3cret"));
    }
}

TEST(an_insecure_client_accepts_any_certificate)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert cert = new_cert(a,
        NULL,
        (PkiOptions){
            .ip_addresses = other_address, .not_before_seconds = -7200, .not_after_seconds = -1});
    World w = world_open(
        a, &(Given){.script = serving(a), .server.cert = &cert, .config.insecure = true});

    then_ok(api_call(w.api, a, &get_configmap, NULL));
}

TEST(a_server_certificate_in_the_authority_list_is_trusted_whatever_signed_it)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    const PkiCert *signers[] = {NULL, &all.others};

    for (size_t i = 0; i < array_count(signers); i++) {
        PkiCert cert = good_cert(a, signers[i]);
        World w = world_open(a,
            &(Given){.script = serving(a), .server.cert = &cert, .config.ca_pem = cert.cert_pem});
        then_ok(api_call(w.api, a, &get_configmap, NULL));
    }
}

TEST(without_a_configured_authority_only_the_system_trust_store_is_used)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    World w = world_open(a, &(Given){.script = serving(a), .server.cert = &cert});

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("not signed by a trusted authority"));
}

TEST(the_name_to_verify_can_differ_from_the_host_of_the_connection)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = new_cert(a, &all.ours, (PkiOptions){.dns_names = kubernetes_name});
    World w = world_open(a,
        &(Given){
            .script = serving(a),
            .server.cert = &cert,
            .config = {.ca_pem = all.ours.cert_pem, .tls_server_name = "kubernetes"},
        });

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    const char *host = str_format(a, "\r\nHost: %s\r\n", hostile_address(w.server));
    then_true(strstr(hostile_next(a, w.server), host));
}

TEST(a_certificate_without_the_configured_server_name_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    World w = world_open(a,
        &(Given){
            .script = serving(a),
            .server.cert = &cert,
            .config = {.ca_pem = all.ours.cert_pem, .tls_server_name = "kubernetes"},
        });

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("is for another name"));
}

TEST(tls_1_1_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    World w = world_open(a,
        &(Given){
            .script = serving(a),
            .server = {.cert = &cert, .tls_version = TLS1_1_VERSION},
            .config.ca_pem = all.ours.cert_pem,
        });

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("no TLS with 127.0.0.1:"));
}

TEST(tls_1_2_is_accepted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    World w = world_open(a,
        &(Given){
            .script = serving(a),
            .server = {.cert = &cert, .tls_version = TLS1_2_VERSION},
            .config.ca_pem = all.ours.cert_pem,
        });

    then_ok(api_call(w.api, a, &get_configmap, NULL));
}

TEST(a_server_that_does_not_use_tls_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_SEND, "HTTP/1.1 400 Bad Request\r\n\r\n"}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script, .https = true});

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("no TLS with 127.0.0.1:"));
}

TEST(a_tls_handshake_that_stalls_ends_at_the_connect_timeout)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT}, {STEP_STALL}, {0}};
    World w =
        world_open(a, &(Given){.script = script, .https = true, .options.connect_timeout_ms = 200});
    Request create = create_configmap(a);

    Err *err = api_call(w.api, a, &create, NULL);
    then_err(err, RETRY("no connection to 127.0.0.1:"));
    then_err(err, RETRY("within 200 ms"));
    then_true(!err->outcome_unknown);
}

TEST(an_answer_that_ends_without_a_tls_close_notify_is_an_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\": 1"},
        {STEP_DROP},
        {0}};
    World w = world_open(
        a, &(Given){.script = script, .server.cert = &cert, .config.ca_pem = all.ours.cert_pem});

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("the answer of 127.0.0.1:"));
}

TEST(tls_records_may_arrive_byte_by_byte)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_DRIP, ok_answer(a, "{\"a\": 1}")}, {STEP_STALL}, {0}};
    World w = world_open(
        a, &(Given){.script = script, .server.cert = &cert, .config.ca_pem = all.ours.cert_pem});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    then_json(got, "{a: 1}");
}

/* --- who we are --- */

TEST(a_client_certificate_is_sent_to_the_server)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    PkiCert me = new_cert(a, &all.ours, (PkiOptions){.common_name = "me"});
    World w = world_open(a,
        &(Given){
            .script = serving(a),
            .server = {.cert = &cert, .client_ca = all.ours.cert_pem},
            .config = {.ca_pem = all.ours.cert_pem, .cert_pem = me.cert_pem, .key_pem = me.key_pem},
        });

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    then_str(hostile_next(a, w.server), "/CN=me");
}

TEST(after_a_401_a_renewed_client_certificate_gets_a_new_connection)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.ours);
    PkiCert old = new_cert(a, &all.ours, (PkiOptions){.common_name = "old"});
    PkiCert new = new_cert(a, &all.ours, (PkiOptions){.common_name = "new"});
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, answer(a, "401 Unauthorized", "", "{}")},
        {STEP_ACCEPT, .wire = 1},
        {STEP_REQUEST, .wire = 1},
        {STEP_SEND, ok_answer(a, "{}"), .wire = 1},
        {STEP_STALL, .wire = 1},
        {0}};
    ManualClock still; /* so early that only the 401 makes it look */
    clock_manual_init(&still, 0, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .server = {.cert = &cert, .client_ca = all.ours.cert_pem},
            .config =
                {
                    .ca_pem = all.ours.cert_pem,
                    .cert_file = scratch_write(a, folder, "me.crt", old.cert_pem),
                    .key_file = scratch_write(a, folder, "me.key", old.key_pem),
                },
            .options.clock = &still.port,
        });
    Request create = create_configmap(a);

    scratch_write(a, folder, "me.crt", new.cert_pem);
    scratch_write(a, folder, "me.key", new.key_pem);
    then_ok(api_call(w.api, a, &create, NULL));
    then_str(hostile_next(a, w.server), "/CN=old");
    then_true(str_has_prefix(hostile_next(a, w.server), "POST "));
    then_str(hostile_next(a, w.server), "/CN=new");
    then_true(str_has_prefix(hostile_next(a, w.server), "POST "));
}

TEST(a_rotated_authority_file_is_read_again)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authorities all = authorities(a);
    PkiCert cert = good_cert(a, &all.others);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{}")},
        {STEP_STALL},
        {0}};
    ManualClock clock;
    clock_manual_init(&clock, 5000000000, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .server.cert = &cert,
            .config.ca_file = scratch_write(a, folder, "ca.crt", all.ours.cert_pem),
            .options.clock = &clock.port,
        });

    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("not signed by a trusted"));
    scratch_write(
        a, folder, "ca.crt", str_format(a, "%s%s", all.ours.cert_pem, all.others.cert_pem));
    clock_manual_advance_ms(&clock, 1000);
    then_ok(api_call(w.api, a, &get_configmap, NULL));
}
