/* Promql: one pass over the text, from word to word. What a word is follows from the word before it
 * and from the bracket that it stands in. */
#include "tests/monitoring/promql.h"

#include "base/err.h"
#include "base/str.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct Reading {
    Arena *arena;
    const char *at;
    const char *metric; /* whose selector this is, or the last one that was named */
    PromqlUses *uses;
    const char *made; /* by a label_replace, or NULL */
} Reading;

static void note(Reading *r, PromqlUse use)
{
    if (r->uses->count == PROMQL_USES_MAX)
        BUG("an expression asks for too much");
    if (use.label && str_eq(use.label, r->made))
        return;
    r->uses->items[r->uses->count++] = use;
}

static void skip_spaces(Reading *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool is_word_begin(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == ':';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static const char *take_word(Reading *r)
{
    const char *begin = r->at;

    while (is_word_begin(*r->at) || isdigit((unsigned char)*r->at))
        r->at++;
    return str_slice(r->arena, begin, (size_t)(r->at - begin));
}

/* What stands between quotes; the place is on the first of them. */
static const char *take_string(Reading *r)
{
    const char quote = *r->at, *begin = ++r->at;

    while (*r->at && *r->at != quote)
        r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
    const char *text = str_slice(r->arena, begin, (size_t)(r->at - begin));
    if (*r->at)
        r->at++;
    return text;
}

/* {label="value", ...}; the place is on the brace. */
static void read_selector(Reading *r)
{
    for (r->at++; *r->at && *r->at != '}'; skip_spaces(r)) {
        r->at += strspn(r->at, ", \t\n");
        if (!is_word_begin(*r->at))
            break;
        const char *label = take_word(r);
        r->at += strspn(r->at, " =!~");
        note(r, (PromqlUse){r->metric, label, is_quote(*r->at) ? take_string(r) : NULL});
    }
    if (*r->at)
        r->at++;
}

/* (label, ...) after `by` and the like. */
static void read_labels(Reading *r)
{
    skip_spaces(r);
    if (*r->at != '(')
        return;
    for (r->at++; *r->at && *r->at != ')';) {
        if (is_word_begin(*r->at))
            note(r, (PromqlUse){.label = take_word(r)});
        else
            r->at++;
    }
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && !str_eq(*words, word))
        words++;
    return *words != NULL;
}

/* `sum by (...)` is no metric, and neither is `sum(...)`. */
static bool is_called(const char *behind)
{
    return *behind == '(' || str_has_prefix(behind, "by (") || str_has_prefix(behind, "without (");
}

static void read_word(Reading *r)
{
    static const char *const before_labels[] = {
        "by", "without", "on", "ignoring", "group_left", "group_right", NULL};
    static const char *const between[] = {"and", "or", "unless", "bool", "offset", NULL};
    const char *word = take_word(r);

    skip_spaces(r);
    if (is_one_of(word, before_labels))
        read_labels(r);
    else if (!is_called(r->at) && !is_one_of(word, between)) {
        r->metric = word;
        note(r, (PromqlUse){.metric = word});
    }
}

/* The label that a label_replace in the text makes: the first string of its arguments. */
static const char *made_label(Arena *a, const char *expression)
{
    const char *at = strstr(expression, "label_replace(");
    Reading r = {.arena = a};

    while (at && *at && *at != ')' && !(*at == ',' && at[1] == ' ' && at[2] == '"'))
        at++;
    if (!at || *at != ',')
        return NULL;
    r.at = at + 2;
    return take_string(&r);
}

/* label_values(metric{...}, label) */
static void read_label_values(Reading *r)
{
    const char *comma = strrchr(r->at, ',');
    const char *end = strrchr(r->at, ')');

    if (!comma || !end || end < comma)
        return;
    Reading label = {.arena = r->arena, .at = comma + 1};
    skip_spaces(&label);
    const char *name = take_word(&label);
    r->at = str_slice(r->arena, r->at, (size_t)(comma - r->at));
    read_word(r);
    if (*r->at == '{')
        read_selector(r);
    note(r, (PromqlUse){.metric = r->metric, .label = name});
    r->at = "";
}

PromqlUses promql_uses(Arena *a, const char *expression)
{
    static const char variable[] = "label_values(";
    PromqlUses uses = {0};
    Reading r = {.arena = a, .at = expression, .uses = &uses, .made = made_label(a, expression)};

    if (str_has_prefix(expression, variable)) {
        r.at += strlen(variable);
        read_label_values(&r);
    }
    while (*r.at) {
        if (is_word_begin(*r.at))
            read_word(&r);
        else if (*r.at == '{')
            read_selector(&r);
        else if (is_quote(*r.at))
            (void)take_string(&r);
        else if (*r.at == '[')
            r.at += strcspn(r.at, "]");
        else if (isdigit((unsigned char)*r.at))
            r.at += strspn(r.at, "0123456789.smhdwye");
        else
            r.at++;
    }
    return uses;
}
