/* Json: parsing and reading.
 *
 * What a text can cost is known before yyjson sees it. Most texts are so short that even the worst
 * of their length would fit; the others are counted first. yyjson does not recurse, so depth can
 * wait until the values stand on the tape. */
#include "base/json.h"

#include "base/arena_raw.h"
#include "base/json_path.h"
#include "base/json_tape.h"

#include <string.h>
#include <strings.h>

/* The end of the string whose contents begin at `at`: its closing quote, or the end of the text. */
static const char *skip_string(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at;
}

/* How many values the text has at most. Every value but the first of a container follows a comma or
 * a colon, and the first an opening bracket. */
static size_t count_values(Bytes text)
{
    size_t values = 1;
    const char *end = text.data + text.len;

    for (const char *at = text.data; at < end; at++) {
        switch (*at) {
        case '"':
            at = skip_string(at + 1, end);
            break;
        case '{':
        case '[':
        case ',':
        case ':':
            values++;
            break;
        default:
            break;
        }
    }
    return values;
}

static bool has_room_for(const Arena *a, Bytes text, size_t values)
{
    return arena_has_room(a, text.len + values * sizeof(yyjson_val));
}

/* Less text might fit. */
static Err *too_large(Err *err)
{
    err->too_large = true;
    return err;
}

static Err *check_limits(Arena *a, Bytes text)
{
    if (text.len > JSON_BYTES_MAX)
        return too_large(err_terminal(
            a, "JSON of %zu bytes is longer than the limit of %d", text.len, JSON_BYTES_MAX));

    /* A value and what parts it from the next take two bytes. */
    size_t values = text.len / 2 + 1;
    if (values > JSON_VALUES_MAX || !has_room_for(a, text, values))
        values = count_values(text);
    if (values > JSON_VALUES_MAX)
        return too_large(err_terminal(a, "JSON has more than %d values", JSON_VALUES_MAX));
    if (!has_room_for(a, text, values))
        return too_large(err_terminal(
            a, "JSON of %zu bytes would pass the memory limit for one piece of work", text.len));
    return OK;
}

Err *json_parse_again(Arena *a, Bytes text, const Json **ret)
{
    TRY(check_limits(a, text));

    JsonMemory memory = {.arena = a};
    yyjson_alc allocator = json_memory_allocator(&memory);
    yyjson_read_err wrong;
    yyjson_doc *doc =
        yyjson_read_opts((char *)text.data, text.len, YYJSON_READ_NOFLAG, &allocator, &wrong);
    if (!doc)
        return err_terminal(a, "malformed JSON at byte %zu: %s", wrong.pos, wrong.msg);
    json_memory_trim(&memory, doc->root + doc->val_read);
    *ret = json_of(doc->root);
    return OK;
}

Err *json_parse(Arena *a, Bytes text, const Json **ret)
{
    const Json *v;

    TRY(json_parse_again(a, text, &v));
    if (!json_depth_fits(v))
        return err_terminal(a, "JSON is nested deeper than %d", JSON_DEPTH_MAX);
    *ret = v;
    return OK;
}

JsonType json_type(const Json *v)
{
    switch (yyjson_get_type(json_val(v))) {
    case YYJSON_TYPE_NULL:
        return JSON_NULL;
    case YYJSON_TYPE_BOOL:
        return JSON_BOOL;
    case YYJSON_TYPE_NUM:
        return JSON_NUMBER;
    case YYJSON_TYPE_STR:
        return JSON_STRING;
    case YYJSON_TYPE_ARR:
        return JSON_ARRAY;
    case YYJSON_TYPE_OBJ:
        return JSON_OBJECT;
    default:
        return JSON_ABSENT;
    }
}

static yyjson_val *step_into(yyjson_val *val, const PathStep *step)
{
    switch (step->type) {
    case PATH_KEY:
        return yyjson_obj_getn(val, step->key.data, step->key.len);
    case PATH_INDEX:
        return yyjson_arr_get(val, step->index);
    case PATH_EVERY:
        break;
    }
    BUG("a JSON path with [] names no single value");
}

const Json *json_find(const Json *v, const char *path)
{
    yyjson_val *val = json_val(v);
    PathStep step;

    while (val && path_next(&path, &step))
        val = step_into(val, &step);
    return json_of(val);
}

const Json *json_member(const Json *v, const char *key)
{
    return json_of(yyjson_obj_get(json_val(v), key));
}

const Json *json_member_any_case(const Json *v, const char *key)
{
    const Json *value;

    if (json_type(v) == JSON_OBJECT)
        json_each(value, v)
            if (strcasecmp(json_key(value), key) == 0)
                return value;
    return NULL;
}

const char *json_str(const Json *v, const char *path)
{
    return json_text(json_find(v, path));
}

/* With a NUL inside, C would see another text than the one that was sent. */
static bool has_nul(yyjson_val *text)
{
    return memchr(unsafe_yyjson_get_str(text), '\0', unsafe_yyjson_get_len(text)) != NULL;
}

const char *json_text(const Json *v)
{
    yyjson_val *val = json_val(v);
    return yyjson_is_str(val) && !has_nul(val) ? unsafe_yyjson_get_str(val) : NULL;
}

int64_t json_int(const Json *v, const char *path, int64_t fallback)
{
    yyjson_val *val = json_val(json_find(v, path));
    if (!yyjson_is_num(val))
        return fallback;
    yyjson_val number = number_normal(val);
    bool fits = unsafe_yyjson_is_sint(&number)
        || (unsafe_yyjson_is_uint(&number) && number.uni.u64 <= INT64_MAX);
    return fits ? number.uni.i64 : fallback;
}

bool json_bool(const Json *v, const char *path, bool fallback)
{
    yyjson_val *val = json_val(json_find(v, path));
    return yyjson_is_bool(val) ? unsafe_yyjson_get_bool(val) : fallback;
}

double json_number(const Json *v, const char *path, double fallback)
{
    yyjson_val *val = json_val(json_find(v, path));
    return yyjson_is_num(val) ? unsafe_yyjson_get_num(val) : fallback;
}

size_t json_count(const Json *v)
{
    return yyjson_is_ctn(json_val(v)) ? unsafe_yyjson_get_len(json_val(v)) : 0;
}

/* The child that begins at this place of the tape, unless the container ends there. */
static const Json *child_at(yyjson_val *container, yyjson_val *place)
{
    if (place == unsafe_yyjson_get_next(container))
        return NULL;
    return json_of(place + unsafe_yyjson_is_obj(container));
}

const Json *json_first(const Json *container)
{
    yyjson_val *val = json_val(container);
    return yyjson_is_ctn(val) ? child_at(val, val + 1) : NULL;
}

const Json *json_next(const Json *container, const Json *element)
{
    return child_at(json_val(container), unsafe_yyjson_get_next(json_val(element)));
}

const char *json_key(const Json *member)
{
    yyjson_val *key = json_val(member) - 1;
    return has_nul(key) ? "" : unsafe_yyjson_get_str(key);
}
