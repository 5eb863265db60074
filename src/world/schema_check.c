/* Checking objects of custom kinds against the rules of their schema.
 *
 * The faults come in the order in which the server finds them, but where that goes through a map,
 * by name. A value that stands in the object before the write in just the same way is not looked
 * at: it may be older than the schema. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/fields_set.h"
#include "world/schema.h"
#include "world/schema_faults.h"
#include "world/schema_rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1, SEARCHED_MAX = 1000 };

static const char invalid[] = "FieldValueInvalid";
static const char duplicate[] = "FieldValueDuplicate";
static const char type_invalid[] = "FieldValueTypeInvalid";

typedef struct Level {
    const Json *value, *next;
    const Json *before, *next_before; /* what is likely to be compared next */
    const Shape *shape;
    size_t index; /* of the next element */
    size_t len;   /* of the path that leads here */
} Level;

typedef struct Check {
    Arena *arena;
    SchemaFaults faults;
    SchemaFaults late; /* about lists with keys, which come behind all others */
    Text path;
    size_t body; /* where the path begins for messages: a write to the status leaves that out */
    Level levels[DEPTH_MAX];
    size_t depth;
} Check;

/* --- words --- */

static const char *path_of(Check *c)
{
    return text_seen(&c->path);
}

/* The path as it is called within a message. */
static const char *body_of(Check *c)
{
    const char *path = path_of(c);

    return strlen(path) >= c->body ? path + c->body : "";
}

static const char *shown(Check *c, const Json *value)
{
    return json_write(c->arena, value).data;
}

static bool is_whole(double number)
{
    /* Beyond this every number is. */
    return number <= -0x1p53 || number >= 0x1p53 || number == (double)(int64_t)number;
}

static const char *type_of(const Json *value)
{
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "boolean";
    case JSON_NUMBER:
        return is_whole(json_number(value, "", 0.5)) ? "integer" : "number";
    case JSON_STRING:
        return "string";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    }
    BUG("a JSON value of no type");
}

/* --- one value --- */

static void fault_of_type(Check *c, const char *wanted, const char *got)
{
    faults_put(&c->faults,
        type_invalid,
        path_of(c),
        "Invalid value: \"%s\": %s in body must be of type %s: \"%s\"",
        got,
        body_of(c),
        wanted,
        got);
}

static void check_type(Check *c, const Shape *shape, const Json *value)
{
    const ShapeRules *rules = shape->rules;
    const char *type = type_of(value), *wanted = rules->type;
    bool fits = !wanted || strstr(wanted, type)
        || (str_eq(wanted, "number") && json_type(value) == JSON_NUMBER)
        || (json_type(value) == JSON_NULL && shape->nullable);

    if (fits)
        return;
    fault_of_type(c, wanted, type);
    if (!rules->int_or_string)
        return;
    faults_put(&c->faults,
        invalid,
        "<nil>",
        "Invalid value: \"\": \"%s\" must validate at least one schema (anyOf)",
        body_of(c));
    fault_of_type(c, "integer", type);
}

