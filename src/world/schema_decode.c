/* Reading an object as the server's Go types would: the first value that does not fit ends it, and
 * the message names it as Go's decoder does, by the fields on the way without their indices. The
 * names of Go's structures are left out. */
#include "base/str.h"
#include "kube/core/text.h"
#include "kube/quantity.h"
#include "kube/timestamp.h"
#include "world/schema.h"
#include "world/schema_shape.h"

#include <ctype.h>
#include <string.h>

enum {
    DEPTH_MAX = JSON_DEPTH_MAX + 1,
    BODY_BYTES_MAX = 3 << 20,
    FRACTION_DIGITS = 6,
};

typedef struct Level {
    const Json *value, *next;
    const Shape *shape;
    const char *name; /* of the field that it is; NULL: an element, or what data is called */
} Level;

typedef struct Decoding {
    Arena *arena;
    size_t bytes; /* of texts and keys so far */
    Level levels[DEPTH_MAX];
    size_t depth;
} Decoding;

/* --- what is said --- */

static const char *type_text(Arena *a, const Json *value, bool as_number)
{
    switch (json_type(value)) {
    case JSON_STRING:
        return "string";
    case JSON_BOOL:
        return "bool";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    case JSON_NUMBER:
        return as_number ? str_format(a, "number %s", json_write(a, value).data) : "number";
    case JSON_ABSENT:
    case JSON_NULL:
        break;
    }
    BUG("null fits everywhere");
}

static const char *go_type(const Shape *shape)
{
    static const char *const names[] = {
        [SHAPE_TEXT] = "string",
        [SHAPE_INT32] = "int32",
        [SHAPE_INT64] = "int64",
        [SHAPE_FLAG] = "bool",
        [SHAPE_INT_OR_TEXT] = "int32",
        [SHAPE_TIME] = "string",
        [SHAPE_MICRO_TIME] = "string",
        [SHAPE_BYTES] = "[]uint8",
        [SHAPE_LIST] = "[]string",
        [SHAPE_MAP] = "map[string]string",
    };

    return names[shape->type];
}

static Err *misfit(Decoding *d, const char *field, const Shape *shape, const Json *value)
{
    Text path = {.arena = d->arena};
    bool as_number = shape->type == SHAPE_INT32 || shape->type == SHAPE_INT64
        || shape->type == SHAPE_INT_OR_TEXT;

    for (size_t i = 0; i < d->depth; i++)
        if (d->levels[i].name)
            text_add(&path, str_format(d->arena, ".%s", d->levels[i].name));
    if (field)
        text_add(&path, str_format(d->arena, ".%s", field));
    return err_terminal(d->arena,
        "json: cannot unmarshal %s into Go struct field %s of type %s",
        type_text(d->arena, value, as_number),
        text_seen(&path),
        go_type(shape));
}

/* --- scalars --- */

static bool is_whole(const Json *value, int64_t least, int64_t most)
{
    int64_t low = json_int(value, "", INT64_MIN), high = json_int(value, "", INT64_MAX);

    return json_type(value) == JSON_NUMBER && low == high && low >= least && low <= most;
}

static bool has_micros(const char *text)
{
    const char *dot = strchr(text, '.');

    return dot && strspn(dot + 1, "0123456789") == FRACTION_DIGITS;
}

static Err *check_time(Decoding *d, bool micro, const char *text)
{
    int64_t parsed;

    if (timestamp_parse(text, &parsed) && (!micro || has_micros(text)))
        return OK;
    return err_terminal(d->arena,
        "parsing time \"%s\" as \"2006-01-02T15:04:05%sZ07:00\": cannot parse \"%s\" as \"2006\"",
        text,
        micro ? ".000000" : "",
        text);
}

