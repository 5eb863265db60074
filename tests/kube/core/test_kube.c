/* The verbs of reconcilers, against a server that answers from a script and writes down what it was
 * asked. */
#include "kube/kube.h"

#include "base/draft.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "tests/test.h"

/* One answer: an HTTP status and a body. Status 0 ends a script. */
typedef struct Reply {
    int status;
    const char *body;
} Reply;

enum { CALLS_MAX = 8 };

typedef struct ScriptedKube {
    Kube port;
    const Reply *script;
    size_t calls;
    const char *asked[CALLS_MAX]; /* "METHOD url" */
    const char *sent[CALLS_MAX];  /* body, or NULL */
    const char *event;
} ScriptedKube;

static Err *scripted_call(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    ScriptedKube *kube = (ScriptedKube *)self;
    const Reply *reply = &kube->script[kube->calls];
    const char *url;
    Bytes body = request_body(c->arena, request);

    then_true(kube->calls < CALLS_MAX && reply->status != 0);
    TRY(request_url(c->arena, request, &url));
    kube->asked[kube->calls] = str_format(c->arena, "%s %s", request_method(request), url);
    kube->sent[kube->calls++] = body.len ? body.data : NULL;
    Answer answer = {.status = reply->status};
    if (reply->body)
        answer.body = json_fixture(c->arena, reply->body);
    TRY(status_err(c->arena, request, &answer));
    *ret = answer.body;
    return OK;
}

static Err *cached_find(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    (void)self;
    if (str_eq(key.name, "written"))
        return err_wait(c->arena, "our write of %s has not been seen", kind->plural);
    if (!str_eq(key.name, "absent"))
        *ret = json_fixture(c->arena, "{kind: 'Pod'}");
    return OK;
}

static Err *cached_select(Kube *self, Ctx *c, const Selection *selection, Objects *ret)
{
    const char *owner = selection->owner_uid;
    const char *name = owner ? str_format(c->arena, "of-%s", owner) : "selected";

    (void)self;
    ret->items = arena_array(c->arena, const Json *, 1);
    ret->items[0] = json_fixture(c->arena, str_format(c->arena, "{metadata: {name: '%s'}}", name));
    ret->count = owner || !str_eq(selector_text(c->arena, selection->selector), "none=x");
    return OK;
}

static Err *cached_walk(Kube *self, Ctx *c, const Kind *kind, Walker *walker)
{
    (void)self;
    walker->see(walker, json_fixture(c->arena, str_format(c->arena, "{kind: '%s'}", kind->name)));
    return OK;
}

static void scripted_event(Kube *self, Ctx *c, const Notice *notice)
{
    ((ScriptedKube *)self)->event = str_format(c->arena,
        "%s %s %s: %s",
        meta_name(notice->regarding),
        notice->type,
        notice->reason,
        notice->note);
}

static ScriptedKube kube_of(const Reply *script)
{
    return (ScriptedKube){
        .port = {.find = cached_find,
            .select = cached_select,
            .call = scripted_call,
            .event = scripted_event,
            .walk = cached_walk},
        .script = script,
    };
}

#define NOT_FOUND {404, "{kind: 'Status', reason: 'NotFound', details: {name: 'x'}}"}
#define CONFLICT  {409, "{kind: 'Status', reason: 'Conflict', message: 'Precondition failed'}"}
#define EXPIRED   {410, "{kind: 'Status', reason: 'Expired', message: 'too old'}"}
#define POD_URL   "/api/v1/namespaces/ns/pods/x"

static const Key x = {"ns", "x"};
static const char seen_pod[] =
    "{metadata: {namespace: 'ns', name: 'x', uid: 'u', resourceVersion: '7'}}";

/* --- cached reads --- */

