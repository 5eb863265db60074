/* Rules in CEL, read from a definition: what the server says of those that it cannot take. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/schema_rules.h"

#include <string.h>

static const char invalid[] = "FieldValueInvalid";

/* A text in quotes, as Go writes it into JSON. */
static const char *go_text(Arena *a, const Json *text)
{
    Text t = {.arena = a};

    for (const char *at = text ? json_write(a, text).data : "\"\""; *at; at++) {
        if (strchr("&<>", *at))
            text_add(&t, str_format(a, "\\u%04x", (unsigned)*at));
        else
            text_add_byte(&t, *at);
    }
    return str_copy(a, text_seen(&t));
}

/* How the server shows a rule: all of it. */
static const char *shown(Arena *a, const Json *said)
{
    const Json *reason = json_member(said, "reason");
    const Json *optional = json_member(said, "optionalOldSelf");

    return str_format(a,
        "{\"Rule\":%s,\"Message\":%s,\"MessageExpression\":%s,\"Reason\":%s,\"FieldPath\":%s,"
        "\"OptionalOldSelf\":%s}",
        go_text(a, json_member(said, "rule")),
        go_text(a, json_member(said, "message")),
        go_text(a, json_member(said, "messageExpression")),
        reason ? go_text(a, reason) : "null",
        go_text(a, json_member(said, "fieldPath")),
        json_write(a, optional).data);
}

typedef struct CelReading {
    Arena *arena;
    const CelPlace *place;
    SchemaFaults *faults;
    const Json *said; /* one rule */
    size_t index;
} CelReading;

static const char *path_of(CelReading *r, const char *member)
{
    return str_format(
        r->arena, "%s.x-kubernetes-validations[%zu].%s", r->place->path, r->index, member);
}

static const char *quoted(CelReading *r, const char *member)
{
    return json_write(r->arena, json_member(r->said, member)).data;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* --- what is said around the rule --- */

static void check_message(CelReading *r, const char *rule)
{
    const char *message = json_text(json_member(r->said, "message"));

    if (str_empty(rule) || is_blank(rule))
        faults_put(r->faults,
            "FieldValueRequired",
            path_of(r, "rule"),
            "Required value: rule is not specified");
    else if (!str_empty(message) && is_blank(message))
        faults_put(r->faults,
            invalid,
            path_of(r, "message"),
            "Invalid value: %s: must be non-empty if specified",
            quoted(r, "message"));
    else if (!str_empty(message) && strchr(message, '\n') && strchr(message, '\n')[1])
        faults_put(r->faults,
            invalid,
            path_of(r, "message"),
            "Invalid value: %s: must not contain line breaks",
            quoted(r, "message"));
    else if (str_empty(message) && strchr(rule, '\n') && strchr(rule, '\n')[1])
        faults_put(r->faults,
            "FieldValueRequired",
            path_of(r, "message"),
            "Required value: message must be specified if rule contains line breaks");
}

static void check_reason(CelReading *r)
{
    static const char *const known[] = {
        "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};
    const char *reason = json_text(json_member(r->said, "reason"));

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!reason || str_eq(known[i], reason))
            return;
    faults_put(r->faults,
        "FieldValueNotSupported",
        path_of(r, "reason"),
        "Unsupported value: %s: supported values: \"FieldValueDuplicate\", "
        "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
        quoted(r, "reason"));
}

/* A path of plain fields: ".a.b". */
static bool is_field_path(Arena *a, const Shape *shape, const char *path)
{
    while (shape && *path == '.') {
        size_t len = strcspn(path + 1, ".");
        const ShapeField *field = shape_find(shape, str_slice(a, path + 1, len));
        shape = field ? field->shape : NULL;
        path += 1 + len;
    }
    return shape && *path == '\0';
}

static const char *field_path(CelReading *r)
{
    const char *path = json_text(json_member(r->said, "fieldPath"));

    if (str_empty(path))
        return NULL;
    if (is_field_path(r->arena, r->place->shape, path))
        return path + 1;
    faults_put(r->faults,
        invalid,
        path_of(r, "fieldPath"),
        "Invalid value: %s: must be a valid path",
        quoted(r, "fieldPath"));
    return NULL;
}

/* --- the rule itself --- */

static const Cel *compiled(CelReading *r, const char *member, bool gives_text)
{
    CelScope scope = {
        .self = r->place->shape, .is_resource = r->place->is_resource, .gives_text = gives_text};
    const char *text = json_text(json_member(r->said, member));
    const Cel *cel = NULL;
    Err *err;

    if (str_empty(text) || is_blank(text))
        return NULL;
    err = cel_compile(r->arena, text, &scope, &cel);
    if (err)
        faults_put(r->faults,
            invalid,
            path_of(r, member),
            "Invalid value: %s: %s%s",
            shown(r->arena, r->said),
            gives_text && str_has_prefix(err->message, "compilation") ? "messageExpression " : "",
            err->message);
    return err ? NULL : cel;
}

static void check_old(CelReading *r, const Cel *rule)
{
    const Json *optional = json_member(r->said, "optionalOldSelf");

    if (rule && cel_uses_old(rule) && r->place->loose)
        faults_put(r->faults,
            invalid,
            path_of(r, "rule"),
            "Invalid value: %s: oldSelf cannot be used on the uncorrelatable portion of the schema "
            "within %s",
            quoted(r, "rule"),
            r->place->loose);
    if (rule && optional && !cel_uses_old(rule))
        faults_put(r->faults,
            invalid,
            path_of(r, "optionalOldSelf"),
            "Invalid value: %s: may not be set if oldSelf is not used in rule",
            quoted(r, "optionalOldSelf"));
    else if (rule && json_bool(optional, "", false))
        faults_put(r->faults,
            invalid,
            path_of(r, "optionalOldSelf"),
            "Invalid value: true: is not understood here");
}

static ShapeCel read_rule(CelReading *r)
{
    const char *rule = json_text(json_member(r->said, "rule"));
    ShapeCel read = {.text = rule,
        .message = json_text(json_member(r->said, "message")),
        .reason = json_text(json_member(r->said, "reason"))};

    check_message(r, rule);
    check_reason(r);
    read.field = field_path(r);
    read.rule = compiled(r, "rule", false);
    if (read.rule)
        read.message_of = compiled(r, "messageExpression", true);
    check_old(r, read.rule);
    return read;
}

void schema_read_cel(Arena *a, const CelPlace *place, SchemaFaults *ret)
{
    ShapeCel *rules = arena_array(a, ShapeCel, json_count(place->said));
    CelReading r = {.arena = a, .place = place, .faults = ret};

    json_each(r.said, place->said) {
        rules[r.index] = read_rule(&r);
        r.index++;
    }
    place->rules->cel = rules;
    place->rules->cel_count = r.index;
}
