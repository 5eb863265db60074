/* The world's authorizer beside the real one: the same roles and bindings, and a table of questions
 * asked of both as SubjectAccessReviews. The verdict and its reason must be the same. */
#include "tests/e2e/controlplane_parts.h"
#include "tests/e2e/scene.h"
#include "tests/world/stage.h"
#include "world/rights.h"

enum { ALIKE_MAX = 64 << 20, QUESTIONS_LEAST = 100 };

/* --- who has what */

static const struct {
    const Kind *kind;
    const char *object;
} given[] = {
    {kind_namespace, "{metadata: {name: 'red'}}"},
    {kind_namespace, "{metadata: {name: 'blue'}}"},
    {kind_clusterrole,
        "{metadata: {name: 't-reader'}, rules: ["
        " {apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list', 'watch']},"
        " {apiGroups: ['apps'], resources: ['*'], verbs: ['get']},"
        " {apiGroups: ['sei.io'], resources: ['seinodes'], resourceNames: ['a', 'b'],"
        "  verbs: ['get', 'watch']},"
        " {nonResourceURLs: ['/metrics', '/t/*', '/u*'], verbs: ['get']}]}"},
    {kind_clusterrole,
        "{metadata: {name: 't-scaler'}, rules: ["
        " {apiGroups: ['*'], resources: ['*/scale'], verbs: ['get', 'update', 'patch']},"
        " {apiGroups: [''], resources: ['pods/*'], verbs: ['delete']}]}"},
    {kind_clusterrole,
        "{metadata: {name: 't-all'}, rules: ["
        " {apiGroups: ['*'], resources: ['*'], verbs: ['*']},"
        " {nonResourceURLs: ['*'], verbs: ['*']}]}"},
    {kind_clusterrole, "{metadata: {name: 't-empty'}, rules: []}"},
    {kind_clusterrole,
        "{metadata: {name: 't-added',"
        "  labels: {'rbac.authorization.k8s.io/aggregate-to-view': 'true'}},"
        " rules: [{apiGroups: ['sei.io'], resources: ['seinodes'], verbs: ['list']}]}"},
    {kind_role,
        "{metadata: {name: 't-writer', namespace: 'red'}, rules: ["
        " {apiGroups: [''], resources: ['secrets'], verbs: ['create', 'get']},"
        " {apiGroups: [''], resources: ['namespaces'], verbs: ['get']},"
        " {apiGroups: ['sei.io'], resources: ['seinodes/status'], verbs: ['patch']}]}"},
    {kind_clusterrolebinding,
        "{metadata: {name: 't-ann'}, roleRef: {kind: 'ClusterRole', name: 't-reader'},"
        " subjects: [{kind: 'User', name: 'ann'}]}"},
    {kind_clusterrolebinding,
        "{metadata: {name: 't-crew'}, roleRef: {kind: 'ClusterRole', name: 't-scaler'},"
        " subjects: [{kind: 'Group', name: 'crew'}]}"},
    {kind_clusterrolebinding,
        "{metadata: {name: 't-op'}, roleRef: {kind: 'ClusterRole', name: 't-all'},"
        " subjects: [{kind: 'ServiceAccount', name: 'op', namespace: 'red'}]}"},
    {kind_clusterrolebinding,
        "{metadata: {name: 't-gone'}, roleRef: {kind: 'ClusterRole', name: 't-none'},"
        " subjects: [{kind: 'User', name: 'carl'}]}"},
    {kind_clusterrolebinding,
        "{metadata: {name: 't-hollow'}, roleRef: {kind: 'ClusterRole', name: 't-empty'},"
        " subjects: [{kind: 'User', name: 'dora'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-bob', namespace: 'red'}, roleRef: {kind: 'Role', name: 't-writer'},"
        " subjects: [{kind: 'User', name: 'bob'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-accounts', namespace: 'red'},"
        " roleRef: {kind: 'ClusterRole', name: 't-reader'},"
        " subjects: [{kind: 'Group', name: 'system:serviceaccounts:blue'},"
        "            {kind: 'ServiceAccount', name: 'near'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-view', namespace: 'blue'},"
        " roleRef: {kind: 'ClusterRole', name: 'view'}, subjects: [{kind: 'User', name: 'eve'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-edit', namespace: 'blue'},"
        " roleRef: {kind: 'ClusterRole', name: 'edit'}, subjects: [{kind: 'User', name: 'fay'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-admin', namespace: 'blue'},"
        " roleRef: {kind: 'ClusterRole', name: 'admin'}, subjects: [{kind: 'User', name: 'gus'}]}"},
    {kind_rolebinding,
        "{metadata: {name: 't-lost', namespace: 'red'}, roleRef: {kind: 'Role', name: 't-none'},"
        " subjects: [{kind: 'User', name: 'carl'}]}"},
};

