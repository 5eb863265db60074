/* Printers. A path is walked while it is read: there is nothing to keep of it. */
#include "sandbox/printer.h"

#include "base/str.h"
#include "kube/timestamp.h"

#include <inttypes.h>
#include <string.h>

enum { PRINTER_PATH_MAX = 1024 };

/* --- paths --- */

/* A place in a path, and the value that it has led to so far. */
typedef struct Walk {
    Arena *arena;
    const char *rest;
    const Json *at;
} Walk;

static size_t name_length(const char *text)
{
    return strcspn(text, ".[");
}

/* ".name", in which "\." is a dot. */
static void step_into_name(Walk *w)
{
    const char *name = "";

    w->rest++;
    for (;;) {
        size_t len = name_length(w->rest);
        bool escaped = len > 0 && w->rest[len] == '.' && w->rest[len - 1] == '\\';
        name = str_format(w->arena, "%s%.*s", name, (int)(escaped ? len - 1 : len), w->rest);
        w->rest += len;
        if (!escaped)
            break;
        name = str_format(w->arena, "%s.", name);
        w->rest++;
    }
    /* "." alone is the object itself, and so is the dot before a bracket. */
    if (*name != '\0')
        w->at = json_member(w->at, name);
}

/* A text in single or double quotes; NULL when `text` is none. */
static const char *unquoted(Arena *a, const char *text)
{
    size_t len = strlen(text);

    if (len < 2 || (*text != '\'' && *text != '"') || text[len - 1] != *text)
        return NULL;
    return str_slice(a, text + 1, len - 2);
}

static const Json *element_at(const Json *list, int64_t place)
{
    const Json *each;
    int64_t count = (int64_t)json_count(list);

    if (json_type(list) != JSON_ARRAY)
        return NULL;
    place = place < 0 ? place + count : place;
    json_each(each, list)
        if (place-- == 0)
            return each;
    return NULL;
}

static const char *trimmed(Arena *a, const char *text, size_t len)
{
    while (len > 0 && *text == ' ') {
        text++;
        len--;
    }
    while (len > 0 && text[len - 1] == ' ')
        len--;
    return str_slice(a, text, len);
}

/* The first element of which a member is a text: `?(@.type=="Ready")`. */
static const Json *element_with(Arena *a, const Json *list, const char *filter)
{
    const char *equals = strstr(filter, "=="), *end = strrchr(filter, ')');
    const char *member, *text;
    const Json *each;

    if (!str_has_prefix(filter, "?(@.") || !equals || !end || end < equals)
        return NULL;
    member = trimmed(a, filter + 4, (size_t)(equals - filter - 4));
    text = unquoted(a, trimmed(a, equals + 2, (size_t)(end - equals - 2)));
    if (!text || json_type(list) != JSON_ARRAY)
        return NULL;
    json_each(each, list)
        if (str_eq(json_text(json_member(each, member)), text))
            return each;
    return NULL;
}

/* The bracket that ends what began before `text`, not minding those in quotes. */
static const char *closing_bracket(const char *text)
{
    char quote = '\0';

    for (; *text != '\0'; text++) {
        if (quote == '\0' && *text == ']')
            return text;
        if (quote == '\0' && (*text == '\'' || *text == '"'))
            quote = *text;
        else if (*text == quote)
            quote = '\0';
    }
    return NULL;
}

/* "[0]", "['name']", "[*]" or "[?(...)]". */
static void step_into_bracket(Walk *w)
{
    const char *end = closing_bracket(w->rest + 1);
    const char *inside, *name;
    int64_t place;

    if (!end) {
        w->at = NULL;
        return;
    }
    inside = trimmed(w->arena, w->rest + 1, (size_t)(end - w->rest - 1));
    name = unquoted(w->arena, inside);
    w->rest = end + 1;
    if (name)
        w->at = json_member(w->at, name);
    else if (str_eq(inside, "*"))
        w->at = json_first(w->at);
    else if (str_to_int(inside, &place))
        w->at = element_at(w->at, place);
    else
        w->at = element_with(w->arena, w->at, inside);
}

const Json *printer_find(Arena *a, const Json *object, const char *json_path)
{
    Walk w = {.arena = a, .rest = json_path, .at = object};

    if (strlen(json_path) > PRINTER_PATH_MAX)
        return NULL;
    while (w.at && *w.rest != '\0') {
        if (*w.rest == '.')
            step_into_name(&w);
        else if (*w.rest == '[')
            step_into_bracket(&w);
        else
            return NULL;
    }
    return w.at;
}

/* --- columns --- */

const Json *printer_columns(Arena *a, const Json *definition, const char *version)
{
    const Json *each, *columns = NULL;

    json_each(each, json_find(definition, ".spec.versions"))
        if (str_eq(json_str(each, ".name"), version))
            columns = json_find(each, ".additionalPrinterColumns");
    if (json_count(columns) > 0)
        return columns;
    return json_fixture(a,
        "[{name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp',"
        " description: 'How long ago it was made.'}]");
}

Draft *printer_header(Arena *a, const Json *column)
{
    const char *about = json_str(column, ".description"), *format = json_str(column, ".format");
    const char *path = json_str(column, ".jsonPath");

    if (str_empty(about))
        about = str_format(
            a, "Custom resource definition column (in JSONPath format): %s", path ? path : "");
    return draft(a,
        str("name", json_str(column, ".name")),
        str("type", json_str(column, ".type")),
        str("format", format ? format : ""),
        str("description", about),
        num("priority", json_int(column, ".priority", 0)));
}

/* --- cells --- */

static void push_as_text(TableRow *row, const Json *value)
{
    const char *text = json_text(value);

    row_push_text(row, text ? text : json_write(row->arena, value).data);
}

/* Whole numbers, and others without their fraction. */
static void push_as_integer(TableRow *row, const Json *value)
{
    if (json_type(value) == JSON_NUMBER)
        row_push_number(row, json_int(value, "", (int64_t)json_number(value, "", 0)));
    else
        row_push_null(row);
}

static void push_if(TableRow *row, const Json *value, JsonType type)
{
    if (json_type(value) == type)
        draft_push_json(row->cells, value);
    else
        row_push_null(row);
}

void printer_push_cell(TableRow *row, const Json *column)
{
    const char *type = json_str(column, ".type"), *path = json_str(column, ".jsonPath");
    const Json *value = path ? printer_find(row->arena, row->object, path) : NULL;

    if (!value)
        row_push_null(row);
    else if (str_eq(type, "string"))
        push_as_text(row, value);
    else if (str_eq(type, "integer"))
        push_as_integer(row, value);
    else if (str_eq(type, "number"))
        push_if(row, value, JSON_NUMBER);
    else if (str_eq(type, "boolean"))
        push_if(row, value, JSON_BOOL);
    else if (str_eq(type, "date") && json_text(value))
        row_push_text(row, row_since(row, json_text(value)));
    else
        row_push_null(row);
}
