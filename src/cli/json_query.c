/* JsonQuery: a walk over the template. A range is a level on a stack: its {end} goes back to its
 * beginning until all of its values have been seen. */
#include "cli/json_query.h"

#include "base/str.h"

#include <string.h>

enum { QUERY_TEXT_MAX = 64 << 20, RANGES_MAX = 8, VALUES_MAX = 1 << 17 };

typedef struct Values {
    const Json **items;
    size_t count;
} Values;

typedef struct Range {
    Values values;
    size_t at;
    const char *body; /* behind its {range ...} */
} Range;

typedef struct Query {
    Arena *arena;
    const char *template;
    Buf text;
    const Json *root;
    Range ranges[RANGES_MAX];
    size_t depth;
} Query;

static Err *refuse(const Query *q, const char *what, const char *at)
{
    return err_terminal(
        q->arena, "--output: jsonpath: %s at \"%s\"", what, str_cut(q->arena, at, 40));
}

static Err *put(Query *q, const char *text, size_t len)
{
    if (buf_append(&q->text, text, len))
        return OK;
    return err_terminal(q->arena, "--output: jsonpath: more than %d bytes", QUERY_TEXT_MAX);
}

/* --- paths */

/* All elements of those values, or the one member or element of each that has it. */
typedef struct Step {
    bool all;
    const char *key; /* NULL: the index */
    int64_t index;   /* from the end when negative */
} Step;

static const Json *element_at(const Json *value, int64_t index)
{
    int64_t count = (int64_t)json_count(value), at = index < 0 ? count + index : index;
    const Json *element;

    if (json_type(value) != JSON_ARRAY)
        return NULL;
    json_each(element, value)
        if (at-- == 0)
            return element;
    return NULL;
}

static Err *take_step(Query *q, const Step *step, Values *values)
{
    Values next = {.items = arena_array(q->arena, const Json *, values->count)};

    if (!step->all) {
        for (size_t i = 0; i < values->count; i++) {
            const Json *value = values->items[i];
            const Json *found =
                step->key ? json_member(value, step->key) : element_at(value, step->index);
            if (found)
                next.items[next.count++] = found;
        }
        *values = next;
        return OK;
    }
    size_t total = 0;
    for (size_t i = 0; i < values->count; i++)
        total += json_count(values->items[i]);
    if (total > VALUES_MAX)
        return err_terminal(q->arena, "--output: jsonpath: more than %d values", VALUES_MAX);
    next.items = arena_array(q->arena, const Json *, total);
    for (size_t i = 0; i < values->count; i++) {
        const Json *element;
        json_each(element, values->items[i])
            next.items[next.count++] = element;
    }
    *values = next;
    return OK;
}

/* What stands in brackets; *at is behind the "[" and then behind the "]". */
static Err *read_bracket(const Query *q, const char **at, Step *ret)
{
    const char *start = *at;

    if (*start == '\'' || *start == '"') {
        size_t len = strcspn(start + 1, (const char[]){*start, '\0'});
        if (start[1 + len] != *start || start[2 + len] != ']')
            return refuse(q, "a key without its closing quote and bracket", start);
        *ret = (Step){.key = str_slice(q->arena, start + 1, len)};
        *at = start + len + 3;
        return OK;
    }
    size_t len = strcspn(start, "]");
    const char *inside = str_slice(q->arena, start, len);
    if (start[len] != ']')
        return refuse(q, "a bracket that is not closed", start);
    *at = start + len + 1;
    *ret = (Step){.all = str_eq(inside, "*")};
    if (ret->all || str_to_int(inside, &ret->index))
        return OK;
    return refuse(
        q, "neither a number, * nor a quoted key (filters and slices are not supported)", inside);
}

static Err *read_step(const Query *q, const char **at, Step *ret)
{
    if (**at == '[') {
        (*at)++;
        return read_bracket(q, at, ret);
    }
    if (**at != '.')
        return refuse(q, "a path goes on with . or [", *at);
    if ((*at)[1] == '.')
        return refuse(q, ".. is not supported", *at);
    const char *name = *at + 1;
    size_t len = 0;
    while (name[len] && !strchr(".[ ", name[len]))
        len += name[len] == '\\' && name[len + 1] ? 2 : 1;
    *at = name + len;
    *ret = (Step){.all = len == 1 && *name == '*'};
    char *key = arena_alloc(q->arena, len + 1);
    for (size_t i = 0, n = 0; i < len; i++, n++) {
        i += name[i] == '\\' && i + 1 < len;
        key[n] = name[i];
    }
    ret->key = key;
    return OK;
}