TEST(a_cached_read_finds_an_object_or_reports_it_absent_or_not_yet_known)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *object = NULL;

    then_ok(kube_find(&c, kind_pod, x, &object));
    then_json(object, "{kind: 'Pod'}");
    then_err(kube_find(&c, kind_pod, (Key){"ns", "written"}, &object), WAIT("has not been seen"));
    then_json(object, "{kind: 'Pod'}");
    then_ok(kube_find(&c, kind_pod, (Key){"ns", "absent"}, &object));
    then_json(object, NULL);
}

static bool serves_pods_alone(Kube *self, const Kind *kind, const char *namespace)
{
    (void)self, (void)namespace;
    return kind_eq(kind, kind_pod);
}

TEST(a_kind_counts_as_served_unless_the_port_denies_it)
{
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.kube = &kube.port};

    then_true(kube_is_served(&c, kind_httproute, "ns"));
    kube.port.serves = serves_pods_alone;
    then_true(!kube_is_served(&c, kind_httproute, "ns"));
    then_true(kube_is_served(&c, kind_pod, "ns"));
}

typedef struct Sight {
    Walker port; /* first, so that the port is this */
    int pods;
} Sight;

static void see_pod(Walker *self, const Json *object)
{
    ((Sight *)self)->pods += str_eq(json_str(object, ".kind"), "Pod");
}

TEST(a_walk_visits_the_cached_objects)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.arena = a, .kube = &kube.port};
    Sight sight = {.port = {see_pod}};

    then_ok(kube_walk(&c, kind_pod, &sight.port));
    then_int(sight.pods, 1);
}

TEST(a_selection_needs_a_selector_that_is_not_empty)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.arena = a, .kube = &kube.port};
    const Selector *everything, *some;
    Objects objects = {.count = 99};
    then_ok(selector_parse(a, "", &everything));
    then_ok(selector_parse(a, "a=b", &some));

    then_err(kube_select(&c, kind_pod, "ns", NULL, &objects), TERMINAL("empty selector"));
    then_err(kube_select(&c, kind_pod, "ns", everything, &objects), TERMINAL("empty selector"));
    then_int(objects.count, 99);
    then_ok(kube_select(&c, kind_pod, "ns", some, &objects));
    then_int(objects.count, 1);
    then_str(meta_name(objects.items[0]), "selected");
}

TEST(owned_objects_are_selected_by_a_uid_that_is_not_empty)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.arena = a, .kube = &kube.port};
    Objects objects = {0};

    then_ok(kube_owned(&c, kind_pod, "u", &objects));
    then_str(meta_name(objects.items[0]), "of-u");
    then_err(kube_owned(&c, kind_pod, NULL, &objects), TERMINAL("no UID"));
    then_err(kube_owned(&c, kind_pod, "", &objects), TERMINAL("no UID"));
}

/* --- live reads --- */

TEST(a_raw_call_is_passed_on_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{major: '1'}"}, {200}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    Request version = {.verb = VERB_RAW_GET, .raw_path = "/version"};
    const Json *answer = NULL;

    then_ok(kube_call(&c, &version, &answer));
    then_json(answer, "{major: '1'}");
    then_ok(kube_call(&c, &version, NULL));
    then_str(kube.asked[1], "GET /version");
}

static const struct {
    const char *name;
    Reply reply;
    const char *object;
    Want get, get_if_any;
} gets[] = {
    {"an object", {200, "{metadata: {name: 'x'}}"}, "{metadata: {name: 'x'}}"},
    {"no object", NOT_FOUND, NULL, .get = RETRY("it does not exist (404 NotFound)")},
    {"a kind that is not served says nothing about its objects",
        {404},
        NULL,
        .get = RETRY("404"),
        .get_if_any = RETRY("is the kind served")},
    {"an empty answer is no object",
        {200},
        NULL,
        .get = RETRY("no object"),
        .get_if_any = RETRY("no object")},
    {"nor is anything else",
        {200, "[]"},
        NULL,
        .get = RETRY("no object"),
        .get_if_any = RETRY("no object")},
    {"trouble", {500}, NULL, .get = RETRY("500"), .get_if_any = RETRY("500")},
};

