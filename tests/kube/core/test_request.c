/* Requests: what each one is on the wire, and what never gets there. */
#include "kube/request.h"
#include "tests/test.h"

static const Kind seinode = {"sei.io", "v1alpha1", "seinodes", "SeiNode", .namespaced = true};

/* --- URLs --- */

static const struct {
    const char *name;
    Request request;
    const Kind *kind;
    const char *url;
} urls[] = {
    {"one object of the core group",
        {.verb = VERB_GET, .key = {"ns", "x"}},
        kind_pod,
        "/api/v1/namespaces/ns/pods/x"},
    {"one object of another group",
        {.verb = VERB_GET, .key = {"ns", "x"}},
        kind_statefulset,
        "/apis/apps/v1/namespaces/ns/statefulsets/x"},
    {"one object without a namespace",
        {.verb = VERB_GET, .key = {NULL, "x"}},
        kind_node,
        "/api/v1/nodes/x"},
    {"an empty namespace is none", {.verb = VERB_LIST, .key = {""}}, kind_pod, "/api/v1/pods"},
    {"a list of one namespace",
        {.verb = VERB_LIST, .key = {"ns"}},
        kind_pod,
        "/api/v1/namespaces/ns/pods"},
    {"a list of all namespaces",
        {.verb = VERB_LIST},
        kind_lease,
        "/apis/coordination.k8s.io/v1/leases"},
    {"a page of a selection",
        {.verb = VERB_LIST, .labels = "a=b,c in (d,e)", .fields = "metadata.name=x", .limit = 500},
        kind_pod,
        "/api/v1/pods?labelSelector=a%3Db%2Cc%20in%20%28d%2Ce%29"
        "&fieldSelector=metadata.name%3Dx&limit=500"},
    {"the next page",
        {.verb = VERB_LIST, .limit = 2, .continue_key = "eyJ2Ijoi/+=="},
        kind_pod,
        "/api/v1/pods?limit=2&continue=eyJ2Ijoi%2F%2B%3D%3D"},
    {"a watch",
        {.verb = VERB_WATCH,
            .key = {"ns"},
            .labels = "!a",
            .resource_version = "42",
            .timeout_seconds = 300,
            .bookmarks = true},
        kind_pod,
        "/api/v1/namespaces/ns/pods?labelSelector=%21a&watch=true&allowWatchBookmarks=true"
        "&resourceVersion=42&timeoutSeconds=300"},
    {"a watch from now on", {.verb = VERB_WATCH}, kind_pod, "/api/v1/pods?watch=true"},
    {"a create goes to the collection",
        {.verb = VERB_CREATE, .key = {"ns", "x"}, .manager = "me"},
        kind_pod,
        "/api/v1/namespaces/ns/pods?fieldManager=me"},
    {"a token is created below its account",
        {.verb = VERB_CREATE, .key = {"ns", "x"}, .subresource = "token"},
        kind_serviceaccount,
        "/api/v1/namespaces/ns/serviceaccounts/x/token"},
    {"an update",
        {.verb = VERB_UPDATE, .key = {"ns", "x"}, .dry_run = true},
        kind_pod,
        "/api/v1/namespaces/ns/pods/x?dryRun=All"},
    {"a strict update",
        {.verb = VERB_UPDATE, .key = {"ns", "x"}, .field_validation = FIELD_VALIDATION_STRICT},
        kind_pod,
        "/api/v1/namespaces/ns/pods/x?fieldValidation=Strict"},
    {"a forced apply",
        {.verb = VERB_APPLY, .key = {"ns", "x"}, .manager = "seinode-controller", .force = true},
        kind_statefulset,
        "/apis/apps/v1/namespaces/ns/statefulsets/x?fieldManager=seinode-controller&force=true"},
    {"an apply that yields to others",
        {.verb = VERB_APPLY, .key = {"ns", "x"}, .manager = "a b&c"},
        kind_statefulset,
        "/apis/apps/v1/namespaces/ns/statefulsets/x?fieldManager=a%20b%26c"},
    {"force is for applies alone",
        {.verb = VERB_MERGE_PATCH, .key = {"ns", "x"}, .force = true},
        kind_pod,
        "/api/v1/namespaces/ns/pods/x"},
    {"a status patch",
        {.verb = VERB_MERGE_PATCH, .key = {"ns", "x"}, .subresource = "status"},
        kind_statefulset,
        "/apis/apps/v1/namespaces/ns/statefulsets/x/status"},
    {"a delete says the rest in its body",
        {.verb = VERB_DELETE, .key = {"ns", "x"}, .uid = "u", .dry_run = true, .manager = "me"},
        kind_pod,
        "/api/v1/namespaces/ns/pods/x"},
    {"a name with bytes that URLs reserve",
        {.verb = VERB_GET, .key = {"ns", "system:a b%?#\xc3\xa9"}},
        kind_pod,
        "/api/v1/namespaces/ns/pods/system%3Aa%20b%25%3F%23%C3%A9"},
};

