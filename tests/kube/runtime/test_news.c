/* News: what is a page or an event is understood; all else is refused, with the reason. */
#include "kube/meta.h"
#include "kube/runtime/news.h"
#include "tests/test.h"

static const struct {
    const char *name, *body;
    Want want;
    const char *version, *continue_key;
    size_t items;
} pages[] = {
    {"a whole list",
        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},"
        "\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"3\"}}]"
        "}",
        .version = "9",
        .items = 1},
    {"an empty list",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"\"},"
        "\"items\":[]}",
        .version = "9"},
    {"a page",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"k\"},"
        "\"items\":[]}",
        .version = "9",
        .continue_key = "k"},
    {"nothing at all", "", TERMINAL("")},
    {"spaces", "  \n ", TERMINAL("")},
    {"a web page", "<html><body>ok</body></html>", TERMINAL("")},
    {"null", "null", TERMINAL("thing without kind, not a PodList")},
    {"an array", "[]", TERMINAL("not a PodList")},
    {"an empty object", "{}", TERMINAL("not a PodList")},
    {"a Status",
        "{\"kind\":\"Status\",\"status\":\"Success\",\"items\":[]}",
        TERMINAL("a Status, not a PodList")},
    {"a list of another kind",
        "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
        TERMINAL("a NodeList, not a PodList")},
    {"an object of the kind",
        "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
        TERMINAL("a Pod, not a PodList")},
    {"no items",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"}}",
        TERMINAL("no items")},
    {"items that are null",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":null}",
        TERMINAL("no items")},
    {"items that are an object",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":{}}",
        TERMINAL("no items")},
    {"no version",
        "{\"kind\":\"PodList\",\"metadata\":{},\"items\":[]}",
        TERMINAL("the list has no usable metadata.resourceVersion")},
    {"an empty version",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}",
        TERMINAL("no usable")},
    {"an item without name",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[{}]}",
        TERMINAL("no metadata.name")},
    {"an item without version",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},"
        "\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}]}",
        TERMINAL("a has no usable")},
    {"an item without namespace",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},"
        "\"items\":[{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}}]}",
        TERMINAL("a has no metadata.namespace")},
    {"an item of another kind",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},"
        "\"items\":[{\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}}]}",
        TERMINAL("a Node, not a Pod")},
    {"an item that is null",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[null]}",
        TERMINAL("no metadata.name")},
    {"two documents",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}{}",
        TERMINAL("")},
};

TEST(only_a_valid_list_page_is_decoded_as_a_list)
{
    each_case(i, pages) {
        SCOPED_ARENA a = arena_open(1 << 20);
        NewsPage page = {.version = "untouched"};
        then_err(news_page(a, kind_pod, bytes_of(pages[i].body), &page), pages[i].want);
        then_str(page.version, pages[i].want ? "untouched" : pages[i].version);
        then_str(page.continue_key, pages[i].continue_key);
        then_int(json_count(page.items), pages[i].items);
    }
}

#define POD "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"3\"}}"

static const struct {
    const char *name, *line;
    Want want;
    NewsEventType type;
    const char *version;
} events[] = {
    {"an addition", "{\"type\":\"ADDED\",\"object\":" POD "}", .type = NEWS_PUT, .version = "3"},
    {"a change", "{\"type\":\"MODIFIED\",\"object\":" POD "}\r", .type = NEWS_PUT, .version = "3"},
    {"a removal", "{\"object\":" POD ",\"type\":\"DELETED\"}", .type = NEWS_REMOVE, .version = "3"},
    {"a bookmark",
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":"
        "\"5\"}}}",
        .type = NEWS_BOOKMARK,
        .version = "5"},
    {"an error",
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}",
        .type = NEWS_ERROR},
    {"a type of the future", "{\"type\":\"RENAMED\",\"object\":7}", .type = NEWS_UNKNOWN},
    {"a lower-case type is unknown", "{\"type\":\"added\",\"object\":{}}", .type = NEWS_UNKNOWN},
    {"no JSON", "{\"type\":\"ADDED\",\"object\":", TERMINAL("")},
    {"no object at all", "7", TERMINAL("no event")},
    {"no type", "{\"object\":" POD "}", TERMINAL("no event")},
    {"a type of another type", "{\"type\":3,\"object\":" POD "}", TERMINAL("no event")},
    {"an addition of nothing", "{\"type\":\"ADDED\"}", TERMINAL("no metadata.name")},
    {"a removal of nothing", "{\"type\":\"DELETED\",\"object\":{}}", TERMINAL("no metadata.name")},
    {"a removal without version",
        "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}}",
        TERMINAL("a has no usable")},
    {"a change of another kind",
        "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Status\",\"metadata\":{\"name\":\"a\"}}}",
        TERMINAL("a Status, not a Pod")},
    {"a bookmark without version",
        "{\"type\":\"BOOKMARK\",\"object\":{}}",
        TERMINAL("a bookmark has no")},
};

TEST(only_a_valid_watch_event_is_decoded_as_an_event)
{
    each_case(i, events) {
        SCOPED_ARENA a = arena_open(1 << 20);
        NewsEvent event = {.type = NEWS_UNKNOWN};
        then_err(news_event(a, kind_pod, bytes_of(events[i].line), &event), events[i].want);
        if (!events[i].want)
            then_int(event.type, events[i].type);
        then_str(event.version, events[i].version);
    }
}

TEST(a_cluster_scoped_object_needs_no_namespace)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    NewsEvent event;
    then_ok(news_event(a,
        kind_node,
        bytes_of("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":"
                 "\"3\"}}}"),
        &event));
    then_str(meta_name(event.object), "a");
}

TEST(an_overlong_resource_version_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    for (size_t len = NEWS_VERSION_MAX; len <= NEWS_VERSION_MAX + 1; len++) {
        char *version = arena_alloc(a, len + 1);
        memset(version, '1', len);
        const char *line = str_format(a,
            "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%s\"}}}",
            version);
        NewsEvent event;
        then_err(news_event(a, kind_pod, bytes_of(line), &event),
            len == NEWS_VERSION_MAX ? OKAY : TERMINAL("no usable"));
    }
}
