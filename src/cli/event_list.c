/* EventList: an event says in up to four places when it was; those of the old API, and those that
 * came once, have only some of them. */
#include "cli/event_list.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

#include <stdlib.h>

enum { PAGE_MAX = 500 };

const char *event_list_time(const Json *event)
{
    static const char *const paths[] = {
        ".series.lastObservedTime",
        ".eventTime",
        ".deprecatedLastTimestamp",
        ".metadata.creationTimestamp",
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (json_str(event, paths[i]))
            return json_str(event, paths[i]);
    return "";
}

static int newest_first(const void *left, const void *right)
{
    const Json *const *l = left, *const *r = right;
    int64_t l_ns = 0, r_ns = 0;

    timestamp_parse(event_list_time(*l), &l_ns);
    timestamp_parse(event_list_time(*r), &r_ns);
    if (l_ns != r_ns)
        return l_ns < r_ns ? 1 : -1;
    return str_compare(meta_name(*l), meta_name(*r));
}

Request event_list_request(Arena *a, const Json *object)
{
    const char *uid = meta_uid(object);

    return (Request){
        .verb = VERB_LIST,
        .kind = kind_event,
        .key.namespace = meta_namespace(object),
        .fields = str_format(a, "regarding.uid=%s", uid ? uid : ""),
        .limit = PAGE_MAX,
    };
}

Objects event_list_about(Arena *a, const Json *items, const Json *object)
{
    Objects about = {.items = arena_array(a, const Json *, json_count(items) + 1)};
    const Json *event;

    json_each(event, items)
        if (str_eq(json_str(event, ".regarding.uid"), meta_uid(object)))
            about.items[about.count++] = event;
    qsort(about.items, about.count, sizeof(const Json *), newest_first);
    return about;
}
