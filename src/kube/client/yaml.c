/* YAML to JSON, event by event.
 *
 * libfyaml gives events and no tree is built: a small stack knows where commas and colons go, the
 * JSON text grows in a buffer with a ceiling, and base parses that. So depth and size are bounded
 * here, and nothing recurses. */
#include "kube/client/yaml.h"

#include "base/bytes.h"
#include "base/str.h"

#include <libfyaml.h>
#include <stdio.h>
#include <string.h>

typedef struct Level {
    bool is_mapping;
    size_t written; /* nodes so far; in a mapping keys count as well */
} Level;

typedef struct Converter {
    Arena *arena;
    size_t text_len;
    Buf json;
    Level levels[YAML_DEPTH_MAX];
    size_t depth;
    size_t documents;
} Converter;

static Err *wrong(const Converter *c, struct fy_event *event, const char *what)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    return mark
        ? err_terminal(c->arena, "line %d, column %d: %s", mark->line + 1, mark->column + 1, what)
        : err_terminal(c->arena, "%s", what);
}

static Err *append(Converter *c, const char *text, size_t len)
{
    return buf_append(&c->json, text, len)
        ? OK
        : err_terminal(c->arena, "larger than %d bytes as JSON", JSON_BYTES_MAX);
}

static bool key_is_next(const Converter *c)
{
    const Level *level = c->depth ? &c->levels[c->depth - 1] : NULL;
    return level && level->is_mapping && level->written % 2 == 0;
}

/* The comma or colon before the next node, and the count of it. */
static Err *begin_node(Converter *c)
{
    if (c->depth == 0)
        return OK;
    Level *level = &c->levels[c->depth - 1];
    bool is_value = level->is_mapping && level->written % 2 == 1;
    const char *mark = is_value ? ":" : level->written ? "," : "";

    level->written++;
    return append(c, mark, strlen(mark));
}

static Err *open_level(Converter *c, struct fy_event *event, bool is_mapping)
{
    if (key_is_next(c))
        return wrong(c, event, "a key must be plain text");
    if (c->depth == YAML_DEPTH_MAX)
        return wrong(c, event, "nested too deeply");
    TRY(begin_node(c));
    c->levels[c->depth++] = (Level){.is_mapping = is_mapping};
    return append(c, is_mapping ? "{" : "[", 1);
}

static Err *close_level(Converter *c)
{
    return append(c, c->levels[--c->depth].is_mapping ? "}" : "]", 1);
}

static Err *append_character(Converter *c, char character)
{
    char escape[8] = {character};
    unsigned char byte = (unsigned char)character;

    if (byte < 0x20 || byte == '"' || byte == '\\')
        snprintf(escape, sizeof escape, "\\u%04x", byte);
    return append(c, escape, strlen(escape));
}

static Err *append_string(Converter *c, Bytes text)
{
    TRY(append(c, "\"", 1));
    for (size_t i = 0; i < text.len; i++)
        TRY(append_character(c, text.data[i]));
    return append(c, "\"", 1);
}

