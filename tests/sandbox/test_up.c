/* The program as people start it, spoken to by our own client, by clients that misbehave, and by an
 * unchanged operator that brings up a fleet. */
#include "kube/client/file.h"
#include "kube/meta.h"
#include "kube/serve/authority.h"
#include "sandbox/orders.h"
#include "sei/api/node.h"
#include "tests/e2e/fetch.h"
#include "tests/sandbox/running.h"
#include "tests/test.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

static const char *const no_words[] = {NULL};
static const Key config_key = {"default", "x"};

static Err *call(Running *r, Request request, const Json **ret)
{
    return api_call(r->api, r->arena, &request, ret);
}

static Request of_config(Verb verb, const Json *body)
{
    return (Request){
        .verb = verb, .kind = kind_configmap, .key = config_key, .body = body, .manager = "test"};
}

TEST(our_client_can_create_and_read_and_change_and_delete_objects)
{
    Running r;
    const Json *seen;
    running_open(&r, SANDBOX_PROGRAM, no_words);
    Arena *a = r.arena;

    then_ok(call(&r,
        of_config(VERB_CREATE,
            json_fixture(a, "{metadata: {name: 'x', labels: {a: 'b'}}, data: {k: '1'}}")),
        NULL));
    then_err(call(&r, of_config(VERB_CREATE, json_fixture(a, "{metadata: {name: 'x'}}")), NULL),
        RETRY("configmaps \"x\" already exists"));
    then_ok(call(&r, of_config(VERB_GET, NULL), &seen));
    then_str(json_str(seen, ".data.k"), "1");
    then_ok(call(&r, of_config(VERB_UPDATE, seen), &seen));
    then_ok(call(&r, of_config(VERB_MERGE_PATCH, json_fixture(a, "{data: {k: '2'}}")), &seen));
    then_str(json_str(seen, ".data.k"), "2");
    then_ok(call(&r,
        of_config(
            VERB_JSON_PATCH, json_fixture(a, "[{op: 'replace', path: '/data/k', value: '3'}]")),
        &seen));
    then_str(json_str(seen, ".data.k"), "3");
    then_ok(call(&r,
        of_config(VERB_APPLY,
            json_fixture(
                a, "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'x'}, data: {l: '4'}}")),
        &seen));
    then_str(json_str(seen, ".data.l"), "4");
    then_ok(call(&r,
        (Request){.verb = VERB_LIST,
            .kind = kind_configmap,
            .key = {.namespace = "default"},
            .labels = "a=b"},
        &seen));
    then_int(json_count(json_find(seen, ".items")), 1);
    then_ok(call(&r, of_config(VERB_DELETE, NULL), NULL));
    then_err(call(&r, of_config(VERB_GET, NULL), NULL), RETRY("configmaps \"x\" not found"));
    then_ok(call(&r, (Request){.verb = VERB_RAW_GET, .raw_path = "/readyz"}, &seen));
    then_str(json_text(seen), "ok");
    running_close(&r);
}

/* --- watches */

typedef struct Heard {
    StreamSink port;
    Buf bytes;
    int status;
    bool has_ended;
} Heard;

static void on_head(StreamSink *self, int status, int64_t retry_after_ms)
{
    (void)retry_after_ms;
    ((Heard *)self)->status = status;
}

static void on_bytes(StreamSink *self, const char *bytes, size_t len)
{
    then_true(buf_append(&((Heard *)self)->bytes, bytes, len));
}

static void on_end(StreamSink *self, const Err *why)
{
    (void)why;
    ((Heard *)self)->has_ended = true;
}