TEST(a_live_read_distinguishes_absence_from_an_error)
{
    each_case(i, gets) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ScriptedKube kube = kube_of((const Reply[]){gets[i].reply, gets[i].reply, {0}});
        Ctx c = {.arena = a, .kube = &kube.port};
        const Json *object = NULL;

        then_err(kube_get(&c, kind_pod, x, &object), gets[i].get);
        then_json(object, gets[i].get ? NULL : gets[i].object);
        then_err(kube_get_if_any(&c, kind_pod, x, &object), gets[i].get_if_any);
        if (!gets[i].get_if_any)
            then_json(object, gets[i].object);
        then_str(kube.asked[0], "GET " POD_URL);
        then_str(kube.asked[1], "GET " POD_URL);
    }
}

/* --- lists --- */

static const struct {
    const char *name;
    Reply script[CALLS_MAX];
    size_t count, calls;
    const char *last;
    Want want;
} lists[] = {
    {"one page",
        {{200, "{items: [{}, {}]}"}},
        .count = 2,
        .calls = 1,
        .last = "GET /api/v1/pods?labelSelector=a&limit=500"},
    {"nothing", {{200, "{items: []}"}}, .calls = 1},
    {"two pages",
        {{200, "{metadata: {continue: 'k/1'}, items: [{}, {}]}"}, {200, "{items: [{}]}"}},
        .count = 3,
        .calls = 2,
        .last = "GET /api/v1/pods?labelSelector=a&limit=500&continue=k%2F1"},
    {"a page that has expired: from the start",
        {{200, "{metadata: {continue: 'k'}, items: [{}, {}]}"}, EXPIRED, {200, "{items: [{}]}"}},
        .count = 1,
        .calls = 3,
        .last = "GET /api/v1/pods?labelSelector=a&limit=500"},
    {"but only once",
        {{200, "{metadata: {continue: 'k'}, items: [{}]}"},
            EXPIRED,
            {200, "{metadata: {continue: 'k'}, items: [{}]}"},
            EXPIRED},
        .calls = 4,
        .want = RETRY("listing pods: list pods: too old (410 Expired)")},
    {"a page that fails half-way is no list",
        {{200, "{metadata: {continue: 'k'}, items: [{}]}"}, {500}},
        .calls = 2,
        .want = RETRY("500")},
    {"an empty answer is no empty list", {{200}}, .calls = 1, .want = RETRY("no list")},
    {"nor is a list without items",
        {{200, "{kind: 'PodList'}"}},
        .calls = 1,
        .want = RETRY("no list")},
    {"nor is one whose items are none",
        {{200, "{items: null}"}},
        .calls = 1,
        .want = RETRY("no list")},
};

TEST(a_list_is_complete_or_an_error)
{
    each_case(i, lists) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ScriptedKube kube = kube_of(lists[i].script);
        Ctx c = {.arena = a, .kube = &kube.port};
        Request list = {.verb = VERB_LIST, .kind = kind_pod, .labels = "a"};
        Objects objects = {0};

        then_err(kube_list(&c, &list, &objects), lists[i].want);
        then_int(objects.count, lists[i].count);
        then_int(kube.calls, lists[i].calls);
        if (lists[i].last)
            then_str(kube.asked[kube.calls - 1], lists[i].last);
    }
}

TEST(a_list_with_a_page_size_starts_with_the_first_page)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{items: []}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .limit = 3, .continue_key = "old"};
    Objects objects;

    then_ok(kube_list(&c, &list, &objects));
    then_str(kube.asked[0], "GET /api/v1/pods?limit=3");
}

