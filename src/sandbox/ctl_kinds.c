/* CtlKinds: discovery documents, read one version of a group at a time. */
#include "sandbox/ctl_kinds.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

/* What is served at "v1" or "apps/v1": an APIResourceList. */
static Err *resources_of(Api *api, Arena *a, const char *api_version, const Json **ret)
{
    Request request = {.verb = VERB_RAW_GET,
        .raw_path = str_format(a, strchr(api_version, '/') ? "/apis/%s" : "/api/%s", api_version)};

    return api_call(api, a, &request, ret);
}

static const Kind *kind_from(Arena *a, const char *api_version, const Json *resource)
{
    Kind *kind = arena_new(a, Kind);
    const char *slash = strchr(api_version, '/');

    *kind = (Kind){
        .group = slash ? str_slice(a, api_version, (size_t)(slash - api_version)) : "",
        .version = slash ? slash + 1 : api_version,
        .plural = json_str(resource, ".name"),
        .name = json_str(resource, ".kind"),
        .namespaced = json_bool(resource, ".namespaced", false),
    };
    return kind;
}

static bool is_alike(const char *name, const char *word)
{
    return name && strcasecmp(name, word) == 0;
}

static bool is_named(const Json *resource, const char *word)
{
    const Json *name;

    json_each(name, json_find(resource, ".shortNames"))
        if (str_eq(json_text(name), word))
            return true;
    return is_alike(json_str(resource, ".name"), word)
        || is_alike(json_str(resource, ".kind"), word);
}

static bool is_subresource(const char *name)
{
    return name && strchr(name, '/');
}

/* The first resource in a list, subresources aside, that a word names. */
static const Json *find_in(const Json *list, const char *word)
{
    const Json *resource;

    json_each(resource, json_find(list, ".resources"))
        if (!is_subresource(json_str(resource, ".name")) && is_named(resource, word))
            return resource;
    return NULL;
}

Err *ctl_kind_of(Api *api, Arena *a, const Json *object, const Kind **ret)
{
    const char *api_version = json_str(object, ".apiVersion"), *name = json_str(object, ".kind");
    const Json *list = NULL, *resource;

    if (!api_version || !name)
        return err_terminal(a, "an object without apiVersion or kind");
    TRY(resources_of(api, a, api_version, &list));
    resource = find_in(list, name);
    if (!resource)
        return err_terminal(a, "the server knows no %s of %s", name, api_version);
    *ret = kind_from(a, api_version, resource);
    return OK;
}

static Err *try_version(
    Api *api, Arena *a, const char *api_version, const char *word, const Kind **ret)
{
    const Json *list = NULL, *resource;

    TRY(resources_of(api, a, api_version, &list));
    resource = find_in(list, word);
    *ret = resource ? kind_from(a, api_version, resource) : NULL;
    return OK;
}

Err *ctl_kind_named(Api *api, Arena *a, const char *word, const Kind **ret)
{
    Request request = {.verb = VERB_RAW_GET, .raw_path = "/apis"};
    const Json *groups = NULL, *group;

    TRY(try_version(api, a, "v1", word, ret));
    if (*ret)
        return OK;
    TRY(api_call(api, a, &request, &groups));
    json_each(group, json_find(groups, ".groups")) {
        const char *version = json_str(group, ".preferredVersion.groupVersion");
        if (version)
            TRY(try_version(api, a, version, word, ret));
        if (*ret)
            return OK;
    }
    return err_terminal(a, "the server knows no kind called '%s'", word);
}
