/* Completing an object: unknown fields go, zeros that say nothing go, defaults come, and scalars
 * get the one spelling that the server stores.
 *
 * A part that stands in the object before the write in just the same way is complete already and is
 * taken over as it is. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/quantity.h"
#include "world/schema.h"
#include "world/schema_shape.h"

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1 };

/* Something on its way into the completed container around it. */
typedef struct Part {
    const char *key; /* NULL in a list */
    const Json *value;
    const Json *before; /* its counterpart, or NULL */
    const Shape *shape;
    ShapeZero zero;
} Part;

typedef struct Level {
    Part part; /* that is being completed */
    Part *inside;
    size_t count, at;
    Draft *draft;
} Level;

typedef struct Completion {
    ShapeScene scene;
    bool bare;       /* without presets */
    bool keeps_null; /* what is null is no better than it was sent */
    Level levels[DEPTH_MAX];
    size_t depth;
} Completion;

static bool is_zero(const Json *value)
{
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return !json_bool(value, "", true);
    case JSON_NUMBER:
        return json_number(value, "", 1) == 0;
    case JSON_STRING:
        return str_eq(json_text(value), "");
    case JSON_ARRAY:
    case JSON_OBJECT:
        return json_count(value) == 0;
    }
    BUG("a JSON value of no type");
}

/* The one spelling that the server stores. */
static const Json *spell(Arena *a, const Part *part)
{
    const Json *value = part->value;
    const char *text =
        json_type(value) == JSON_NUMBER ? json_write(a, value).data : json_text(value);
    Quantity quantity;

    if (!part->shape->is_quantity || !text || quantity_parse(a, text, &quantity))
        return value;
    return json_find(json_seal(a, draft(a, str("it", quantity_text(a, quantity)))), ".it");
}

/* --- what goes into an object --- */

static const Json *preset_of(Completion *c, const ShapeField *field, const Json *object)
{
    if (c->bare)
        return NULL;
    if (field->preset_value)
        return field->preset_value;
    if (field->preset)
        return json_fixture(c->scene.arena, field->preset);
    if (!field->compute)
        return NULL;
    c->scene.object = object;
    return field->compute(&c->scene);
}

/* The value of a declared field, or NULL when it is left out. */
static const Json *value_of_field(
    Completion *c, const Json *object, const ShapeField *field, const Json *said)
{
    bool nullable =
        field->shape && (field->shape->nullable || (c->keeps_null && !field->preset_value));
    bool is_void = field->zero == SHAPE_ZERO_LEFT_OUT ? is_zero(said)
                                                      : json_type(said) == JSON_NULL && !nullable;

    if (said && !is_void)
        return said;
    const Json *preset = preset_of(c, field, object);
    if (!preset && field->zero == SHAPE_ZERO_SHOWN)
        return json_fixture(c->scene.arena, field->shown);
    return field->zero == SHAPE_ZERO_LEFT_OUT && is_zero(preset) ? NULL : preset;
}

/* Members that no row names. */
static void gather_rest(const Completion *c, Level *l)
{
    const Shape *shape = l->part.shape;
    bool nullable = shape_of_element(shape)->nullable || c->keeps_null;
    const Json *member;

    json_each(member, l->part.value) {
        const char *key = json_key(member);
        bool is_void = json_type(member) == JSON_NULL && !nullable;
        if (key && !is_void && !shape_find(shape, key))
            l->inside[l->count++] = (Part){.key = key,
                .value = member,
                .shape = shape_of_element(shape),
                .zero = SHAPE_ZERO_KEPT};
    }
}