/* A page of `count` objects, named by their number from `first` on. */
static const char *page_of(Arena *a, size_t first, size_t count, const char *next)
{
    Draft *items = draft_array(a);

    for (size_t i = first; i < first + count; i++)
        draft_push(items, draft(a, obj("metadata", str("name", str_format(a, "%zu", i)))));
    return json_write(
        a, json_seal(a, draft(a, obj("metadata", str("continue", next)), sub("items", items))))
        .data;
}

TEST(a_list_of_many_pages_has_every_object_once_and_in_order)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, page_of(a, 0, 60, "k")},
        {200, page_of(a, 60, 4, "l")},
        {200, page_of(a, 64, 300, NULL)},
        {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    Request list = {.verb = VERB_LIST, .kind = kind_pod};
    Objects objects = {0};

    then_ok(kube_list(&c, &list, &objects));
    then_int(objects.count, 364);
    for (size_t i = 0; i < objects.count; i++)
        then_str(meta_name(objects.items[i]), str_format(a, "%zu", i));
}

TEST(a_list_beyond_the_maximum_is_refused)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    const char *most = page_of(a, 0, 100000, NULL), *more = page_of(a, 0, 100001, NULL);
    ScriptedKube kube = kube_of((const Reply[]){{200, most}, {200, more}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    Request list = {.verb = VERB_LIST, .kind = kind_pod};
    Objects objects = {0};

    then_ok(kube_list(&c, &list, &objects));
    then_int(objects.count, 100000);
    then_err(kube_list(&c, &list, &objects), TERMINAL("more than 100000"));
    then_int(objects.count, 100000);
}

/* --- writes --- */

TEST(a_create_request_has_the_key_of_its_object)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{201, "{metadata: {uid: 'new'}}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *created = NULL;

    then_ok(kube_create(&c, kind_pod, json_fixture(a, seen_pod), &created));
    then_str(kube.asked[0], "POST /api/v1/namespaces/ns/pods");
    then_json(json_fixture(a, kube.sent[0]), seen_pod);
    then_str(meta_uid(created), "new");
}

TEST(an_apply_request_names_its_field_manager_and_force)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {200, "{}"}, {409}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *object = json_fixture(a, seen_pod);

    then_ok(kube_apply(&c, kind_pod, object, (ApplyOptions){.manager = "me", .force = true}, NULL));
    then_str(kube.asked[0], "PATCH " POD_URL "?fieldManager=me&force=true");
    then_json(json_fixture(a, kube.sent[0]), seen_pod);

    then_ok(kube_apply(
        &c, kind_pod, object, (ApplyOptions){.manager = "me", .subresource = "status"}, NULL));
    then_str(kube.asked[1], "PATCH " POD_URL "/status?fieldManager=me");

    then_err(kube_apply(&c, kind_pod, object, (ApplyOptions){.manager = "me"}, NULL), RETRY("409"));
}

TEST(an_apply_to_a_read_object_names_its_uid_and_version)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *object = json_fixture(a, "{metadata: {namespace: 'ns', name: 'x'}, spec: {a: 1}}");
    const Json *seen = json_fixture(a, "{metadata: {name: 'x', uid: 'u1', resourceVersion: '7'}}");

    then_ok(kube_apply(&c, kind_pod, object, (ApplyOptions){.manager = "me", .seen = seen}, NULL));
    then_json(json_fixture(a, kube.sent[0]),
        "{metadata: {namespace: 'ns', name: 'x', uid: 'u1', resourceVersion: '7'}, spec: {a: 1}}");
}

TEST(an_apply_to_any_version_of_a_read_object_names_only_its_uid)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *object = json_fixture(a, "{metadata: {namespace: 'ns', name: 'x'}, spec: {a: 1}}");
    const Json *seen = json_fixture(a, "{metadata: {name: 'x', uid: 'u1', resourceVersion: '7'}}");
    ApplyOptions options = {.manager = "me", .seen = seen, .any_version = true};

    then_ok(kube_apply(&c, kind_pod, object, options, NULL));
    then_json(json_fixture(a, kube.sent[0]),
        "{metadata: {namespace: 'ns', name: 'x', uid: 'u1'}, spec: {a: 1}}");
}

