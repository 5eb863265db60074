/* Rules in CEL where they stand: in a schema, asked of writes. The words are those of a Kubernetes
 * 1.34 server. */
#include "tests/test.h"
#include "tests/world/cel_cases.h"
#include "world/schema.h"

static const Json *definition(Arena *a, const char *properties)
{
    return json_fixture(a,
        str_format(a,
            "{metadata: {name: 'rules.cel.io'}, spec: {group: 'cel.io', names: {kind: 'Rule'},"
            " versions: [{name: 'v1', served: true, storage: true, schema: {openAPIV3Schema:"
            " {type: 'object', properties: {%s}}}}]}}",
            properties));
}

static const Schema *schema_of(Arena *a, const char *properties)
{
    const Schema *schema = NULL;

    then_ok(schema_of_crd(a, definition(a, properties), &schema));
    return schema;
}

static const Json *object_of(Arena *a, const Schema *schema, const char *json5)
{
    return json5
        ? schema_complete(a,
              schema,
              json_merge(a, json_fixture(a, json5), json_fixture(a, "{metadata: {name: 'x'}}")),
              NULL)
        : NULL;
}

TEST(writes_are_validated_by_the_cel_rules_of_the_schema)
{
    each_case(i, cel_writes) {
        SCOPED_ARENA a = arena_open(16 << 20);
        const Schema *schema = schema_of(a, cel_schema);
        Err *err = schema_check(a,
            schema,
            object_of(a, schema, cel_writes[i].object),
            object_of(a, schema, cel_writes[i].old));

        if (!cel_writes[i].says) {
            then_ok(err);
            continue;
        }
        then_true(err_has_status(err, 422));
        then_str(
            err->message, str_format(a, "Rule.cel.io \"x\" is invalid: %s", cel_writes[i].says));
    }
}

/* A value that breaks a rule which is younger than it. */
TEST(an_unchanged_value_that_violates_a_newer_rule_is_accepted)
{
    static const struct {
        const char *name, *old, *object, *says;
    } cases[] = {
        {"another field", "{spec: {even: 3}}", "{spec: {even: 3, a: 1}}", NULL},
        {"the field itself", "{spec: {even: 3}}", "{spec: {even: 5}}", "must be even"},
        {"the whole", "{spec: {a: 14}}", "{spec: {a: 14}}", NULL},
        {"a part of the whole", "{spec: {a: 14}}", "{spec: {a: 14, even: 2}}", "bad luck"},
        {"a list", "{spec: {loose: [0]}}", "{spec: {loose: [0], a: 1}}", NULL},
        {"an element of a list that differs",
            "{spec: {loose: [0]}}",
            "{spec: {loose: [0, 1]}}",
            "must be positive"},
        {"an element by its key",
            "{spec: {keyed: [{name: 'a', v: 0}]}}",
            "{spec: {keyed: [{name: 'b', v: 1}, {name: 'a', v: 0}]}}",
            NULL},
        {"a value of a map",
            "{spec: {map: {k: 'long'}}}",
            "{spec: {map: {k: 'long', q: 'z'}}}",
            NULL},
        {"a rule that fails", "{status: {}}", "{status: {}, spec: {}}", "no such key: ready"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(16 << 20);
        const Schema *schema = schema_of(a, cel_schema);
        Err *err = schema_check(
            a, schema, object_of(a, schema, cases[i].object), object_of(a, schema, cases[i].old));

        if (cases[i].says)
            then_true(err && strstr(err->message, cases[i].says));
        else
            then_ok(err);
    }
}

TEST(each_violated_cel_rule_is_a_cause)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const Schema *schema = schema_of(a, cel_schema);
    Err *err = schema_check(a, schema, object_of(a, schema, "{spec: {a: 15, even: 3}}"), NULL);

    then_str(err->cause->reason, "FieldValueForbidden");
    then_str(err->cause->message, "spec.a: Forbidden: x");
    then_str(err->cause->cause->reason, "FieldValueInvalid");
    then_true(!err->cause->cause->cause);
}

TEST(a_cel_rule_at_the_root_can_use_the_object_name)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const Schema *schema = NULL;
    const Json *crd = json_fixture(a,
        "{metadata: {name: 'r'}, spec: {group: 'cel.io', names: {kind: 'Rule'}, versions: [{"
        " served: true, schema: {openAPIV3Schema: {type: 'object', 'x-kubernetes-validations': ["
        " {rule: 'self.metadata.name != \\'x\\'', message: 'no x'}]}}}]}}");

    then_ok(schema_of_crd(a, crd, &schema));
    then_err(schema_check(a, schema, object_of(a, schema, "{}"), NULL),
        TERMINAL("Rule.cel.io \"x\" is invalid: <nil>: Invalid value: \"object\": no x"));
}