TEST(a_watch_reports_its_start_at_once_and_then_every_change)
{
    Running r;
    Heard heard = {.port = {on_head, on_bytes, on_end}, .bytes = {.ceiling = 1 << 20}};
    StreamId id;
    running_open(&r, SANDBOX_PROGRAM, no_words);
    Transport *transport = client_transport(r.client);
    Streams *streams = transport->open_streams(transport);

    then_ok(stream_start(streams,
        r.arena,
        &(Request){.verb = VERB_WATCH,
            .kind = kind_configmap,
            .key = {.namespace = "default"},
            .resource_version = "3",
            .timeout_seconds = 3},
        &heard.port,
        &id));
    while (!heard.status)
        then_ok(stream_poll(streams, r.arena, 100));
    then_int(heard.status, 200);
    then_int(heard.bytes.len, 0);
    then_ok(
        call(&r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), NULL));
    while (!heard.bytes.len)
        then_ok(stream_poll(streams, r.arena, 100));
    then_true(str_has_prefix(heard.bytes.data, "{\"type\":\"ADDED\""));
    while (!heard.has_ended)
        then_ok(stream_poll(streams, r.arena, 100));
    buf_close(&heard.bytes);
    transport->close_streams(transport, streams);
    running_close(&r);
}

/* --- those who misbehave */

TEST(five_thousand_connections_and_a_large_body_affect_only_their_sender)
{
    enum { CONNECTIONS = 5000 };
    static int fds[CONNECTIONS];
    struct rlimit limit;
    Running r;
    char block[65536] = "";
    running_open(&r, SANDBOX_PROGRAM, no_words);

    then_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = running_dial(&r);
        if (fds[i] >= 0) /* half a TLS greeting, and never more */
            send(fds[i], "\x16\x03\x01\x02", 4, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    Request ready = {.verb = VERB_RAW_GET, .raw_path = "/readyz"};
    Deadline d = deadline_in_ms(RUNNING_WAIT_MS);
    while (call(&r, ready, NULL) && deadline_wait(&d)) /* its turn comes */
        ;
    then_ok(
        call(&r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), NULL));
    int sender = running_dial(&r);
    for (int i = 0; i < 1600; i++) /* 100 MiB of nothing */
        if (send(sender, block, sizeof block, MSG_NOSIGNAL) < 0)
            break;
    then_ok(call(&r, of_config(VERB_GET, NULL), NULL));
    close(sender);
    for (int i = 0; i < CONNECTIONS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    then_ok(call(&r, of_config(VERB_DELETE, NULL), NULL));
    then_int(running_stop(&r, SIGTERM), 0);
    running_close(&r);
}

/* --- the kubeconfig, and the end */

TEST(the_kubeconfig_is_readable_only_by_its_owner_and_signals_end_the_sandbox_in_order)
{
    static const int signals[] = {SIGTERM, SIGINT};

    for (size_t i = 0; i < array_count(signals); i++) {
        Running r;
        struct stat seen;
        running_open(&r, SANDBOX_PROGRAM, no_words);
        then_int(stat(r.kubeconfig, &seen), 0);
        then_int(seen.st_mode & 0777, 0600);
        then_int(running_stop(&r, signals[i]), 0);
        running_close(&r);
    }
}

TEST(a_sandbox_that_cannot_start_reports_the_cause)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *output;

    then_err(process_run(a,
                 &(ProcessOptions){.program = SANDBOX_PROGRAM,
                     .args = PROCESS_ARGS("up", "--port=0", "--kubeconfig=/no/such/folder/k")},
                 &output),
        FAILED("cannot write /no/such/folder/k: No such file or directory"));
}

/* --- what outlasts it */

TEST(a_killed_sandbox_has_stored_every_write_that_it_answered)
{
    enum { WRITES = 50 };
    Running r;
    const Json *before, *after;
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--state=state", NULL});

    running_create(&r, "deploy/crds/sei.io_seinodes.yaml");
    running_create(&r, "samples/full-node.yaml");
    then_ok(
        call(&r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), NULL));
    for (int i = 0; i < WRITES; i++)
        then_ok(call(&r,
            of_config(VERB_MERGE_PATCH,
                json_fixture(r.arena, str_format(r.arena, "{data: {k: '%d'}}", i))),
            &before));
    running_stop(&r, SIGKILL);
    running_start(&r); /* and the client's token is good still */
    then_ok(call(&r, of_config(VERB_GET, NULL), &after));
    then_true(json_equal(before, after)); /* version and UID among it */
    then_ok(call(&r,
        (Request){.verb = VERB_LIST, .kind = kind_seinode, .key = {.namespace = "default"}},
        &after));
    then_int(json_count(json_find(after, ".items")), 1);
    then_ok(call(&r, of_config(VERB_DELETE, NULL), NULL));
    running_stop(&r, SIGTERM);
    running_start(&r);
    then_err(call(&r, of_config(VERB_GET, NULL), NULL), RETRY("not found"));
    running_close(&r);
}

