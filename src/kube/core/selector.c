/* Selectors: a list of requirements, kept in the order of their keys.
 *
 * The grammar and its oddities are those of Kubernetes: "in" and "notin" are words only where an
 * operator can stand, "a=" asks for the empty value, and a negative requirement is met by an object
 * that does not have the key at all. */
#include "kube/selector.h"

#include "base/str.h"
#include "kube/core/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    REQUIREMENTS_MAX = 256,
    VALUES_MAX = 1024, /* of one requirement */
    NAME_MAX_LEN = 63, /* of a label's name or value */
    PREFIX_MAX_LEN = 253,
};

typedef enum Operator { IN, NOT_IN, EXISTS, NOT_EXISTS } Operator;

typedef struct Requirement {
    const char *key; /* of a field: its path for json_find */
    Operator operator;
    const char **values; /* sorted; none for EXISTS and NOT_EXISTS */
    size_t count;
} Requirement;

struct Selector {
    bool of_fields;
    Requirement *items;
    size_t count;
};

/* --- building --- */

/* How many pieces the commas of a text make of it, as far as they are looked at. */
static size_t pieces(const char *text, size_t len, size_t max)
{
    size_t count = 1;

    for (size_t i = 0; i < len && count < max; i++)
        count += text[i] == ',';
    return count;
}

static Selector *selector_new(Arena *a, size_t max)
{
    Selector *selector = arena_new(a, Selector);

    selector->items = arena_array(a, Requirement, max < REQUIREMENTS_MAX ? max : REQUIREMENTS_MAX);
    return selector;
}

static Selector *selector_of_text(Arena *a, const char *text)
{
    return selector_new(a, pieces(text, strlen(text), REQUIREMENTS_MAX));
}

static int compare_values(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

/* Keeps requirements in the order of their keys, those of one key as they came. */
static Err *add(Arena *a, Selector *selector, Requirement requirement)
{
    size_t at = selector->count;

    if (at == REQUIREMENTS_MAX)
        return err_terminal(a, "a selector of more than %d requirements", REQUIREMENTS_MAX);
    if (requirement.count > 1)
        qsort(requirement.values, requirement.count, sizeof *requirement.values, compare_values);
    for (; at > 0 && strcmp(selector->items[at - 1].key, requirement.key) > 0; at--)
        selector->items[at] = selector->items[at - 1];
    selector->items[at] = requirement;
    selector->count++;
    return OK;
}

static bool add_value(Requirement *requirement, const char *value)
{
    if (requirement->count == VALUES_MAX)
        return false;
    requirement->values[requirement->count++] = value;
    return true;
}

/* --- what labels may be --- */

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* 1 to 63 letters, digits, "-", "_", ".", beginning and ending with a letter or digit. */
static bool is_name(const char *text, size_t len)
{
    if (len == 0 || len > NAME_MAX_LEN || !is_alphanumeric(text[0])
        || !is_alphanumeric(text[len - 1]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(text[i]) && !strchr("-_.", text[i]))
            return false;
    return true;
}

/* A DNS subdomain: lower-case labels with dots between them. */
static bool is_prefix(const char *text, size_t len)
{
    char before = '.';

    if (len == 0 || len > PREFIX_MAX_LEN)
        return false;
    for (size_t i = 0; i < len; before = text[i++]) {
        bool letter = is_alphanumeric(text[i]) && !(text[i] >= 'A' && text[i] <= 'Z');
        bool inner =
            (text[i] == '-' && before != '.') || (text[i] == '.' && before != '.' && before != '-');
        if (!letter && !inner)
            return false;
    }
    return before != '.' && before != '-';
}

static bool is_label_key(const char *key)
{
    const char *slash = strchr(key, '/');
    const char *name = slash ? slash + 1 : key;

    return is_name(name, strlen(name)) && (!slash || is_prefix(key, (size_t)(slash - key)));
}

static bool is_label_value(const char *value)
{
    return !*value || is_name(value, strlen(value));
}

/* --- reading the text form --- */

typedef struct Reader {
    Arena *arena;
    const char *start, *at;
} Reader;

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

    if (!is_label_value(value))
        return fault(&before, "this is no value of a label");
    if (!add_value(requirement, value))
        return fault(&before, "too many values");
    return OK;
}

static Err *take_values(Reader *r, Requirement *requirement)
{
    if (!take(r, "("))
        return fault(r, "\"(\" is missing");
    skip_space(r);
    if (*r->at == ')')
        return fault(r, "the list of values is empty");
    requirement->values =
        arena_array(r->arena, const char *, pieces(r->at, strcspn(r->at, ")"), VALUES_MAX));
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
    if (!is_label_key(requirement->key))
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
        TRY(add(a, selector, requirement));
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

/* --- reading the JSON form --- */

static Err *decode_labels(Arena *a, const Json *labels, Selector *selector)
{
    const Json *value;

    if (labels && json_type(labels) != JSON_OBJECT)
        return err_terminal(a, "matchLabels is no object");
    json_each(value, labels) {
        const char *key = json_key(value), *text = json_text(value);
        if (!text || !is_label_key(key) || !is_label_value(text))
            return err_terminal(a, "matchLabels holds what no label can be");
        Requirement requirement = {
            .key = key, .operator= IN, .values = arena_new(a, const char *), .count = 1};
        requirement.values[0] = text;
        TRY(add(a, selector, requirement));
    }
    return OK;
}

static bool operator_of(const char *text, Operator *ret)
{
    static const char *const texts[] = {
        [IN] = "In", [NOT_IN] = "NotIn", [EXISTS] = "Exists", [NOT_EXISTS] = "DoesNotExist"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!str_eq(texts[i], text))
            continue;
        *ret = (Operator)i;
        return true;
    }
    return false;
}

static Err *decode_expression(Arena *a, const Json *expression, Requirement *requirement)
{
    const Json *values = json_find(expression, ".values");
    const Json *value;
    bool takes_values;

    requirement->key = json_str(expression, ".key");
    if (!requirement->key || !is_label_key(requirement->key))
        return err_terminal(a, "matchExpressions has a key that no label can have");
    if (!operator_of(json_str(expression, ".operator"), &requirement->operator))
        return err_terminal(a, "matchExpressions has an operator that is none");
    takes_values = requirement->operator== IN || requirement->operator== NOT_IN;
    if (takes_values != (json_count(values) > 0) || json_count(values) > VALUES_MAX)
        return err_terminal(
            a, "matchExpressions has values where none are, or none where some are");
    requirement->values = arena_array(a, const char *, json_count(values));
    json_each(value, values) {
        if (!json_text(value) || !is_label_value(json_text(value)))
            return err_terminal(a, "matchExpressions has a value that no label can have");
        add_value(requirement, json_text(value));
    }
    return OK;
}

Err *selector_decode(Arena *a, const Json *label_selector, const Selector **ret)
{
    const Json *labels = json_find(label_selector, ".matchLabels");
    const Json *expressions = json_find(label_selector, ".matchExpressions");
    size_t count = json_count(labels) + json_count(expressions);
    Selector *selector = selector_new(a, count);
    const Json *expression;

    if (count == 0)
        return err_terminal(a, "empty selector: it would select everything");
    TRY(decode_labels(a, labels, selector));
    json_each(expression, expressions) {
        Requirement requirement = {0};
        TRY(decode_expression(a, expression, &requirement));
        TRY(add(a, selector, requirement));
    }
    *ret = selector;
    return OK;
}

/* --- fields --- */

/* A path of plain names, which json_find takes once it begins with a dot. */
static bool is_field_path(const char *path)
{
    char before = '.';

    for (; *path; before = *path++)
        if (!is_alphanumeric(*path) && (*path != '.' || before == '.'))
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
        TRY(add(a, selector, requirement));
        if (*r.at && !*++r.at)
            return fault(&r, "a path is missing behind the last \",\"");
    }
    *ret = selector;
    return OK;
}

