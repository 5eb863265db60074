/* Discovery. The same rows are told in two languages: resource by resource (APIResourceList), where
 * a subresource is a row of its own, and all at once (APIGroupDiscoveryList), where it stands
 * inside. */
#include "sandbox/discovery.h"

#include "base/draft.h"
#include "base/str.h"
#include "sandbox/catalog.h"

#include <string.h>

const char discovery_whole_type[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

static const Kind *kind_at(const Catalog *c, size_t row)
{
    return c->rows[row].served.kind;
}

/* NULL of an empty list. */
static Draft *texts(Arena *a, const char *const *list)
{
    Draft *array = *list ? draft_array(a) : NULL;

    for (; *list; list++)
        draft_push_str(array, *list);
    return array;
}

/* --- resource by resource --- */

static void push_subresources(Arena *a, Draft *list, const CatalogRow *row)
{
    const Kind *kind = row->served.kind;

    for (size_t i = 0; i < row->subresource_count; i++) {
        const Subresource *part = &row->subresources[i];
        draft_push(list,
            draft(a,
                str("name", str_format(a, "%s/%s", kind->plural, part->name)),
                str("singularName", ""),
                flag("namespaced", kind->namespaced),
                str("group", part->group),
                str("version", part->version),
                str("kind", part->kind ? part->kind : kind->name),
                sub("verbs", texts(a, part->verbs))));
    }
}

static void push_resource(Arena *a, Draft *list, const CatalogRow *row)
{
    const Kind *kind = row->served.kind;

    draft_push(list,
        draft(a,
            str("name", kind->plural),
            str("singularName", row->singular),
            flag("namespaced", kind->namespaced),
            str("kind", kind->name),
            sub("verbs", texts(a, row->verbs)),
            sub("shortNames", texts(a, row->short_names)),
            sub("categories", texts(a, row->categories))));
    push_subresources(a, list, row);
}

static const Json *resource_list(Arena *a, const Catalog *c, size_t first)
{
    size_t end = catalog_version_end(c, first);
    Draft *resources = draft_array(a);
    char group_version[KIND_API_VERSION_SIZE];

    for (size_t i = first; i < end; i++)
        push_resource(a, resources, &c->rows[i]);
    kind_api_version(kind_at(c, first), group_version);
    return json_seal(a,
        draft(a,
            str("kind", "APIResourceList"),
            /* The real server's oldest document says so little. */
            str("apiVersion", *kind_at(c, first)->group ? "v1" : NULL),
            str("groupVersion", str_copy(a, group_version)),
            sub("resources", resources)));
}

/* --- groups --- */

static Draft *version_of(Arena *a, const Kind *kind)
{
    return draft(a,
        str("groupVersion", str_format(a, "%s/%s", kind->group, kind->version)),
        str("version", kind->version));
}

/* A group, the rows of which begin at `first`, put into what stands in `group` already. */
static Draft *fill_group(Arena *a, const Catalog *c, size_t first, Draft *group)
{
    size_t end = catalog_group_end(c, first);
    Draft *versions = draft_array(a);

    for (size_t i = first; i < end; i = catalog_version_end(c, i))
        draft_push(versions, version_of(a, kind_at(c, i)));
    draft_set(group, str("name", kind_at(c, first)->group));
    draft_set(group, sub("versions", versions));
    draft_set(group, sub("preferredVersion", version_of(a, kind_at(c, first))));
    return group;
}

static const Json *group_list(Arena *a, const Catalog *c)
{
    Draft *groups = draft_array(a);

    for (size_t i = 0; i < c->count; i = catalog_group_end(c, i))
        if (*kind_at(c, i)->group)
            draft_push(groups, fill_group(a, c, i, draft_object(a)));
    return json_seal(
        a, draft(a, str("kind", "APIGroupList"), str("apiVersion", "v1"), sub("groups", groups)));
}

static const Json *one_group(Arena *a, const Catalog *c, size_t first)
{
    return json_seal(
        a, fill_group(a, c, first, draft(a, str("kind", "APIGroup"), str("apiVersion", "v1"))));
}

static const Json *core_versions(Arena *a, const char *address)
{
    return json_seal(a,
        draft(a,
            str("kind", "APIVersions"),
            strs("versions", "v1"),
            list("serverAddressByClientCIDRs",
                draft(a, str("clientCIDR", "0.0.0.0/0"), str("serverAddress", address)))));
}

/* --- all at once --- */

/* Built-in kinds leave it to the reader to know which group and version they stand in. */
static Draft *response_kind(Arena *a, const CatalogRow *row, const Subresource *part)
{
    const Kind *kind = row->served.kind;
    bool own = !part || !part->group;
    const char *group = own && row->served.definition ? kind->group : "";
    const char *version = own && row->served.definition ? kind->version : "";

    return draft(a,
        str("group", own ? group : part->group),
        str("version", own ? version : part->version),
        str("kind", part && part->kind ? part->kind : kind->name));
}

static Draft *whole_subresources(Arena *a, const CatalogRow *row)
{
    Draft *list = row->subresource_count > 0 ? draft_array(a) : NULL;

    for (size_t i = 0; i < row->subresource_count; i++) {
        const Subresource *part = &row->subresources[i];
        draft_push(list,
            draft(a,
                str("subresource", part->name),
                sub("responseKind", response_kind(a, row, part)),
                sub("verbs", texts(a, part->verbs))));
    }
    return list;
}

static Draft *whole_resource(Arena *a, const CatalogRow *row)
{
    const Kind *kind = row->served.kind;

    return draft(a,
        str("resource", kind->plural),
        sub("responseKind", response_kind(a, row, NULL)),
        str("scope", kind->namespaced ? "Namespaced" : "Cluster"),
        str("singularResource", row->singular),
        sub("verbs", texts(a, row->verbs)),
        sub("shortNames", texts(a, row->short_names)),
        sub("categories", texts(a, row->categories)),
        sub("subresources", whole_subresources(a, row)));
}

static Draft *whole_version(Arena *a, const Catalog *c, size_t first)
{
    size_t end = catalog_version_end(c, first);
    Draft *resources = draft_array(a);

    for (size_t i = first; i < end; i++)
        draft_push(resources, whole_resource(a, &c->rows[i]));
    return draft(a,
        str("version", kind_at(c, first)->version),
        sub("resources", resources),
        str("freshness", "Current"));
}

static Draft *whole_group(Arena *a, const Catalog *c, size_t first)
{
    size_t end = catalog_group_end(c, first);
    const char *name = kind_at(c, first)->group;
    Draft *versions = draft_array(a);

    for (size_t i = first; i < end; i = catalog_version_end(c, i))
        draft_push(versions, whole_version(a, c, i));
    return draft(a, obj("metadata", str("name", *name ? name : NULL)), sub("versions", versions));
}

static const Json *whole(Arena *a, const Catalog *c, bool core)
{
    Draft *items = draft_array(a);

    for (size_t i = 0; i < c->count; i = catalog_group_end(c, i))
        if ((*kind_at(c, i)->group == '\0') == core)
            draft_push(items, whole_group(a, c, i));
    return json_seal(a,
        draft(a,
            str("kind", "APIGroupDiscoveryList"),
            str("apiVersion", "apidiscovery.k8s.io/v2"),
            sub("metadata", draft_object(a)),
            sub("items", items)));
}

/* --- finding --- */

/* What stands below /apis/: a group, or a group and a version. */
static const Json *find_below(Arena *a, const Catalog *c, const char *path)
{
    for (size_t i = 0; i < c->count; i = catalog_version_end(c, i)) {
        const Kind *kind = kind_at(c, i);
        if (*kind->group == '\0')
            continue;
        if (str_eq(path, kind->group))
            return one_group(a, c, i);
        if (str_eq(path, str_format(a, "%s/%s", kind->group, kind->version)))
            return resource_list(a, c, i);
    }
    return NULL;
}

static const char *without_last_slash(Arena *a, const char *path)
{
    size_t len = strlen(path);

    return len > 1 && path[len - 1] == '/' ? str_slice(a, path, len - 1) : path;
}

const Json *discovery_find(Arena *a, const Server *s, const DiscoveryQuestion *question)
{
    static const char below[] = "/apis/";
    const char *path = without_last_slash(a, question->path);
    Catalog c = catalog_of(a, s);

    if (str_eq(path, "/api"))
        return question->whole ? whole(a, &c, true) : core_versions(a, question->address);
    if (str_eq(path, "/apis"))
        return question->whole ? whole(a, &c, false) : group_list(a, &c);
    if (str_eq(path, "/api/v1"))
        return resource_list(a, &c, 0);
    return str_has_prefix(path, below) ? find_below(a, &c, path + strlen(below)) : NULL;
}
