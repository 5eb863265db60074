/* Who owns which field, as the server's structured merge reckons it.
 *
 * An update takes what it changes away from everybody and gives it to its manager. An apply lays
 * the manager's fields over the object; what it named the last time and does not name now goes,
 * unless somebody else names it. Removing is done in three rounds, each on the merged object: what
 * the manager had is taken out; whatever of that anybody owns comes back, with all around it; and
 * so does whatever fell out along the way without having been the manager's. */
#include "world/fields.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/core/text.h"
#include "world/fields_managed.h"
#include "world/fields_merge.h"
#include "world/fields_valid.h"
#include "world/fields_walk.h"

#include <stdlib.h>

#define SET_OF(array) {.count = sizeof(array) / sizeof *(array), .nodes = (array)}

/* --- fields that are never anybody's, and those that a kind of write leaves alone --- */

static const FieldNode own_metadata[] = {
    {"f:clusterName", FIELD_OWNED, NULL},
    {"f:creationTimestamp", FIELD_OWNED, NULL},
    {"f:generation", FIELD_OWNED, NULL},
    {"f:managedFields", FIELD_OWNED, NULL},
    {"f:name", FIELD_OWNED, NULL},
    {"f:namespace", FIELD_OWNED, NULL},
    {"f:resourceVersion", FIELD_OWNED, NULL},
    {"f:selfLink", FIELD_OWNED, NULL},
    {"f:uid", FIELD_OWNED, NULL},
};
static const FieldSet own_metadata_set = SET_OF(own_metadata);
static const FieldNode nobodys[] = {
    {"f:apiVersion", FIELD_OWNED, NULL},
    {"f:kind", FIELD_OWNED, NULL},
    {"f:metadata", FIELD_OWNED, &own_metadata_set},
};
static const FieldSet nobodys_set = SET_OF(nobodys);

static const FieldNode status[] = {{"f:status", FIELD_OWNED, NULL}};
static const FieldSet status_set = SET_OF(status);
static const FieldNode spec[] = {{"f:spec", FIELD_OWNED, NULL}};
static const FieldSet spec_set = SET_OF(spec);
static const FieldNode pod_metadata[] = {
    {"f:deletionTimestamp", FIELD_OWNED, NULL},
    {"f:ownerReferences", FIELD_OWNED, NULL},
};
static const FieldSet pod_metadata_set = SET_OF(pod_metadata);
static const FieldNode pod_spec[] = {
    {"f:metadata", 0, &pod_metadata_set},
    {"f:spec", FIELD_OWNED, NULL},
};
static const FieldSet pod_spec_set = SET_OF(pod_spec);

static const FieldSet *left_alone(const Schema *schema, const FieldWriter *writer)
{
    if (str_empty(writer->subresource))
        return schema->has_status ? &status_set : NULL;
    if (!str_eq(writer->subresource, "status"))
        return NULL;
    return schema->is_pod ? &pod_spec_set : &spec_set;
}

/* --- updating --- */

static const Json *with_managers(Arena *a, const Json *object, FieldManagers *managers)
{
    const Json *entries = fieldmanagers_encode(managers);
    const Json *null = json_fixture(a, "null");

    return json_merge(a,
        object,
        json_seal(
            a, draft(a, obj("metadata", draft_json("managedFields", entries ? entries : null)))));
}

/* A client that sends an empty list, or one with an empty entry, wants nobody to own anything. */
static bool is_reset(const Json *entries)
{
    if (json_type(entries) != JSON_ARRAY)
        return false;
    return json_count(entries) == 0
        || (json_count(entries) == 1 && json_count(json_first(entries)) == 0);
}

static FieldManagers managers_before(
    Arena *a, const Json *before, const Json *after, const FieldWriter *writer)
{
    const Json *live = json_find(before, ".metadata.managedFields");
    const Json *sent = json_find(after, ".metadata.managedFields");

    if (str_empty(writer->subresource) && is_reset(sent))
        return fieldmanagers_decode(a, NULL);
    if (str_empty(writer->subresource) && sent && !json_equal(sent, live)) {
        FieldManagers managers = fieldmanagers_decode(a, sent);
        for (size_t i = 0; i < managers.count; i++)
            managers.items[i].encoded = NULL; /* the server has one spelling, clients have many */
        if (managers.count > 0)
            return managers;
    }
    return fieldmanagers_decode(a, live);
}

