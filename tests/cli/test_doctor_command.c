/* doctor as a person types it: what it reads of a cluster, how it ends, and that it never waits
 * longer than it was told. What the checks find is in test_doctor.c, whose rights it asks about in
 * test_doctor_rights.c. */
#include "base/base64.h"
#include "cli/doctor/exam_view.h"
#include "tests/cli/doctor/patient.h"
#include "tests/cli/doctor/written.h"
#include "tests/sei/golden.h"

TEST(doctor_exits_with_0_in_a_healthy_cluster)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    then_int(type(t, "doctor"), EXIT_FINE);
    then_said(t, "1 node, 1 Ready");
    then_said(t, "led by run_1, renewed 0s ago");
    then_said(t, "monitoring\n  • 0 of 3 checks passed, 3 not asked\n");
    then_said(t, "0 errors, 0 warnings");
    then_str(talked(t), "");
}

static const struct {
    const char *name, *line;
    int code;
    const char *phrase;
} cases[] = {
    {"as JSON", "doctor -o json", EXIT_UNHEALTHY, "\"kind\": \"DoctorView\""},
    {"as YAML", "doctor -o yaml", EXIT_UNHEALTHY, "apiVersion: cli.sei.io/v1"},
    {"one value of it", "doctor -o jsonpath={.counts.errors}", EXIT_UNHEALTHY, "1"},
    {"with a line for each check that passed",
        "doctor -o wide",
        EXIT_UNHEALTHY,
        "✔ SEI2101 passed: no claim of a node has lost its volume\n"},
    {"with a line for each check that could not be asked",
        "doctor -o wide",
        EXIT_UNHEALTHY,
        "SEI6101 not asked whether the metrics of the operator have no Service: no operator has a "
        "Deployment\n"},
    {"its code and its line",
        "doctor",
        EXIT_UNHEALTHY,
        "✖ [SEI3001] SeiNode default/sick: is stalled: ForeignObject\n"
        "      fix: kubectl sei status node/sick -n default\n"},
    {"a namespace without it", "doctor -n kube-system", EXIT_FINE, "0 errors"},
    {"all namespaces", "doctor -A", EXIT_UNHEALTHY, "1 error"},
    {"before an installation", "doctor --pre -o json", EXIT_UNHEALTHY, "\"preInstall\": true"},
};

TEST(doctor_reports_an_unhealthy_node_in_each_output_format)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    given_node(t,
        "sick",
        "{status: {conditions: [{type: 'Stalled', status: 'True', reason: 'ForeignObject', "
        "message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    each_case(i, cases) {
        then_int(type(t, cases[i].line), cases[i].code);
        then_said(t, cases[i].phrase);
    }
}

/* --- one namespace */

TEST(doctor_for_one_namespace_counts_only_what_is_in_it)
{
    SCOPED_TERMINAL t = open_healthy();

    given(t, kind_namespace, "{metadata: {namespace: null, name: 'empty'}}");
    given_node(t, "there", "{metadata: {namespace: 'kube-system'}}");
    then_int(type(t, "doctor -n kube-system"), EXIT_FINE);
    then_said(t, "1 node, 1 Ready");
    then_int(type(t, "doctor -n empty"), EXIT_FINE);
    then_said(t, "no nodes");
    then_int(type(t, "doctor -A"), EXIT_FINE);
    then_said(t, "2 nodes, 2 Ready");
}

static const char *const nowhere[] = {
    "doctor -n nope",
    "doctor -n nope -o json",
    "doctor -n nope --wait --timeout 60s",
};

TEST(doctor_reports_a_namespace_that_does_not_exist_and_nothing_about_others)
{
    SCOPED_TERMINAL t = open_healthy();

    for (size_t i = 0; i < array_count(nowhere); i++) {
        then_int(type(t, nowhere[i]), EXIT_NOT_FOUND);
        then_talked(t, "there is no namespace \"nope\"");
        then_str(said(t), "");
    }
    then_int(t->naps, 0);
}

/* Everything may be seen but which namespaces there are. */
static Err *secretive_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    if (!kind_eq(request->kind, kind_namespace))
        return reading_call(self, a, request, ret);
    Err *err = err_retry(a, "it is forbidden");
    err->status = 403;
    return err;
}

TEST(doctor_without_permission_to_list_namespaces_does_not_report_one_as_missing)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = secretive_call;
    then_int(type(t, "doctor -n nope"), EXIT_FINE);
    then_said(t, "not checked: may not list namespaces\n");
    then_said(t, "no nodes");
    then_str(talked(t), "");
}

