/* The catalog. The order of groups is that of their priorities in the real server, which decides
 * what a short name means when two groups have it. */
#include "sandbox/catalog.h"

#include "base/json.h"
#include "base/str.h"
#include "world/reviews.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

enum { ROWS_MAX = 128 };

static const char *const built_in_verbs[] = {
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch", NULL};
static const char *const namespace_verbs[] = {
    "create", "delete", "get", "list", "patch", "update", "watch", NULL};
static const char *const custom_verbs[] = {
    "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch", NULL};
static const char *const closing_verbs[] = {
    "delete", "deletecollection", "get", "list", "watch", NULL};
static const char *const review_verbs[] = {"create", NULL};
static const char *const part_verbs[] = {"get", "patch", "update", NULL};
static const char *const proxy_verbs[] = {"create", "delete", "get", "patch", "update", NULL};
static const char *const none[] = {NULL};

static const Subresource status = {.name = "status", .verbs = part_verbs};
static const Subresource scale = {
    .name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale", .verbs = part_verbs};

/* In the order in which the real server shows them; those of others come behind, by name. */
static const char *const groups[] = {
    "",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "apiextensions.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
};

/* What there is to say of a built-in kind beyond its name. */
typedef struct Habit {
    const char *group, *plural;
    const char *const *short_names, *const *categories;
    Subresource more[5]; /* beside status and scale; one without a name ends them */
} Habit;

static const Habit habits[] = {
    {"", "configmaps", .short_names = LIST("cm")},
    {"", "events", .short_names = LIST("ev")},
    {"",
        "namespaces",
        .short_names = LIST("ns"),
        .more = {{.name = "finalize", .verbs = LIST("update")}}},
    {"", "nodes", .short_names = LIST("no")},
    {"", "persistentvolumeclaims", .short_names = LIST("pvc")},
    {"", "persistentvolumes", .short_names = LIST("pv")},
    {"",
        "pods",
        .short_names = LIST("po"),
        .categories = LIST("all"),
        .more = {{.name = "binding", .kind = "Binding", .verbs = LIST("create")},
            {"eviction", "policy", "v1", "Eviction", LIST("create")},
            {.name = "log", .verbs = LIST("get")},
            {.name = "proxy", .kind = "PodProxyOptions", .verbs = proxy_verbs}}},
    {"",
        "serviceaccounts",
        .short_names = LIST("sa"),
        .more = {{"token", "authentication.k8s.io", "v1", "TokenRequest", LIST("create")}}},
    {"", "services", .short_names = LIST("svc"), .categories = LIST("all")},
    {"apps", "deployments", .short_names = LIST("deploy"), .categories = LIST("all")},
    {"apps", "replicasets", .short_names = LIST("rs"), .categories = LIST("all")},
    {"apps", "statefulsets", .short_names = LIST("sts"), .categories = LIST("all")},
    {"events.k8s.io", "events", .short_names = LIST("ev")},
    {"batch", "cronjobs", .short_names = LIST("cj"), .categories = LIST("all")},
    {"batch", "jobs", .categories = LIST("all")},
    {"networking.k8s.io", "networkpolicies", .short_names = LIST("netpol")},
    {"policy", "poddisruptionbudgets", .short_names = LIST("pdb")},
    {"storage.k8s.io", "storageclasses", .short_names = LIST("sc")},
    {"apiextensions.k8s.io",
        "customresourcedefinitions",
        .short_names = LIST("crd", "crds"),
        .categories = LIST("api-extensions")},
};

static const Habit *find_habit(const Kind *kind)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (str_eq(habits[i].group, kind->group) && str_eq(habits[i].plural, kind->plural))
            return &habits[i];
    return NULL;
}

/* --- rows --- */

static const char *const *texts(Arena *a, const Json *said)
{
    const char **list = arena_array(a, const char *, json_count(said) + 1);
    const Json *each;
    size_t count = 0;

    json_each(each, said)
        if (json_text(each))
            list[count++] = json_text(each);
    return list;
}

static void add(CatalogRow *row, const Subresource *subresource)
{
    if (row->subresource_count == CATALOG_SUBRESOURCES_MAX)
        BUG("a kind has more subresources than a catalog shows");
    row->subresources[row->subresource_count++] = *subresource;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const Subresource *)left)->name, ((const Subresource *)right)->name);
}

static void describe_built_in(Arena *a, CatalogRow *row)
{
    const Habit *habit = find_habit(row->served.kind);

    row->singular = str_lower(a, row->served.kind->name);
    row->verbs = row->served.kind == kind_namespace ? namespace_verbs : built_in_verbs;
    row->short_names = habit && habit->short_names ? habit->short_names : none;
    row->categories = habit && habit->categories ? habit->categories : none;
    for (const Subresource *more = habit ? habit->more : NULL; more && more->name; more++)
        add(row, more);
    if (row->served.has_scale)
        add(row, &scale);
    if (row->served.has_status)
        add(row, &status);
    qsort(row->subresources, row->subresource_count, sizeof *row->subresources, by_name);
}