/* Takes what has changed away from everybody but `keeper`. */
static void take_changes(FieldManagers *m, const FieldSet *changes, const FieldManager *keeper)
{
    enum { ANY = FIELD_CHANGED | FIELD_REMOVED };

    for (size_t i = 0; i < m->count; i++) {
        FieldManager *item = &m->items[i];
        if (item != keeper && fieldset_touches(item->set, changes, ANY))
            fieldmanager_own(
                item, fieldset_combine(m->arena, item->set, FIELDSET_ONLY, changes, ANY));
    }
}

/* The server loses the time of what the scale subresource writes. */
static void move_time(FieldManager *manager, const FieldWriter *writer)
{
    if (!str_eq(writer->subresource, "scale"))
        manager->time = writer->now;
}

static void record_update(FieldManagers *m, const Schema *schema, const Json *before,
    const Json *after, const FieldWriter *writer)
{
    Arena *a = m->arena;
    const FieldSet *changes = fieldset_compare(a, schema->root, before, after);
    changes =
        fieldset_combine(a, changes, FIELDSET_OUTSIDE, left_alone(schema, writer), FIELD_OWNED);
    const FieldSet *ours = fieldset_combine(a, NULL, FIELDSET_EITHER, changes, FIELD_CHANGED);

    take_changes(m, changes, NULL);
    ours = fieldset_combine(a, ours, FIELDSET_ONLY, &nobodys_set, FIELD_OWNED);
    if (!ours)
        return;
    FieldManager *self = fieldmanagers_get(m, writer, false);
    fieldmanager_own(self, fieldset_combine(a, self->set, FIELDSET_EITHER, ours, FIELD_OWNED));
    move_time(self, writer);
}

const Json *fields_updated(Arena *a, const Schema *schema, const Json *before, const Json *after,
    const FieldWriter *writer)
{
    FieldManagers managers = managers_before(a, before, after, writer);

    /* What was not tracked from the beginning is not tracked before the first apply. */
    if (managers.count > 0 || !before) {
        record_update(&managers, schema, before ? before : schema_blank(a, schema), after, writer);
        fieldmanagers_cap(&managers);
    }
    return with_managers(a, after, &managers);
}

/* --- conflicts --- */

typedef struct Conflicts {
    Arena *arena;
    size_t count;
    Text text;
    const char *only; /* path of the last one */
} Conflicts;

static void add_conflict(void *self, const char *path)
{
    Conflicts *c = self;

    c->count++;
    c->only = path;
    text_add(&c->text, "\n- ");
    text_add(&c->text, path);
}

static int by_manager(const void *left, const void *right)
{
    return fieldmanager_compare(
        *(const FieldManager *const *)left, *(const FieldManager *const *)right);
}

static const FieldManager **managers_sorted(FieldManagers *m)
{
    const FieldManager **sorted = arena_array(m->arena, const FieldManager *, m->count);

    for (size_t i = 0; i < m->count; i++)
        sorted[i] = &m->items[i];
    qsort(sorted, m->count, sizeof *sorted, by_manager);
    return sorted;
}

/* 409 when what an apply changes belongs to others. */
static Err *check_conflicts(FieldManagers *m, const FieldSet *changes, const FieldManager *self)
{
    Arena *a = m->arena;
    Conflicts c = {.arena = a, .text = {.arena = a}};
    const FieldManager **sorted = managers_sorted(m), *last = NULL;

    for (size_t i = 0; i < m->count; i++) {
        const FieldSet *shared =
            fieldset_combine(a, sorted[i]->set, FIELDSET_BOTH, changes, FIELD_CHANGED);
        if (sorted[i] == self || !shared)
            continue;
        text_add(&c.text, last ? "\nconflicts with " : "conflicts with ");
        last = sorted[i];
        text_add(&c.text, fieldmanager_text(a, last));
        text_add_byte(&c.text, ':');
        fieldset_each(a, shared, add_conflict, &c);
    }
    if (c.count == 0)
        return OK;
    Err *err = c.count == 1
        ? err_retry(a,
              "Apply failed with 1 conflict: conflict with %s: %s",
              fieldmanager_text(a, last),
              c.only)
        : err_retry(a, "Apply failed with %zu conflicts: %s", c.count, text_seen(&c.text));
    err->status = 409;
    err->reason = "Conflict";
    return err;
}

/* --- applying --- */