/* --- the questions: everybody is asked about everything */

static const struct {
    const char *user, *groups;
} people[] = {
    {"ann", "system:authenticated"},
    {"bob", "system:authenticated"},
    {"carl", "system:authenticated"},
    {"dora", "crew,system:authenticated"},
    {"eve", "system:authenticated"},
    {"fay", "system:authenticated"},
    {"gus", "system:authenticated"},
    {"nobody", "system:unauthenticated"},
    {"root", "system:masters,system:authenticated"},
    {"ann", "crew"},
    {"system:serviceaccount:red:op", "system:serviceaccounts,system:serviceaccounts:red"},
    {"system:serviceaccount:red:near", "system:serviceaccounts,system:serviceaccounts:red"},
    {"system:serviceaccount:blue:far", "system:serviceaccounts,system:serviceaccounts:blue"},
    {"system:serviceaccount:blue:op", "system:serviceaccounts"},
};

static const char *const wishes[] = {
    "resourceAttributes: {verb: 'get', resource: 'pods', namespace: 'red'}",
    "resourceAttributes: {verb: 'list', resource: 'pods'}",
    "resourceAttributes: {verb: 'get', resource: 'pods', subresource: 'log', namespace: 'blue'}",
    "resourceAttributes: {verb: 'get', resource: 'pods', subresource: 'status', namespace: 'red'}",
    "resourceAttributes: {verb: 'delete', resource: 'pods', subresource: 'log', namespace: 'red'}",
    "resourceAttributes: {verb: 'delete', resource: 'pods', namespace: 'blue'}",
    "resourceAttributes: {verb: 'create', resource: 'secrets', namespace: 'red'}",
    "resourceAttributes: {verb: 'get', resource: 'secrets', namespace: 'blue'}",
    "resourceAttributes: {verb: 'get', resource: 'namespaces', namespace: 'red', name: 'red'}",
    "resourceAttributes: {verb: 'get', group: 'apps', resource: 'statefulsets', namespace: 'red'}",
    ("resourceAttributes: {verb: 'patch', group: 'apps', resource: 'statefulsets',"
     " subresource: 'scale', namespace: 'blue'}"),
    "resourceAttributes: {verb: 'get', group: 'sei.io', resource: 'seinodes', name: 'a'}",
    "resourceAttributes: {verb: 'get', group: 'sei.io', resource: 'seinodes', name: 'c'}",
    "resourceAttributes: {verb: 'list', group: 'sei.io', resource: 'seinodes', namespace: 'blue'}",
    ("resourceAttributes: {verb: 'patch', group: 'sei.io', resource: 'seinodes',"
     " subresource: 'status', namespace: 'red', name: 'a'}"),
    ("resourceAttributes: {verb: 'create', group: 'rbac.authorization.k8s.io',"
     " resource: 'rolebindings', namespace: 'blue'}"),
    ("resourceAttributes: {verb: 'create', group: 'authorization.k8s.io',"
     " resource: 'selfsubjectaccessreviews'}"),
    "resourceAttributes: {verb: 'impersonate', resource: 'serviceaccounts', namespace: 'blue'}",
    "resourceAttributes: {verb: '*', group: '*', resource: '*'}",
    "resourceAttributes: {}",
    "nonResourceAttributes: {verb: 'get', path: '/metrics'}",
    "nonResourceAttributes: {verb: 'get', path: '/t/x/y'}",
    "nonResourceAttributes: {verb: 'get', path: '/t'}",
    "nonResourceAttributes: {verb: 'get', path: '/user'}",
    "nonResourceAttributes: {verb: 'get', path: '/version'}",
    "nonResourceAttributes: {verb: 'get', path: '/apis/sei.io'}",
    "nonResourceAttributes: {verb: 'post', path: '/metrics'}",
};