static void gather_fields(Completion *c, Level *l)
{
    const Shape *shape = l->part.shape;
    const Json **said = arena_array(c->scene.arena, const Json *, shape->field_count);
    const Json *member;

    json_each(member, l->part.value) {
        const ShapeField *field = json_key(member) ? shape_find(shape, json_key(member)) : NULL;
        if (field && !said[field - shape->fields])
            said[field - shape->fields] = member;
    }
    l->inside = arena_array(c->scene.arena, Part, shape->field_count + json_count(l->part.value));
    for (size_t i = 0; i < shape->field_count; i++) {
        const ShapeField *field = &shape->fields[i];
        const Json *value = value_of_field(c, l->part.value, field, said[i]);
        if (value)
            l->inside[l->count++] = (Part){.key = field->name,
                .value = value,
                .before = json_member(l->part.before, field->name),
                .shape = field->shape ? field->shape : &shape_plain,
                .zero = field->zero};
    }
    if (!shape->closed)
        gather_rest(c, l);
}

static void gather_elements(Completion *c, Level *l)
{
    const Json *element, *before = json_first(l->part.before);

    if (json_type(l->part.before) != JSON_ARRAY)
        before = NULL;
    l->inside = arena_array(c->scene.arena, Part, json_count(l->part.value));
    json_each(element, l->part.value) {
        l->inside[l->count++] = (Part){.value = element,
            .before = before,
            .shape = shape_of_element(l->part.shape),
            .zero = SHAPE_ZERO_KEPT};
        before = before ? json_next(l->part.before, before) : NULL;
    }
}

/* --- the walk --- */

static void keep(Level *l, const Part *part, Draft *draft, const Json *value)
{
    if (part->key && draft)
        draft_add(l->draft, sub(part->key, draft));
    else if (part->key)
        draft_add(l->draft, draft_json(part->key, value));
    else if (draft)
        draft_push(l->draft, draft);
    else
        draft_push_json(l->draft, value);
}

static void enter(Completion *c, const Part *part)
{
    Level l = {.part = *part};

    if (json_type(part->value) == JSON_OBJECT) {
        l.draft = draft_object(c->scene.arena);
        gather_fields(c, &l);
    } else {
        l.draft = draft_array(c->scene.arena);
        gather_elements(c, &l);
    }
    c->levels[c->depth++] = l;
}

static void complete_part(Completion *c, Level *l, const Part *part)
{
    JsonType type = json_type(part->value);
    bool is_container = type == JSON_OBJECT || type == JSON_ARRAY;

    if (part->before && json_equal(part->value, part->before))
        keep(l, part, NULL, part->before);
    else if (is_container && !part->shape->untouched)
        enter(c, part);
    else
        keep(l, part, NULL, spell(c->scene.arena, part));
}

static void leave(Completion *c)
{
    Level *l = &c->levels[--c->depth];

    if (draft_count(l->draft) > 0 || l->part.zero != SHAPE_ZERO_LEFT_OUT)
        keep(&c->levels[c->depth - 1], &l->part, l->draft, NULL);
}

static const Json *complete(Completion *c, const Json *object, const Json *before)
{
    Part root = {
        .value = object, .before = before, .shape = c->scene.schema->root, .zero = SHAPE_ZERO_KEPT};

    c->depth = 0;
    c->scene.root = object;
    enter(c, &root);
    for (;;) {
        Level *l = &c->levels[c->depth - 1];
        if (l->at < l->count)
            complete_part(c, l, &l->inside[l->at++]);
        else if (c->depth > 1)
            leave(c);
        else
            return json_seal(c->scene.arena, l->draft);
    }
}

static const Json *begin(Completion *c, Arena *a, const Schema *schema, const Json *object)
{
    *c = (Completion){.scene = {.arena = a, .schema = schema}};
    return schema->adjust && object ? schema->adjust(a, object) : object;
}

const Json *schema_complete(Arena *a, const Schema *schema, const Json *object, const Json *before)
{
    Completion c;

    if (json_type(object) != JSON_OBJECT)
        return object;
    object = begin(&c, a, schema, object);
    return complete(&c, object, before);
}

const Json *schema_fill(Arena *a, const Schema *schema, const Json *object)
{
    Completion c;

    object = begin(&c, a, schema, object);
    c.keeps_null = true;
    return complete(&c, object, NULL);
}

const Json *schema_blank(Arena *a, const Schema *schema)
{
    Completion c;

    begin(&c, a, schema, NULL);
    c.bare = true;
    return complete(&c, json_fixture(a, "{}"), NULL);
}
