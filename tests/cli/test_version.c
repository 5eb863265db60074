/* version: what is known is said, and what is not is no lie. */
#include "sei/api/names.h"
#include "tests/cli/terminal.h"

/* The world has no /version. */
static Err *answer_version(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (request->verb != VERB_RAW_GET)
        return t->api->call(t->api, a, request, ret);
    *ret = json_fixture(a, "{gitVersion: 'v1.34.0'}");
    return OK;
}

static void given_lease(Terminal *t, const char *holder)
{
    given(t,
        kind_lease,
        str_format(t->arena,
            "{metadata: {name: '" LEASE_NAME "'}, spec: {holderIdentity: '%s'}}",
            holder));
}

TEST(version_shows_the_operator_pod_that_holds_the_lease)
{
    SCOPED_TERMINAL t = terminal_open();
    t->faulty.call = answer_version;
    given_lease(t, "sei-operator-0_uid_random");
    given(t,
        kind_pod,
        "{metadata: {name: 'sei-operator-0'}, spec: {containers: [{name: 'operator', image: "
        "'ghcr.io/x/sei-operator:0.1.0'}]}}");

    then_int(type(t, "version"), EXIT_FINE);
    then_said(t, "server    v1.34.0\n");
    then_said(t, "operator  ghcr.io/x/sei-operator:0.1.0\n");
    then_int(type(t, "version -o jsonpath={.server}"), EXIT_FINE);
    then_str(said(t), "v1.34.0");
}

TEST(version_shows_the_lease_holder_if_the_operator_runs_outside_of_the_cluster)
{
    SCOPED_TERMINAL t = terminal_open();
    t->faulty.call = answer_version;
    given_lease(t, "laptop_1234");

    then_int(type(t, "version"), EXIT_FINE);
    then_said(t, "operator  held by laptop_1234\n");
}

/* As the Go operator leaves its own behind. */
TEST(a_stale_lease_of_another_operator_does_not_hide_the_running_operator)
{
    SCOPED_TERMINAL t = terminal_open();
    t->faulty.call = answer_version;
    given(t,
        kind_lease,
        "{metadata: {name: '" LEASE_NAME "', namespace: 'default'}, spec: {holderIdentity: "
        "'manager_1', renewTime: '2025-12-31T00:00:00.000000Z'}}");
    given(t,
        kind_lease,
        "{metadata: {name: '" LEASE_NAME "', namespace: 'kube-system'}, spec: {holderIdentity: "
        "'laptop_1234', renewTime: '2026-01-01T00:00:00.000000Z'}}");

    then_int(type(t, "version"), EXIT_FINE);
    then_said(t, "operator  held by laptop_1234\n");
}

TEST(version_reports_that_no_operator_was_found)
{
    SCOPED_TERMINAL t = terminal_open();
    t->faulty.call = answer_version;

    then_int(type(t, "version"), EXIT_FINE);
    then_said(t, "operator  not seen\n");
}

TEST(version_without_a_server_shows_the_client_version)
{
    SCOPED_TERMINAL t = terminal_open();
    t->fault = err_retry(t->arena, "connection refused");

    then_int(type(t, "version"), EXIT_UNREACHABLE);
    then_said(t, "client    ");
    then_talked(t, "connection refused");
    then_int(type(t, "version --client"), EXIT_FINE);
    then_int(t->calls, 0);
}
