/* Rules, walked: the tables are the only thing that nests, so the depth of an object is no matter.
 */
#include "world/validity_rules.h"

#include "base/str.h"
#include "world/validity.h"

#include <string.h>

enum { PORT_MOST = 65535, MODE_MOST = 0777, PATH_STEPS_MAX = 32 };

/* --- the walk --- */

static void check_elements(const Spot *list, const Rule *rules, Faults *f)
{
    Spot element = {.up = list};

    json_each(element.value, list->value) {
        rules_check_spot(rules, &element, f);
        element.index++;
    }
}

/* Where a row looks: at what the table is about, or below it. */
static Spot spot_of_row(const Spot *around, const Rule *rule)
{
    Spot spot = *rule->at ? spot_at(around, rule->at) : *around;

    spot.rule = rule;
    return spot;
}

void rules_check_spot(const Rule *rules, const Spot *spot, Faults *f)
{
    for (const Rule *rule = rules; rule->at; rule++) {
        Spot below = spot_of_row(spot, rule);
        if (rule->when && !rule->when(spot))
            continue;
        if (rule->check)
            rule->check(&below, f);
        if (rule->inside && below.value)
            rules_check_spot(rule->inside, &below, f);
        if (rule->each)
            check_elements(&below, rule->each, f);
    }
}

void rules_check(const Rule *rules, const Json *object, Faults *f)
{
    rules_check_spot(rules, &(Spot){.value = object}, f);
}

bool rules_hold(const Rule *rules, const Spot *spot, Arena *a)
{
    Faults f = {.arena = a};

    rules_check_spot(rules, spot, &f);
    return f.count == 0;
}

/* --- spots --- */

Spot spot_at(const Spot *up, const char *name)
{
    const Json *value = name[0] == '.' ? json_find(up->value, name) : NULL;

    return (Spot){.up = up, .value = json_type(value) == JSON_NULL ? NULL : value, .name = name};
}

const Spot *spot_around(const Spot *spot, const char *member)
{
    for (; spot; spot = spot->up)
        if (json_member(spot->value, member))
            return spot;
    BUG("a rule looks for what cannot be there");
}

const char *spot_text(const Spot *spot)
{
    const char *text = json_text(spot->value);

    return text ? text : "";
}

bool spot_repeats(const Spot *element, const char *path)
{
    const char *text = json_str(element->value, path);
    const Json *other;

    json_each(other, element->up->value) {
        if (other == element->value)
            return false;
        if (text && str_eq(json_str(other, path), text))
            return true;
    }
    return false;
}

static const char *path_of(Arena *a, const Spot *spot)
{
    const Spot *steps[PATH_STEPS_MAX];
    size_t count = 0;
    const char *path = "";

    for (; spot->up && count < PATH_STEPS_MAX; spot = spot->up)
        steps[count++] = spot;
    while (count > 0) {
        const Spot *step = steps[--count];
        if (!step->name)
            path = str_format(a, "%s[%zu]", path, step->index);
        else
            path = str_format(
                a, "%s%s", path, *path || step->name[0] != '.' ? step->name : step->name + 1);
    }
    return path;
}

/* --- faults --- */

void spot_invalid_as(const Spot *spot, Faults *f, const char *shown, const char *why)
{
    faults_add(f,
        "FieldValueInvalid",
        path_of(f->arena, spot),
        "Invalid value: %s%s%s",
        shown,
        why ? ": " : "",
        why ? why : "");
}

void spot_invalid(const Spot *spot, Faults *f, const char *why)
{
    spot_invalid_as(spot, f, spot->value ? json_write(f->arena, spot->value).data : "\"\"", why);
}

void spot_required(const Spot *spot, Faults *f, const char *why)
{
    faults_add(f,
        "FieldValueRequired",
        path_of(f->arena, spot),
        "Required value%s%s",
        why ? ": " : "",
        why ? why : "");
}

void spot_forbidden(const Spot *spot, Faults *f, const char *why)
{
    faults_add(f, "FieldValueForbidden", path_of(f->arena, spot), "Forbidden: %s", why);
}

void spot_unsupported(const Spot *spot, Faults *f, const char *choices)
{
    const char *listed = "";

    while (*choices) {
        size_t len = strcspn(choices, "|");
        listed =
            str_format(f->arena, "%s%s\"%.*s\"", listed, *listed ? ", " : "", (int)len, choices);
        choices += len + (choices[len] == '|');
    }
    faults_add(f,
        "FieldValueNotSupported",
        path_of(f->arena, spot),
        "Unsupported value: \"%s\": supported values: %s",
        spot_text(spot),
        listed);
}

void spot_duplicate(const Spot *spot, Faults *f)
{
    faults_add(f,
        "FieldValueDuplicate",
        path_of(f->arena, spot),
        "Duplicate value: %s",
        json_write(f->arena, spot->value).data);
}

void spot_not_found(const Spot *spot, Faults *f)
{
    faults_add(
        f, "FieldValueNotFound", path_of(f->arena, spot), "Not found: \"%s\"", spot_text(spot));
}

