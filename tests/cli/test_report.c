/* report: a cluster with secrets planted wherever people put them; none of them is in the file. */
#include "sei/api/names.h"
#include "tests/cli/cast.h"

static const char mnemonic[] =
    "zebra youth year wrong write worth worry world work word wool wonder";

/* Every one of these stands somewhere in the cluster. */
static const char *const planted[] = {
    "planted-secret",
    "planted-env",
    "planted-arg-behind",
    "planted-arg-joined",
    "planted-annotation",
    "planted-last-applied",
    "planted-bearer",
    "planted-url",
    "planted-event",
    "planted-key-file",
    "planted-toml",
    "planted-log-password",
    "planted-previous-log",
    "planted-log-key",
    "planted-log-phrase",
    "planted-log-below",
    "cGxhbnRlZC1wZW0",
    "planted-error",
    mnemonic,
};

static int asked_for_secrets;

static Err *answer(Api *self, Arena *a, const Request *request, const Json **ret)
{
    static const char log[] =
        "2026-01-01T00:00:00Z seid starts\n"
        "2026-01-01T00:00:01Z db password=planted-log-password\n"
        "2026-01-01T00:00:01Z passphrase: correct horse planted-log-phrase\n"
        "2026-01-01T00:00:01Z credentials:\n"
        "2026-01-01T00:00:01Z   key: planted-log-below\n"
        "2026-01-01T00:00:02Z {\"priv_key\":{\"type\":\"x\",\"value\":\"planted-log-key\"}}\n"
        "-----BEGIN PRIVATE KEY-----\ncGxhbnRlZC1wZW0=\n-----END PRIVATE KEY-----\n";
    Terminal *t = link_owner(Terminal, faulty, self);
    Draft *texts = draft_array(a);

    asked_for_secrets += request->kind && kind_eq(request->kind, kind_secret);
    if (request->kind && kind_eq(request->kind, kind_service)) {
        Err *err = err_terminal(a, "forbidden to token=planted-error");
        err->status = 403;
        return err;
    }
    if (request->verb != VERB_RAW_GET || !strstr(request->raw_path, "/log?"))
        return t->api->call(t->api, a, request, ret);
    draft_push_str(texts,
        strstr(request->raw_path, "previous=true")
            ? "2026-01-01T00:00:00Z Authorization: Bearer planted-previous-log\n"
            : str_format(a, "%s%s\n", log, mnemonic));
    *ret = json_first(json_seal(a, texts));
    return OK;
}

static void given_planted(Terminal *t)
{
    given(t,
        kind_secret,
        "{metadata: {name: 'signing', labels: {'sei.io/node': 'n'}},"
        " stringData: {k: 'planted-secret'}}");
    given_node(t,
        "n",
        "{metadata: {annotations: {'example.com/password': 'planted-annotation',"
        " 'kubectl.kubernetes.io/last-applied-configuration': '{\"a\": \"planted-last-applied\"}',"
        " 'example.com/note': 'curl -H \"X: bearer planted-bearer\" "
        "https://me:planted-url@host/x'}}}");
    given_node(t,
        "v",
        "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 'signing'}}, "
        "nodeKey: {secret: {secretName: 'node'}}}}}");
    given(t,
        kind_configmap,
        "{metadata: {name: 'n-c', labels: {'sei.io/node': 'n'}},"
        " data: {'node_key.json': '{\"x\": \"planted-key-file\"}',"
        " 'app.toml': 'api_key = \"planted-toml\"\\nport = 8080'}}");
    given(t,
        kind_pod,
        "{metadata: {name: 'n-0', labels: {'sei.io/node': 'n'}},"
        " spec: {containers: [{name: 'seid', image: 'seid:1',"
        " env: [{name: 'RPC_TOKEN', value: 'planted-env'}],"
        " args: ['--keyring-password', 'planted-arg-behind', '--secret=ab,planted-arg-joined']}]},"
        " status: {phase: 'Running', containerStatuses: [{name: 'seid', ready: true,"
        " restartCount: 2, image: 'x', imageID: 'x', state: {}}]}}");
    given(t,
        kind_event,
        "{metadata: {name: 'e'}, regarding: {kind: 'SeiNode', name: 'n', namespace: 'default'},"
        " type: 'Warning', reason: 'Odd', action: 'Look', reportingController: 'x',"
        " reportingInstance: 'x', eventTime: '2026-01-01T00:00:00.000000Z',"
        " note: 'cannot log in with password: planted-event'}");
}

static bool holds(const Terminal *t, const char *phrase)
{
    return memmem(t->saved.data, t->saved.len, phrase, strlen(phrase)) != NULL;
}

static void given_report(Terminal *t, const char *line)
{
    given_planted(t);
    t->faulty.call = answer;
    asked_for_secrets = 0;
    then_int(type(t, line), EXIT_FINE);
}

