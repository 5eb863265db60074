/* Asking rules in CEL of an object, from the outside in: each value by the rules of its own schema.
 *
 * A rule about a change is asked where there is something to compare with: fields by their names,
 * elements of lists of type map by their keys, others not at all. A rule that is broken by what was
 * written before in just the same way is forgiven. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/fields_set.h"
#include "world/schema_rules.h"

#include <string.h>

enum { DEPTH_MAX = JSON_DEPTH_MAX + 1, MESSAGE_MAX = 5 * 1024 };

static const char invalid[] = "FieldValueInvalid";

/* A value and what stood in its place before the write. */
typedef struct Pair {
    const Json *value, *before;
} Pair;

typedef struct Level {
    Pair pair;
    Pair known; /* the nearest one around it, or itself, that has a `before` */
    const Json *next;
    const Shape *shape;
    size_t index, len;
} Level;

typedef struct CelCheck {
    Arena *arena;
    SchemaFaults *faults;
    Text path;
    int64_t budget;
    Level levels[DEPTH_MAX];
    size_t depth;
} CelCheck;

/* --- words --- */

static const char *path_of(CelCheck *c, const ShapeCel *rule)
{
    const char *path = text_seen(&c->path);

    if (rule && rule->field)
        return *path ? str_format(c->arena, "%s.%s", path, rule->field) : rule->field;
    return *path ? str_copy(c->arena, path) : "<nil>";
}

static const char *trimmed(Arena *a, const char *text)
{
    static const char spaces[] = " \t\r\n";
    size_t len;

    text += strspn(text, spaces);
    len = strlen(text);
    while (len > 0 && strchr(spaces, text[len - 1]))
        len--;
    return str_slice(a, text, len);
}

static const char *said_of(CelCheck *c, const ShapeCel *rule)
{
    return trimmed(c->arena, str_empty(rule->message) ? rule->text : rule->message);
}

static const char *default_message(CelCheck *c, const ShapeCel *rule)
{
    return str_empty(rule->message) ? str_format(c->arena, "failed rule: %s", said_of(c, rule))
                                    : said_of(c, rule);
}

static const char *message_of(CelCheck *c, const ShapeCel *rule, const CelSubject *subject)
{
    CelAnswer answer = {0};
    const char *text;

    if (rule->message_of)
        answer = cel_ask(c->arena, rule->message_of, subject, &c->budget);
    text = answer.text ? trimmed(c->arena, answer.text) : "";
    if (answer.error || !*text || strlen(text) > MESSAGE_MAX || strchr(text, '\n'))
        return default_message(c, rule);
    return text;
}

/* --- one value --- */

static const char *type_of(const Shape *shape)
{
    const char *type = shape->rules->type;

    return type && !strchr(type, ',') ? type : "";
}

static void fault_of_error(
    CelCheck *c, const ShapeCel *rule, const Shape *shape, const CelAnswer *answer)
{
    const char *said = said_of(c, rule), *text;

    if (answer->is_mismatch)
        text = str_format(c->arena,
            "'%s': call arguments did not match a supported operator, function or macro signature "
            "for rule: %s",
            answer->error,
            said);
    else if (answer->is_spent)
        text = str_format(c->arena,
            "'%s': no further validation rules will be run due to call cost exceeds limit for "
            "rule: %s",
            answer->error,
            said);
    else
        text = str_format(c->arena, "%s evaluating rule: %s", answer->error, said);
    faults_put(
        c->faults, invalid, path_of(c, NULL), "Invalid value: \"%s\": %s", type_of(shape), text);
}

static void fault_of_rule(
    CelCheck *c, const ShapeCel *rule, const Shape *shape, const char *message)
{
    const char *path = path_of(c, rule);

    if (str_eq(rule->reason, "FieldValueForbidden"))
        faults_put(c->faults, rule->reason, path, "Forbidden: %s", message);
    else if (str_eq(rule->reason, "FieldValueRequired"))
        faults_put(c->faults, rule->reason, path, "Required value: %s", message);
    else if (str_eq(rule->reason, "FieldValueDuplicate"))
        faults_put(c->faults, rule->reason, path, "Duplicate value: \"%s\"", type_of(shape));
    else
        faults_put(c->faults, invalid, path, "Invalid value: \"%s\": %s", type_of(shape), message);
}