/* Digits that JSON reads as the same number; longer ones and other notations stay text. */
static bool is_whole_number(Bytes text)
{
    size_t sign = text.len > 0 && text.data[0] == '-';
    size_t digits = text.len - sign;
    if (digits == 0 || digits > 18 || (digits > 1 && text.data[sign] == '0'))
        return false;
    for (size_t i = sign; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

/* What a plain word means in JSON, or NULL when it is text. */
static const char *word_meaning(Bytes text)
{
    static const struct {
        const char *word, *json;
    } words[] = {
        {"", "null"},
        {"~", "null"},
        {"null", "null"},
        {"Null", "null"},
        {"NULL", "null"},
        {"true", "true"},
        {"True", "true"},
        {"TRUE", "true"},
        {"false", "false"},
        {"False", "false"},
        {"FALSE", "false"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (bytes_equal(text, bytes_of(words[i].word)))
            return words[i].json;
    return NULL;
}

static bool is_string_tag(struct fy_token *tag)
{
    return str_eq(fy_token_get_text0(tag), "tag:yaml.org,2002:str");
}

static Err *write_scalar(Converter *c, struct fy_event *event)
{
    size_t len = 0;
    struct fy_token *tag = event->scalar.tag;
    const char *data = fy_token_get_text(event->scalar.value, &len);
    Bytes text = {.data = data ? data : "", .len = data ? len : 0};
    bool plain = !event->scalar.value || fy_token_scalar_style(event->scalar.value) == FYSS_PLAIN;

    if (tag && !is_string_tag(tag))
        return wrong(c, event, "tags other than !!str are not supported");
    if (memchr(text.data, '\0', text.len))
        return wrong(c, event, "a NUL byte within text");
    bool is_text = key_is_next(c) || !plain || tag;
    const char *word = is_text ? NULL : word_meaning(text);
    TRY(begin_node(c));
    if (word)
        return append(c, word, strlen(word));
    if (!is_text && is_whole_number(text))
        return append(c, text.data, text.len);
    return append_string(c, text);
}

/* libfyaml takes some malformed UTF-8 for the end of the text and is content. */
static Err *check_end(const Converter *c, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    return mark && mark->input_pos < c->text_len ? wrong(c, event, "not valid YAML") : OK;
}

static Err *convert_event(Converter *c, struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return c->documents++ ? wrong(c, event, "more than one YAML document") : OK;
    case FYET_MAPPING_START:
        return open_level(c, event, true);
    case FYET_SEQUENCE_START:
        return open_level(c, event, false);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_level(c);
    case FYET_SCALAR:
        return write_scalar(c, event);
    case FYET_ALIAS:
        return wrong(c, event, "aliases are not supported: write the value out");
    case FYET_STREAM_END:
        return check_end(c, event);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_DOCUMENT_END:
        return OK;
    }
    return wrong(c, event, "a kind of YAML that is not known here");
}

/* libfyaml's own words may quote the text, so only the place is taken from them. */
static Err *syntax_error(Converter *c, struct fy_diag *diag)
{
    void *cursor = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &cursor);
    if (!first)
        return err_terminal(c->arena, "not valid YAML");
    return err_terminal(c->arena, "line %d, column %d: not valid YAML", first->line, first->column);
}

static Err *convert(Converter *c, struct fy_parser *parser, struct fy_diag *diag)
{
    struct fy_event *event;

    while ((event = fy_parser_parse(parser))) {
        Err *err = convert_event(c, event);
        fy_parser_event_free(parser, event);
        if (err)
            return err;
    }
    return fy_parser_get_stream_error(parser) ? syntax_error(c, diag) : OK;
}

static Err *convert_text(Converter *c, Bytes text)
{
    struct fy_diag_cfg silent = {.fp = NULL, .level = FYET_ERROR, .module_mask = ~0U};
    struct fy_diag *diag = fy_diag_create(&silent);
    if (!diag)
        BUG("libfyaml ran out of memory");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg options = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = fy_parser_create(&options);
    if (!parser || fy_parser_set_string(parser, text.data, text.len))
        BUG("libfyaml ran out of memory");

    Err *err = convert(c, parser, diag);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return err;
}

/* A directive is a line that begins with "%": no kubeconfig has one, and libfyaml does not come
 * back from some of them. */
static Err *refuse_directives(Arena *a, const char *text)
{
    int line = 1;

    for (const char *start = text; start; line++) {
        if (*start == '%')
            return err_terminal(a, "line %d: directives are not supported", line);
        start = strpbrk(start, "\r\n");
        start = start ? start + 1 : NULL;
    }
    return OK;
}

/* Real JSON goes to the JSON parser: YAML reads tabs and surrogate pairs otherwise. Text that only
 * looks like it, such as a flow mapping with bare words, is left to YAML. */
static bool is_json(Arena *a, Bytes text, const Json **ret)
{
    size_t start = strspn(text.data, " \t\r\n");
    return text.data[start] == '{' && json_parse(a, text, ret) == OK;
}

Err *yaml_parse(Arena *a, const char *text, const Json **ret)
{
    Bytes bytes = bytes_of(text);
    if (bytes.len > YAML_BYTES_MAX)
        return err_terminal(a, "larger than %d bytes", YAML_BYTES_MAX);
    if (is_json(a, bytes, ret))
        return OK;
    TRY(refuse_directives(a, text));

    Converter converter = {
        .arena = a,
        .text_len = bytes.len,
        .json = {.ceiling = JSON_BYTES_MAX},
    };
    Err *err = convert_text(&converter, bytes);
    if (!err && converter.json.len == 0)
        err = append(&converter, "{}", 2);
    if (!err)
        err = json_parse(a, buf_bytes(&converter.json), ret);
    buf_close(&converter.json);
    return err;
}