/* --- matching --- */

static bool meets(const Requirement *requirement, const char *value)
{
    bool listed = value && requirement->count > 0
        && bsearch(&value,
            requirement->values,
            requirement->count,
            sizeof *requirement->values,
            compare_values);

    switch (requirement->operator) {
    case IN:
        return listed;
    case NOT_IN:
        return !listed;
    case EXISTS:
        return value != NULL;
    case NOT_EXISTS:
        return value == NULL;
    }
    BUG("a selector with an operator that is none");
}

bool selector_matches(const Selector *selector, const Json *object)
{
    const Json *labels = json_find(object, ".metadata.labels");

    for (size_t i = 0; selector && i < selector->count; i++)
        if (!meets(&selector->items[i], json_text(json_member(labels, selector->items[i].key))))
            return false;
    return true;
}

static const char *field_text(const Json *value)
{
    const char *text = json_text(value);

    if (json_type(value) == JSON_BOOL)
        return json_bool(value, "", false) ? "true" : "false";
    return text ? text : "";
}

bool selector_matches_fields(const Selector *selector, const Json *object)
{
    for (size_t i = 0; selector && i < selector->count; i++)
        if (!meets(&selector->items[i], field_text(json_find(object, selector->items[i].key))))
            return false;
    return true;
}

const char *selector_value_of(const Selector *selector, const char *label)
{
    for (size_t i = 0; selector && i < selector->count; i++) {
        const Requirement *requirement = &selector->items[i];
        if (str_eq(requirement->key, label)
            && requirement->operator== IN && requirement->count == 1)
            return requirement->values[0];
    }
    return NULL;
}

/* --- writing the text form --- */

static void write_field_value(Text *t, const char *value)
{
    for (; *value; value++) {
        if (strchr("\\,=", *value))
            text_add_byte(t, '\\');
        text_add_byte(t, *value);
    }
}

static void write_values(Text *t, const Requirement *requirement, bool negative)
{
    text_add(t, negative ? " notin (" : " in (");
    for (size_t i = 0; i < requirement->count; i++) {
        text_add(t, i > 0 ? "," : "");
        text_add(t, requirement->values[i]);
    }
    text_add(t, ")");
}

static void write_requirement(Text *t, const Requirement *requirement, bool of_fields)
{
    bool negative = requirement->operator== NOT_IN || requirement->operator== NOT_EXISTS;

    if (requirement->operator== NOT_EXISTS)
        text_add(t, "!");
    text_add(t, requirement->key + of_fields);
    if (requirement->count > 1)
        write_values(t, requirement, negative);
    if (requirement->count != 1)
        return;
    text_add(t, negative ? "!=" : "=");
    if (of_fields)
        write_field_value(t, requirement->values[0]);
    else
        text_add(t, requirement->values[0]);
}

const char *selector_text(Arena *a, const Selector *selector)
{
    Text t = {.arena = a};

    for (size_t i = 0; selector && i < selector->count; i++) {
        text_add(&t, i > 0 ? "," : "");
        write_requirement(&t, &selector->items[i], selector->of_fields);
    }
    return text_seen(&t);
}