static bool stood_before(Pair known)
{
    return known.before && json_equal(known.value, known.before);
}

static void ask_rule(CelCheck *c, const ShapeCel *rule, const Level *at)
{
    CelSubject subject = {.self = at->pair.value, .old = at->pair.before, .shape = at->shape};
    CelAnswer answer;

    if (cel_uses_old(rule->rule) && !at->pair.before)
        return;
    answer = cel_ask(c->arena, rule->rule, &subject, &c->budget);
    if (answer.is_spent)
        c->budget = -1;
    if (answer.error)
        fault_of_error(c, rule, at->shape, &answer);
    else if (!answer.holds && (cel_uses_old(rule->rule) || !stood_before(at->known)))
        fault_of_rule(c, rule, at->shape, message_of(c, rule, &subject));
}

/* --- the walk --- */

static void enter(CelCheck *c, Level at)
{
    const ShapeRules *rules = at.shape->rules;
    JsonType type = json_type(at.pair.value);

    if (!rules || !rules->cel_within || type == JSON_NULL)
        return;
    for (size_t i = 0; i < rules->cel_count && c->budget > 0; i++)
        ask_rule(c, &rules->cel[i], &at);
    if (type != JSON_OBJECT && type != JSON_ARRAY)
        return;
    at.next = json_first(at.pair.value);
    at.len = c->path.len;
    c->levels[c->depth++] = at;
}

/* The element of before the write that has the same keys. */
static const Json *element_before(CelCheck *c, const Level *l, const Json *element)
{
    const char *name;
    const Json *before;

    if (l->shape->merge != SHAPE_KEYED || json_type(l->pair.before) != JSON_ARRAY)
        return NULL;
    name = fieldset_element_name(c->arena, l->shape, element);
    json_each(before, l->pair.before)
        if (name && str_eq(name, fieldset_element_name(c->arena, l->shape, before)))
            return before;
    return NULL;
}

static void step(CelCheck *c, Level *l)
{
    Level inner = {.pair.value = l->next, .known = l->known};
    bool declared;

    c->path.len = l->len;
    l->next = json_next(l->pair.value, inner.pair.value);
    if (json_type(l->pair.value) == JSON_ARRAY) {
        text_add(&c->path, str_format(c->arena, "[%zu]", l->index++));
        inner.shape = shape_of_element(l->shape);
        inner.pair.before = element_before(c, l, inner.pair.value);
    } else {
        const char *key = json_key(inner.pair.value);
        bool is_field = shape_find(l->shape, key) != NULL;
        text_add(&c->path, !is_field ? "[" : l->len > 0 ? "." : "");
        text_add(&c->path, key);
        text_add(&c->path, is_field ? "" : "]");
        inner.shape = shape_of_field(l->shape, key, &declared);
        inner.pair.before = json_member(l->pair.before, key);
    }
    if (json_type(inner.pair.before) == JSON_NULL)
        inner.pair.before = NULL;
    if (inner.pair.before)
        inner.known = inner.pair;
    enter(c, inner);
}

void schema_check_cel(
    Arena *a, const Schema *schema, const Json *object, const Json *before, SchemaFaults *ret)
{
    CelCheck *c = arena_new(a, CelCheck);

    *c = (CelCheck){.arena = a, .faults = ret, .path.arena = a, .budget = CEL_BUDGET};
    /* As a whole nothing is what it was: its metadata is another. */
    enter(c, (Level){.pair = {object, before}, .shape = schema->root});
    while (c->depth > 0 && c->budget > 0) {
        Level *l = &c->levels[c->depth - 1];
        if (l->next)
            step(c, l);
        else
            c->depth--;
    }
    if (c->budget <= 0)
        faults_put(ret,
            invalid,
            path_of(c, NULL),
            "Invalid value: \"object\": validation failed due to running out of cost budget, no "
            "further validation rules will be run");
}
