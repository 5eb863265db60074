/* Lists: order, selection, pages that stay as they were, and pages that are too old. */
#include "tests/world/desk.h"

static void fill(Desk *d, const char *names)
{
    for (; *names; names++)
        create(d,
            kind_configmap,
            str_format(d->arena,
                "{metadata: {name: '%c', labels: {even: '%s'}}}",
                *names,
                (*names - 'a') % 2 ? "no" : "yes"));
}

/* The names of a list, one letter each. */
static const char *names_of(Desk *d, const Json *list)
{
    const char *names = "";
    const Json *item;

    json_each(item, json_find(list, ".items"))
        names = str_format(d->arena, "%s%s", names, meta_name(item));
    return names;
}

static const Json *page(Desk *d, int64_t limit, const char *continue_key)
{
    return ask(d,
        (Request){.verb = VERB_LIST,
            .kind = kind_configmap,
            .key.namespace = "default",
            .limit = limit,
            .continue_key = continue_key});
}

static const struct {
    const char *name;
    Request request;
    const char *want;
} selections[] = {
    {"everything, by name", {0}, "abcd"},
    {"a label", {.labels = "even=yes"}, "ac"},
    {"not a label", {.labels = "even!=yes"}, "bd"},
    {"a set of labels", {.labels = "even in (yes,no)"}, "abcd"},
    {"no label", {.labels = "!even"}, ""},
    {"a name", {.fields = "metadata.name=b"}, "b"},
    {"not a name", {.fields = "metadata.name!=b"}, "acd"},
    {"a label and a name", {.labels = "even=yes", .fields = "metadata.name=c"}, "c"},
    {"another namespace", {.key.namespace = "kube-system"}, ""},
    {"a namespace that is not there", {.key.namespace = "nowhere"}, ""},
};

TEST(a_list_contains_the_selected_objects_in_order)
{
    each_case(i, selections) {
        SCOPED_DESK d = desk_open();
        Request request = selections[i].request;

        fill(d, "cabd");
        request.verb = VERB_LIST;
        request.kind = kind_configmap;
        const Json *list = ask(d, request);

        then_status(d, 200);
        then_str(names_of(d, list), selections[i].want);
        then_true(json_find(list, ".metadata.continue") == NULL);
    }
}

TEST(a_list_has_its_kind_and_its_resource_version)
{
    SCOPED_DESK d = desk_open();

    fill(d, "a");
    const Json *list = page(d, 0, NULL);
    then_str(json_str(list, ".kind"), "ConfigMapList");
    then_str(json_str(list, ".apiVersion"), "v1");
    then_str(version_of(list), str_format(d->arena, "%d", (int)server_version(d->server)));
    then_true(json_find(list, ".items[0].kind") == NULL); /* built-in kinds do not repeat it */
}

TEST(all_pages_of_a_list_show_the_state_of_the_first_page)
{
    SCOPED_DESK d = desk_open();

    fill(d, "abcdef");
    const Json *first = page(d, 2, NULL);
    then_str(names_of(d, first), "ab");
    then_int(json_int(first, ".metadata.remainingItemCount", 0), 4);

    delete (d, kind_configmap, "c");                        /* it is still on the next page */
    merge(d, kind_configmap, "d", "{data: {late: 'yes'}}"); /* in its old state */
    create(d, kind_configmap, "{metadata: {name: 'bb'}}");  /* and this is not there */
    create(d, kind_configmap, "{metadata: {name: 'c'}}");   /* nor is this */
    delete (d, kind_configmap, "a");

    const Json *second = page(d, 2, json_str(first, ".metadata.continue"));
    then_str(names_of(d, second), "cd");
    then_str(version_of(second), version_of(first));
    then_true(json_find(second, ".items[1].data") == NULL);
    then_true(json_find(second, ".items[0].metadata.labels") != NULL);

    const Json *third = page(d, 2, json_str(second, ".metadata.continue"));
    then_str(names_of(d, third), "ef");
    then_true(json_find(third, ".metadata.continue") == NULL);
    then_str(names_of(d, page(d, 0, NULL)), "bbbcdef");
}