static Err *find_values(Query *q, const char *path, Values *ret)
{
    const Json **first = arena_array(q->arena, const Json *, 1);
    const Range *range = q->depth ? &q->ranges[q->depth - 1] : NULL;
    const char *at = path + (*path == '@' || *path == '$');

    first[0] = range && *path != '$' ? range->values.items[range->at] : q->root;
    *ret = (Values){.items = first, .count = 1};
    if (str_eq(at, "."))
        return OK;
    while (*at) {
        Step step;
        if (*at == '.' && at[1] == '[')
            at++;
        TRY(read_step(q, &at, &step));
        if (step.all)
            step.key = NULL;
        TRY(take_step(q, &step, ret));
    }
    return OK;
}

static Err *put_path(Query *q, const char *path)
{
    Values values;

    TRY(find_values(q, path, &values));
    for (size_t i = 0; i < values.count; i++) {
        const char *text = json_text(values.items[i]);
        if (!text)
            text = json_write(q->arena, values.items[i]).data;
        if (i > 0)
            TRY(put(q, " ", 1));
        TRY(put(q, text, strlen(text)));
    }
    return OK;
}

/* --- what stands between { and } */

static Err *put_quoted(Query *q, const char *text)
{
    static const char names[] = "nt\"'\\", codes[] = "\n\t\"'\\";
    size_t len = strlen(text);

    if (len < 2 || text[len - 1] != *text)
        return refuse(q, "a text without its closing quote", text);
    for (size_t i = 1; i + 1 < len; i++) {
        char c = text[i];
        const char *name = c == '\\' && i + 2 < len ? strchr(names, text[i + 1]) : NULL;
        if (name) {
            c = codes[name - names];
            i++;
        }
        TRY(put(q, &c, 1));
    }
    return OK;
}

/* Where the directive that belongs to a range ends: behind the {end} of its own depth. */
static const char *skip_range(const char *body)
{
    int depth = 1;

    for (const char *at = strchr(body, '{'); at; at = strchr(at + 1, '{')) {
        depth += str_has_prefix(at, "{range ") ? 1 : str_has_prefix(at, "{end}") ? -1 : 0;
        if (depth == 0)
            return at + strlen("{end}");
    }
    return NULL;
}

static Err *begin_range(Query *q, const char *path, const char **at)
{
    Range range = {.body = *at};
    const char *behind = skip_range(*at);

    if (!behind)
        return refuse(q, "a range without its {end}", path);
    if (q->depth == RANGES_MAX)
        return refuse(q, "too many ranges in each other", path);
    TRY(find_values(q, path, &range.values));
    if (range.values.count == 0)
        *at = behind;
    else
        q->ranges[q->depth++] = range;
    return OK;
}

static Err *end_range(Query *q, const char **at)
{
    if (q->depth == 0)
        return refuse(q, "an {end} without its range", "{end}");
    Range *range = &q->ranges[q->depth - 1];
    if (++range->at < range->values.count)
        *at = range->body;
    else
        q->depth--;
    return OK;
}

/* The length of what stands before the closing brace, which may stand in quotes, too. */
static size_t directive_len(const char *text)
{
    char quote = '\0';
    size_t len = 0;

    for (; text[len] && (quote || text[len] != '}'); len++) {
        if (text[len] == '\\' && text[len + 1])
            len++;
        else if (quote ? text[len] == quote : text[len] == '"' || text[len] == '\'')
            quote = quote ? '\0' : text[len];
    }
    return len;
}

static Err *read_directive(Query *q, const char **at)
{
    size_t len = directive_len(*at);
    const char *inside = str_slice(q->arena, *at, len);

    if ((*at)[len] != '}')
        return refuse(q, "a { without its }", *at);
    *at += len + 1;
    if (*inside == '"' || *inside == '\'')
        return put_quoted(q, inside);
    if (str_has_prefix(inside, "range "))
        return begin_range(q, inside + strlen("range "), at);
    if (str_eq(inside, "end"))
        return end_range(q, at);
    return put_path(q, inside);
}

/* Text up to a brace, and what stands in that. */
static Err *read_piece(Query *q, const char **at)
{
    size_t len = strcspn(*at, "{");

    TRY(put(q, *at, len));
    *at += len;
    if (**at != '{')
        return OK;
    (*at)++;
    return read_directive(q, at);
}

static Err *run(Query *q)
{
    const char *at = q->template;

    while (*at)
        TRY(read_piece(q, &at));
    return OK;
}

Err *json_query(Arena *a, const Json *value, const char *template, const char **ret)
{
    Query q = {
        .arena = a, .template = template, .root = value, .text = {.ceiling = QUERY_TEXT_MAX}};
    Err *err = run(&q);

    if (!err)
        *ret = q.text.len ? str_copy(a, q.text.data) : "";
    buf_close(&q.text);
    return err;
}