TEST(a_report_contains_no_secret_of_the_cluster)
{
    SCOPED_TERMINAL t = terminal_open();
    given_report(t, "report n");

    for (size_t i = 0; i < array_count(planted); i++)
        if (holds(t, planted[i]))
            test_fail(__FILE__, __LINE__, "\"%s\" is in the report", planted[i]);
    then_int(asked_for_secrets, 0);
    then_talked(t, "things are redacted");
}

TEST(a_report_contains_everything_that_is_not_secret)
{
    static const char *const wanted[] = {
        "objects/seinodes/n.yaml",
        "objects/configmaps/n-c.yaml",
        "port = 8080",
        "objects/pods/n-0.yaml",
        "RPC_TOKEN",
        "logs/n-0/seid.log",
        "seid starts",
        "logs/n-0/seid.previous.log",
        "events.txt",
        "Warning Odd SeiNode/n: cannot log in with password: [redacted]",
        "status.txt",
        "drift.txt",
        "plan.txt",
        "doctor.txt",
        "manifest.txt",
        "Secrets were not read.",
        "secrets of validators: a report reads none",
        "services: forbidden to token=[redacted]",
        "operator: its Lease cannot be seen",
    };
    SCOPED_TERMINAL t = terminal_open();
    given_report(t, "report node/n");

    for (size_t i = 0; i < array_count(wanted); i++)
        if (!holds(t, wanted[i]))
            test_fail(__FILE__, __LINE__, "\"%s\" is not in the report", wanted[i]);
    then_true(!holds(t, "managedFields"));
}

/* An operator in a namespace, which was told what to look after. */
static void given_operator_in(Terminal *t, const char *namespace, const char *args)
{
    given(t,
        kind_lease,
        str_format(t->arena,
            "{metadata: {name: '" LEASE_NAME
            "', namespace: '%s'}, spec: {holderIdentity: 'op-%s_1', "
            "renewTime: '2026-01-01T00:00:00.000000Z'}}",
            namespace,
            namespace));
    given(t,
        kind_pod,
        str_format(t->arena,
            "{metadata: {name: 'op-%s', namespace: '%s'}, spec: {containers: [{name: 'operator', "
            "image: 'i', args: [%s]}]}}",
            namespace,
            namespace,
            args));
}

static const struct {
    const char *name, *of_default, *of_other, *there, *not_there;
} looking_after[] = {
    {"each its own",
        "'--watch-namespaces=$(POD_NAMESPACE)'",
        "'--watch-namespaces', 'kube-system'",
        "objects/pods/op-default.yaml",
        "op-kube-system"},
    {"the other all namespaces but this",
        "'--watch-namespaces=x'",
        "'--watch-namespaces=y, default'",
        "objects/pods/op-kube-system.yaml",
        "op-default"},
    {"no operator watches it",
        "'--watch-namespaces=x'",
        "'--watch-namespaces=y'",
        "operator: its Lease cannot be seen",
        "op-default"},
    {"one names its namespace, the other names none",
        "",
        "'--watch-namespaces=default'",
        "objects/pods/op-kube-system.yaml",
        "op-default"},
};

TEST(a_report_contains_the_operator_that_watches_the_object)
{
    each_case(i, looking_after) {
        SCOPED_TERMINAL t = terminal_open();
        given_operator_in(t, "default", looking_after[i].of_default);
        given_operator_in(t, "kube-system", looking_after[i].of_other);
        given_report(t, "report node/n");

        then_true(holds(t, looking_after[i].there));
        then_true(!holds(t, str_format(t->arena, "pods/%s.yaml", looking_after[i].not_there)));
    }
}

TEST(the_report_file_is_named_after_its_object)
{
    SCOPED_TERMINAL t = terminal_open();
    given_report(t, "report n");

    then_str(t->saved_as, "sei-report-n-20260101T000002Z.tar");
    then_said(t, "sei-report-n-20260101T000002Z.tar\n");
    then_int(type(t, "report n --to x.tar"), EXIT_FINE);
    then_str(t->saved_as, "x.tar");
}

TEST(a_report_about_a_fleet_contains_its_nodes)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "f", "{}");
    given_node(t, "f-0", "{metadata: {labels: {'sei.io/nodedeployment': 'f'}}}");
    given(t,
        kind_configmap,
        "{metadata: {name: 'f-0-c', labels: {'sei.io/node': 'f-0'}}, data: {a: 'b'}}");
    given_node(t, "other", "{}");

    then_int(type(t, "report fleet/f"), EXIT_FINE);
    then_true(holds(t, "objects/seinodedeployments/f.yaml"));
    then_true(holds(t, "objects/seinodes/f-0.yaml"));
    then_true(holds(t, "objects/configmaps/f-0-c.yaml"));
    then_true(!holds(t, "objects/seinodes/other.yaml"));
}

TEST(a_report_about_a_missing_object_is_refused)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "report x"), EXIT_NOT_FOUND);
    then_str(t->saved_as, NULL);
}