static void describe_custom(Arena *a, CatalogRow *row)
{
    const Json *names = json_find(row->served.definition, ".spec.names");
    const char *singular = json_str(names, ".singular");

    row->singular = singular ? singular : str_lower(a, row->served.kind->name);
    row->verbs = row->served.is_closing ? closing_verbs : custom_verbs;
    row->short_names = texts(a, json_find(names, ".shortNames"));
    row->categories = texts(a, json_find(names, ".categories"));
    if (row->served.has_status)
        add(row, &status);
    if (row->served.has_scale)
        add(row, &scale);
}

/* --- order --- */

static size_t group_rank(const char *group)
{
    size_t rank = 0;

    while (rank < sizeof groups / sizeof *groups && !str_eq(groups[rank], group))
        rank++;
    return rank;
}

/* A version as Kubernetes ranks it: v2, v1, v2beta1, v1beta1, v1alpha1, anything else. */
typedef struct Rank {
    int stage; /* 0: no version of this form; 1: alpha; 2: beta; 3: stable */
    long major, minor;
} Rank;

static Rank version_rank(const char *version)
{
    static const char *const stages[] = {NULL, "alpha", "beta"};
    char *rest;
    long major;

    if (version[0] != 'v' || !isdigit((unsigned char)version[1]))
        return (Rank){0};
    major = strtol(version + 1, &rest, 10);
    if (*rest == '\0')
        return (Rank){.stage = 3, .major = major};
    for (int stage = 1; stage <= 2; stage++) {
        if (!str_has_prefix(rest, stages[stage]))
            continue;
        rest += strlen(stages[stage]);
        if (isdigit((unsigned char)*rest))
            return (Rank){.stage = stage, .major = major, .minor = strtol(rest, NULL, 10)};
    }
    return (Rank){0};
}

/* <0 when `left` is the more stable one. */
static int compare_versions(const char *left, const char *right)
{
    Rank l = version_rank(left), r = version_rank(right);

    if (l.stage != r.stage)
        return r.stage - l.stage;
    if (l.major != r.major)
        return l.major > r.major ? -1 : 1;
    if (l.minor != r.minor)
        return l.minor > r.minor ? -1 : 1;
    return strcmp(left, right);
}

static int by_place(const void *left, const void *right)
{
    const Kind *l = ((const CatalogRow *)left)->served.kind;
    const Kind *r = ((const CatalogRow *)right)->served.kind;
    size_t l_rank = group_rank(l->group), r_rank = group_rank(r->group);

    if (l_rank != r_rank)
        return l_rank < r_rank ? -1 : 1;
    if (!str_eq(l->group, r->group))
        return strcmp(l->group, r->group);
    if (!str_eq(l->version, r->version))
        return compare_versions(l->version, r->version);
    return strcmp(l->plural, r->plural);
}

/* Asked, never stored: the server has no shelf for them. */
static void add_reviews(Arena *a, Catalog *catalog)
{
    const Kind *kind;

    for (size_t i = 0; catalog->count < ROWS_MAX && (kind = review_kind(i)); i++)
        catalog->rows[catalog->count++] = (CatalogRow){
            .served = {.kind = kind, .schema = schema_of_kind(kind)},
            .singular = str_lower(a, kind->name),
            .short_names = none,
            .categories = none,
            .verbs = review_verbs,
        };
}

Catalog catalog_of(Arena *a, const Server *s)
{
    Catalog catalog = {.rows = arena_array(a, CatalogRow, ROWS_MAX)};
    size_t cursor = 0;
    Served served;

    while (catalog.count < ROWS_MAX && server_next_served(s, &cursor, &served)) {
        CatalogRow *row = &catalog.rows[catalog.count++];
        row->served = served;
        if (served.definition)
            describe_custom(a, row);
        else
            describe_built_in(a, row);
    }
    add_reviews(a, &catalog);
    qsort(catalog.rows, catalog.count, sizeof *catalog.rows, by_place);
    return catalog;
}

size_t catalog_group_end(const Catalog *c, size_t first)
{
    size_t end = first;

    while (end < c->count
        && str_eq(c->rows[end].served.kind->group, c->rows[first].served.kind->group))
        end++;
    return end;
}

size_t catalog_version_end(const Catalog *c, size_t first)
{
    size_t end = first, group_end = catalog_group_end(c, first);

    while (end < group_end
        && str_eq(c->rows[end].served.kind->version, c->rows[first].served.kind->version))
        end++;
    return end;
}