static const struct {
    const char *name, *patch, *sent;
} patches[] = {
    {"a patch gets the version that was seen",
        "{spec: {a: null}}",
        "{spec: {a: null}, metadata: {resourceVersion: '7'}}"},
    {"other metadata stays",
        "{metadata: {labels: {a: null, b: 'c'}}}",
        "{metadata: {labels: {a: null, b: 'c'}, resourceVersion: '7'}}"},
    {"a version of the caller's own stays",
        "{metadata: {resourceVersion: '6'}}",
        "{metadata: {resourceVersion: '6'}}"},
};

TEST(a_merge_patch_carries_the_version_that_was_read)
{
    each_case(i, patches) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {0}});
        Ctx c = {.arena = a, .kube = &kube.port};

        then_ok(kube_merge_patch(
            &c, kind_pod, json_fixture(a, seen_pod), json_fixture(a, patches[i].patch), NULL));
        then_str(kube.asked[0], "PATCH " POD_URL);
        then_json(json_fixture(a, kube.sent[0]), patches[i].sent);
    }
}

TEST(a_status_patch_carries_the_version_that_was_read_whatever_the_patch_contains)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *patch =
        json_fixture(a, "{metadata: {resourceVersion: '6'}, status: {phase: 'Running'}}");

    then_ok(kube_patch_status(&c, kind_pod, json_fixture(a, seen_pod), patch, NULL));
    then_str(kube.asked[0], "PATCH " POD_URL "/status");
    then_json(json_fixture(a, kube.sent[0]),
        "{metadata: {resourceVersion: '7'}, status: {phase: 'Running'}}");
}

TEST(an_object_that_was_never_read_is_not_patched)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *rendered = json_fixture(a, "{metadata: {namespace: 'ns', name: 'x'}}");
    const Json *patch = json_fixture(a, "{}");

    then_err(kube_merge_patch(&c, kind_pod, rendered, patch, NULL), TERMINAL("resourceVersion"));
    then_err(kube_patch_status(&c, kind_pod, rendered, patch, NULL), TERMINAL("resourceVersion"));
    then_int(kube.calls, 0);
}

TEST(a_json_patch_is_sent_unchanged)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200, "{}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};

    then_ok(
        kube_json_patch(&c, kind_pod, x, json_fixture(a, "[{op: 'remove', path: '/a'}]"), NULL));
    then_str(kube.asked[0], "PATCH " POD_URL);
    then_json(json_fixture(a, kube.sent[0]), "[{op: 'remove', path: '/a'}]");
}

/* --- deletes --- */

#define OTHER_UID {200, "{metadata: {name: 'x', uid: 'another'}}"}
#define SAME_UID  {200, "{metadata: {name: 'x', uid: 'u', resourceVersion: '8'}}"}

static const struct {
    const char *name;
    Reply script[4];
    DeleteOptions options;
    size_t calls;
    Want want;
} deletes[] = {
    {"it is deleted", {{200, "{}"}}, .calls = 1},
    {"its deletion has begun", {{202, "{}"}}, .calls = 1},
    {"it is gone already", {NOT_FOUND}, .calls = 1},
    {"its kind is not served", {{404}}, .calls = 1, .want = RETRY("is the kind served")},
    {"another has its name", {CONFLICT, OTHER_UID}, .calls = 2},
    {"it went meanwhile", {CONFLICT, NOT_FOUND}, .calls = 2},
    {"it has changed", {CONFLICT, SAME_UID}, .calls = 2, .want = RETRY("Precondition failed (409")},
    {"it has changed, and that matters",
        {CONFLICT, SAME_UID},
        .options = {.same_version = true},
        .calls = 2,
        .want = RETRY("Precondition failed (409")},
    {"an unknown outcome", {CONFLICT, {503}}, .calls = 2, .want = RETRY("503")},
    {"a missing permission", {{403}}, .calls = 1, .want = RETRY("403")},
};

