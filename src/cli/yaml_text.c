/* YamlText: block style, lists flush with their key. A string is left without quotes only where no
 * reader of YAML could take it for anything else; what begins with a digit never is, which also
 * keeps versions and times whole. */
#include "cli/yaml_text.h"

#include "base/draft.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { YAML_TEXT_MAX = 64 << 20, INDENT = 2 };

/* One container that is being written. */
typedef struct Level {
    const Json *container, *element;
    int indent;
    bool is_list;
    bool stands_behind; /* its first element stands behind the "- " of the list around it */
} Level;

typedef struct Writer {
    Arena *arena;
    Buf text;
    bool fits;
    Level levels[JSON_DEPTH_MAX + 1];
    size_t depth;
} Writer;

static void put(Writer *w, const char *text)
{
    w->fits = w->fits && buf_append(&w->text, text, strlen(text));
}

static void put_spaces(Writer *w, int count)
{
    w->fits = w->fits && buf_format(&w->text, "%*s", count, "");
}

/* --- scalars */

static bool is_word_of_yaml(const char *text)
{
    static const char *const words[] = {
        "null", "true", "false", "yes", "no", "on", "off", "y", "n"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(words[i], text) == 0)
            return true;
    return false;
}

static bool is_plain(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '/' && *text != '_')
        return false;
    for (const char *c = text; *c; c++) {
        bool is_good = isalnum((unsigned char)*c) || strchr(" _-./@+,:=()", *c);
        bool ends_key = *c == ':' && (c[1] == ' ' || !c[1]);
        if (!is_good || ends_key || (*c == ' ' && !c[1]))
            return false;
    }
    return !is_word_of_yaml(text);
}

/* Lines as they are: nothing but what can be printed, no space at an end, none at the beginning. */
static bool is_block(const char *text)
{
    if (!strchr(text, '\n') || *text == ' ' || *text == '\n' || strstr(text, " \n")
        || str_has_suffix(text, "\n\n"))
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            return false;
    return text[strlen(text) - 1] != ' ';
}

static void put_block(Writer *w, const char *text, int indent)
{
    put(w, str_has_suffix(text, "\n") ? "|" : "|-");
    while (*text) {
        size_t len = strcspn(text, "\n");
        put(w, "\n");
        if (len)
            put_spaces(w, indent);
        put(w, str_slice(w->arena, text, len));
        text += len + (text[len] == '\n');
    }
}

static void put_scalar(Writer *w, const Json *value, int indent)
{
    const char *text = json_text(value);

    if (text && is_plain(text))
        put(w, text);
    else if (text && is_block(text))
        put_block(w, text, indent);
    else
        put(w, json_write(w->arena, value).data); /* a JSON string is one in YAML, too */
    put(w, "\n");
}

/* A key as it is, or as the JSON string that it would be. */
static void put_key(Writer *w, const char *key)
{
    if (is_plain(key)) {
        put(w, key);
    } else {
        Draft *quoted = draft_array(w->arena);
        draft_push_str(quoted, key);
        put(w, json_write(w->arena, json_first(json_seal(w->arena, quoted))).data);
    }
    put(w, ":");
}

/* --- containers */

static bool is_filled(const Json *value)
{
    JsonType type = json_type(value);

    return (type == JSON_ARRAY || type == JSON_OBJECT) && json_count(value) > 0;
}

static void enter(Writer *w, const Json *container, int indent, bool stands_behind)
{
    w->levels[w->depth++] = (Level){
        .container = container,
        .element = json_first(container),
        .indent = indent,
        .is_list = json_type(container) == JSON_ARRAY,
        .stands_behind = stands_behind,
    };
}

static void put_value(Writer *w, const Level *level, const Json *value)
{
    bool is_inner_list = json_type(value) == JSON_ARRAY && !level->is_list;

    if (!is_filled(value)) {
        if (!level->is_list)
            put(w, " ");
        put_scalar(w, value, level->indent + INDENT);
        return;
    }
    if (!level->is_list)
        put(w, "\n");
    enter(w, value, level->indent + (is_inner_list ? 0 : INDENT), level->is_list);
}

static void put_element(Writer *w)
{
    Level *level = &w->levels[w->depth - 1];
    const Json *element = level->element;

    if (!level->stands_behind)
        put_spaces(w, level->indent);
    level->stands_behind = false;
    level->element = json_next(level->container, element);
    if (level->is_list)
        put(w, "- ");
    else
        put_key(w, json_key(element));
    put_value(w, level, element);
}

Err *yaml_text(Arena *a, const Json *value, const char **ret)
{
    Writer w = {.arena = a, .text = {.ceiling = YAML_TEXT_MAX}, .fits = true};

    if (is_filled(value))
        enter(&w, value, 0, false);
    else
        put_scalar(&w, value, 0);
    while (w.depth > 0)
        if (w.levels[w.depth - 1].element)
            put_element(&w);
        else
            w.depth--;
    const char *text = w.fits ? str_copy(a, w.text.data) : NULL;
    buf_close(&w.text);
    if (!text)
        return err_terminal(a, "more than %d bytes of YAML: choose less", YAML_TEXT_MAX);
    *ret = text;
    return OK;
}
