/* What is done to an object beside it: tokens and bindings. */
#include "tests/world/desk.h"

static const Json *post(Desk *d, const Kind *kind, const char *subresource, const char *json5)
{
    return ask_body(d,
        (Request){.verb = VERB_CREATE, .kind = kind, .key.name = "x", .subresource = subresource},
        json5);
}

TEST(a_service_account_token_has_an_expiry)
{
    SCOPED_DESK d = desk_open();
    create(d, kind_serviceaccount, "{metadata: {name: 'x'}}");
    const Json *token =
        post(d, kind_serviceaccount, "token", "{spec: {audiences: ['a'], expirationSeconds: 600}}");

    then_status(d, 201);
    then_str(json_str(token, ".kind"), "TokenRequest");
    then_str(json_str(token, ".status.expirationTimestamp"), "2026-01-01T00:10:00Z");
    then_str(json_str(token, ".spec.audiences[0]"), "a");
    const char *first = json_str(token, ".status.token");
    then_true(!str_empty(first));
    then_true(!str_eq(
        first, json_str(post(d, kind_serviceaccount, "token", "{spec: {}}"), ".status.token")));
    then_str(json_str(d->answer.body, ".status.expirationTimestamp"), "2026-01-01T01:00:00Z");
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *subresource, *body;
    int status;
    const char *phrase;
} refusals[] = {
    {"a token that ends too soon",
        kind_serviceaccount,
        "token",
        "{spec: {expirationSeconds: 60}}",
        422,
        "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
        "value: "
        "60: may not specify a duration less than 10 minutes"},
    {"a token of something else", kind_pod, "token", "{}", 404, "could not find"},
    {"a binding of something else", kind_serviceaccount, "binding", "{}", 404, "could not find"},
    {"a binding to no node", kind_pod, "binding", "{target: {}}", 400, "names no node"},
    {"an object that posts to its status", kind_pod, "status", "{}", 404, "could not find"},
};

TEST(an_invalid_token_request_or_binding_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();

        create(d, kind_serviceaccount, "{metadata: {name: 'x'}}");
        create(
            d, kind_pod, "{metadata: {name: 'x'}, spec: {containers: [{name: 'c', image: 'i'}]}}");
        post(d, refusals[i].kind, refusals[i].subresource, refusals[i].body);

        then_refused(d, refusals[i].status, refusals[i].phrase);
    }
}

TEST(a_token_or_binding_for_a_missing_object_is_refused_with_404)
{
    SCOPED_DESK d = desk_open();

    post(d, kind_serviceaccount, "token", "{}");
    then_refused(d, 404, "serviceaccounts \"x\" not found");
    post(d, kind_pod, "binding", "{target: {name: 'n1'}}");
    then_refused(d, 404, "pods \"x\" not found");
}

TEST(token_and_binding_subresources_can_only_be_created)
{
    SCOPED_DESK d = desk_open();

    ask(d,
        (Request){.verb = VERB_GET,
            .kind = kind_serviceaccount,
            .key.name = "x",
            .subresource = "token"});
    then_status(d, 405);
    ask(d,
        (Request){.verb = VERB_GET, .kind = kind_pod, .key.name = "x", .subresource = "binding"});
    then_status(d, 405);
}

TEST(a_pod_can_be_bound_only_once)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, "{metadata: {name: 'x'}, spec: {containers: [{name: 'c', image: 'i'}]}}");
    post(d, kind_pod, "binding", "{target: {kind: 'Node', name: 'n1'}}");
    then_status(d, 201);
    then_str(json_str(d->answer.body, ".status"), "Success");
    const Json *pod = get(d, kind_pod, "x");
    then_str(json_str(pod, ".spec.nodeName"), "n1");
    then_json(json_find(pod, ".status.conditions"),
        "[{type: 'PodScheduled', status: 'True', lastProbeTime: null,"
        " lastTransitionTime: '2026-01-01T00:00:00Z'}]");
    then_str(json_str(pod, ".status.phase"), "Pending");
    then_int(meta_generation(pod), 1);
    post(d, kind_pod, "binding", "{target: {name: 'n2'}}");
    then_refused(d, 409, "pod x is already assigned to node \"n1\"");
}