TEST(a_delete_is_complete_when_the_object_that_was_read_is_gone)
{
    each_case(i, deletes) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ScriptedKube kube = kube_of(deletes[i].script);
        Ctx c = {.arena = a, .kube = &kube.port};

        then_err(kube_delete(&c, kind_pod, json_fixture(a, seen_pod), deletes[i].options),
            deletes[i].want);
        then_int(kube.calls, deletes[i].calls);
        then_str(kube.asked[0], "DELETE " POD_URL);
    }
}

TEST(a_delete_carries_the_uid_of_the_object_that_was_read)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{200}, {200}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *seen = json_fixture(a, seen_pod);

    then_ok(kube_delete(&c, kind_pod, seen, (DeleteOptions){0}));
    then_json(json_fixture(a, kube.sent[0]),
        "{apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid: 'u'}}");

    then_ok(kube_delete(&c,
        kind_pod,
        seen,
        (DeleteOptions){.propagation = PROPAGATION_FOREGROUND,
            .same_version = true,
            .has_grace = true,
            .grace_seconds = 60}));
    then_json(json_fixture(a, kube.sent[1]),
        "{apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid: 'u', resourceVersion: '7'},"
        " propagationPolicy: 'Foreground', gracePeriodSeconds: 60}");
}

TEST(an_object_that_was_never_read_is_not_deleted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of((const Reply[]){{0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *no_uid = json_fixture(a, "{metadata: {namespace: 'ns', name: 'x'}}");
    const Json *no_version = json_fixture(a, "{metadata: {namespace: 'ns', name: 'x', uid: 'u'}}");

    then_err(kube_delete(&c, kind_pod, no_uid, (DeleteOptions){0}), TERMINAL("no UID"));
    then_err(kube_delete(&c, kind_pod, no_version, (DeleteOptions){.same_version = true}),
        TERMINAL("no UID or version"));
    then_int(kube.calls, 0);
}

/* --- the rest --- */

TEST(a_requested_token_is_returned_with_its_expiry)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Reply token = {
        201, "{status: {token: 'secret', expirationTimestamp: '2026-01-01T00:00:00Z'}}"};
    ScriptedKube kube =
        kube_of((const Reply[]){token, token, {201, "{status: {token: 'secret'}}"}, {0}});
    Ctx c = {.arena = a, .kube = &kube.port};
    const Json *status = NULL;

    then_ok(kube_create_token(&c,
        (Key){"ns", "robot"},
        (TokenOptions){.audience = "sidecar", .expiration_seconds = 3600},
        &status));
    then_str(kube.asked[0], "POST /api/v1/namespaces/ns/serviceaccounts/robot/token");
    then_json(json_fixture(a, kube.sent[0]),
        "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest',"
        " spec: {audiences: ['sidecar'], expirationSeconds: 3600}}");
    then_str(json_str(status, ".token"), "secret");
    then_str(json_str(status, ".expirationTimestamp"), "2026-01-01T00:00:00Z");

    then_ok(kube_create_token(&c, (Key){"ns", "robot"}, (TokenOptions){0}, &status));
    then_json(json_find(json_fixture(a, kube.sent[1]), ".spec"), "{}");

    Err *err = kube_create_token(&c, (Key){"ns", "robot"}, (TokenOptions){0}, &status);
    then_err(err, RETRY("holds no token"));
    then_true(!strstr(err_text(a, err), "secret"));
}

TEST(a_recorded_event_reaches_the_port)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ScriptedKube kube = kube_of(NULL);
    Ctx c = {.arena = a, .kube = &kube.port};

    kube_event(&c, json_fixture(a, seen_pod), "Warning", "Stalled", "no volume");
    then_str(kube.event, "x Warning Stalled: no volume");
}