/* --- what it costs */

TEST(doctor_sends_each_list_request_once_whatever_the_number_of_nodes)
{
    SCOPED_TERMINAL t = open_healthy();

    then_int(type(t, "doctor"), EXIT_FINE);
    int calls = t->calls;
    for (int i = 1; i < 100; i++)
        given_node(t, str_format(t->arena, "rpc-%d", i), "{}");
    then_int(type(t, "doctor"), EXIT_FINE);
    then_said(t, "100 nodes, 100 Ready");
    then_int(t->calls, calls);
    then_true(calls < 40);
}

/* --- a server that does not help */

TEST(doctor_reports_a_server_that_refuses_connections)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = terminal_call;
    t->fault = err_retry(t->arena, "connection refused");
    then_int(type(t, "doctor"), EXIT_UNREACHABLE);
    then_talked(t, "connection refused");
    then_str(said(t), "");
}

/* Definitions come, and then the server is silent. */
static Err *slow_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    t->calls++;
    if (request->verb == VERB_RAW_GET || kind_eq(request->kind, kind_crd))
        return t->api->call(t->api, a, request, ret);
    then_true(request->deadline_ms > 0 && request->deadline_ms <= 5000);
    world_run_until(t->world, world_now_ms(t->world) + request->deadline_ms);
    return err_retry(a, "no answer in time");
}

TEST(doctor_ends_after_five_seconds_if_the_server_stops_answering)
{
    SCOPED_TERMINAL t = open_healthy();
    int64_t begin = world_now_ms(t->world);

    t->faulty.call = slow_call;
    then_int(type(t, "doctor"), EXIT_TIMED_OUT);
    then_said(t, "not checked: SeiNodes: ");
    then_talked(t, "not all of it came in time: give it more time with --request-timeout");
    then_true(world_now_ms(t->world) - begin <= 5000);
}

static Err *strict_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    bool is_open = request->verb == VERB_RAW_GET || kind_eq(request->kind, kind_lease)
        || (kind_eq(request->kind, kind_seinode) && request->key.namespace)
        || kind_eq(request->kind, kind_deployment);

    if (is_open)
        return t->api->call(t->api, a, request, ret);
    Err *err = err_retry(a, "it is forbidden");
    err->status = 403;
    return err;
}

TEST(a_forbidden_list_is_named_by_doctor_and_does_not_hide_other_findings)
{
    SCOPED_TERMINAL t = open_healthy();

    given_node(t,
        "b",
        "{status: {conditions: [{type: 'Stalled', status: 'True', reason: 'X', "
        "message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    t->faulty.call = strict_call;
    then_int(type(t, "doctor"), EXIT_UNHEALTHY);
    then_said(t, "not checked: may not list pods\n");
    then_said(t, "[SEI3001] SeiNode default/b");
    then_int(type(t, "doctor -o json"), EXIT_UNHEALTHY);
    then_said(t, "\"namespace\": \"default\"");
    then_said(t, "\"why\": \"may not list pods\"");
}

TEST(doctor_without_permission_to_list_nodes_exits_with_its_own_code)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = strict_call;
    then_int(type(t, "doctor -A"), EXIT_FORBIDDEN);
    then_said(t, "not checked: may not list SeiNodes\n");
}

static Err *dated_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    TRY(t->api->call(t->api, a, request, ret));
    if (kind_eq(request->kind, kind_self_review))
        *ret = json_fixture(a, "{metadata: {creationTimestamp: '2001-01-01T00:00:00Z'}}");
    return OK;
}

TEST(doctor_reports_a_wrong_clock)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = dated_call;
    then_int(type(t, "doctor"), EXIT_UNHEALTHY);
    then_said(t, "[SEI1003]");
    then_said(t, "before the API");
    then_true(!strstr(said(t), "SEI1106"));
}

/* --- waiting */

static void heal(Terminal *t, int naps)
{
    if (naps == 2)
        given_operator(t);
}

TEST(doctor_with_wait_ends_when_there_is_no_error_any_more)
{
    SCOPED_TERMINAL t = terminal_open();

    t->during = heal;
    then_int(type(t, "doctor --wait --timeout 60s"), EXIT_FINE);
    then_int(t->naps, 2);
    then_talked(t, "waiting: 1 error\n");
    then_said(t, "0 errors");
}

TEST(doctor_with_wait_ends_at_its_timeout)
{
    SCOPED_TERMINAL t = terminal_open();
    int64_t begin = world_now_ms(t->world);

    then_int(type(t, "doctor --wait --timeout 10s"), EXIT_UNHEALTHY);
    then_said(t, "[SEI1101]");
    then_true(world_now_ms(t->world) - begin <= 10000);
}