/* A second sandbox in the same folder; why it does not start. */
static Err *run_second(Running *r, const char *port, const char *state)
{
    const char *output;

    return process_run(r->arena,
        &(ProcessOptions){.program = SANDBOX_PROGRAM,
            .args = PROCESS_ARGS("up", port, "--kubeconfig=second", state),
            .folder = folder_path(r->folder)},
        &output);
}

TEST(a_second_sandbox_does_not_change_the_state_of_the_first)
{
    Running r;
    const Json *before, *after;
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--state=state", NULL});

    then_err(run_second(&r, "--port=0", "--state=state"),
        FAILED("the folder state is in use by a sandbox that runs"));
    then_ok(call(
        &r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), &before));
    running_stop(&r, SIGKILL);
    running_start(&r);
    then_ok(call(&r, of_config(VERB_GET, NULL), &after));
    then_true(json_equal(before, after));
    running_close(&r);
}

TEST(a_sandbox_that_cannot_listen_writes_no_state)
{
    Running r;
    running_open(&r, SANDBOX_PROGRAM, no_words);

    then_err(run_second(&r, str_format(r.arena, "--port=%d", (int)r.port), "--state=other"),
        FAILED("cannot listen on "));
    then_true(file_is_missing(str_format(r.arena, "%s/other/journal", folder_path(r.folder))));
    running_close(&r);
}

TEST(a_journal_that_cannot_be_rewritten_is_kept_and_appended)
{
    enum { WRITES = 40, SIZE = 900000 };
    Running r;
    const Json *before, *after;
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--state=state", NULL});
    const char *beside = str_format(r.arena, "%s/state/journal.new", folder_path(r.folder));
    char *large = arena_alloc(r.arena, SIZE + 1);
    Deadline d = deadline_in_ms(RUNNING_WAIT_MS);

    memset(large, 'x', SIZE);
    then_int(mkdir(beside, 0700), 0); /* no file can be made there */
    then_ok(
        call(&r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), NULL));
    for (int i = 0; i < WRITES; i++) {
        SCOPED_ARENA a = arena_open(16 << 20);
        const char *patch = str_format(a, "{data: {k: '%d %s'}}", i, large);
        Request request = of_config(VERB_MERGE_PATCH, json_fixture(a, patch));
        then_ok(api_call(r.api, a, &request, NULL));
    }
    while (!running_has_said(&r, "cannot be begun") && deadline_wait(&d))
        ;
    then_true(running_has_said(&r, "cannot be begun"));
    then_ok(call(
        &r, of_config(VERB_MERGE_PATCH, json_fixture(r.arena, "{data: {k: 'last'}}")), &before));
    running_stop(&r, SIGKILL);
    then_int(rmdir(beside), 0);
    running_start(&r);
    then_ok(call(&r, of_config(VERB_GET, NULL), &after));
    then_true(json_equal(before, after));
    running_close(&r);
}

/* --- clients by certificate */

