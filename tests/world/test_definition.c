/* Definitions of custom kinds: served while they are there, and gone after their objects. */
#include "tests/world/desk.h"

static const char widget[] =
    "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x'}, spec: {replicas: 1}}";

static const char *condition(Desk *d, const char *type)
{
    const Json *conditions = json_find(get(d, kind_crd, "widgets.test.io"), ".status.conditions");
    const Json *each;

    json_each(each, conditions)
        if (str_eq(json_str(each, ".type"), type))
            return json_str(each, ".status");
    return NULL;
}

TEST(a_crd_serves_its_kind)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_widget, widget);
    then_status(d, 404);
    create(d, kind_crd, widget_crd);
    then_status(d, 201);
    create(d, kind_widget, widget);
    then_status(d, 201);
    then_str(condition(d, "Established"), "True");
    then_str(condition(d, "NamesAccepted"), "True");
    then_str(json_str(d->answer.body, ".status.acceptedNames.kind"), "Widget");
}

TEST(a_crd_can_be_installed_without_a_request)
{
    SCOPED_DESK d = desk_open();
    const Json *crd = json_fixture(d->arena, widget_crd);

    then_ok(server_add_crd(d->arena, d->server, crd));
    create(d, kind_widget, widget);
    then_status(d, 201);
    then_err(server_add_crd(d->arena, d->server, crd), RETRY("already exists"));
}

static const struct {
    const char *name, *patch, *phrase;
} refusals[] = {
    {"another name",
        "{metadata: {name: 'moons.test.io'}}",
        "metadata.name: Invalid value: \"moons.test.io\": must be "
        "spec.names.plural+\".\"+spec.group"},
    {"no version that is served and stored",
        "{spec: {versions: [{name: 'v1', served: false, storage: true}]}}",
        "no version is both served and stored"},
    {"no kind", "{spec: {names: {kind: null}}}", "kind"},
};

TEST(a_crd_that_cannot_be_served_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();
        const Json *crd = json_merge(d->arena,
            json_fixture(d->arena, widget_crd),
            json_fixture(d->arena, refusals[i].patch));

        ask(d, (Request){.verb = VERB_CREATE, .kind = kind_crd, .body = crd});
        then_refused(d, 422, refusals[i].phrase);
        create(d, kind_widget, widget);
        then_status(d, 404);
    }
}

TEST(a_changed_crd_takes_effect_at_once)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    jsonpatch(d,
        kind_crd,
        "widgets.test.io",
        "[{op: 'replace', path: "
        "'/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/replicas/minimum',"
        " value: 5}]");
    then_status(d, 200);
    create(d, kind_widget, widget);
    then_refused(d, 422, "should be greater than or equal to 5");
}

TEST(a_crd_without_objects_is_deleted_at_once)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    delete (d, kind_crd, "widgets.test.io");
    then_true(meta_deleting(d->answer.body));
    get(d, kind_crd, "widgets.test.io");
    then_status(d, 404);
    create(d, kind_widget, widget);
    then_status(d, 404);
}

TEST(the_objects_of_a_deleted_crd_are_deleted_first)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, widget);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'held', finalizers: "
        "['t.io/a']}}");
    delete (d, kind_crd, "widgets.test.io");

    then_str(condition(d, "Terminating"), "True");
    get(d, kind_widget, "x");
    then_status(d, 404);
    then_true(meta_deleting(get(d, kind_widget, "held")));
    create(d, kind_widget, widget);
    then_refused(d, 403, "create not allowed while custom resource definition is terminating");

    merge(d, kind_widget, "held", "{metadata: {finalizers: null}}");
    then_status(d, 200);
    get(d, kind_crd, "widgets.test.io");
    then_status(d, 404);
}

TEST(a_deleted_crd_can_be_created_again)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, widget);
    delete (d, kind_crd, "widgets.test.io");
    create(d, kind_crd, widget_crd);
    then_status(d, 201);
    get(d, kind_widget, "x");
    then_refused(d, 404, "widgets.test.io \"x\" not found");
    create(d, kind_widget, widget);
    then_status(d, 201);
}

TEST(a_dry_run_of_a_crd_deletion_deletes_nothing)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, widget);
    ask(d,
        (Request){
            .verb = VERB_DELETE, .kind = kind_crd, .key.name = "widgets.test.io", .dry_run = true});
    then_true(meta_deleting(d->answer.body));
    get(d, kind_widget, "x");
    then_status(d, 200);
    then_true(condition(d, "Terminating") == NULL);
}

/* A status by default is stored by the first update only. */
TEST(the_first_update_stores_a_status_that_comes_by_default)
{
    static const char add_default[] =
        "[{op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/status/default',"
        " value: {phase: 'New'}}]";
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    const char *plain = version_of(create(d, kind_widget, widget));
    then_str(version_of(merge(d, kind_widget, "x", "{}")), plain);
    delete (d, kind_widget, "x");
    jsonpatch(d, kind_crd, "widgets.test.io", add_default);
    then_status(d, 200);
    const char *made = version_of(create(d, kind_widget, widget));
    const char *first = version_of(merge(d, kind_widget, "x", "{}"));
    then_true(!str_eq(first, made));
    then_str(version_of(merge(d, kind_widget, "x", "{}")), first);
}