TEST(a_list_page_with_a_selector_has_a_continue_token_if_any_object_follows)
{
    SCOPED_DESK d = desk_open();
    Request request = {.verb = VERB_LIST, .kind = kind_configmap, .labels = "even=yes", .limit = 1};

    fill(d, "ab");
    const Json *list = ask(d, request);
    then_str(names_of(d, list), "a");
    then_true(json_find(list, ".metadata.remainingItemCount") == NULL);
    request.continue_key = json_str(list, ".metadata.continue");
    then_true(request.continue_key != NULL);
    then_str(names_of(d, ask(d, request)), "");

    request = (Request){
        .verb = VERB_LIST, .kind = kind_configmap, .fields = "metadata.name=a", .limit = 1};
    then_true(json_find(ask(d, request), ".metadata.continue") == NULL);
}

TEST(a_list_that_continues_another_page_applies_a_name_selector_as_a_filter)
{
    SCOPED_DESK d = desk_open();
    Request request = {
        .verb = VERB_LIST, .kind = kind_configmap, .fields = "metadata.name=b", .limit = 1};

    fill(d, "abc");
    request.continue_key = json_str(page(d, 1, NULL), ".metadata.continue");
    const Json *list = ask(d, request);
    then_str(names_of(d, list), "b");
    then_true(json_find(list, ".metadata.continue") != NULL);
}

#define POD(name, node)                                                                            \
    "{metadata: {name: '" name "'}, spec: {nodeName: '" node "',"                                  \
    " containers: [{name: 'c', image: 'i'}]}}"

TEST(the_next_page_of_a_field_selector_contains_only_matching_pods)
{
    SCOPED_DESK d = desk_open();
    Request request = {
        .verb = VERB_LIST, .kind = kind_pod, .fields = "spec.nodeName=n", .limit = 1};

    create(d, kind_pod, POD("a", "n"));
    create(d, kind_pod, POD("b", "m"));
    then_true(json_find(ask(d, request), ".metadata.continue") == NULL);
    create(d, kind_pod, POD("c", "n"));
    then_true(json_find(ask(d, request), ".metadata.continue") != NULL);
}

TEST(an_expired_continue_token_is_refused_with_a_token_for_an_inconsistent_list)
{
    SCOPED_DESK d = desk_open();

    fill(d, "abcd");
    const Json *first = page(d, 2, NULL);
    delete (d, kind_configmap, "d");
    server_compact(d->server);

    const Json *refusal = page(d, 2, json_str(first, ".metadata.continue"));
    then_refused(d, 410, "The provided continue parameter is too old");
    then_str(json_str(refusal, ".reason"), "Expired");
    const Json *rest = page(d, 2, json_str(refusal, ".metadata.continue"));
    then_str(names_of(d, rest), "c");
}

TEST(a_list_of_a_custom_kind_always_has_a_continue_field)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'}}");
    const Json *list = ask(d, (Request){.verb = VERB_LIST, .kind = kind_widget});
    then_str(json_str(list, ".metadata.continue"), "");
    then_str(json_str(list, ".items[0].kind"), "Widget");
}

static const struct {
    const char *name;
    Request request;
    const char *phrase;
} refusals[] = {
    {"a selector that is none", {.labels = "a b"}, "unable to parse requirement"},
    {"a field of no kind",
        {.fields = "data.x=y"},
        "\"data.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
    {"a token that is none", {.continue_key = "moon"}, "invalid continue token"},
    {"a token without a key", {.continue_key = "7."}, "invalid continue token"},
};

TEST(an_invalid_list_request_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();
        Request request = refusals[i].request;

        request.verb = VERB_LIST;
        request.kind = kind_configmap;
        ask(d, request);
        then_refused(d, 400, refusals[i].phrase);
    }
}