TEST(every_request_has_its_url)
{
    each_case(i, urls) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = urls[i].request;
        const char *url = NULL;
        request.kind = urls[i].kind;
        request.body = json_fixture(a, "{}");

        then_ok(request_url(a, &request, &url));
        then_str(url, urls[i].url);
    }
}

TEST(a_custom_kind_has_request_urls)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Request request = {.verb = VERB_GET, .kind = &seinode, .key = {"ns", "x"}};
    const char *url = NULL;

    then_ok(request_url(a, &request, &url));
    then_str(url, "/apis/sei.io/v1alpha1/namespaces/ns/seinodes/x");
}

TEST(a_name_of_253_bytes_is_accepted_in_a_url_and_one_of_254_is_not)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char name[255] = {0};
    Request request = {.verb = VERB_GET, .kind = kind_node, .key = {NULL, name}};
    const char *url = NULL;

    memset(name, 'x', 253);
    then_ok(request_url(a, &request, &url));
    then_int(strlen(url), strlen("/api/v1/nodes/") + 253);

    name[253] = 'x';
    then_err(request_url(a, &request, &url), TERMINAL("name is longer than 253 bytes"));
}

/* --- what never becomes a URL --- */

static const struct {
    const char *name;
    Request request;
    const Kind *kind;
    bool bodiless;
    Want want;
} refusals[] = {
    {"a get without a name",
        {.verb = VERB_GET, .key = {"ns"}},
        kind_pod,
        .want = TERMINAL("name is empty")},
    {"a get of the empty name",
        {.verb = VERB_GET, .key = {"ns", ""}},
        kind_pod,
        .want = TERMINAL("name is empty")},
    {"a delete of a whole collection",
        {.verb = VERB_DELETE, .key = {"ns"}},
        kind_pod,
        .want = TERMINAL("delete pods ns/: the name is empty")},
    {"a patch without a name",
        {.verb = VERB_JSON_PATCH, .key = {"ns"}},
        kind_pod,
        .want = TERMINAL("name is empty")},
    {"a token without a service account",
        {.verb = VERB_CREATE, .key = {"ns"}, .subresource = "token"},
        kind_serviceaccount,
        .want = TERMINAL("name is empty")},
    {"the name of this folder",
        {.verb = VERB_GET, .key = {"ns", "."}},
        kind_pod,
        .want = TERMINAL("\".\" cannot be a name")},
    {"the name of the folder above",
        {.verb = VERB_GET, .key = {"ns", ".."}},
        kind_pod,
        .want = TERMINAL("\"..\" cannot be a name")},
    {"a name with a slash",
        {.verb = VERB_DELETE, .key = {"ns", "x/status"}},
        kind_pod,
        .want = TERMINAL("\"x/status\" cannot be a name")},
    {"a namespace with a slash",
        {.verb = VERB_GET, .key = {"../ns", "x"}},
        kind_pod,
        .want = TERMINAL("cannot be a namespace")},
    {"a list of a namespace that leaves its folder",
        {.verb = VERB_LIST, .key = {".."}},
        kind_pod,
        .want = TERMINAL("cannot be a namespace")},
    {"a subresource with a slash",
        {.verb = VERB_GET, .key = {"ns", "x"}, .subresource = "proxy/etc"},
        kind_pod,
        .want = TERMINAL("cannot be a subresource")},
    {"an empty subresource",
        {.verb = VERB_GET, .key = {"ns", "x"}, .subresource = ""},
        kind_pod,
        .want = TERMINAL("subresource is empty")},
    {"an object in no namespace",
        {.verb = VERB_GET, .key = {NULL, "x"}},
        kind_pod,
        .want = TERMINAL("namespace is missing")},
    {"a create in no namespace",
        {.verb = VERB_CREATE, .key = {"", "x"}},
        kind_pod,
        .want = TERMINAL("namespace is missing")},
    {"a namespace for a kind that has none",
        {.verb = VERB_GET, .key = {"ns", "x"}},
        kind_node,
        .want = TERMINAL("no namespaces")},
    {"a list by name",
        {.verb = VERB_LIST, .key = {"ns", "x"}},
        kind_pod,
        .want = TERMINAL("metadata.name")},
    {"a watch by name",
        {.verb = VERB_WATCH, .key = {"ns", "x"}},
        kind_pod,
        .want = TERMINAL("metadata.name")},
    {"a list from a cache",
        {.verb = VERB_LIST, .resource_version = "0"},
        kind_pod,
        .want = TERMINAL("always consistent")},
    {"an apply without a field manager",
        {.verb = VERB_APPLY, .key = {"ns", "x"}},
        kind_pod,
        .want = TERMINAL("field manager")},
    {"a create of nothing",
        {.verb = VERB_CREATE, .key = {"ns", "x"}},
        kind_pod,
        .bodiless = true,
        .want = TERMINAL("body is missing")},
    {"an empty patch",
        {.verb = VERB_MERGE_PATCH, .key = {"ns", "x"}},
        kind_pod,
        .bodiless = true,
        .want = TERMINAL("body is missing")},
};

