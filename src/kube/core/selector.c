/* Selectors: what they match, and how they are written. */
#include "kube/selector.h"

#include "base/str.h"
#include "kube/core/label.h"
#include "kube/core/requirement.h"
#include "kube/core/text.h"

#include <string.h>

/* --- reading the JSON form --- */

static Err *decode_labels(Arena *a, const Json *labels, Selector *selector)
{
    const Json *value;

    if (labels && json_type(labels) != JSON_OBJECT)
        return err_terminal(a, "matchLabels is no object");
    json_each(value, labels) {
        const char *key = json_key(value), *text = json_text(value);
        if (!text || !label_is_key(key) || !label_is_value(text))
            return err_terminal(a, "matchLabels holds what no label can be");
        Requirement requirement = {
            .key = key, .operator= IN, .values = arena_new(a, const char *), .count = 1};
        requirement.values[0] = text;
        TRY(requirement_add(a, selector, requirement));
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
    if (!requirement->key || !label_is_key(requirement->key))
        return err_terminal(a, "matchExpressions has a key that no label can have");
    if (!operator_of(json_str(expression, ".operator"), &requirement->operator))
        return err_terminal(a, "matchExpressions has an operator that is none");
    takes_values = requirement->operator== IN || requirement->operator== NOT_IN;
    if (takes_values != (json_count(values) > 0) || json_count(values) > REQUIREMENT_VALUES_MAX)
        return err_terminal(
            a, "matchExpressions has values where none are, or none where some are");
    requirement->values = arena_array(a, const char *, json_count(values));
    json_each(value, values) {
        if (!json_text(value) || !label_is_value(json_text(value)))
            return err_terminal(a, "matchExpressions has a value that no label can have");
        requirement->values[requirement->count++] = json_text(value);
    }
    return OK;
}

Err *selector_decode(Arena *a, const Json *label_selector, const Selector **ret)
{
    const Json *labels = json_find(label_selector, ".matchLabels");
    const Json *expressions = json_find(label_selector, ".matchExpressions");
    size_t count = json_count(labels) + json_count(expressions);
    Selector *selector = requirements_new(a, count);
    const Json *expression;

    if (count == 0)
        return err_terminal(a, "empty selector: it would select everything");
    TRY(decode_labels(a, labels, selector));
    json_each(expression, expressions) {
        Requirement requirement = {0};
        TRY(decode_expression(a, expression, &requirement));
        TRY(requirement_add(a, selector, requirement));
    }
    *ret = selector;
    return OK;
}

/* --- matching --- */

bool selector_matches(const Selector *selector, const Json *object)
{
    const Json *labels = json_find(object, ".metadata.labels");

    for (size_t i = 0; selector && i < selector->count; i++)
        if (!requirement_meets(
                &selector->items[i], json_text(json_member(labels, selector->items[i].key))))
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
        if (!requirement_meets(
                &selector->items[i], field_text(json_find(object, selector->items[i].key))))
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
