/* Fixtures: JSON5 text is rewritten as JSON with comments and trailing commas, which yyjson reads
 * itself. yyjson reads all of JSON5 only from 0.12 on, which no stable Debian has. */
#include "base/arena_raw.h"
#include "base/json_tape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* How many bytes the text takes as JSON at most: a bare key gains two quotes, and a double quote in
 * single quotes a backslash. */
static size_t size_as_json(const char *text)
{
    size_t size = strlen(text);

    for (const char *at = text; *at; at++)
        size += *at == ':' ? 2 : *at == '"' ? 1 : 0;
    return size;
}

static char *put(char *to, const char *from, const char *end)
{
    return mempcpy(to, from, (size_t)(end - from));
}

/* The end of the comment that begins at `at`: behind its last byte. */
static const char *comment_end(const char *at)
{
    const char *end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");

    return end ? end + (at[1] == '/' ? 1 : 2) : at + strlen(at);
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Copies a string of either quote as one of double quotes; the place behind it in the text. */
static const char *put_string(char **to, const char *at)
{
    char quote = *at++;

    *(*to)++ = '"';
    for (; *at && *at != quote; at++) {
        if (*at == '\\' && at[1] == '\'')
            at++;
        else if (*at == '\\' && at[1])
            *(*to)++ = *at++;
        else if (*at == '"')
            *(*to)++ = '\\';
        *(*to)++ = *at;
    }
    if (!*at)
        return at; /* without its end: yyjson reports it */
    *(*to)++ = '"';
    return at + 1;
}

/* Copies a word: in quotes if it is a key, and else as it is. The place behind it in the text. */
static const char *put_word(char **to, const char *at)
{
    const char *end = at;

    while (is_in_word(*end))
        end++;
    bool is_key = end[strspn(end, " \t\r\n")] == ':';
    if (is_key)
        *(*to)++ = '"';
    *to = put(*to, at, end);
    if (is_key)
        *(*to)++ = '"';
    return end;
}

static size_t put_as_json(char *to, const char *at)
{
    char *begin = to;

    while (*at) {
        if (*at == '"' || *at == '\'') {
            at = put_string(&to, at);
        } else if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
            const char *end = comment_end(at);
            to = put(to, at, end);
            at = end;
        } else if (isalpha((unsigned char)*at) || *at == '_' || *at == '$') {
            at = put_word(&to, at);
        } else {
            *to++ = *at++;
        }
    }
    return (size_t)(to - begin);
}

const Json *json_fixture(Arena *a, const char *text)
{
    JsonMemory memory = {.arena = a};
    yyjson_alc allocator = json_memory_allocator(&memory);
    yyjson_read_err wrong;
    yyjson_read_flag flags =
        YYJSON_READ_INSITU | YYJSON_READ_ALLOW_COMMENTS | YYJSON_READ_ALLOW_TRAILING_COMMAS;
    size_t size = size_as_json(text) + YYJSON_PADDING_SIZE;
    char *json = arena_raw_overdraw(a, size);
    size_t len = put_as_json(json, text);

    memset(json + len, 0, YYJSON_PADDING_SIZE);
    yyjson_doc *doc = yyjson_read_opts(json, len, flags, &allocator, &wrong);
    if (!doc) {
        char what[256];
        snprintf(what, sizeof what, "fixture: %s at <%.40s>", wrong.msg, json + wrong.pos);
        BUG(what);
    }
    return json_of(doc->root);
}
