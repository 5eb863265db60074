/* HTTP requests and what they ask of an API server: what they are about, the Request, or the
 * refusal. */
#include "sandbox/route.h"
#include "tests/test.h"
#include "world/world.h"

/* "verb group/version resource/subresource namespace name", or the path. */
static const char *about(Arena *a, const Route *r)
{
    if (!r->is_resource)
        return str_format(a, "%s %s", r->verb, r->path);
    return str_format(a,
        "%s %s/%s %s%s%s ns=%s name=%s",
        r->verb,
        r->group,
        r->version,
        r->resource,
        *r->subresource ? "/" : "",
        r->subresource,
        r->namespace,
        r->name);
}

TEST(a_request_target_is_parsed_into_verb_and_kind_and_object)
{
    static const struct {
        const char *name, *method, *target, *want;
    } cases[] = {
        {"a list", "GET", "/api/v1/pods", "list /v1 pods ns= name="},
        {"a list in a namespace",
            "GET",
            "/api/v1/namespaces/a/pods?limit=1",
            "list /v1 pods ns=a name="},
        {"a watch", "GET", "/api/v1/namespaces/a/pods?watch=true", "watch /v1 pods ns=a name="},
        {"one", "GET", "/api/v1/namespaces/a/pods/p", "get /v1 pods ns=a name=p"},
        {"one is never watched",
            "GET",
            "/api/v1/namespaces/a/pods/p?watch=1",
            "get /v1 pods ns=a name=p"},
        {"of a group",
            "PUT",
            "/apis/apps/v1/namespaces/a/statefulsets/s/status",
            "update apps/v1 statefulsets/status ns=a name=s"},
        {"a namespace", "GET", "/api/v1/namespaces/a", "get /v1 namespaces ns=a name=a"},
        {"its end",
            "PUT",
            "/api/v1/namespaces/a/finalize",
            "update /v1 namespaces/finalize ns=a name=a"},
        {"all namespaces", "GET", "/api/v1/namespaces", "list /v1 namespaces ns= name="},
        {"a delete of all",
            "DELETE",
            "/api/v1/namespaces/a/pods",
            "deletecollection /v1 pods ns=a name="},
        {"an escaped name", "GET", "/api/v1/nodes/a%2Db", "get /v1 nodes ns= name=a-b"},
        {"slashes at the end", "GET", "/api/v1/pods/", "list /v1 pods ns= name="},
        {"a version is no resource", "GET", "/api/v1", "get /api/v1"},
        {"a group's version is no resource", "GET", "/apis/apps/v1", "get /apis/apps/v1"},
        {"what is in a pod",
            "GET",
            "/api/v1/namespaces/a/pods/p:80/proxy/x/y",
            "get /v1 pods/proxy ns=a name=p:80"},
        {"a page", "GET", "/version", "get /version"},
        {"too deep",
            "GET",
            "/api/v1/namespaces/a/pods/p/log/x",
            "get /api/v1/namespaces/a/pods/p/log/x"},
        {"no method that is known", "BREW", "/api/v1/pods", " /v1 pods ns= name="},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Route route;
        HallRequest in = {.method = cases[i].method, .target = cases[i].target};
        then_true(route_read(a, &in, &route));
        then_str(about(a, &route), cases[i].want);
    }
}

TEST(the_path_behind_a_pod_proxy_starts_after_the_pod)
{
    static const struct {
        const char *name, *target, *want;
    } cases[] = {
        {"a path", "/api/v1/namespaces/a/pods/p:80/proxy/x/y?z=1", "/x/y"},
        {"none", "/api/v1/namespaces/a/pods/p/proxy", "/"},
        {"a slash", "/api/v1/namespaces/a/pods/p/proxy/", "/"},
        {"a namespace of that name", "/api/v1/namespaces/proxy/pods/p/proxy/x", "/x"},
        {"a pod of that name", "/api/v1/namespaces/a/pods/proxy/proxy/x", "/x"},
        {"another proxy", "/api/v1/namespaces/a/pods/p/proxy/proxy/x", "/proxy/x"},
        {"slashes of its own", "/api/v1/namespaces/a/pods/p/proxy//x/", "//x/"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Route route;
        HallRequest in = {.method = "GET", .target = cases[i].target};
        then_true(route_read(a, &in, &route));
        then_str(route.subresource, "proxy");
        then_str(route.rest, cases[i].want);
    }
}

TEST(an_invalid_url_is_refused)
{
    static const struct {
        const char *name, *target;
    } cases[] = {{"an escape", "/api/%zz"}, {"no path", "api"}, {"nothing", ""}, {"*", "*"}};

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Route route;
        then_true(
            !route_read(a, &(HallRequest){.method = "GET", .target = cases[i].target}, &route));
    }
}

/* --- requests */

typedef struct Asked {
    Arena *arena;
    World *world;
    Routed routed;
} Asked;

static void close_asked(Asked *asked)
{
    world_close(asked->world);
    arena_close(asked->arena);
}