TEST(an_ambiguous_or_invalid_request_has_no_url)
{
    each_case(i, refusals) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = refusals[i].request;
        const char *url = "untouched";
        request.kind = refusals[i].kind;
        request.body = refusals[i].bodiless ? NULL : json_fixture(a, "{}");

        then_err(request_url(a, &request, &url), refusals[i].want);
        then_str(url, "untouched");
    }
}

static const struct {
    const char *name, *path;
    Want want;
} raw_paths[] = {
    {"a path", "/readyz?verbose"},
    {"a path to the last of the plain bytes", "/~!"},
    {"a path with a space", "/a b", .want = TERMINAL("must be escaped")},
    {"no path", NULL, .want = TERMINAL("begins with a slash")},
    {"a relative path", "readyz", .want = TERMINAL("begins with a slash")},
    {"a path that smuggles a header", "/x HTTP/1.1\r\nA: b", .want = TERMINAL("must be escaped")},
    {"a path with a raw byte", "/\xc3\xa9", .want = TERMINAL("must be escaped")},
};

TEST(a_raw_path_is_sent_unchanged)
{
    each_case(i, raw_paths) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = {.verb = VERB_RAW_GET, .raw_path = raw_paths[i].path};
        const char *url = NULL;

        then_err(request_url(a, &request, &url), raw_paths[i].want);
        if (!raw_paths[i].want)
            then_str(url, raw_paths[i].path);
    }
}

TEST(every_byte_except_unreserved_characters_is_escaped_in_a_url)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char text[256] = {0};

    for (int byte = 1; byte < 256; byte++)
        text[byte - 1] = (char)byte;
    const char *escaped = request_escape(a, text);

    then_int(strlen(escaped), 66 + 3 * (255 - 66));
    then_true(strstr(escaped, "%2C-.%2F0123456789%3A") != NULL);
    then_true(strstr(escaped, "%FD%FE%FF") != NULL);
    then_str(request_escape(a, ""), "");
    then_str(request_escape(a, NULL), "");
}

/* --- verbs --- */

static const struct {
    const char *name, *method, *word, *type;
    Verb verb;
    bool write, repeatable;
} verbs[] = {
    {"get", "GET", "get", NULL, VERB_GET, .repeatable = true},
    {"list", "GET", "list", NULL, VERB_LIST, .repeatable = true},
    {"watch", "GET", "watch", NULL, VERB_WATCH, .repeatable = true},
    {"create", "POST", "create", "application/json", VERB_CREATE, .write = true},
    {"update", "PUT", "update", "application/json", VERB_UPDATE, .write = true},
    {"apply",
        "PATCH",
        "patch",
        "application/apply-patch+yaml",
        VERB_APPLY,
        .write = true,
        .repeatable = true},
    {"merge patch",
        "PATCH",
        "patch",
        "application/merge-patch+json",
        VERB_MERGE_PATCH,
        .write = true},
    {"json patch", "PATCH", "patch", "application/json-patch+json", VERB_JSON_PATCH, .write = true},
    {"strategic patch",
        "PATCH",
        "patch",
        "application/strategic-merge-patch+json",
        VERB_STRATEGIC_PATCH,
        .write = true},
    {"delete", "DELETE", "delete", "application/json", VERB_DELETE, .write = true},
    {"raw get", "GET", "get", NULL, VERB_RAW_GET, .repeatable = true},
};

