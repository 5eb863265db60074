/* Values of CEL: what stands in an object, seen with its schema, and what a rule makes. Whole
 * numbers are integers, unless the schema calls them numbers; a list of type set or map is equal to
 * itself in any order. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "world/cel_program.h"
#include "world/schema_rules.h"

#include <string.h>

const char cel_mismatch[] = "no such overload";

CelValue cel_flag(bool flag)
{
    return (CelValue){.kind = CEL_BOOL, .flag = flag};
}

CelValue cel_number(int64_t number)
{
    return (CelValue){.kind = CEL_INT, .number = number};
}

CelValue cel_text(const char *text)
{
    return (CelValue){.kind = CEL_TEXT, .text = text};
}

CelValue cel_error(const char *text)
{
    return (CelValue){.kind = CEL_ERROR, .text = text};
}

static CelValue value_of_number(const Json *json, const ShapeRules *rules)
{
    double real = json_number(json, "", 0);
    int64_t number = json_int(json, "", INT64_MIN);

    if ((rules && str_eq(rules->type, "number"))
        || (number == INT64_MIN && real != (double)INT64_MIN))
        return (CelValue){.kind = CEL_DOUBLE, .real = real};
    return cel_number(number);
}

static CelValue value_of_text(const Json *json, const ShapeRules *rules)
{
    const char *text = json_text(json) ? json_text(json) : "";
    CelValue time = {.kind = CEL_TIME, .text = text};

    if (rules && rules->is_time && timestamp_parse(text, &time.number))
        return time;
    return cel_text(text);
}

CelValue cel_value_of(const Json *json, const Shape *shape)
{
    const ShapeRules *rules = shape ? shape->rules : NULL;

    switch (json_type(json)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return (CelValue){.kind = CEL_NULL};
    case JSON_BOOL:
        return cel_flag(json_bool(json, "", false));
    case JSON_NUMBER:
        return value_of_number(json, rules);
    case JSON_STRING:
        return value_of_text(json, rules);
    case JSON_ARRAY:
        return (CelValue){.kind = CEL_LIST, .json = json, .shape = shape};
    case JSON_OBJECT:
        return (CelValue){.kind = CEL_MAP, .json = json, .shape = shape};
    }
    BUG("a JSON value of no type");
}

static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

size_t cel_size(const CelValue *value)
{
    if (value->kind == CEL_TEXT)
        return characters(value->text);
    return value->json ? json_count(value->json) : value->count;
}

/* --- equality --- */

static bool are_scalars_equal(const CelValue *left, const CelValue *right)
{
    if (left->kind != right->kind) {
        const CelValue *whole = left->kind == CEL_INT ? left : right;
        const CelValue *real = whole == left ? right : left;
        return whole->kind == CEL_INT && real->kind == CEL_DOUBLE
            && (double)whole->number == real->real;
    }
    switch (left->kind) {
    case CEL_NULL:
        return true;
    case CEL_BOOL:
        return left->flag == right->flag;
    case CEL_INT:
    case CEL_TIME:
    case CEL_TYPE:
        return left->number == right->number;
    case CEL_DOUBLE:
        return left->real == right->real;
    case CEL_TEXT:
        return str_eq(left->text, right->text);
    default:
        return false;
    }
}

static bool has_like(CelRun *run, const Json *list, const Json *wanted)
{
    const Json *each;

    json_each(each, list) {
        cel_charge(run, 1);
        if (json_equal(each, wanted))
            return true;
    }
    return false;
}

/* Whether every element of a list has its like in another of the same size. What it says after the
 * run cost too much is not heard any more. */
static bool are_sets_equal(CelRun *run, const CelValue *left, const CelValue *right)
{
    const Json *mine;

    json_each(mine, left->json)
        if (cel_is_spent(run) || !has_like(run, right->json, mine))
            return false;
    return true;
}

static bool are_unordered(const CelValue *left, const CelValue *right)
{
    const Shape *shape = left->shape;

    return shape && shape == right->shape
        && (shape->merge == SHAPE_SET || shape->merge == SHAPE_KEYED);
}

static const Json *first_of(const CelValue *list)
{
    return list->json ? json_first(list->json) : NULL;
}

static CelValue element_at(const CelValue *list, size_t index, const Json *element)
{
    return list->json ? cel_value_of(element, shape_of_element(list->shape)) : list->items[index];
}

/* Lists of which one is made by the rule: of things that are no lists. */
static bool are_made_lists_equal(const CelValue *left, const CelValue *right)
{
    const Json *mine = first_of(left), *theirs = first_of(right);

    for (size_t i = 0; i < cel_size(left); i++) {
        CelValue l = element_at(left, i, mine), r = element_at(right, i, theirs);
        bool same = l.json && r.json ? json_equal(l.json, r.json) : are_scalars_equal(&l, &r);
        if (!same)
            return false;
        mine = mine ? json_next(left->json, mine) : NULL;
        theirs = theirs ? json_next(right->json, theirs) : NULL;
    }
    return true;
}

bool cel_equal(CelRun *run, const CelValue *left, const CelValue *right)
{
    bool are_containers = left->kind == CEL_LIST || left->kind == CEL_MAP;

    if (left->kind != right->kind || !are_containers)
        return are_scalars_equal(left, right);
    cel_charge_object(run);
    if (cel_size(left) != cel_size(right))
        return false;
    if (!left->json || !right->json)
        return are_made_lists_equal(left, right);
    return json_equal(left->json, right->json)
        || (are_unordered(left, right) && are_sets_equal(run, left, right));
}