/* What a client whose kubeconfig holds this credential gets for a list of pods. */
static Err *list_pods_as(Running *r, const CertificateTexts *shown)
{
    const Json *answer = NULL;
    Config config;
    Client *client = NULL;
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = "default"}};

    then_ok(config_load(r->arena, &(ConfigSource){.path = r->kubeconfig}, &config));
    config.token = NULL;
    config.cert_pem = shown->certificate;
    config.key_pem = shown->key;
    then_ok(client_open(r->arena, &config, &(ClientOptions){.user_agent = "test"}, &client));
    Transport *transport = client_transport(client);
    Api *api = transport->open_api(transport);
    Err *err = err_copy(r->arena, api_call(api, r->arena, &list, &answer));
    transport->close_api(transport, api);
    client_close(client);
    return err;
}

static CertificateTexts certificate_of(Running *r, const char *spec)
{
    const Json *answer;
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_client_certificate,
        .body = json_fixture(r->arena,
            str_format(r->arena,
                "{apiVersion: 'sandbox.sei.io/v1', kind: 'Certificate', spec: %s}",
                spec)),
    };

    then_ok(call(r, request, &answer));
    return (CertificateTexts){
        .certificate = json_str(answer, ".status.certificate"),
        .key = json_str(answer, ".status.key"),
    };
}

TEST(a_client_certificate_of_the_sandbox_identifies_its_user)
{
    Running r;
    ClientAuthority other;
    CertificateTexts stranger;
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--state=state", NULL});

    CertificateTexts jane = certificate_of(&r, "{user: 'jane', groups: ['devs']}");
    CertificateTexts chief = certificate_of(&r, "{user: 'chief', groups: ['system:masters']}");
    then_ok(authority_make_clients(r.arena, &other));
    then_ok(authority_issue(r.arena,
        &other,
        &(ClientName){"chief", (const char *const[]){"system:masters", NULL}},
        &stranger));
    then_err(list_pods_as(&r, &jane), RETRY("User \"jane\" cannot list resource \"pods\""));
    then_ok(list_pods_as(&r, &chief));
    then_err(list_pods_as(&r, &stranger), RETRY("Unauthorized"));
    running_stop(&r, SIGKILL);
    running_start(&r);
    then_ok(list_pods_as(&r, &chief)); /* good still */
    running_close(&r);
}

/* --- orders */

static void give_order(Running *r, const char *line)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_order,
        .body = json_fixture(r->arena,
            str_format(r->arena,
                "{apiVersion: 'sandbox.sei.io/v1', kind: 'Order', spec: {line: '%s'}}",
                line)),
    };

    then_ok(call(r, request, NULL));
}

TEST(every_answer_is_slow_after_a_fault_command_and_fast_again_after_a_reset)
{
    enum { SLOW_MS = 300 };
    Running r;
    Clock *clock = clock_system();
    running_open(&r, SANDBOX_PROGRAM, no_words);

    give_order(&r, str_format(r.arena, "slow %d", SLOW_MS));
    int64_t began_ms = clock_mono_ms(clock);
    then_ok(
        call(&r, of_config(VERB_CREATE, json_fixture(r.arena, "{metadata: {name: 'x'}}")), NULL));
    then_true(clock_mono_ms(clock) - began_ms >= SLOW_MS);
    give_order(&r, "slow 0");
    then_ok(call(&r, of_config(VERB_GET, NULL), NULL));
    running_close(&r);
}

static bool is_given_up(Running *r)
{
    const Json *pod;
    Request get = {.verb = VERB_GET, .kind = kind_pod, .key = {"default", "p"}};

    return !call(r, get, &pod) && meta_deleting(pod);
}

static bool runs(Running *r)
{
    const Json *pod;
    Request get = {.verb = VERB_GET, .kind = kind_pod, .key = {"default", "p"}};

    return !call(r, get, &pod) && str_eq(json_str(pod, ".status.phase"), "Running");
}

