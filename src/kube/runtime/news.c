/* News: strict about what an answer must have, silent about what it may have besides. */
#include "kube/runtime/news.h"

#include "base/str.h"
#include "kube/meta.h"

#include <string.h>

static bool is_version(const char *version)
{
    return !str_empty(version) && strnlen(version, NEWS_VERSION_MAX + 1) <= NEWS_VERSION_MAX;
}

static Err *check_version(Arena *a, const char *version, const char *whose)
{
    if (!is_version(version))
        return err_terminal(a, "%s has no usable metadata.resourceVersion", whose);
    return OK;
}

static Err *check_object(Arena *a, const Kind *kind, const Json *object)
{
    const char *name = meta_name(object), *of_kind = json_str(object, ".kind");

    if (of_kind && !str_eq(of_kind, kind->name))
        return err_terminal(a, "an object is a %s, not a %s", str_cut(a, of_kind, 64), kind->name);
    if (str_empty(name))
        return err_terminal(a, "an object has no metadata.name");
    if (kind->namespaced && str_empty(meta_namespace(object)))
        return err_terminal(a, "%s has no metadata.namespace", str_cut(a, name, 64));
    return check_version(a, meta_resource_version(object), str_cut(a, name, 64));
}

Err *news_page(Arena *a, const Kind *kind, Bytes body, NewsPage *ret)
{
    const Json *list, *item;
    TRY(json_parse(a, body, &list));
    const char *of_kind = json_str(list, ".kind");
    const Json *items = json_find(list, ".items");

    if (!str_eq(of_kind, str_format(a, "%sList", kind->name)))
        return err_terminal(a,
            "the answer is a %s, not a %sList",
            of_kind ? str_cut(a, of_kind, 64) : "thing without kind",
            kind->name);
    if (json_type(items) != JSON_ARRAY)
        return err_terminal(a, "the list has no items");
    TRY(check_version(a, meta_resource_version(list), "the list"));
    json_each(item, items)
        TRY(check_object(a, kind, item));

    const char *continue_key = json_str(list, ".metadata.continue");
    *ret = (NewsPage){
        .items = items,
        .version = meta_resource_version(list),
        .continue_key = str_empty(continue_key) ? NULL : continue_key,
    };
    return OK;
}

static NewsEventType type_of(const char *type)
{
    static const struct {
        const char *text;
        NewsEventType type;
    } types[] = {
        {"MODIFIED", NEWS_PUT},
        {"ADDED", NEWS_PUT},
        {"DELETED", NEWS_REMOVE},
        {"BOOKMARK", NEWS_BOOKMARK},
        {"ERROR", NEWS_ERROR},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (str_eq(types[i].text, type))
            return types[i].type;
    return NEWS_UNKNOWN;
}

Err *news_event(Arena *a, const Kind *kind, Bytes line, NewsEvent *ret)
{
    const Json *event;
    TRY(json_parse(a, line, &event));
    const char *type = json_str(event, ".type");
    const Json *object = json_find(event, ".object");
    if (!type)
        return err_terminal(a, "a line of the watch is no event");

    NewsEvent result = {
        .type = type_of(type),
        .object = object,
        .version = meta_resource_version(object),
    };
    if (result.type == NEWS_PUT || result.type == NEWS_REMOVE)
        TRY(check_object(a, kind, object));
    if (result.type == NEWS_BOOKMARK)
        TRY(check_version(a, result.version, "a bookmark"));
    *ret = result;
    return OK;
}
