/* Decode tables: from JSON into structs, with errors that name the path. */
#include "base/json_tape.h"

#include <string.h>

static const char *type_text(JsonType type)
{
    static const char *const texts[] = {
        [JSON_ABSENT] = "nothing",
        [JSON_NULL] = "null",
        [JSON_BOOL] = "a boolean",
        [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string",
        [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };
    return texts[type];
}

static const char *expected_text(JsonFieldType type)
{
    static const char *const texts[] = {
        [JSON_FIELD_STR] = "a string",
        [JSON_FIELD_INT] = "a whole number of 64 bits",
        [JSON_FIELD_BOOL] = "a boolean",
        [JSON_FIELD_NUMBER] = "a number",
        [JSON_FIELD_VALUE] = "a value",
        [JSON_FIELD_OBJECT] = "an object",
        [JSON_FIELD_ARRAY] = "an array",
    };
    return texts[type];
}

static bool decode_text(const Json *v, const char **ret)
{
    const char *text = json_text(v);
    if (text)
        *ret = text;
    return text != NULL;
}

static bool decode_int(const Json *v, int64_t *ret)
{
    /* A number that does not fit gives the fallback: two different ones tell it from any number. */
    int64_t number = json_int(v, "", 0);
    if (number != json_int(v, "", 1))
        return false;
    *ret = number;
    return true;
}

static bool decode_value(const Json *v, bool fits, const Json **ret)
{
    if (fits)
        *ret = v;
    return fits;
}

static bool decode_field(const Json *v, JsonFieldType type, void *ret)
{
    JsonType found = json_type(v);

    switch (type) {
    case JSON_FIELD_STR:
        return decode_text(v, ret);
    case JSON_FIELD_INT:
        return decode_int(v, ret);
    case JSON_FIELD_BOOL:
        if (found == JSON_BOOL)
            *(bool *)ret = json_bool(v, "", false);
        return found == JSON_BOOL;
    case JSON_FIELD_NUMBER:
        if (found == JSON_NUMBER)
            *(double *)ret = json_number(v, "", 0);
        return found == JSON_NUMBER;
    case JSON_FIELD_VALUE:
        return decode_value(v, true, ret);
    case JSON_FIELD_OBJECT:
        return decode_value(v, found == JSON_OBJECT, ret);
    case JSON_FIELD_ARRAY:
        return decode_value(v, found == JSON_ARRAY, ret);
    }
    BUG("a decode table with an unknown type");
}

Err *json_decode(Arena *a, const Json *v, const JsonField *fields, void *ret)
{
    for (const JsonField *field = fields; field->path; field++) {
        const Json *value = json_find(v, field->path);
        JsonType found = json_type(value);
        if (found == JSON_ABSENT || found == JSON_NULL) {
            if (field->required)
                return err_terminal(a, "%s is missing", field->path);
            continue;
        }
        if (!decode_field(value, field->type, (char *)ret + field->offset))
            return err_terminal(a,
                "%s: expected %s, found %s",
                field->path,
                expected_text(field->type),
                type_text(found));
    }
    return OK;
}