static const char *review_text(Arena *a, size_t person, size_t wish)
{
    const char *groups = people[person].groups, *list = "";

    while (*groups) {
        size_t len = strcspn(groups, ",");
        list = str_format(a, "%s%s'%.*s'", list, *list ? ", " : "", (int)len, groups);
        groups += len + (groups[len] == ',');
    }
    return str_format(a,
        "{apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview',"
        " spec: {user: '%s', groups: [%s], %s}}",
        people[person].user,
        list,
        wishes[wish]);
}

/* --- both sides */

static Answer ask_real(Controlplane *cp, Arena *a, const Request *request)
{
    Fetch question = controlplane_fetch(cp, a);
    Answer answer = {0};
    const char *url = NULL, *text = NULL;

    then_ok(request_url(a, request, &url));
    question.url = str_format(a, "%s%s", controlplane_server(cp), url);
    question.method = request_method(request);
    question.type = request_content_type(request);
    question.body = request_body(a, request).data;
    then_ok(fetch_any(a, &question, &answer.status, &text));
    then_ok(json_parse(a, bytes_of(text), &answer.body));
    return answer;
}

static const Json *whole(Arena *a, const Kind *kind, const char *object)
{
    char version[KIND_API_VERSION_SIZE];

    return json_merge(a,
        json_fixture(a, object),
        json_seal(a,
            draft(a,
                str("apiVersion", str_copy(a, kind_api_version(kind, version))),
                str("kind", kind->name))));
}

static Request request_of(Arena *a, const Kind *kind, const char *json5)
{
    const Json *object = whole(a, kind, json5);

    return (Request){
        .verb = VERB_CREATE,
        .kind = kind,
        .key.namespace = kind->namespaced ? meta_namespace(object) : NULL,
        .body = object,
    };
}

static Stage *begin_both(Controlplane *cp)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    rights_bootstrap(world_server(s->world));
    world_add(s->world, role_aggregation_open(&options));
    for (size_t i = 0; i < array_count(given); i++) {
        Request request = request_of(s->arena, given[i].kind, given[i].object);
        then_ok(api_call(s->api, s->arena, &request, NULL));
        then_int(ask_real(cp, s->arena, &request).status, 201);
    }
    pass(s, 10);
    return s;
}

static const char *verdict_of(Arena *a, const Json *review)
{
    const char *reason = json_str(review, ".status.reason");

    return str_format(a,
        "%s: %s",
        json_bool(review, ".status.allowed", false) ? "yes" : "no",
        reason ? reason : "");
}

/* The rules of sums come from the controller manager: the last of them is waited for. */
static bool real_has_summed(Controlplane *cp)
{
    SCOPED_ARENA a = arena_open(ALIKE_MAX);
    Request question = request_of(a, kind_access_review, review_text(a, 6, 13));

    return json_bool(ask_real(cp, a, &question).body, ".status.allowed", false);
}

static bool is_alike(Controlplane *cp, Stage *s, size_t person, size_t wish)
{
    SCOPED_ARENA a = arena_open(ALIKE_MAX);
    Request question = request_of(a, kind_access_review, review_text(a, person, wish));
    const Json *world = NULL;

    then_ok(api_call(s->api, a, &question, &world));
    const char *here = verdict_of(a, world);
    const char *there = verdict_of(a, ask_real(cp, a, &question).body);
    /* Who has two bindings for one right has either from the real server, in no order. */
    if (here[0] == 'y' && there[0] == 'y' && strstr(here, "RBAC") && strstr(there, "RBAC"))
        return true;
    if (!str_eq(here, there))
        print_error("%s\nreal:  %s\nworld: %s\n", review_text(a, person, wish), there, here);
    return str_eq(here, there);
}

TEST(the_simulated_authorizer_decides_like_the_real_one)
{
    Controlplane *cp = scene_begin(controlplane_shared());
    SCOPED_STAGE s = begin_both(cp);
    size_t asked = 0, differ = 0;

    eventually(real_has_summed(cp));
    for (size_t person = 0; person < array_count(people); person++)
        for (size_t wish = 0; wish < array_count(wishes); wish++, asked++)
            differ += !is_alike(cp, s, person, wish);
    printf("# %zu questions\n", asked);
    then_true(asked >= QUESTIONS_LEAST);
    then_int(differ, 0);
}