TEST(each_verb_has_its_method_and_content_type)
{
    each_case(i, verbs) {
        Request request = {.verb = verbs[i].verb};

        then_str(request_method(&request), verbs[i].method);
        then_str(request_verb_text(&request), verbs[i].word);
        then_str(request_content_type(&request), verbs[i].type);
        then_true(request_is_write(&request) == verbs[i].write);
        then_true(request_is_safe_to_repeat(&request) == verbs[i].repeatable);
    }
}

TEST(a_dry_run_writes_nothing_and_may_be_repeated)
{
    Request request = {.verb = VERB_CREATE, .dry_run = true};

    then_true(!request_is_write(&request));
    then_true(request_is_safe_to_repeat(&request));
}

/* --- bodies --- */

static const struct {
    const char *name;
    Request request;
    const char *body; /* of the request */
    const char *want; /* NULL: nothing is sent */
} bodies[] = {
    {"a create sends its object", {.verb = VERB_CREATE}, "{kind: 'Pod'}", "{kind: 'Pod'}"},
    {"a json patch sends its operations",
        {.verb = VERB_JSON_PATCH},
        "[{op: 'test'}]",
        "[{op: 'test'}]"},
    {"a get sends nothing", {.verb = VERB_GET}, "{kind: 'Pod'}", NULL},
    {"a plain delete", {.verb = VERB_DELETE}, NULL, "{apiVersion: 'v1', kind: 'DeleteOptions'}"},
    {"a delete of what was seen",
        {.verb = VERB_DELETE,
            .uid = "u",
            .resource_version = "7",
            .propagation = PROPAGATION_FOREGROUND,
            .has_grace = true,
            .grace_seconds = 0,
            .dry_run = true},
        NULL,
        "{apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid: 'u', resourceVersion: '7'},"
        " propagationPolicy: 'Foreground', gracePeriodSeconds: 0, dryRun: ['All']}"},
    {"a delete of a uid of any version",
        {.verb = VERB_DELETE, .uid = "u", .propagation = PROPAGATION_BACKGROUND},
        NULL,
        "{apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid: 'u'},"
        " propagationPolicy: 'Background'}"},
    {"a delete that leaves the children",
        {.verb = VERB_DELETE, .propagation = PROPAGATION_ORPHAN},
        NULL,
        "{apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan'}"},
};

TEST(every_request_has_its_body)
{
    each_case(i, bodies) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = bodies[i].request;
        const Json *sent = NULL;
        if (bodies[i].body)
            request.body = json_fixture(a, bodies[i].body);

        Bytes bytes = request_body(a, &request);

        if (bytes.len)
            then_ok(json_parse(a, bytes, &sent));
        then_json(sent, bodies[i].want);
    }
}

/* --- what people read --- */

TEST(errors_and_logs_describe_a_request_by_its_verb_and_object)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Request patch = {.verb = VERB_MERGE_PATCH,
        .kind = kind_statefulset,
        .key = {"default", "node-0"},
        .subresource = "status"};
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key = {"ns"}};
    Request list_all = {.verb = VERB_LIST, .kind = kind_pod};
    Request get = {.verb = VERB_GET, .kind = kind_node, .key = {NULL, "n"}};
    Request raw = {.verb = VERB_RAW_GET, .raw_path = "/version"};

    then_str(request_text(a, &patch), "patch statefulsets apps default/node-0 (status)");
    then_str(request_text(a, &list), "list pods ns/");
    then_str(request_text(a, &list_all), "list pods");
    then_str(request_text(a, &get), "get nodes n");
    then_str(request_text(a, &raw), "get /version");
}