TEST(field_selectors_work_on_the_fields_that_a_kind_supports)
{
    SCOPED_DESK d = desk_open();
    Request request = {.verb = VERB_LIST, .kind = kind_pod, .fields = "spec.nodeName=n1"};

    create(d,
        kind_pod,
        "{metadata: {name: 'p'}, spec: {nodeName: 'n1', containers: [{name: 'c', image: 'i'}]}}");
    create(d,
        kind_pod,
        "{metadata: {name: 'q'}, spec: {nodeName: 'n2', containers: [{name: 'c', image: 'i'}]}}");
    then_str(names_of(d, ask(d, request)), "p");
    request.fields = "status.phase=Pending,spec.nodeName!=n1";
    then_str(names_of(d, ask(d, request)), "q");
    request.fields = "spec.moon=x";
    ask(d, request);
    then_refused(d, 400, "field label not supported: spec.moon");
}

/* --- as texts --- */

/* What is left of a list, in one piece. */
static Bytes texts_of(Desk *d, ServerList *l)
{
    Buf all = {.ceiling = 1 << 20};
    Bytes text;

    while (server_next_listed(l, d->arena, &text))
        then_true(buf_append(&all, text.data, text.len));
    server_close_list(l);
    const char *copy = str_slice(d->arena, all.data, all.len);
    size_t len = all.len;
    buf_close(&all);
    return (Bytes){copy, len};
}

static const struct {
    const char *name;
    Request request;
} documents[] = {
    {"everything", {.kind = kind_configmap}},
    {"nothing", {.kind = kind_pod}},
    {"one", {.kind = kind_configmap, .fields = "metadata.name=b"}},
    {"a page", {.kind = kind_configmap, .limit = 3}},
    {"a kind with a group", {.kind = kind_crd}},
    {"a custom kind", {.kind = kind_widget}},
};

TEST(the_texts_of_a_list_form_the_same_json_document)
{
    each_case(i, documents) {
        SCOPED_DESK d = desk_open();
        Request request = documents[i].request;
        Answer answer;

        fill(d, "cabd");
        create(d, kind_crd, widget_crd);
        create(d, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'}}");
        request.verb = VERB_LIST;
        Bytes want = json_write(d->arena, ask(d, request));
        ServerList *l = server_open_list(d->server, d->arena, &request, &answer);
        then_int(answer.status, 200);
        then_true(bytes_equal(texts_of(d, l), want));
    }
}

TEST(the_texts_of_a_list_show_the_state_when_it_was_opened)
{
    SCOPED_DESK d = desk_open();
    Request request = {.verb = VERB_LIST, .kind = kind_configmap};
    Answer answer;

    fill(d, "abc");
    Bytes want = json_write(d->arena, ask(d, request));
    ServerList *l = server_open_list(d->server, d->arena, &request, &answer);
    ServerList *unread = server_open_list(d->server, d->arena, &request, &answer);
    merge(d, kind_configmap, "b", "{data: {x: 'y'}}");
    delete (d, kind_configmap, "c");
    server_compact(d->server);
    then_true(bytes_equal(texts_of(d, l), want));
    server_close_list(unread);
    server_close_list(NULL);
}

TEST(an_invalid_list_request_gives_no_texts)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();
        Request request = refusals[i].request;
        Answer answer;

        request.verb = VERB_LIST;
        request.kind = kind_configmap;
        then_true(!server_open_list(d->server, d->arena, &request, &answer));
        then_int(answer.status, 400);
        then_true(strstr(json_str(answer.body, ".message"), refusals[i].phrase) != NULL);
    }

    SCOPED_DESK d = desk_open();
    Request request = {.verb = VERB_LIST, .kind = kind_token_review};
    Answer answer;
    then_true(!server_open_list(d->server, d->arena, &request, &answer));
    then_int(answer.status, 405);
    request.kind = kind_widget;
    then_true(!server_open_list(d->server, d->arena, &request, &answer));
    then_int(answer.status, 404);
}