void spot_too_long(const Spot *spot, Faults *f, int bytes_max)
{
    faults_add(f,
        "FieldValueTooLong",
        path_of(f->arena, spot),
        "Too long: may not be more than %d bytes",
        bytes_max);
}

/* --- what many rows ask for --- */

static bool is_empty(const Json *value)
{
    JsonType type = json_type(value);

    return type == JSON_ABSENT || type == JSON_NULL
        || (type == JSON_STRING && str_eq(json_text(value), ""))
        || ((type == JSON_ARRAY || type == JSON_OBJECT) && json_count(value) == 0);
}

void rule_required(const Spot *spot, Faults *f)
{
    if (is_empty(spot->value))
        spot_required(spot, f, spot->rule->words);
}

static bool is_choice(const char *choices, const char *text)
{
    size_t wanted = strlen(text);

    for (;;) {
        size_t len = strcspn(choices, "|");
        if (len == wanted && memcmp(choices, text, len) == 0)
            return true;
        if (!choices[len])
            return false;
        choices += len + 1;
    }
}

void rule_choice(const Spot *spot, Faults *f)
{
    if (spot->value && !is_choice(spot->rule->words, spot_text(spot)))
        spot_unsupported(spot, f, spot->rule->words);
}

void rule_range(const Spot *spot, Faults *f)
{
    int64_t number = json_int(spot->value, "", spot->rule->least);

    if (number < spot->rule->least || number > spot->rule->most)
        spot_invalid(spot,
            f,
            str_format(f->arena,
                "must be between %lld and %lld, inclusive",
                (long long)spot->rule->least,
                (long long)spot->rule->most));
}

void rule_not_negative(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 0) < 0)
        spot_invalid(spot, f, "must be greater than or equal to 0");
}

void rule_positive(const Spot *spot, Faults *f)
{
    if (json_int(spot->value, "", 1) <= 0)
        spot_invalid(spot, f, "must be greater than 0");
}

void rule_named(const Spot *spot, Faults *f)
{
    const char *fault = is_empty(spot->value) ? NULL : spot->rule->naming(spot_text(spot));

    if (fault)
        spot_invalid(spot, f, fault);
}

void rule_key(const Spot *spot, Faults *f)
{
    NamingFaults faults = naming_key(f->arena, spot_text(spot));

    for (size_t i = 0; !is_empty(spot->value) && i < faults.count; i++)
        spot_invalid(spot, f, faults.list[i]);
}

void rule_port(const Spot *spot, Faults *f)
{
    int64_t number = json_int(spot->value, "", 0);

    if (json_type(spot->value) == JSON_STRING) {
        NamingFaults faults = naming_port(spot_text(spot));
        for (size_t i = 0; i < faults.count; i++)
            spot_invalid(spot, f, faults.list[i]);
    } else if (number < 1 || number > PORT_MOST) {
        spot_invalid_as(spot,
            f,
            str_format(f->arena, "%lld", (long long)number),
            "must be between 1 and 65535, inclusive");
    }
}

void rule_labels(const Spot *spot, Faults *f)
{
    if (spot->value)
        validity_check_labels(path_of(f->arena, spot), spot->value, f);
}

void rule_mode(const Spot *spot, Faults *f)
{
    int64_t mode = json_int(spot->value, "", 0);

    if (mode < 0 || mode > MODE_MOST)
        spot_invalid(spot, f, "must be a number between 0 and 0777 (octal), both inclusive");
}

void rule_id(const Spot *spot, Faults *f)
{
    int64_t id = json_int(spot->value, "", 0);

    if (id < 0 || id > INT32_MAX)
        spot_invalid(spot, f, "must be between 0 and 2147483647, inclusive");
}

/* --- selectors --- */

static void check_requirement(const Spot *spot, Faults *f)
{
    Spot how = spot_at(spot, ".operator"), values = spot_at(spot, ".values");
    const char *name = spot_text(&how);
    bool of_values = str_eq(name, "In") || str_eq(name, "NotIn");
    bool of_key = str_eq(name, "Exists") || str_eq(name, "DoesNotExist");

    if (of_values && json_count(values.value) == 0)
        spot_required(&values, f, "must be specified when `operator` is 'In' or 'NotIn'");
    if (of_key && json_count(values.value) > 0)
        spot_forbidden(
            &values, f, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    if (!of_values && !of_key)
        spot_invalid(&how, f, "not a valid selector operator");
}

static void check_requirement_key(const Spot *spot, Faults *f)
{
    NamingFaults faults = naming_key(f->arena, spot_text(spot));

    for (size_t i = 0; i < faults.count; i++)
        spot_invalid(spot, f, faults.list[i]);
}

static const Rule requirement_value_rules[] = {
    {"", .check = rule_named, .naming = naming_label_value},
    {0},
};
static const Rule requirement_rules[] = {
    {"", .check = check_requirement},
    {".key", .check = check_requirement_key},
    {".values", .each = requirement_value_rules},
    {0},
};
static const Rule selector_rules[] = {
    {".matchLabels", .check = rule_labels},
    {".matchExpressions", .each = requirement_rules},
    {0},
};

void rule_selector(const Spot *spot, Faults *f)
{
    if (spot->value)
        rules_check_spot(selector_rules, spot, f);
}