#define SCOPED_ASKED __attribute__((cleanup(close_asked))) Asked

static Asked ask(HallRequest in, const char *body)
{
    Asked asked = {.arena = arena_open(64 << 20), .world = world_open(&(WorldOptions){.seed = 1})};
    Route route;

    in.content_type = in.content_type ? in.content_type : "application/json";
    in.user_agent = in.user_agent ? in.user_agent : "kubectl/v1.34 (linux)";
    in.body = bytes_of(body);
    then_true(route_read(asked.arena, &in, &route));
    route_request(asked.arena, world_server(asked.world), &in, &route, &asked.routed);
    return asked;
}

TEST(the_query_of_a_list_request_is_decoded)
{
    SCOPED_ASKED asked = ask((HallRequest){.method = "GET",
                                 .target = "/api/v1/namespaces/a/pods?labelSelector=a%3Db&limit=5"
                                           "&fieldSelector=metadata.name%3Dx&continue=t"},
        NULL);
    const Request *r = &asked.routed.request;

    then_int(asked.routed.refusal.status, 0);
    then_int(r->verb, VERB_LIST);
    then_true(r->kind == kind_pod);
    then_str(r->key.namespace, "a");
    then_str(r->labels, "a=b");
    then_str(r->fields, "metadata.name=x");
    then_int(r->limit, 5);
    then_str(r->continue_key, "t");
}

TEST(the_query_of_a_watch_request_is_decoded)
{
    SCOPED_ASKED asked = ask((HallRequest){.method = "GET",
                                 .target = "/api/v1/pods?watch=1&resourceVersion=7"
                                           "&timeoutSeconds=9&allowWatchBookmarks=true"},
        NULL);
    const Request *r = &asked.routed.request;

    then_int(r->verb, VERB_WATCH);
    then_str(r->resource_version, "7");
    then_int(r->timeout_seconds, 9);
    then_true(r->bookmarks && !r->key.namespace);
}