/* The pods of a machine that is lost are given up after 340 s of theirs. */
TEST(simulated_time_runs_at_the_ordered_speed)
{
    Running r;
    Deadline d = deadline_in_ms(RUNNING_WAIT_MS);
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--nodes=1", NULL});

    then_ok(call(&r,
        (Request){.verb = VERB_CREATE,
            .kind = kind_pod,
            .key = {.namespace = "default"},
            .body = json_fixture(r.arena,
                "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p'},"
                " spec: {containers: [{name: 'c', image: 'i'}]}}")},
        NULL));
    while (!runs(&r) && deadline_wait(&d))
        ;
    give_order(&r, "lose-node node-1");
    then_true(!is_given_up(&r));
    give_order(&r, "speed 1000");
    while (!is_given_up(&r) && deadline_wait(&d))
        ;
    then_true(is_given_up(&r));
    running_close(&r);
}

/* --- the operator */

enum { SETTINGS_MAX = 64 };

/* The platform's settings as an environment, and how to reach the server. */
static const char *const *operator_env(Running *r)
{
    const char **env = arena_array(r->arena, const char *, SETTINGS_MAX);
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    Buf text = {.ceiling = 1 << 16};
    size_t count = 0;

    then_ok(file_read(
        r->arena, str_format(r->arena, "%s/samples/platform.env", root ? root : "."), &text, NULL));
    for (const char *line = text.data; *line;) {
        size_t len = strcspn(line, "\n");
        if (len > 0 && *line != '#')
            env[count++] = str_slice(r->arena, line, len);
        then_true(count < SETTINGS_MAX - 1);
        line += len + (line[len] == '\n');
    }
    buf_close(&text);
    env[count++] = str_format(r->arena, "KUBECONFIG=%s", r->kubeconfig);
    return env;
}

static bool fleet_is_ready(Running *r)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const Json *fleet, *condition;
    Request get = {
        .verb = VERB_GET, .kind = kind_seinodedeployment, .key = {"default", "public-rpc"}};

    if (api_call(r->api, a, &get, &fleet))
        return false;
    json_each(condition, json_find(fleet, ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), "Ready"))
            return str_eq(json_str(condition, ".status"), "True");
    return false;
}

/* What the seid of the fleet's first node says of itself, at the address of its pod. */
static const char *seid_status(Running *r)
{
    const Json *pod = NULL;
    const char *page = "";
    Request get = {.verb = VERB_GET, .kind = kind_pod, .key = {"default", "public-rpc-0-0"}};

    then_ok(api_call(r->api, r->arena, &get, &pod));
    then_ok(fetch(r->arena,
        &(Fetch){
            .url = str_format(r->arena, "http://%s:26657/status", json_str(pod, ".status.podIP"))},
        &page));
    return page;
}

static void create_namespace(Running *r)
{
    const Json *namespace = json_fixture(
        r->arena, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei-system'}}");

    then_ok(
        call(r, (Request){.verb = VERB_CREATE, .kind = kind_namespace, .body = namespace}, NULL));
}

TEST(an_unmodified_operator_brings_up_the_sample_fleet)
{
    Running r;
    pid_t operator;
    Deadline d = deadline_in_ms(120000);
    running_open(&r, SANDBOX_PROGRAM, (const char *const[]){"--speed=20", NULL});

    running_create(&r, "deploy/crds/sei.io_seinodes.yaml");
    running_create(&r, "deploy/crds/sei.io_seinodedeployments.yaml");
    create_namespace(&r);
    running_create(&r, "deploy/rbac/sidecar-client.yaml");
    then_ok(process_start(r.arena,
        &(ProcessOptions){
            .program = OPERATOR_PROGRAM,
            .args = PROCESS_ARGS("--lease-namespace=sei-system",
                "--sidecar-service-account=sei-system/sei-sidecar-client",
                "--metrics-bind-address=0",
                "--health-probe-bind-address=0"),
            .env = operator_env(&r),
            .log = str_format(r.arena, "%s/operator.log", folder_path(r.folder)),
        },
        &operator));
    running_create(&r, "samples/fleet.yaml");
    while (!fleet_is_ready(&r) && deadline_wait(&d))
        ;
    then_true(fleet_is_ready(&r));
    then_true(strstr(seid_status(&r), "\"moniker\":\"public-rpc-0-0\"") != NULL);
    process_kill(operator);
    running_close(&r);
}
