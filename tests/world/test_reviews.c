/* Questions that are posted: who, may they, may I. */
#include "tests/world/desk.h"
#include "world/reviews.h"
#include "world/rights.h"

static const char *const groups[] = {"crew", "system:authenticated", NULL};

static const Json *post_as(Desk *d, const Caller *caller, Request request, const char *json5)
{
    request.verb = VERB_CREATE;
    request.body = json_fixture(d->arena, json5);
    server_call_as(d->server, d->arena, caller, &request, &d->answer);
    return d->answer.body;
}

static const Json *post(Desk *d, const Kind *kind, const char *json5)
{
    Caller ann = {.user = "ann", .uid = "7", .groups = groups};
    return post_as(d,
        &ann,
        (Request){.kind = kind, .key.namespace = kind->namespaced ? "default" : NULL},
        json5);
}

/* ann reads pods everywhere, her crew writes them in default. */
static Desk *desk_of_ann(void)
{
    Desk *d = desk_open();
    create(d,
        kind_clusterrole,
        "{metadata: {name: 'read'},"
        " rules: [{apiGroups: [''], resources: ['pods'], verbs: ['get']},"
        "         {nonResourceURLs: ['/metrics'], verbs: ['get']}]}");
    create(d,
        kind_clusterrolebinding,
        "{metadata: {name: 'read'}, roleRef: {kind: 'ClusterRole', name: 'read'},"
        " subjects: [{kind: 'User', name: 'ann'}]}");
    create(d,
        kind_role,
        "{metadata: {name: 'write'},"
        " rules: [{apiGroups: [''], resources: ['pods'], verbs: ['create']}]}");
    create(d,
        kind_rolebinding,
        "{metadata: {name: 'write'}, roleRef: {kind: 'Role', name: 'write'},"
        " subjects: [{kind: 'Group', name: 'crew'}]}");
    return d;
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *review;
    bool allowed;
} questions[] = {
    {"a user by name",
        kind_access_review,
        "{spec: {user: 'ann', resourceAttributes: {verb: 'get', resource: 'pods'}}}",
        true},
    {"another user",
        kind_access_review,
        "{spec: {user: 'bob', resourceAttributes: {verb: 'get', resource: 'pods'}}}",
        false},
    {"a group alone",
        kind_access_review,
        "{spec: {groups: ['crew'], resourceAttributes: {verb: 'create', resource: 'pods',"
        " namespace: 'default'}}}",
        true},
    {"a path",
        kind_access_review,
        "{spec: {user: 'ann', nonResourceAttributes: {verb: 'get', path: '/metrics'}}}",
        true},
    {"myself",
        kind_self_access_review,
        "{spec: {resourceAttributes: {verb: 'get', resource: 'pods'}}}",
        true},
    {"myself by my group",
        kind_self_access_review,
        "{spec: {resourceAttributes: {verb: 'create', resource: 'pods', namespace: 'default'}}}",
        true},
    {"myself elsewhere",
        kind_self_access_review,
        "{spec: {resourceAttributes: {verb: 'create', resource: 'pods', namespace: 'x'}}}",
        false},
    {"a user in a namespace",
        kind_local_access_review,
        "{metadata: {namespace: 'default'}, spec: {user: 'ann',"
        " resourceAttributes: {verb: 'get', resource: 'pods', namespace: 'default'}}}",
        true},
};

TEST(access_reviews_are_answered)
{
    each_case(i, questions) {
        SCOPED_DESK d = desk_of_ann();
        const Json *got = post(d, questions[i].kind, questions[i].review);
        then_status(d, 201);
        then_str(json_str(got, ".kind"), questions[i].kind->name);
        then_true(json_find(got, ".spec") != NULL);
        then_int(json_bool(got, ".status.allowed", false), questions[i].allowed);
        then_int(json_str(got, ".status.reason") != NULL, questions[i].allowed);
    }
}