static int64_t characters(const char *text)
{
    int64_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static bool are_digits(const char *text, const char *form)
{
    for (; *form; form++, text++)
        if (*form == '0' ? *text < '0' || *text > '9' : *text != *form)
            return false;
    return true;
}

static bool is_below(const char *two_digits, int bound)
{
    return (two_digits[0] - '0') * 10 + (two_digits[1] - '0') < bound;
}

static bool is_date_time(const char *text)
{
    if (!are_digits(text, "0000-00-00T00:00:00") || !is_below(text + 5, 13)
        || !is_below(text + 8, 32) || !is_below(text + 11, 24) || !is_below(text + 14, 60)
        || !is_below(text + 17, 60))
        return false;
    text += strlen("0000-00-00T00:00:00");
    if (*text == '.')
        text += 1 + strspn(text + 1, "0123456789");
    if (*text == '+' || *text == '-')
        return are_digits(text + 1, "00:00") && text[6] == '\0';
    return str_eq(text, "Z") || str_eq(text, "z");
}

/* The first of these faults alone. */
static void check_text(Check *c, const ShapeRules *rules, const Json *value)
{
    const char *text = json_text(value) ? json_text(value) : "";

    if (rules->length_max >= 0 && characters(text) > rules->length_max)
        faults_put(&c->faults,
            "FieldValueTooLong",
            path_of(c),
            "Too long: may not be more than %lld byte%s",
            (long long)rules->length_max,
            rules->length_max == 1 ? "" : "s");
    else if (characters(text) < rules->length_min)
        faults_put(&c->faults,
            invalid,
            path_of(c),
            "Invalid value: %s: %s in body should be at least %lld chars long",
            shown(c, value),
            body_of(c),
            (long long)rules->length_min);
    else if (rules->pattern && !pattern_matches(rules->pattern, text))
        faults_put(&c->faults,
            invalid,
            path_of(c),
            "Invalid value: %s: %s in body should match '%s'",
            shown(c, value),
            body_of(c),
            rules->pattern_text);
    if (rules->is_time && !is_date_time(text))
        faults_put(&c->faults,
            type_invalid,
            path_of(c),
            "Invalid value: %s: %s in body must be of type date-time: %s",
            shown(c, value),
            body_of(c),
            shown(c, value));
}

/* The server compares whole numbers as such: it cuts what is behind the point off the bound. */
typedef struct Bound {
    const char *shown;
    double number;
} Bound;

static Bound bound_of(Check *c, const Json *value, const Json *said)
{
    double number = json_number(said, "", 0);
    int64_t whole = (int64_t)number;

    if (strpbrk(shown(c, value), ".eE"))
        return (Bound){.shown = faults_number(c->arena, number), .number = number};
    return (Bound){
        .shown = str_format(c->arena, "%lld", (long long)whole), .number = (double)whole};
}

static void fault_of_number(Check *c, const Json *value, const char *words, Bound bound)
{
    bool is_real = strpbrk(shown(c, value), ".eE") != NULL;

    faults_put(&c->faults,
        invalid,
        path_of(c),
        "Invalid value: %s: %s in body should be %s %s",
        is_real ? faults_number(c->arena, json_number(value, "", 0)) : shown(c, value),
        body_of(c),
        words,
        bound.shown);
}

static void check_number(Check *c, const ShapeRules *rules, const Json *value)
{
    double number = json_number(value, "", 0);
    Bound factor = bound_of(c, value, rules->factor), least = bound_of(c, value, rules->least);
    Bound most = bound_of(c, value, rules->most);

    if (rules->factor && !is_whole(number / factor.number))
        fault_of_number(c, value, "a multiple of", factor);
    if (rules->least && rules->above_least && number <= least.number)
        fault_of_number(c, value, "greater than", least);
    else if (rules->least && number < least.number)
        fault_of_number(c, value, "greater than or equal to", least);
    if (rules->most && rules->below_most && number >= most.number)
        fault_of_number(c, value, "less than", most);
    else if (rules->most && number > most.number)
        fault_of_number(c, value, "less than or equal to", most);
}

static void check_choice(Check *c, const ShapeRules *rules, const Json *value)
{
    Text all = {.arena = c->arena};
    const Json *choice;

    if (!rules->choices)
        return;
    json_each(choice, rules->choices) {
        bool is_text = json_type(choice) == JSON_STRING;
        if (json_equal(choice, value))
            return;
        text_add(&all, all.len > 0 ? ", " : "");
        text_add(&all, is_text ? "" : "\"");
        text_add(&all, shown(c, choice));
        text_add(&all, is_text ? "" : "\"");
    }
    faults_put(&c->faults,
        "FieldValueNotSupported",
        path_of(c),
        "Unsupported value: %s: supported values: %s",
        shown(c, value),
        text_seen(&all));
}

static void fault_of_size(Check *c, int64_t count, int64_t min, int64_t max, const char *what)
{
    if (count < min)
        faults_put(&c->faults,
            invalid,
            path_of(c),
            "Invalid value: %lld: %s in body should have at least %lld %s",
            (long long)count,
            body_of(c),
            (long long)min,
            what);
    if (max >= 0 && count > max)
        faults_put(&c->faults,
            "FieldValueTooMany",
            path_of(c),
            "Too many: %lld: must have at most %lld item%s",
            (long long)count,
            (long long)max,
            max == 1 ? "" : "s");
}

/* --- lists with keys --- */

typedef struct Named {
    const char *name;
    size_t index;
} Named;

static int by_name(const void *left, const void *right)
{
    const Named *l = left, *r = right;
    int order = strcmp(l->name, r->name);

    return order != 0 ? order : l->index < r->index ? -1 : 1;
}

static int by_index(const void *left, const void *right)
{
    const Named *l = left, *r = right;

    return l->index < r->index ? -1 : l->index > r->index;
}

static void fault_of_repeated(Check *c, const Named *named)
{
    size_t len = c->path.len;

    text_add(&c->path, str_format(c->arena, "[%zu]", named->index));
    faults_put(&c->late, duplicate, path_of(c), "Duplicate value: %s", named->name + 2);
    c->path.len = len;
}

static bool check_elements(Check *c, const Shape *shape, const Json *list)
{
    const Json *element;
    size_t index = 0, len = c->path.len;

    if (shape->merge != SHAPE_KEYED)
        return true;
    json_each(element, list) {
        if (json_type(element) != JSON_OBJECT && json_type(element) != JSON_NULL) {
            text_add(&c->path, str_format(c->arena, "[%zu]", index));
            faults_put(&c->late,
                invalid,
                path_of(c),
                "Invalid value: %s: must be an object for an array of list-type map",
                shown(c, element));
            c->path.len = len;
            return false;
        }
        index++;
    }
    return true;
}

/* Tells each name that stands more than once, where it stands the second time. */
static void check_repeated(Check *c, const Shape *shape, const Json *list)
{
    Named *all = arena_array(c->arena, Named, json_count(list));
    size_t count = 0, repeated = 0;
    const Json *element;

    if (shape->merge != SHAPE_KEYED && shape->merge != SHAPE_SET)
        return;
    if (!check_elements(c, shape, list))
        return;
    json_each(element, list) {
        const char *name = fieldset_element_name(c->arena, shape, element);
        all[count] = (Named){.name = name ? name : "k:{}", .index = count};
        count++;
    }
    qsort(all, count, sizeof *all, by_name);
    for (size_t i = 1; i < count; i++) {
        bool is_second = i < 2 || !str_eq(all[i - 2].name, all[i].name);
        if (str_eq(all[i - 1].name, all[i].name) && is_second)
            all[repeated++] = all[i];
    }
    qsort(all, repeated, sizeof *all, by_index);
    for (size_t i = 0; i < repeated; i++)
        fault_of_repeated(c, &all[i]);
}

/* --- the walk --- */

static void check_required(Check *c, const ShapeRules *rules, const Json *object)
{
    static const char *const of_resources[] = {"apiVersion", "kind"};
    size_t len = c->path.len;
    const Json *name;

    json_each(name, rules->required) {
        if (!json_text(name) || json_member(object, json_text(name)))
            continue;
        text_add(&c->path, len > 0 ? "." : "");
        text_add(&c->path, json_text(name));
        faults_put(&c->faults, "FieldValueRequired", path_of(c), "Required value");
        c->path.len = len;
    }
    for (size_t i = 0; rules->is_resource && i < 2; i++)
        if (!json_member(object, of_resources[i]))
            faults_put(&c->late,
                "FieldValueRequired",
                str_format(c->arena, "%s.%s", path_of(c), of_resources[i]),
                "Required value");
}

static void enter(Check *c, const Shape *shape, const Json *value, const Json *before)
{
    if (json_type(before) != json_type(value))
        before = NULL;
    c->levels[c->depth++] = (Level){.value = value,
        .before = before,
        .next_before = json_first(before),
        .next = json_first(value),
        .shape = shape,
        .len = c->path.len};
}

static void check_value(Check *c, const Shape *shape, const Json *value, const Json *before)
{
    const ShapeRules *rules = shape->rules;
    JsonType type = json_type(value);

    if (!rules || (before && json_equal(value, before)))
        return;
    check_type(c, shape, value);
    if (type == JSON_STRING)
        check_text(c, rules, value);
    if (type == JSON_NUMBER)
        check_number(c, rules, value);
    check_choice(c, rules, value);
    if (type == JSON_OBJECT)
        fault_of_size(
            c, (int64_t)json_count(value), rules->members_min, rules->members_max, "properties");
    if (type == JSON_ARRAY)
        check_repeated(c, shape, value);
    if (type == JSON_OBJECT || type == JSON_ARRAY)
        enter(c, shape, value, before);
}

static void leave(Check *c)
{
    const Level *l = &c->levels[--c->depth];
    const ShapeRules *rules = l->shape->rules;

    c->path.len = l->len;
    if (json_type(l->value) == JSON_OBJECT)
        check_required(c, rules, l->value);
    else
        fault_of_size(
            c, (int64_t)json_count(l->value), rules->items_min, rules->items_max, "items");
}

/* The element of before the write that is this one still: the one at its place, by its keys. */
static const Json *element_before(Check *c, Level *l, const Json *element)
{
    const Json *before = l->next_before;

    if (!before)
        return NULL;
    l->next_before = json_next(l->before, before);
    if (l->shape->merge != SHAPE_KEYED)
        return NULL;
    const char *name = fieldset_element_name(c->arena, l->shape, element);
    return str_eq(name, fieldset_element_name(c->arena, l->shape, before)) ? before : NULL;
}

/* The member of before the write. Where there are many, they are looked for in order only. */
static const Json *member_before(Level *l, const char *key)
{
    const Json *before = l->next_before;

    if (before && str_eq(json_key(before), key)) {
        l->next_before = json_next(l->before, before);
        return before;
    }
    return json_count(l->before) <= SEARCHED_MAX ? json_member(l->before, key) : NULL;
}

static void step(Check *c, Level *l)
{
    const Json *child = l->next, *before = NULL;
    const Shape *shape = NULL;
    bool declared = false;

    l->next = json_next(l->value, child);
    c->path.len = l->len;
    if (json_type(l->value) == JSON_OBJECT) {
        const char *key = json_key(child) ? json_key(child) : "";
        text_add(&c->path, l->len > 0 ? "." : "");
        text_add(&c->path, key);
        shape = shape_of_field(l->shape, key, &declared);
        before = member_before(l, key);
    } else {
        text_add(&c->path, str_format(c->arena, "[%zu]", l->index));
        shape = shape_of_element(l->shape);
        before = element_before(c, l, child);
        l->index++;
    }
    check_value(c, shape, child, before);
}

static Err *conclude(Check *c, const Schema *schema, const Json *object, const Json *before)
{
    const char *name = json_str(object, ".metadata.name");

    for (size_t i = 0; i < c->late.count && c->faults.count < SCHEMA_FAULTS_MAX; i++)
        c->faults.list[c->faults.count++] = c->late.list[i];
    if (schema->has_rules && (c->faults.blocks || c->late.blocks))
        faults_put(&c->faults,
            invalid,
            "<nil>",
            "Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation");
    else if (schema->has_rules)
        schema_check_cel(c->arena, schema, object, before, &c->faults);
    return faults_err(
        &c->faults, str_format(c->arena, "%s \"%s\"", schema->kind, name ? name : ""));
}

Err *schema_check(Arena *a, const Schema *schema, const Json *object, const Json *before)
{
    Check *c = arena_new(a, Check);
    bool writes_status = before && schema->has_status
        && !json_equal(json_find(object, ".status"), json_find(before, ".status"));

    if (!schema->root->rules)
        return OK;
    c->arena = c->faults.arena = c->late.arena = c->path.arena = a;
    c->body = writes_status ? strlen("status.") : 0;
    check_value(c, schema->root, object, before);
    while (c->depth > 0) {
        Level *l = &c->levels[c->depth - 1];
        if (l->next)
            step(c, l);
        else
            leave(c);
    }
    return conclude(c, schema, object, before);
}
