/* The order of what is served, and what the kinds are called. */
#include "sandbox/catalog.h"
#include "tests/world/desk.h"

static const char crd_text[] =
    "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
    " metadata: {name: '%s.%s'}, spec: {group: '%s', scope: 'Cluster',"
    " names: {plural: '%s', kind: 'Thing', listKind: 'ThingList'},"
    " versions: [{name: '%s', served: true, storage: true,"
    "  schema: {openAPIV3Schema: {type: 'object'}}}]}}";

static void define(Desk *d, const char *group, const char *version, const char *plural)
{
    create(d, kind_crd, str_format(d->arena, crd_text, plural, group, group, plural, version));
    then_status(d, 201);
}

/* The groups and versions of all rows, each once. */
static const char *order(Desk *d)
{
    Catalog c = catalog_of(d->arena, d->server);
    const char *text = "";
    char version[KIND_API_VERSION_SIZE];

    for (size_t i = 0; i < c.count; i = catalog_version_end(&c, i))
        text =
            str_format(d->arena, "%s %s", text, kind_api_version(c.rows[i].served.kind, version));
    return text;
}

static const CatalogRow *row_of(Desk *d, const char *plural)
{
    Catalog c = catalog_of(d->arena, d->server);

    for (size_t i = 0; i < c.count; i++)
        if (str_eq(c.rows[i].served.kind->plural, plural))
            return &c.rows[i];
    fail_msg("%s is not in the catalog", plural);
    return NULL;
}

TEST(custom_api_groups_are_listed_last_and_their_versions_by_stability)
{
    SCOPED_DESK d = desk_open();
    const char *before = order(d);

    define(d, "z.io", "v1alpha1", "as");
    define(d, "z.io", "v1", "bs");
    define(d, "z.io", "v10beta2", "cs");
    define(d, "z.io", "v10beta11", "ds");
    define(d, "z.io", "v2", "es");
    define(d, "z.io", "final", "fs");
    define(d, "z.io", "v1gamma1", "gs");
    define(d, "a.io", "v1", "hs");
    then_str(order(d),
        str_format(d->arena,
            "%s a.io/v1 z.io/v2 z.io/v1 z.io/v10beta11 z.io/v10beta2 z.io/v1alpha1 z.io/final "
            "z.io/v1gamma1",
            before));
    then_true(str_has_prefix(before, " v1 apps/v1 events.k8s.io/v1"));
}

TEST(the_kinds_of_an_api_version_are_listed_by_name)
{
    SCOPED_DESK d = desk_open();
    Catalog c = catalog_of(d->arena, d->server);
    size_t end = catalog_version_end(&c, 0);

    then_true(end > 5);
    then_int(end, catalog_group_end(&c, 0));
    for (size_t i = 1; i < end; i++)
        then_true(strcmp(c.rows[i - 1].served.kind->plural, c.rows[i].served.kind->plural) < 0);
}

TEST(a_custom_kind_has_the_names_of_its_crd)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    const CatalogRow *row = row_of(d, "widgets");
    then_str(row->singular, "widget");
    then_str(row->verbs[0], "delete");
    then_int(row->subresource_count, 2);
    then_str(row->subresources[0].name, "status");
    then_str(row->subresources[1].kind, "Scale");
    define(d, "z.io", "v1", "things");
    then_str(row_of(d, "things")->singular, "thing");
}

TEST(a_custom_kind_whose_crd_is_being_deleted_accepts_no_writes)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w', finalizers: "
        "['a.io/b']}}");
    delete (d, kind_crd, "widgets.test.io");
    for (const char *const *verb = row_of(d, "widgets")->verbs; *verb; verb++)
        then_true(!str_eq(*verb, "create") && !str_eq(*verb, "update"));
}

TEST(built_in_kinds_have_their_short_names_and_categories)
{
    SCOPED_DESK d = desk_open();

    then_str(row_of(d, "statefulsets")->short_names[0], "sts");
    then_str(row_of(d, "statefulsets")->categories[0], "all");
    then_str(row_of(d, "statefulsets")->subresources[0].name, "scale");
    then_str(row_of(d, "customresourcedefinitions")->short_names[1], "crds");
    then_true(!row_of(d, "secrets")->short_names[0]);
}

TEST(review_kinds_can_only_be_created)
{
    SCOPED_DESK d = desk_open();
    const CatalogRow *row = row_of(d, "tokenreviews");

    then_str(row->singular, "tokenreview");
    then_str(row->verbs[0], "create");
    then_true(!row->verbs[1]);
    then_int(row->subresource_count, 0);
}