static const struct {
    const char *name;
    const Kind *kind;
    const char *review;
    int status;
    const char *phrase;
} refusals[] = {
    {"nothing asked",
        kind_access_review,
        "{spec: {user: 'a'}}",
        422,
        ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: "
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"},
    {"no user in the review",
        kind_access_review,
        "{spec: {resourceAttributes: {verb: 'get'}}}",
        422,
        "spec.user: Invalid value: \"\": at least one of user or group must be specified"},
    {"two questions",
        kind_self_access_review,
        "{spec: {resourceAttributes: {verb: 'get'}, nonResourceAttributes: {path: '/x'}}}",
        422,
        "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"\"}: cannot be "
        "specified in combination with resourceAttributes"},
    {"a question with a name",
        kind_access_review,
        "{metadata: {name: 'x'}, spec: {user: 'a', resourceAttributes: {verb: 'get'}}}",
        422,
        "metadata: Invalid value: {\"name\":\"x\"}: must be empty"},
    {"another namespace",
        kind_local_access_review,
        "{spec: {user: 'a', resourceAttributes: {verb: 'get', namespace: 'x'}}}",
        422,
        "spec.resourceAttributes.namespace: Invalid value: \"x\": must match metadata.namespace"},
    {"a path in a namespace",
        kind_local_access_review,
        "{spec: {user: 'a', nonResourceAttributes: {verb: 'get', path: '/x'}}}",
        422,
        "disallowed on this kind of request"},
    {"rules of no namespace", kind_self_rules_review, "{spec: {}}", 400, "no namespace on request"},
    {"no token",
        kind_token_review,
        "{spec: {}}",
        400,
        "token is required for TokenReview in authentication"},
    {"no object", kind_token_review, "[]", 400, "an object was expected"},
};

TEST(an_invalid_review_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();
        post(d, refusals[i].kind, refusals[i].review);
        then_refused(d, refusals[i].status, refusals[i].phrase);
    }
}

TEST(a_token_review_returns_the_service_account_of_a_token)
{
    SCOPED_DESK d = desk_open();
    create(d, kind_serviceaccount, "{metadata: {name: 'op'}}");
    const Json *made = ask_body(d,
        (Request){.verb = VERB_CREATE,
            .kind = kind_serviceaccount,
            .key.name = "op",
            .subresource = "token"},
        "{spec: {audiences: ['a', 'b']}}");
    const char *token = json_str(made, ".status.token");
    const Json *got = post(d,
        kind_token_review,
        str_format(d->arena, "{spec: {token: '%s', audiences: ['b', 'c']}}", token));
    then_status(d, 201);
    then_true(json_bool(got, ".status.authenticated", false));
    then_str(json_str(got, ".status.user.username"), "system:serviceaccount:default:op");
    then_str(json_write(d->arena, json_find(got, ".status.user.groups")).data,
        "[\"system:serviceaccounts\",\"system:serviceaccounts:default\",\"system:authenticated\"]");
    then_str(json_write(d->arena, json_find(got, ".status.audiences")).data, "[\"b\"]");

    got = post(d, kind_token_review, str_format(d->arena, "{spec: {token: '%s'}}", token));
    then_status(d, 201);
    then_true(!json_find(got, ".status.authenticated"));
    then_str(json_str(got, ".status.error"),
        "[invalid bearer token, token audiences [\"a\" \"b\"] is invalid for the target audiences "
        "[\"https://kubernetes.default.svc\"]]");
}

TEST(a_self_subject_review_returns_the_caller)
{
    SCOPED_DESK d = desk_open();
    const Json *got = post(d, kind_self_review, "{}");
    then_status(d, 201);
    then_str(json_write(d->arena, json_find(got, ".status.userInfo")).data,
        "{\"username\":\"ann\",\"uid\":\"7\",\"groups\":[\"crew\",\"system:authenticated\"]}");
}

TEST(a_self_rules_review_lists_the_rules_of_the_caller)
{
    SCOPED_DESK d = desk_of_ann();
    const Json *got = post(d, kind_self_rules_review, "{spec: {namespace: 'default'}}");
    then_status(d, 201);
    then_int(json_count(json_find(got, ".status.resourceRules")), 2);
    then_int(json_count(json_find(got, ".status.nonResourceRules")), 1);
    then_true(!json_bool(got, ".status.incomplete", true));
    got = post(d, kind_self_rules_review, "{spec: {namespace: 'x'}}");
    then_int(json_count(json_find(got, ".status.resourceRules")), 1);
}

TEST(a_review_can_only_be_created)
{
    for (size_t i = 0; review_kind(i); i++) {
        SCOPED_DESK d = desk_open();
        ask(d, (Request){.verb = VERB_LIST, .kind = review_kind(i)});
        then_refused(d, 405, "does not allow this method");
        ask(d, (Request){.verb = VERB_GET, .kind = review_kind(i), .key.name = "x"});
        then_refused(d, 404, "could not find");
        then_true(review_is(review_kind(i)));
    }
    then_true(!review_is(kind_pod));
}

TEST(a_review_is_not_stored)
{
    SCOPED_DESK d = desk_of_ann();
    uint64_t version = server_version(d->server);
    post(d, kind_self_access_review, "{spec: {resourceAttributes: {verb: 'get'}}}");
    then_status(d, 201);
    then_int(server_version(d->server), version);
}
