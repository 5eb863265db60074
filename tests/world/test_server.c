/* The server as a whole: what it has at the beginning, the order of its versions, what it tells
 * whoever looks on, its limits. */
#include "tests/world/desk.h"

TEST(a_new_server_has_two_namespaces)
{
    SCOPED_DESK d = desk_open();
    const Json *list = ask(d, (Request){.verb = VERB_LIST, .kind = kind_namespace});

    then_status(d, 200);
    then_str(json_str(list, ".kind"), "NamespaceList");
    then_int(json_count(json_find(list, ".items")), 2);
    then_str(json_str(list, ".items[0].metadata.name"), "default");
    then_str(json_str(list, ".items[1].metadata.name"), "kube-system");
    then_str(json_str(list, ".items[0].status.phase"), "Active");
}

TEST(every_write_increments_the_resource_version_by_one)
{
    SCOPED_DESK d = desk_open();
    uint64_t before = server_version(d->server);

    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    then_int(server_version(d->server), before + 1);
    get(d, kind_configmap, "x");
    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    then_refused(d, 409, "configmaps \"x\" already exists");
    merge(d, kind_configmap, "x", "{metadata: {labels: {}}}");
    then_int(server_version(d->server), before + 1);
    delete (d, kind_configmap, "x");
    then_int(server_version(d->server), before + 2);
}

static const struct {
    const char *name;
    Request request;
    int status;
    const char *phrase;
} paths[] = {
    {"an unknown kind", {.kind = kind_widget}, 404, "could not find the requested resource"},
    {"a subresource that no kind has",
        {.kind = kind_pod, .subresource = "moon"},
        404,
        "could not find the requested resource"},
    {"the status of a kind without one",
        {.kind = kind_configmap, .subresource = "status"},
        404,
        "could not find the requested resource"},
    {"the scale of a kind without one",
        {.kind = kind_pod, .subresource = "scale"},
        404,
        "could not find the requested resource"},
    {"an object that is not there",
        {.kind = kind_statefulset},
        404,
        "statefulsets.apps \"x\" not found"},
};

TEST(an_invalid_request_path_is_refused)
{
    each_case(i, paths) {
        SCOPED_DESK d = desk_open();
        Request request = paths[i].request;
        request.key.name = "x";

        ask(d, request);

        then_refused(d, paths[i].status, paths[i].phrase);
    }
}

TEST(health_and_version_requests_are_answered)
{
    SCOPED_DESK d = desk_open();

    ask(d, (Request){.verb = VERB_RAW_GET, .raw_path = "/version"});
    then_str(json_str(d->answer.body, ".minor"), "34");
    ask(d, (Request){.verb = VERB_RAW_GET, .raw_path = "/readyz"});
    then_status(d, 200);
    ask(d, (Request){.verb = VERB_RAW_GET, .raw_path = "/nothing"});
    then_status(d, 404);
}

TEST(the_same_seed_creates_the_same_objects)
{
    SCOPED_DESK left = desk_open();
    SCOPED_DESK right = desk_open();

    const Json *one = create(left, kind_configmap, "{metadata: {generateName: 'x-'}}");
    const Json *other = create(right, kind_configmap, "{metadata: {generateName: 'x-'}}");

    then_true(json_equal(one, other));
}

/* --- whoever looks on --- */

typedef struct Seen {
    int writes, created, deleted;
    const char *user;
} Seen;

static void note(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Seen *seen = self;

    then_true(request != NULL);
    seen->writes++;
    seen->created += !before;
    seen->deleted += !after;
    seen->user = user;
}

TEST(observers_see_every_write_that_changed_something)
{
    SCOPED_DESK d = desk_open();
    Seen seen = {0};

    server_on_write(d->server, note, &seen);
    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    merge(d, kind_configmap, "x", "{data: {a: 'b'}}");
    merge(d, kind_configmap, "x", "{data: {a: 'b'}}");
    delete (d, kind_configmap, "x");

    then_int(seen.writes, 3);
    then_int(seen.created, 1);
    then_int(seen.deleted, 1);
    then_str(seen.user, "tester");
}

static void gather(void *self, const Kind *kind, const Json *object)
{
    char **end = self;

    *end += snprintf(*end, 64, "%s/%s ", kind->name, meta_name(object));
}

TEST(all_stored_objects_are_visited_in_order)
{
    SCOPED_DESK d = desk_open();
    char all[512] = "", *end = all;

    create(d, kind_secret, "{metadata: {name: 's'}}");
    create(d, kind_configmap, "{metadata: {name: 'b'}}");
    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    server_each(d->server, d->arena, gather, &end);

    then_str(all, "ConfigMap/a ConfigMap/b Namespace/default Namespace/kube-system Secret/s ");
}

TEST(a_full_server_refuses_new_objects)
{
    SCOPED_DESK d = desk_open_with(3, 0); /* two namespaces, and one more */

    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    then_status(d, 201);
    create(d, kind_configmap, "{metadata: {name: 'y'}}");
    then_refused(d, 500, "database space exceeded");
    merge(d, kind_configmap, "x", "{data: {a: 'b'}}");
    then_status(d, 200);
    delete (d, kind_configmap, "x");
    create(d, kind_configmap, "{metadata: {name: 'y'}}");
    then_status(d, 201);
}

TEST(an_object_that_is_too_large_for_etcd_is_refused)
{
    SCOPED_DESK d = desk_open();
    char *big = arena_array(d->arena, char, 2 << 20);

    memset(big, 'x', (2 << 20) - 1);
    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        str_format(d->arena,
            "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}, spec: {size: '%s'}}",
            big));

    then_refused(d, 500, "request is too large");
    get(d, kind_widget, "x");
    then_status(d, 404);
}

TEST(the_served_kinds_are_listed)
{
    SCOPED_DESK d = desk_open();
    size_t cursor = 0, built_in = 0, custom = 0;
    Served served;

    then_true(server_find_served(d->server, kind_statefulset, &served));
    then_true(served.has_status && served.has_scale && !served.definition);
    then_true(!server_find_served(d->server, kind_widget, &served));
    create(d, kind_crd, widget_crd);
    then_true(server_find_served(d->server, kind_widget, &served));
    then_str(json_str(served.definition, ".spec.names.singular"), "widget");
    while (server_next_served(d->server, &cursor, &served)) {
        built_in += !served.definition;
        custom += served.definition != NULL;
    }
    then_true(built_in > 10);
    then_int(custom, 1);
    delete (d, kind_crd, "widgets.test.io");
    then_true(!server_find_served(d->server, kind_widget, &served));
}

TEST(a_kind_is_found_by_group_and_version_and_plural)
{
    SCOPED_DESK d = desk_open();
    const Server *s = d->server;

    then_true(server_find_kind(s, "", "v1", "pods") == kind_pod);
    then_true(server_find_kind(s, "apps", "v1", "statefulsets") == kind_statefulset);
    then_true(!server_find_kind(s, "", "v2", "pods"));
    then_true(!server_find_kind(s, "apps", "v1", "pods"));
    then_true(server_has_group(s, "apps", "v1") && !server_has_group(s, "apps", "v2"));
    then_true(!server_has_group(s, "example.org", "v1"));
}

TEST(review_kinds_are_found_by_their_path_although_they_are_not_stored)
{
    SCOPED_DESK d = desk_open();

    then_true(server_find_kind(d->server, "authentication.k8s.io", "v1", "tokenreviews")
        == kind_token_review);
    then_true(server_has_group(d->server, "authorization.k8s.io", "v1"));
    then_true(!server_has_group(d->server, "authorization.k8s.io", "v2"));
}