/* --- definitions --- */

#define RULE_PATH "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]."

static const struct {
    const char *name, *rules, *says;
} definitions[] = {
    {"no rule", "{message: 'x'}", RULE_PATH "rule: Required value: rule is not specified"},
    {"a message of spaces",
        "{rule: 'true', message: ' '}",
        RULE_PATH "message: Invalid value: \" \": must be non-empty if specified"},
    {"a message of lines",
        "{rule: 'true', message: 'a\\nb'}",
        RULE_PATH "message: Invalid value: \"a\\nb\": must not contain line breaks"},
    {"a rule of lines",
        "{rule: 'true ||\\nfalse'}",
        RULE_PATH
        "message: Required value: message must be specified if rule contains line breaks"},
    {"a reason",
        "{rule: 'true', reason: 'Odd'}",
        RULE_PATH "reason: Unsupported value: \"Odd\": supported values: \"FieldValueDuplicate\", "
                  "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\""},
    {"a field",
        "{rule: 'true', fieldPath: '.nope'}",
        RULE_PATH "fieldPath: Invalid value: \".nope\": must be a valid path"},
    {"a number",
        "{rule: '1'}",
        RULE_PATH
        "rule: Invalid value: {\"Rule\":\"1\",\"Message\":\"\",\"MessageExpression\":\"\","
        "\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: cel expression must "
        "evaluate to a bool"},
    {"a message that is no text",
        "{rule: 'true', messageExpression: '1'}",
        RULE_PATH "messageExpression: Invalid value: {\"Rule\":\"true\",\"Message\":\"\","
                  "\"MessageExpression\":\"1\",\"Reason\":null,\"FieldPath\":\"\","
                  "\"OptionalOldSelf\":null}: messageExpression must evaluate to a string"},
    {"a message of nothing",
        "{rule: 'true', messageExpression: 'x'}",
        RULE_PATH "messageExpression: Invalid value: {\"Rule\":\"true\",\"Message\":\"\","
                  "\"MessageExpression\":\"x\",\"Reason\":null,\"FieldPath\":\"\","
                  "\"OptionalOldSelf\":null}: messageExpression compilation failed: ERROR: "
                  "<input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"},
    {"an old self that may be missing",
        "{rule: 'self == oldSelf', optionalOldSelf: true}",
        RULE_PATH "optionalOldSelf: Invalid value: true: is not understood here"},
    {"an old self that no rule uses",
        "{rule: 'true', optionalOldSelf: true}",
        RULE_PATH "optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in "
                  "rule"},
};

TEST(an_invalid_cel_rule_in_a_crd_is_refused)
{
    each_case(i, definitions) {
        SCOPED_ARENA a = arena_open(16 << 20);
        const Schema *schema = NULL;
        Err *err = schema_of_crd(a,
            definition(a,
                str_format(a,
                    "spec: {type: 'object', properties: {a: {type: 'integer'}},"
                    " 'x-kubernetes-validations': [%s]}",
                    definitions[i].rules)),
            &schema);

        then_true(err_has_status(err, 422));
        then_str(err->message,
            str_format(a,
                "CustomResourceDefinition.apiextensions.k8s.io \"rules.cel.io\" is invalid: %s",
                definitions[i].says));
    }
}

TEST(list_elements_without_keys_have_no_old_value_in_cel)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const Schema *schema = NULL;

    then_err(schema_of_crd(a,
                 definition(a,
                     "l: {type: 'array', items: {type: 'object', properties: {x: {type: 'integer',"
                     " 'x-kubernetes-validations': [{rule: 'self == oldSelf'}]}}}}"),
                 &schema),
        TERMINAL("CustomResourceDefinition.apiextensions.k8s.io \"rules.cel.io\" is invalid: "
                 "spec.validation.openAPIV3Schema.properties[l].items.properties[x]."
                 "x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf "
                 "cannot be used on the uncorrelatable portion of the schema within "
                 "spec.validation.openAPIV3Schema.properties[l]"));
}

TEST(validating_an_object_has_a_cost_limit)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    const Schema *schema = schema_of(a,
        "l: {type: 'array', items: {type: 'array', items: {type: 'integer'},"
        " 'x-kubernetes-validations': [{rule: 'self.all(x, self.all(y, true))'}]}}");
    const char *row = "0", *all = "";

    for (int i = 0; i < 7; i++)
        row = str_format(a, "%s,%s", row, row);
    for (int i = 0; i < 250; i++)
        all = str_format(a, "%s[%s],", all, row);
    Err *err = schema_check(a, schema, object_of(a, schema, str_format(a, "{l: [%s]}", all)), NULL);
    then_true(err && strstr(err->message, "running out of cost budget"));
}
