/* Refusals in their whole shape. What each part of the server refuses is with the part. */
#include "tests/test.h"
#include "world/refusal.h"

static const Traits traits = {.kind = kind_statefulset};
static const Request request = {.kind = kind_statefulset, .key.name = "x"};

static Call call(Arena *a, Resource *r)
{
    r->traits = traits;
    return (Call){.arena = a, .request = &request, .resource = r};
}

TEST(a_refusal_is_a_kubernetes_status)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Resource r = {0};
    Call c = call(a, &r);
    const Err *err = refuse_not_found(&c);

    then_int(err->status, 404);
    then_int(c.status, 404);
    then_json(c.body,
        "{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: "
        "'statefulsets.apps \"x\" not found', reason: 'NotFound', details: {name: 'x', group: "
        "'apps', kind: 'statefulsets'}, code: 404}");
}

TEST(a_refusal_without_details_has_none)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Resource r = {0};
    Call c = call(a, &r);

    then_int(refuse_bad_request(&c, "no %s", "moon")->status, 400);
    then_json(c.body,
        "{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no moon',"
        " reason: 'BadRequest', code: 400}");
}

static const struct {
    const char *name, *message, *want;
} readings[] = {
    {"one fault",
        "StatefulSet.apps \"x\" is invalid: spec.replicas: Invalid value: -1: must be greater than "
        "or equal to 0",
        "[{reason: 'FieldValueInvalid', message: 'Invalid value: -1: must be greater than or equal "
        "to 0', field: 'spec.replicas'}]"},
    {"faults of every kind",
        "[a: Required value, b.c[0]: Unsupported value: \"x\": supported values: \"y\", \"z\", "
        "d: Forbidden: no, e: Too long: may not be more than 5 bytes, f: Duplicate value: \"g\", "
        "h: "
        "Invalid value: \"string\": h in body must be of type integer: \"string\"]",
        "[{reason: 'FieldValueRequired', message: 'Required value', field: 'a'},"
        " {reason: 'FieldValueNotSupported', message: 'Unsupported value: \"x\": supported values: "
        "\"y\", \"z\"', field: 'b.c[0]'},"
        " {reason: 'FieldValueForbidden', message: 'Forbidden: no', field: 'd'},"
        " {reason: 'FieldValueTooLong', message: 'Too long: may not be more than 5 bytes', field: "
        "'e'},"
        " {reason: 'FieldValueDuplicate', message: 'Duplicate value: \"g\"', field: 'f'},"
        " {reason: 'FieldValueTypeInvalid', message: 'Invalid value: \"string\": h in body must be "
        "of type integer: \"string\"', field: 'h'}]"},
    {"a text that is no fault",
        "moon",
        "[{reason: 'FieldValueInvalid', message: 'moon', field: ''}]"},
};

TEST(the_causes_of_a_refusal_are_parsed_from_its_message)
{
    each_case(i, readings) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Resource r = {0};
        Call c = call(a, &r);
        Err *err = err_terminal(a, "%s", readings[i].message);

        err->status = 422;
        then_int(refuse_err(&c, err)->status, 422);
        then_json(json_find(c.body, ".details.causes"), readings[i].want);
        then_str(json_str(c.body, ".details.kind"), "StatefulSet");
    }
}

TEST(apply_conflicts_are_parsed_from_the_message)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Resource r = {0};
    Call c = call(a, &r);
    Err *err = err_terminal(a,
        "Apply failed with 3 conflicts: conflicts with \"one\" using v1:\n- .a\n- .b.c\nconflicts "
        "with \"two\" with subresource \"scale\":\n- .d");

    err->status = 409;
    then_int(refuse_err(&c, err)->status, 409);
    then_json(json_find(c.body, ".details"),
        "{causes: [{reason: 'FieldManagerConflict', message: 'conflict with \"one\" using v1', "
        "field: '.a'}, {reason: 'FieldManagerConflict', message: 'conflict with \"one\" using v1', "
        "field: '.b.c'}, {reason: 'FieldManagerConflict', message: 'conflict with \"two\" with "
        "subresource \"scale\"', field: '.d'}]}");
}

TEST(an_unclassified_error_becomes_a_bad_request)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Resource r = {0};
    Call c = call(a, &r);

    then_int(refuse_err(&c, err_terminal(a, "moon"))->status, 400);
    then_str(json_str(c.body, ".message"), "moon");
}

TEST(an_object_without_faults_is_not_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Resource r = {0};
    Call c = call(a, &r);
    Faults f = {.arena = a};

    then_ok(refuse_faults(&c, "Pod", "x", &f));
    then_true(c.body == NULL);
}