static const FieldSet *owned_by_all(FieldManagers *m)
{
    const FieldSet *all = NULL;

    for (size_t i = 0; i < m->count; i++)
        all = fieldset_combine(m->arena, all, FIELDSET_EITHER, m->items[i].set, FIELD_OWNED);
    return all;
}

/* The fields of an object, with the objects around them. */
static const FieldSet *all_fields(Arena *a, const Schema *schema, const Json *object)
{
    return fieldset_with_parents(a, fieldset_of(a, schema->root, object), schema->root);
}

static const FieldSet *minus(Arena *a, const FieldSet *left, const FieldSet *right)
{
    return fieldset_combine(a, left, FIELDSET_ONLY, right, FIELD_OWNED);
}

/* The merged object without what the manager applied the last time and nobody owns now. */
static const Json *prune(
    FieldManagers *m, const Schema *schema, const Json *merged, const FieldSet *last)
{
    Arena *a = m->arena;
    const Shape *root = schema->root;
    const FieldSet *had = fieldset_with_parents(a, last, root);
    const FieldSet *owned = fieldset_with_parents(a, owned_by_all(m), root);

    if (!minus(a, had, owned))
        return merged;
    const FieldSet *all = all_fields(a, schema, merged);
    const Json *pruned = fields_remove(a, root, merged, had);
    const FieldSet *kept = all_fields(a, schema, pruned);
    kept = fieldset_combine(a, kept, FIELDSET_EITHER, owned, FIELD_OWNED);
    pruned = fields_remove(a, root, merged, minus(a, all, kept));

    const FieldSet *gone = minus(a, all, all_fields(a, schema, pruned));
    gone = fieldset_combine(a, gone, FIELDSET_BOTH, had, FIELD_OWNED);
    return fields_remove(a, root, merged, gone);
}

static const FieldSet *applied_set(
    Arena *a, const Schema *schema, const Json *applied, const FieldWriter *writer)
{
    const FieldSet *set = fieldset_of(a, schema->root, applied);

    return fieldset_combine(a, set, FIELDSET_OUTSIDE, left_alone(schema, writer), FIELD_OWNED);
}

/* Who owns what before the apply. What was never tracked has been there before the first one. */
static FieldManagers managers_applied(
    Arena *a, const Schema *schema, const Json *live, const FieldWriter *writer)
{
    FieldManagers managers = fieldmanagers_decode(a, json_find(live, ".metadata.managedFields"));
    FieldWriter earlier = *writer;

    earlier.manager = "before-first-apply";
    if (managers.count == 0 && live)
        record_update(&managers, schema, schema_blank(a, schema), live, &earlier);
    return managers;
}

/* Takes over what differs between the live object and the applied one. */
static Err *take_over(FieldManagers *m, FieldManager *self, const FieldSet *changes, bool force)
{
    if (!force)
        TRY(check_conflicts(m, changes, self));
    take_changes(m, changes, self);
    return OK;
}

Err *fields_apply(Arena *a, const Schema *schema, const FieldApply *apply,
    const FieldWriter *writer, const Json **ret)
{
    TRY(fields_check_applied(a, schema, apply->applied));
    const Json *live = apply->live ? apply->live : schema_blank(a, schema);
    FieldManagers managers = managers_applied(a, schema, apply->live, writer);
    FieldManager *self = fieldmanagers_get(&managers, writer, true);
    const FieldSet *last = self->set;
    fieldmanager_own(self, applied_set(a, schema, apply->applied, writer));
    self->api_version = writer->api_version;

    const Json *object = fields_merge(a, schema->root, live, apply->applied);
    object = prune(&managers, schema, object, last);
    if (json_equal(live, object)) {
        object = live;
    } else {
        const FieldSet *changes = fieldset_compare(a, schema->root, live, object);
        changes =
            fieldset_combine(a, changes, FIELDSET_OUTSIDE, left_alone(schema, writer), FIELD_OWNED);
        TRY(take_over(&managers, self, changes, apply->force));
        *ret = object;
        TRY(fields_check_result(a,
            schema,
            &(FieldsResult){.object = object,
                .live = apply->live,
                .status = str_eq(writer->subresource, "status")}));
        move_time(self, writer);
    }
    fieldmanager_own(self, minus(a, self->set, &nobodys_set));
    *ret = with_managers(a, object, &managers);
    return OK;
}