/* --- keys */

#define KEY_VALUE "c2VjcmV0LW9mLXRoZS1kYXk="

static void given_validator(Terminal *t, const char *name, const char *file)
{
    given(t,
        kind_secret,
        str_format(t->arena,
            "{metadata: {name: '%s-node'}, data: {'node_key.json': '%s'}}",
            name,
            base64_encode(t->arena, bytes_of(name))));
    given(t,
        kind_secret,
        str_format(t->arena,
            "{metadata: {name: '%s-signing'}, data: {'priv_validator_key.json': '%s'}}",
            name,
            base64_encode(t->arena, bytes_of(file))));
    given_node(t,
        name,
        str_format(t->arena,
            "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: "
            "'%s-signing'}}, nodeKey: {secret: {secretName: '%s-node'}}}}}",
            name,
            name));
}

TEST(a_signing_key_in_two_files_is_found_and_its_content_is_not_shown)
{
    SCOPED_TERMINAL t = open_healthy();
    static const char *const lines[] = {"doctor", "doctor -o json", "doctor -o yaml"};

    t->out.columns = 200;
    given_validator(t, "val-0", "{\"priv_key\":{\"type\":\"x\",\"value\":\"" KEY_VALUE "\"}}");
    given_validator(t, "val-1", "{ \"priv_key\": { \"value\": \"" KEY_VALUE "\" } }\n");
    given_validator(t, "val-2", "{\"priv_key\":{\"value\":\"b3RoZXI=\"}}");
    for (size_t i = 0; i < array_count(lines); i++) {
        then_int(type(t, lines[i]), EXIT_UNHEALTHY);
        then_said(t, "SEI5002");
        then_said(t, "the same consensus key as that of SeiNode default/val-0");
        then_true(!strstr(said(t), "val-2"));
        then_true(!strstr(said(t), "c2VjcmV0"));
        then_true(!strstr(said(t), "hash"));
    }
}

/* --- several operators */

/* One that looks after a namespace of its own, and reads its settings there. */
static void given_operator_of(Terminal *t, const char *namespace)
{
    given(t,
        kind_deployment,
        str_format(t->arena,
            "{metadata: {name: 'sei-operator', namespace: '%s', labels: {'app.kubernetes.io/name': "
            "'sei-operator'}}, spec: {selector: {matchLabels: {a: 'b'}}, template: {metadata: "
            "{labels: {a: 'b'}}, spec: {serviceAccountName: 'sei-operator', containers: [{name: "
            "'operator', image: 'sei-operator', args: ['--watch-namespaces=$(POD_NAMESPACE)'], "
            "envFrom: [{configMapRef: {name: 'platform'}}]}]}}}}",
            namespace));
    given(t,
        kind_configmap,
        str_format(t->arena,
            "{metadata: {name: 'platform', namespace: '%s'}, data: {SEI_SERVICE_ACCOUNT: 'x'}}",
            namespace));
    given(t,
        kind_service,
        str_format(t->arena,
            "{metadata: {name: 'sei-operator-metrics', namespace: '%s'}, spec: {ports: [{port: "
            "1}]}}",
            namespace));
}

TEST(doctor_reads_settings_and_service_accounts_of_each_operator)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    given_operator_of(t, "default");
    given_operator_of(t, "kube-system");
    type(t, "doctor -A");
    then_said(t, "[SEI1112] Deployment default/sei-operator");
    then_said(t, "[SEI1112] Deployment kube-system/sei-operator");
    then_said(t, "[SEI1115] ServiceAccount default/sei-operator");
    then_said(t, "[SEI1115] ServiceAccount kube-system/sei-operator");
    then_true(!strstr(said(t), "SEI1111"));
}

/* As `make run` has it: what its pods run as is seen in their StatefulSets alone. */
TEST(a_missing_service_account_of_pods_is_found_although_the_operator_runs_outside)
{
    SCOPED_TERMINAL t = open_healthy();

    given(t,
        kind_statefulset,
        "{metadata: {name: 'rpc-0', labels: {'" LABEL_NODE "': 'rpc-0'}}, spec: {serviceName: "
        "'rpc-0', selector: {matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, "
        "spec: {serviceAccountName: 'seid', containers: [{name: 'seid', image: 'i', "
        "securityContext: {runAsNonRoot: true}}]}}}}");
    type(t, "doctor");
    then_said(t, "[SEI3401] ServiceAccount default/seid: ");
    given(t, kind_serviceaccount, "{metadata: {name: 'seid'}}");
    type(t, "doctor -o wide");
    then_said(t, "SEI3401 passed: ");
}