static Err *check_quantity(Decoding *d, const Json *value)
{
    const char *text =
        json_type(value) == JSON_NUMBER ? json_write(d->arena, value).data : json_text(value);
    Quantity quantity;

    if (text && !quantity_parse(d->arena, text, &quantity))
        return OK;
    return err_terminal(d->arena,
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

static Err *check_base64(Decoding *d, const char *text)
{
    size_t digits = 0, at = 0, padding = 0;

    for (; text[at] && (isalnum((unsigned char)text[at]) || strchr("+/\r\n", text[at])); at++)
        digits += text[at] != '\r' && text[at] != '\n';
    for (; text[at] == '=' && padding < 2; at++)
        padding++;
    if (!text[at] && (digits + padding) % 4 == 0)
        return OK;
    return err_terminal(d->arena, "illegal base64 data at input byte %zu", at);
}

static Err *check_value(Decoding *d, const char *field, const Shape *shape, const Json *value)
{
    JsonType type = json_type(value);
    const char *text = json_text(value);
    bool fits = true;

    switch (shape->type) {
    case SHAPE_UNTYPED:
        return OK;
    case SHAPE_QUANTITY:
        return check_quantity(d, value);
    case SHAPE_TEXT:
    case SHAPE_TIME:
    case SHAPE_MICRO_TIME:
    case SHAPE_BYTES:
        fits = type == JSON_STRING;
        break;
    case SHAPE_INT32:
        fits = is_whole(value, INT32_MIN, INT32_MAX);
        break;
    case SHAPE_INT64:
        fits = is_whole(value, INT64_MIN, INT64_MAX);
        break;
    case SHAPE_INT_OR_TEXT:
        fits = type == JSON_STRING || is_whole(value, INT32_MIN, INT32_MAX);
        break;
    case SHAPE_FLAG:
        fits = type == JSON_BOOL;
        break;
    case SHAPE_LIST:
        fits = type == JSON_ARRAY;
        break;
    case SHAPE_MAP:
        fits = type == JSON_OBJECT;
        break;
    }
    if (!fits)
        return misfit(d, field, shape, value);
    if (text && shape->type == SHAPE_BYTES)
        return check_base64(d, text);
    if (text && (shape->type == SHAPE_TIME || shape->type == SHAPE_MICRO_TIME))
        return check_time(d, shape->type == SHAPE_MICRO_TIME, text);
    return OK;
}

/* --- the walk --- */

static Err *step(Decoding *d, Level *l)
{
    const Json *child = l->next;
    const char *key = json_type(l->value) == JSON_OBJECT ? json_key(child) : NULL;
    const char *text = json_text(child);
    const char *name = l->shape->free_keys || l->shape == &shape_any ? NULL : key;
    bool declared;
    const Shape *shape =
        key ? shape_of_field(l->shape, key, &declared) : shape_of_element(l->shape);
    JsonType type = json_type(child);

    l->next = json_next(l->value, child);
    d->bytes += (text ? strlen(text) : 0) + (key ? strlen(key) : 0);
    /* What no row names is not even read. */
    if (key && l->shape->closed && !shape_find(l->shape, key))
        shape = &shape_any;
    if (type == JSON_NULL)
        return OK;
    TRY(check_value(d, name, shape, child));
    if (type == JSON_OBJECT || type == JSON_ARRAY)
        d->levels[d->depth++] =
            (Level){.value = child, .next = json_first(child), .shape = shape, .name = name};
    return OK;
}

Err *schema_decode(Arena *a, const Schema *schema, const Json *object)
{
    Decoding *d = arena_new(a, Decoding);
    Err *err;

    d->arena = a;
    d->levels[d->depth++] =
        (Level){.value = object, .next = json_first(object), .shape = schema->root};
    while (d->depth > 0) {
        Level *l = &d->levels[d->depth - 1];
        if (l->next)
            TRY(step(d, l));
        else
            d->depth--;
    }
    if (d->bytes <= BODY_BYTES_MAX)
        return OK;
    err = err_terminal(a, "Request entity too large: limit is %d", BODY_BYTES_MAX);
    err->status = 413;
    err->reason = "RequestEntityTooLarge";
    return err;
}
