/* Reads the text forms of selectors.
 *
 * The grammar and its oddities are those of Kubernetes: "in" and "notin" are words only where an
 * operator can stand, and "a=" asks for the empty value. */
#include "base/str.h"
#include "kube/core/label.h"
#include "kube/core/requirement.h"
#include "kube/core/text.h"
#include "kube/selector.h"

#include <string.h>

typedef struct Reader {
    Arena *arena;
    const char *start, *at;
} Reader;

/* How many pieces the commas of a text make of it, as far as they are looked at. */
static size_t pieces(const char *text, size_t len, size_t max)
{
    size_t count = 1;

    for (size_t i = 0; i < len && count < max; i++)
        count += text[i] == ',';
    return count;
}

static Selector *selector_of_text(Arena *a, const char *text)
{
    return requirements_new(a, pieces(text, strlen(text), REQUIREMENTS_MAX));
}

static void skip_space(Reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static Err *fault(const Reader *r, const char *what)
{
    return err_terminal(r->arena,
        "the selector \"%s\" is wrong at byte %zu: %s",
        str_cut(r->arena, r->start, 256),
        (size_t)(r->at - r->start),
        what);
}

static bool take(Reader *r, const char *token)
{
    skip_space(r);
    if (!str_has_prefix(r->at, token))
        return false;
    r->at += strlen(token);
    return true;
}

/* A word, which may be empty. */
static const char *take_word(Reader *r)
{
    const char *word;
    size_t len;

    skip_space(r);
    len = strcspn(r->at, "=!(),<> \t\r\n");
    word = str_slice(r->arena, r->at, len);
    r->at += len;
    return word;
}

static Err *take_value(Reader *r, Requirement *requirement)
{
    Reader before = *r;
    const char *value = take_word(r);

    if (!label_is_value(value))
        return fault(&before, "this is no value of a label");
    if (requirement->count == REQUIREMENT_VALUES_MAX)
        return fault(&before, "too many values");
    requirement->values[requirement->count++] = value;
    return OK;
}

static Err *take_values(Reader *r, Requirement *requirement)
{
    if (!take(r, "("))
        return fault(r, "\"(\" is missing");
    skip_space(r);
    if (*r->at == ')')
        return fault(r, "the list of values is empty");
    requirement->values = arena_array(
        r->arena, const char *, pieces(r->at, strcspn(r->at, ")"), REQUIREMENT_VALUES_MAX));
    do
        TRY(take_value(r, requirement));
    while (take(r, ","));
    return take(r, ")") ? OK : fault(r, "\")\" is missing");
}

/* The operator and its values; a key alone asks for its existence. */
static Err *take_operation(Reader *r, Requirement *requirement)
{
    Reader before = *r;
    const char *word;

    requirement->values = arena_new(r->arena, const char *);
    if (take(r, "!=")) {
        requirement->operator= NOT_IN;
        return take_value(r, requirement);
    }
    if (take(r, "==") || take(r, "=")) {
        requirement->operator= IN;
        return take_value(r, requirement);
    }
    word = take_word(r);
    requirement->operator= str_eq(word, "notin") ? NOT_IN : str_eq(word, "in") ? IN : EXISTS;
    if (requirement->operator!= EXISTS)
        return take_values(r, requirement);
    return *word ? fault(&before, "\"=\", \"!=\", \"in\" or \"notin\" is expected here") : OK;
}

static Err *take_requirement(Reader *r, Requirement *requirement)
{
    bool negated = take(r, "!");
    Reader before;

    skip_space(r);
    before = *r;
    requirement->key = take_word(r);
    if (!label_is_key(requirement->key))
        return fault(&before, "this is no key of a label");
    if (!negated)
        return take_operation(r, requirement);
    requirement->operator= NOT_EXISTS;
    return OK;
}

Err *selector_parse(Arena *a, const char *text, const Selector **ret)
{
    Reader r = {.arena = a, .start = text, .at = text};
    Selector *selector = selector_of_text(a, text);

    skip_space(&r);
    while (*r.at) {
        Requirement requirement = {0};
        TRY(take_requirement(&r, &requirement));
        TRY(requirement_add(a, selector, requirement));
        skip_space(&r);
        if (!*r.at)
            break;
        if (!take(&r, ","))
            return fault(&r, "\",\" is expected here");
        skip_space(&r);
        if (!*r.at)
            return fault(&r, "a key is missing behind the last \",\"");
    }
    *ret = selector;
    return OK;
}

/* --- fields --- */

/* A path of plain names, which json_find takes once it begins with a dot. */
static bool is_field_path(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char before = '.';

    for (; *path; before = *path++)
        if (*path == '.' ? before == '.' : !strchr(letters, *path))
            return false;
    return before != '.';
}

/* A value up to the next comma; a backslash makes what follows it plain. */
static bool take_field_value(Reader *r, const char **ret)
{
    Text value = {.arena = r->arena};

    for (; *r->at && *r->at != ','; r->at++) {
        bool escaped = *r->at == '\\';
        r->at += escaped;
        if (escaped ? !*r->at || !strchr("\\,=", *r->at) : *r->at == '=')
            return false;
        text_add_byte(&value, *r->at);
    }
    *ret = text_seen(&value);
    return true;
}

static Err *take_field(Reader *r, Requirement *requirement)
{
    const char *path = str_slice(r->arena, r->at, strcspn(r->at, "=!,"));

    if (!is_field_path(path))
        return fault(r, "this is no path of a field");
    requirement->key = str_format(r->arena, ".%s", path);
    requirement->values = arena_new(r->arena, const char *);
    requirement->count = 1;
    r->at += strlen(path);
    requirement->operator= str_has_prefix(r->at, "!=") ? NOT_IN : IN;
    if (!take(r, "!=") && !take(r, "==") && !take(r, "="))
        return fault(r, "\"=\" or \"!=\" is expected here");
    Reader before = *r;
    if (!take_field_value(r, &requirement->values[0]))
        return fault(&before, "this value has a \"=\" or \"\\\" that needs a \"\\\" before it");
    return OK;
}

Err *selector_parse_fields(Arena *a, const char *text, const Selector **ret)
{
    Reader r = {.arena = a, .start = text, .at = text};
    Selector *selector = selector_of_text(a, text);

    selector->of_fields = true;
    while (*r.at) {
        Requirement requirement = {0};
        TRY(take_field(&r, &requirement));
        TRY(requirement_add(a, selector, requirement));
        if (!*r.at)
            break;
        r.at++;
        if (!*r.at)
            return fault(&r, "a path is missing behind the last \",\"");
    }
    *ret = selector;
    return OK;
}