TEST(doctor_reads_every_configmap_with_settings_whatever_their_number)
{
    enum { MANY = 70 };
    SCOPED_TERMINAL t = open_healthy();
    const char *refs = "";

    for (int i = 0; i < MANY; i++) {
        refs = str_format(t->arena, "%s{configMapRef: {name: 'map-%d'}},", refs, i);
        given(t, kind_configmap, str_format(t->arena, "{metadata: {name: 'map-%d'}}", i));
    }
    given(t,
        kind_deployment,
        str_format(t->arena,
            "{metadata: {name: 'sei-operator', labels: {'app.kubernetes.io/name': 'sei-operator'}},"
            " spec: {selector: {matchLabels: {a: 'b'}}, template: {metadata: {labels: {a: 'b'}}, "
            "spec: {containers: [{name: 'operator', image: 'i', envFrom: [%s]}]}}}}",
            refs));
    type(t, "doctor");
    then_said(t, "SEI1112");
    then_true(!strstr(said(t), "SEI1111"));
}

TEST(doctor_for_one_namespace_also_reports_on_an_operator_in_another_namespace)
{
    SCOPED_TERMINAL t = open_healthy();

    given_operator_of(t, "kube-system");
    type(t, "doctor -n default");
    then_said(t, "SEI1112");
    then_true(!strstr(said(t), "SEI6101"));
}

/* --- screens */

static const char *screen_of(Terminal *t, const char *patch, OutputFormat format)
{
    Arena *a = t->arena;
    Cli cli = {.arena = a, .out = &t->out, .program = "kubectl sei", .flags.format = format};
    const Json *document = json_merge(a, written_healthy(a), json_fixture(a, patch));

    buf_clear(&t->said, 0);
    t->out.is_utf8 = true;
    exam_text(&cli, exam_view(exam_run(a, written_chart(a, document))));
    return str_copy(a, said(t));
}

TEST(doctor_screens_equal_their_golden_files)
{
    SCOPED_TERMINAL t = terminal_open();
    const char *bad =
        "{monitors: null, volumes: {'pv-val-0': {spec: {persistentVolumeReclaimPolicy: 'Delete'}}},"
        " classes: {gp3: {reclaimPolicy: 'Delete'}}, forbidden: ['quotas'],"
        " pods: {'sei/rpc-1-0': {status: {containerStatuses: [{name: 'seid', state: {waiting:"
        " {reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed'}}}]}}}}";

    const char *fine = screen_of(t, "{}", OUTPUT_TABLE), *broken = screen_of(t, bad, OUTPUT_TABLE);
    t->out.columns = 48;
    const char *narrow = screen_of(t, bad, OUTPUT_TABLE);
    then_golden_text(t->arena,
        str_format(t->arena,
            "---- all is well\n%s\n---- it is not\n%s\n---- on a narrow terminal\n%s",
            fine,
            broken,
            narrow),
        "cli/doctor.txt");
}

TEST(of_many_doctor_findings_of_one_kind_only_the_first_are_shown)
{
    SCOPED_TERMINAL t = terminal_open();
    Draft *sets = draft_object(t->arena);

    for (int i = 0; i < 12; i++)
        draft_add(sets,
            sub(str_format(t->arena, "sei/gone-%02d", i),
                draft(t->arena, obj("metadata", obj("labels", str(LABEL_NODE, "gone"))))));
    const Json *patch = json_seal(t->arena, draft(t->arena, sub("statefulSets", sets)));
    const char *screen = screen_of(t, json_write(t->arena, patch).data, OUTPUT_TABLE);
    then_true(strstr(screen, "gone-04") && !strstr(screen, "gone-05"));
    then_true(strstr(screen, "[SEI3201] and 7 more: -o json has them\n"));
    then_true(strstr(screen, "12 warnings"));
}

TEST(text_from_the_cluster_cannot_move_the_cursor_of_the_doctor_output)
{
    SCOPED_TERMINAL t = terminal_open();
    const char *screen = screen_of(t,
        "{nodes: {'sei/rpc-0': {status: {conditions: [{type: 'Stalled', status: 'True', reason: "
        "'X', message: 'a\\u001b[2Jb\\nc'}]}}}}",
        OUTPUT_TABLE);

    then_true(strchr(screen, '\033') == NULL);
    then_true(strstr(screen, "is stalled: X: a[2Jb c") != NULL);
}