TEST(the_field_manager_comes_from_the_query_or_the_user_agent)
{
    static const struct {
        const char *name, *query, *agent, *want;
    } cases[] = {
        {"the query", "?fieldManager=me", "curl/8", "me"},
        {"the program", "", "curl/8", "curl"},
        {"a program without a version", "", "curl", "curl"},
        {"nobody", "", "", "unknown"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        SCOPED_ASKED asked =
            ask((HallRequest){.method = "POST",
                    .target = str_format(a, "/api/v1/namespaces/a/configmaps%s", cases[i].query),
                    .user_agent = cases[i].agent},
                "{\"metadata\":{\"name\":\"x\"}}");
        then_str(asked.routed.request.manager, cases[i].want);
        then_str(json_str(asked.routed.request.body, ".metadata.name"), "x");
    }
}

TEST(the_content_type_of_a_patch_decides_its_kind)
{
    static const struct {
        const char *name, *type, *query, *body;
        Verb want;
    } cases[] = {
        {"merge", "application/merge-patch+json", "", "{}", VERB_MERGE_PATCH},
        {"with parameters",
            "application/merge-patch+json; charset=utf-8",
            "",
            "{}",
            VERB_MERGE_PATCH},
        {"JSON", "application/json-patch+json", "", "[]", VERB_JSON_PATCH},
        {"strategic", "application/strategic-merge-patch+json", "", "{}", VERB_STRATEGIC_PATCH},
        {"apply", "application/apply-patch+yaml", "?fieldManager=m&force=true", "{}", VERB_APPLY},
        {"apply of YAML",
            "application/apply-patch+yaml",
            "?fieldManager=m&force=true",
            "kind: ConfigMap\ndata:\n  a: b\n",
            VERB_APPLY},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        SCOPED_ASKED asked =
            ask((HallRequest){.method = "PATCH",
                    .target = str_format(a, "/api/v1/namespaces/a/configmaps/x%s", cases[i].query),
                    .content_type = cases[i].type},
                cases[i].body);
        then_int(asked.routed.refusal.status, 0);
        then_int(asked.routed.request.verb, cases[i].want);
        then_int(asked.routed.request.force, cases[i].want == VERB_APPLY);
    }
}

TEST(delete_options_come_from_the_body_or_the_query)
{
    static const char in_query[] = "/api/v1/namespaces/a/pods/p?gracePeriodSeconds=3"
                                   "&propagationPolicy=Foreground&dryRun=All";
    SCOPED_ASKED query = ask((HallRequest){.method = "DELETE", .target = in_query}, NULL);
    SCOPED_ASKED body =
        ask((HallRequest){.method = "DELETE", .target = "/api/v1/namespaces/a/pods/p"},
            "{\"gracePeriodSeconds\":0,\"propagationPolicy\":\"Orphan\",\"dryRun\":[\"All\"],"
            "\"preconditions\":{\"uid\":\"u\",\"resourceVersion\":\"4\"}}");

    then_int(query.routed.request.grace_seconds, 3);
    then_int(query.routed.request.propagation, PROPAGATION_FOREGROUND);
    then_true(query.routed.request.has_grace && query.routed.request.dry_run);
    then_int(body.routed.request.propagation, PROPAGATION_ORPHAN);
    then_true(body.routed.request.has_grace && body.routed.request.dry_run);
    then_str(body.routed.request.uid, "u");
    then_str(body.routed.request.resource_version, "4");
    then_true(!body.routed.request.body);
}

TEST(a_delete_of_a_collection_is_a_collection_delete)
{
    SCOPED_ASKED asked = ask(
        (HallRequest){.method = "DELETE", .target = "/api/v1/namespaces/a/pods?labelSelector=app"},
        NULL);

    then_true(asked.routed.is_sweep);
    then_str(asked.routed.request.labels, "app");
}

TEST(an_invalid_request_is_refused_as_by_the_real_server)
{
    static const struct {
        const char *name, *method, *target, *type, *body;
        int status;
        const char *message;
    } cases[] = {
        {"a resource that is none",
            "GET",
            "/api/v1/things",
            .status = 404,
            .message = "the server could not find the requested resource"},
        {"a namespace for what has none",
            "GET",
            "/api/v1/namespaces/a/nodes/n",
            .status = 404,
            .message = "the server could not find the requested resource"},
        {"one without its namespace",
            "GET",
            "/api/v1/pods/p",
            .status = 404,
            .message = "the server could not find the requested resource"},
        {"a create without a namespace",
            "POST",
            "/api/v1/pods",
            .body = "{}",
            .status = 405,
            .message = "the server does not allow this method on the requested resource"},
        {"a create of a named one",
            "POST",
            "/api/v1/namespaces/a/pods/p",
            .body = "{}",
            .status = 405,
            .message = "the server does not allow this method on the requested resource"},
        {"an update of all",
            "PUT",
            "/api/v1/namespaces/a/pods",
            .body = "{}",
            .status = 405,
            .message = "the server does not allow this method on the requested resource"},
        {"a patch of no type",
            "PATCH",
            "/api/v1/namespaces/a/pods/p",
            .type = "application/json",
            .body = "{}",
            .status = 415,
            .message = "the body of the request was in an unknown format - accepted media types "
                       "include: application/json-patch+json, application/merge-patch+json, "
                       "application/strategic-merge-patch+json, application/apply-patch+yaml"},
        {"an apply without a manager",
            "PATCH",
            "/api/v1/namespaces/a/pods/p",
            .type = "application/apply-patch+yaml",
            .body = "{}",
            .status = 422,
            .message = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: "
                       "is required for apply patch"},
        {"force without apply",
            "PATCH",
            "/api/v1/namespaces/a/pods/p?force=true",
            .type = "application/merge-patch+json",
            .body = "{}",
            .status = 422,
            .message = "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be "
                       "specified for non-apply patch"},
        {"a limit that is no number",
            "GET",
            "/api/v1/pods?limit=x",
            .status = 400,
            .message = "strconv.ParseInt: parsing \"x\": invalid syntax"},
        {"a dry run of something",
            "POST",
            "/api/v1/namespaces/a/pods?dryRun=Some",
            .body = "{}",
            .status = 422,
            .message = "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: "
                       "[\"Some\"]: supported values: \"All\""},
        {"a strictness that is none",
            "POST",
            "/api/v1/namespaces/a/pods?fieldValidation=Very",
            .body = "{}",
            .status = 422,
            .message = "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported "
                       "value: \"Very\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""},
        {"a list at an exact version that is none",
            "GET",
            "/api/v1/pods?resourceVersionMatch=Exact",
            .status = 422,
            .message = "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
                       "resourceVersionMatch is forbidden unless resourceVersion is provided"},
        {"a way to propagate that is none",
            "DELETE",
            "/api/v1/namespaces/a/pods/p?propagationPolicy=Wide",
            .status = 422,
            .message = "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported "
                       "value: \"Wide\": supported values: \"Foreground\", \"Background\", "
                       "\"Orphan\", \"nil\""},
        {"a list for an object",
            "POST",
            "/api/v1/namespaces/a/pods",
            .body = "[]",
            .status = 400,
            .message = "the object provided is unrecognized (must be of type Pod): couldn't get "
                       "version/kind; json parse error: json: cannot unmarshal array into Go value "
                       "of type map[string]interface {}"},
    };

    each_case(i, cases) {
        SCOPED_ASKED asked = ask((HallRequest){.method = cases[i].method,
                                     .target = cases[i].target,
                                     .content_type = cases[i].type},
            cases[i].body);
        const Answer *refusal = &asked.routed.refusal;
        then_int(refusal->status, cases[i].status);
        then_str(json_str(refusal->body, ".message"), cases[i].message);
        then_int(json_int(refusal->body, ".code", 0), cases[i].status);
    }
}

TEST(a_path_of_an_unknown_group_is_not_a_resource_path)
{
    SCOPED_ASKED asked =
        ask((HallRequest){.method = "GET", .target = "/apis/none.example/v1/things"}, NULL);

    then_true(asked.routed.is_page);
}
