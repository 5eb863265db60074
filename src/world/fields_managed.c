/* The entries of metadata.managedFields.
 *
 * The server keeps them sorted by operation, then time, then manager, so an entry moves when its
 * time does. */
#include "world/fields_managed.h"

#include "base/draft.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { UPDATES_MAX = 10 };

static const char ancient[] = "ancient-changes";

/* --- reading --- */

static bool is_entry(const Json *entry)
{
    const char *operation = json_str(entry, ".operation");

    return (str_eq(operation, "Apply") || str_eq(operation, "Update"))
        && !str_empty(json_str(entry, ".apiVersion"))
        && str_eq(json_str(entry, ".fieldsType"), "FieldsV1");
}

static const char *text_or_null(const char *text)
{
    return str_empty(text) ? NULL : text;
}

static bool is_same(const FieldManager *left, const FieldManager *right)
{
    return left->applies == right->applies && str_eq(left->manager, right->manager)
        && str_eq(left->subresource, right->subresource)
        && (left->applies || str_eq(left->api_version, right->api_version));
}

/* Of two entries of one manager, which the scale subresource leaves behind, the later one counts.
 */
static void add_read(FieldManagers *m, const FieldManager *read)
{
    size_t i = 0;

    while (i < m->count && !is_same(&m->items[i], read))
        i++;
    m->items[i] = *read;
    m->count += i == m->count;
}

FieldManagers fieldmanagers_decode(Arena *a, const Json *entries)
{
    size_t max = json_type(entries) == JSON_ARRAY ? json_count(entries) : 0;
    FieldManagers m = {.arena = a, .capacity = max + 2};
    const Json *entry;

    m.items = arena_array(a, FieldManager, m.capacity);
    if (max == 0 || max > FIELD_MANAGERS_MAX)
        return m;
    json_each(entry, entries) {
        if (!is_entry(entry)) {
            m.count = 0;
            return m;
        }
        const char *manager = json_str(entry, ".manager");
        FieldManager read = {.manager = manager ? manager : "",
            .api_version = json_str(entry, ".apiVersion"),
            .subresource = text_or_null(json_str(entry, ".subresource")),
            .time = json_str(entry, ".time"),
            .set = fieldset_decode(a, json_find(entry, ".fieldsV1")),
            .encoded = json_find(entry, ".fieldsV1"),
            .applies = str_eq(json_str(entry, ".operation"), "Apply")};
        add_read(&m, &read);
    }
    return m;
}

FieldManager *fieldmanagers_get(FieldManagers *m, const FieldWriter *writer, bool applies)
{
    const char *manager = str_empty(writer->manager) ? "unknown" : writer->manager;
    const char *subresource = text_or_null(writer->subresource);

    for (size_t i = 0; i < m->count; i++) {
        FieldManager *item = &m->items[i];
        if (item->applies == applies && str_eq(item->manager, manager)
            && str_eq(item->subresource, subresource)
            && (applies || str_eq(item->api_version, writer->api_version)))
            return item;
    }
    if (m->count == m->capacity)
        BUG("more managers join than one write can bring");
    m->items[m->count] = (FieldManager){.manager = manager,
        .api_version = writer->api_version,
        .subresource = subresource,
        .applies = applies};
    return &m->items[m->count++];
}

void fieldmanager_own(FieldManager *manager, const FieldSet *set)
{
    manager->set = set;
    manager->encoded = NULL;
}

/* --- capping --- */

int fieldmanager_compare(const FieldManager *left, const FieldManager *right)
{
    int order = str_compare(left->manager, right->manager);

    if (order == 0)
        order = (int)right->applies - (int)left->applies;
    if (order == 0)
        order = str_compare(left->api_version, right->api_version);
    /* The server compares them as JSON, where a comma comes before a closing brace. */
    if (order == 0 && (!left->subresource || !right->subresource))
        return (int)!left->subresource - (int)!right->subresource;
    return order != 0 ? order : str_compare(left->subresource, right->subresource);
}

static int by_age(const void *left, const void *right)
{
    const FieldManager *l = *(FieldManager *const *)left, *r = *(FieldManager *const *)right;
    int order = str_compare(l->time, r->time);

    return order != 0 ? order : fieldmanager_compare(l, r);
}

/* The oldest updaters, of those that are not ancient already. */
static size_t list_updaters(FieldManagers *m, FieldManager **ret)
{
    size_t count = 0;

    for (size_t i = 0; i < m->count; i++)
        if (!m->items[i].applies && m->items[i].set)
            ret[count++] = &m->items[i];
    qsort(ret, count, sizeof(FieldManager *), by_age);
    return count;
}

static FieldManager *first_of_version(FieldManager **updaters, size_t end, const char *api_version)
{
    for (size_t i = 0; i < end; i++)
        if (str_eq(updaters[i]->api_version, api_version))
            return updaters[i];
    return NULL;
}

void fieldmanagers_cap(FieldManagers *m)
{
    FieldManager **updaters = arena_array(m->arena, FieldManager *, m->count);
    size_t count = list_updaters(m, updaters), left = count;

    for (size_t i = 1; i < count && left > UPDATES_MAX; i++) {
        FieldManager *bucket = first_of_version(updaters, i, updaters[i]->api_version);
        if (!bucket)
            continue;
        fieldmanager_own(bucket,
            fieldset_combine(
                m->arena, bucket->set, FIELDSET_EITHER, updaters[i]->set, FIELD_OWNED));
        bucket->manager = ancient;
        bucket->subresource = NULL;
        bucket->time = updaters[i]->time;
        fieldmanager_own(updaters[i], NULL);
        left--;
    }
}

/* --- writing --- */

static int by_place(const void *left, const void *right)
{
    const FieldManager *l = left, *r = right;
    int order = (int)r->applies - (int)l->applies;

    if (order == 0)
        order = str_compare(l->time, r->time);
    if (order == 0)
        order = str_compare(l->manager, r->manager);
    if (order == 0)
        order = str_compare(l->api_version, r->api_version);
    return order != 0 ? order : str_compare(l->subresource, r->subresource);
}

const Json *fieldmanagers_encode(FieldManagers *m)
{
    Draft *entries = draft_array(m->arena);

    qsort(m->items, m->count, sizeof *m->items, by_place);
    for (size_t i = 0; i < m->count; i++) {
        const FieldManager *item = &m->items[i];
        if (!item->set)
            continue;
        const Json *fields = item->encoded ? item->encoded : fieldset_encode(m->arena, item->set);
        draft_push(entries,
            draft(m->arena,
                str("manager", *item->manager ? item->manager : NULL),
                str("operation", item->applies ? "Apply" : "Update"),
                str("apiVersion", item->api_version),
                str("time", item->time),
                str("fieldsType", "FieldsV1"),
                draft_json("fieldsV1", fields),
                str("subresource", item->subresource)));
    }
    return draft_count(entries) > 0 ? json_seal(m->arena, entries) : NULL;
}

const char *fieldmanager_text(Arena *a, const FieldManager *manager)
{
    const char *subresource =
        manager->subresource ? str_format(a, " with subresource \"%s\"", manager->subresource) : "";
    const char *version = manager->applies ? "" : str_format(a, " using %s", manager->api_version);

    return str_format(a, "\"%s\"%s%s", manager->manager, subresource, version);
}
