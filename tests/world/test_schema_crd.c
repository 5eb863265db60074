/* Custom kinds: what a Kubernetes 1.34 server made of these Widgets, and how it refused others. */
#include "tests/test.h"
#include "world/schema.h"

/* The fields of a Widget's spec; image is required. */
static const char fields[] =
    "image: {type: 'string', minLength: 1, maxLength: 10},"
    "mode: {type: 'string', enum: ['full', 'seed'], default: 'full'},"
    "num: {type: 'integer', format: 'int32', minimum: 1, maximum: 5},"
    "lim: {type: 'integer', maximum: 1000000, minimum: 0.00001},"
    "real: {type: 'number', minimum: 0.5, exclusiveMinimum: true, maximum: 1234567.5},"
    "mult: {type: 'integer', multipleOf: 3},"
    "flag: {type: 'boolean'},"
    "name: {type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$'},"
    "when: {type: 'string', format: 'date-time'},"
    "port: {'x-kubernetes-int-or-string': true, anyOf: [{type: 'integer'}, {type: 'string'}]},"
    "maybe: {type: 'string', nullable: true, default: 'x'},"
    "list: {type: 'array', minItems: 1, maxItems: 2, items: {type: 'string', maxLength: 3}},"
    "set: {type: 'array', 'x-kubernetes-list-type': 'set', items: {type: 'string'}},"
    "keyed: {type: 'array', 'x-kubernetes-list-type': 'map',"
    "  'x-kubernetes-list-map-keys': ['name', 'proto'], items: {type: 'object', required: ['name'],"
    "    properties: {name: {type: 'string'}, proto: {type: 'string', default: 'TCP'}}}},"
    "labels: {type: 'object', minProperties: 1, maxProperties: 2,"
    "  additionalProperties: {type: 'string', minLength: 1}},"
    "free: {type: 'object', 'x-kubernetes-preserve-unknown-fields': true,"
    "  properties: {known: {type: 'object', properties: {a: {type: 'string'}}}}},"
    "deep: {type: 'object', properties: {x: {type: 'integer', default: 7},"
    "  y: {type: 'object', default: {}, properties: {z: {type: 'string', default: 'zz'}}}}},"
    "tmpl: {type: 'object', 'x-kubernetes-embedded-resource': true,"
    "  'x-kubernetes-preserve-unknown-fields': true},"
    "any: {'x-kubernetes-preserve-unknown-fields': true}";

static const Json *definition(Arena *a, const char *spec)
{
    return json_fixture(a,
        str_format(a,
            "{spec: {group: 'w.io', names: {kind: 'Widget'}, versions: ["
            " {name: 'v0', served: false, schema: {openAPIV3Schema: {type: 'odd'}}},"
            " {name: 'v1', served: true, storage: true, subresources: {status: {}},"
            "  schema: {openAPIV3Schema: {type: 'object', required: ['spec'],"
            "   properties: {metadata: {type: 'object'}, spec: {type: 'object', %s},"
            "    status: {type: 'object', default: {seen: -1}, properties: {"
            "     phase: {type: 'string', enum: ['A']}, seen: {type: 'integer'}}}}}}}]}}",
            spec));
}

static const Schema *widget(Arena *a, const char *more)
{
    const Schema *schema = NULL;

    then_ok(schema_of_crd(a,
        definition(a, str_format(a, "required: ['image'], properties: {%s}%s", fields, more)),
        &schema));
    return schema;
}

static const Json *with_spec(Arena *a, const char *spec)
{
    return json_fixture(a, str_format(a, "{metadata: {name: 'w'}, spec: %s}", spec));
}

/* --- completing --- */

static const struct {
    const char *name, *spec, *completed;
} completions[] = {
    {"defaults come", "{}", "{mode: 'full', maybe: 'x'}"},
    {"zeros say something",
        "{mode: '', flag: false, list: []}",
        "{mode: '', flag: false, list: [], maybe: 'x'}"},
    {"unknown fields go",
        "{a: 1, deep: {q: 1}}",
        "{mode: 'full', maybe: 'x', deep: {x: 7, y: {z: 'zz'}}}"},
    {"null goes, unless it is allowed",
        "{flag: null, mode: null, maybe: null}",
        "{mode: 'full', maybe: null}"},
    {"null goes even where anything may stand", "{any: null}", "{mode: 'full', maybe: 'x'}"},
    {"defaults come in elements",
        "{keyed: [{name: 'a'}, {name: 'b', proto: 'UDP', q: 1}]}",
        "{mode: 'full', maybe: 'x', keyed: [{name: 'a', proto: 'TCP'},"
        " {name: 'b', proto: 'UDP'}]}"},
    {"what is unknown is kept where the schema says so",
        "{free: {x: {y: null}, known: {a: '1', b: '2'}}, any: [{a: null}], labels: {a: '', b: "
        "null}}",
        "{mode: 'full', maybe: 'x', free: {x: {y: null}, known: {a: '1'}}, any: [{a: null}],"
        " labels: {a: ''}}"},
    {"an object inside has the metadata of one",
        "{tmpl: {kind: 'X', metadata: {name: 'q', foo: 1, labels: {}}, spec: {a: 1}}}",
        "{mode: 'full', maybe: 'x', tmpl: {kind: 'X', metadata: {name: 'q'}, spec: {a: 1}}}"},
};

TEST(custom_objects_get_the_defaults_of_their_schema)
{
    each_case(i, completions) {
        SCOPED_ARENA a = arena_open(4 << 20);

        const Json *completed =
            schema_complete(a, widget(a, ""), with_spec(a, completions[i].spec), NULL);

        then_json(json_find(completed, ".spec"), completions[i].completed);
        then_json(json_find(completed, ".status"), "{seen: -1}");
        then_json(json_find(completed, ".metadata"), "{name: 'w'}");
    }
}

/* --- checking --- */

#define TYPE(field, got, wanted)                                                                   \
    TERMINAL("Widget.w.io \"w\" is invalid: " field ": Invalid value: \"" got "\": " field         \
             " in body must be of type " wanted ": \"" got "\"")
#define FAULT(text) TERMINAL("Widget.w.io \"w\" is invalid: " text)

static const struct {
    const char *name, *spec;
    Want want;
} checks[] = {
    {"all is well", "{image: 'a', num: 1, real: 1, port: 'a', when: '2026-01-01T00:00:00Z'}"},
    {"whole numbers may be written with a point", "{image: 'a', num: 2.0}"},
    {"times may have fractions and zones", "{image: 'a', when: '2026-01-01T00:00:00.12+02:00'}"},
    {"something is missing", "{}", FAULT("spec.image: Required value")},
    {"the spec is something else", "'x'", TYPE("spec", "string", "object")},
    {"a text for a number", "{image: 'a', num: 'x'}", TYPE("spec.num", "string", "integer")},
    {"a fraction for a whole number",
        "{image: 'a', num: 1.5}",
        TYPE("spec.num", "number", "integer")},
    {"a number for a flag", "{image: 'a', flag: 1}", TYPE("spec.flag", "integer", "boolean")},
    {"null for an element", "{image: 'a', list: [null]}", TYPE("spec.list[0]", "null", "string")},
    {"a list for an object", "{image: 'a', labels: []}", TYPE("spec.labels", "array", "object")},
    {"neither a number nor a text",
        "{image: 'a', port: true}",
        FAULT(
            "[spec.port: Invalid value: \"boolean\": spec.port in body must be of type "
            "integer,string: \"boolean\", <nil>: Invalid value: \"\": \"spec.port\" must validate "
            "at least one schema (anyOf), spec.port: Invalid value: \"boolean\": spec.port in body "
            "must be of type integer: \"boolean\"]")},
    {"too short a text",
        "{image: ''}",
        FAULT(
            "spec.image: Invalid value: \"\": spec.image in body should be at least 1 chars long")},
    {"too long a text",
        "{image: 'aaaaaaaaaaa'}",
        FAULT("spec.image: Too long: may not be more than 10 bytes")},
    {"characters are counted, not bytes", "{image: 'éééééééééé'}"},
    {"no choice",
        "{image: 'a', mode: 'x'}",
        FAULT("spec.mode: Unsupported value: \"x\": supported values: \"full\", \"seed\"")},
    {"no match",
        "{image: 'a', name: 'X'}",
        FAULT("spec.name: Invalid value: \"X\": spec.name in body should match "
              "'^[a-z]([-a-z0-9]*[a-z0-9])?$'")},
    {"no time",
        "{image: 'a', when: '2026-13-01T00:00:00Z'}",
        FAULT(
            "spec.when: Invalid value: \"2026-13-01T00:00:00Z\": spec.when in body must be of type "
            "date-time: \"2026-13-01T00:00:00Z\"")},
    {"no digits in a time",
        "{image: 'a', when: 'x026-01-01T00:00:00Z'}",
        FAULT("spec.when: Invalid value: \"x026-01-01T00:00:00Z\"")},
    {"no such second",
        "{image: 'a', when: '2026-01-01T00:00:61Z'}",
        FAULT("spec.when: Invalid value: \"2026-01-01T00:00:61Z\"")},
    {"too small a number",
        "{image: 'a', num: 0}",
        FAULT("spec.num: Invalid value: 0: spec.num in body should be greater than or equal to 1")},
    {"a whole number is compared with a whole bound", "{image: 'a', lim: 0}"},
    {"too large a number",
        "{image: 'a', lim: 1000001}",
        FAULT("spec.lim: Invalid value: 1000001: spec.lim in body should be less than or equal to "
              "1000000")},
    {"too large a fraction",
        "{image: 'a', real: 2234567.5}",
        FAULT("spec.real: Invalid value: 2.2345675e+06: spec.real in body should be less than or "
              "equal to 1.2345675e+06")},
    {"the bound itself",
        "{image: 'a', real: 0.5}",
        FAULT("spec.real: Invalid value: 0.5: spec.real in body should be greater than 0.5")},
    {"no multiple",
        "{image: 'a', mult: 4}",
        FAULT("spec.mult: Invalid value: 4: spec.mult in body should be a multiple of 3")},
    {"too few elements",
        "{image: 'a', list: []}",
        FAULT("spec.list: Invalid value: 0: spec.list in body should have at least 1 items")},
    {"too many elements",
        "{image: 'a', list: ['a', 'b', 'c']}",
        FAULT("spec.list: Too many: 3: must have at most 2 items")},
    {"too few members",
        "{image: 'a', labels: {}}",
        FAULT("spec.labels: Invalid value: 0: spec.labels in body should have at least 1 "
              "properties")},
    {"too many members",
        "{image: 'a', labels: {a: 'b', c: 'd', e: 'f'}}",
        FAULT("spec.labels: Too many: 3: must have at most 2 items")},
    {"a member of data",
        "{image: 'a', labels: {a: ''}}",
        FAULT(
            "spec.labels.a: Invalid value: \"\": spec.labels.a in body should be at least 1 chars "
            "long")},
    {"a value twice in a set",
        "{image: 'a', set: ['a', 'a', 'a', 'b', 'b']}",
        FAULT("[spec.set[1]: Duplicate value: \"a\", spec.set[4]: Duplicate value: \"b\"]")},
    {"a key twice in a list",
        "{image: 'a', keyed: [{name: 'a', proto: 'TCP'}, {name: 'a', proto: 'TCP'}]}",
        FAULT("spec.keyed[1]: Duplicate value: {\"name\":\"a\",\"proto\":\"TCP\"}")},
    {"no object in a list with keys",
        "{image: 'a', keyed: ['x']}",
        FAULT("[spec.keyed[0]: Invalid value: \"string\": spec.keyed[0] in body must be of type "
              "object: \"string\", spec.keyed[0]: Invalid value: \"x\": must be an object for an "
              "array "
              "of list-type map]")},
    {"a key that is missing",
        "{image: 'a', keyed: [{proto: 'x'}]}",
        FAULT("spec.keyed[0].name: Required value")},
    {"an object inside that does not say what it is",
        "{image: 'a', tmpl: {foo: 1}}",
        FAULT("[spec.tmpl.apiVersion: Required value, spec.tmpl.kind: Required value]")},
    {"several faults",
        "{image: 5, num: 99}",
        FAULT("[spec.image: Invalid value: \"integer\": spec.image in body must be of type string: "
              "\"integer\", spec.num: Invalid value: 99: spec.num in body should be less than or "
              "equal "
              "to 5]")},
};

TEST(custom_objects_are_validated_by_their_schema)
{
    each_case(i, checks) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *object = with_spec(a, checks[i].spec);

        Err *err = schema_check(a, widget(a, ""), object, NULL);

        then_err(err, checks[i].want);
        then_true(!err || (err->status == 422 && str_eq(err->reason, "Invalid")));
    }
}

TEST(unchanged_values_of_a_custom_object_are_not_validated_again)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Schema *schema = widget(a, "");
    const Json *before = with_spec(a, "{num: 99, image: 'a', keyed: [{name: 1}]}");

    then_ok(schema_check(a, schema, before, before));
    then_ok(
        schema_check(a, schema, with_spec(a, "{num: 99, image: 'b', keyed: [{name: 1}]}"), before));
    then_err(schema_check(a, schema, with_spec(a, "{num: 98, image: 'a'}"), before),
        TERMINAL("spec.num: Invalid value: 98"));
}

TEST(validation_of_a_status_write_reports_only_status_fields)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Schema *schema = widget(a, "");
    const Json *before = with_spec(a, "{image: 'a'}");
    const Json *after = json_merge(a, before, json_fixture(a, "{status: {phase: 7}}"));

    then_err(schema_check(a, schema, after, before),
        TERMINAL(
            "[status.phase: Invalid value: \"integer\": phase in body must be of type string"));
}

TEST(schema_errors_prevent_the_evaluation_of_cel_rules)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Schema *schema = widget(a, ", 'x-kubernetes-validations': [{rule: 'true'}]");

    then_err(schema_check(a, schema, with_spec(a, "{}"), NULL),
        TERMINAL("[spec.image: Required value, <nil>: Invalid value: null: some validation rules "
                 "were not checked because the object was invalid; correct the existing errors to "
                 "complete validation]"));
    then_err(schema_check(a, schema, with_spec(a, "{image: ''}"), NULL),
        TERMINAL(
            "is invalid: spec.image: Invalid value: \"\": spec.image in body should be at least "
            "1 chars long"));
}

TEST(each_schema_error_is_a_cause)
{
    SCOPED_ARENA a = arena_open(4 << 20);

    const Err *err = schema_check(a, widget(a, ""), with_spec(a, "{num: 'x'}"), NULL);

    then_str(err->cause->reason, "FieldValueTypeInvalid");
    then_str(err->cause->message,
        "spec.num: Invalid value: \"string\": spec.num in body must be of type integer: "
        "\"string\"");
    then_str(err->cause->cause->reason, "FieldValueRequired");
    then_str(err->cause->cause->message, "spec.image: Required value");
    then_true(!err->cause->cause->cause);
}

/* --- definitions --- */

static const struct {
    const char *name, *spec;
    Want want;
} definitions[] = {
    {"nothing is said", "properties: {}"},
    {"an unknown word",
        "properties: {a: {type: 'string', oneOf: []}}",
        TERMINAL(".spec.a: oneOf is not understood")},
    {"an unknown type", "properties: {a: {type: 'date'}}", TERMINAL(".spec.a: type date")},
    {"an unknown format",
        "properties: {a: {type: 'array', items: {type: 'string', format: 'uri'}}}",
        TERMINAL(".spec.a[]: format uri")},
    {"an unknown pattern",
        "additionalProperties: {type: 'string', pattern: '(?i)a'}",
        TERMINAL(".spec[*]: the pattern (?i)a")},
    {"a choice of schemas", "properties: {a: {anyOf: [{type: 'string'}]}}", TERMINAL("anyOf")},
    {"a list of type map without keys",
        "properties: {a: {type: 'array', 'x-kubernetes-list-type': 'map'}}",
        TERMINAL("without keys")},
    {"a schema that is none", "properties: {a: 1}", TERMINAL("no object")},
};

TEST(an_unsupported_schema_of_a_crd_is_refused)
{
    each_case(i, definitions) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Schema *schema = NULL;

        then_err(
            schema_of_crd(a, definition(a, definitions[i].spec), &schema), definitions[i].want);
    }
}

TEST(a_crd_without_a_served_version_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Schema *schema = NULL;

    then_err(schema_of_crd(a, json_fixture(a, "{spec: {versions: []}}"), &schema),
        TERMINAL("no served version"));
}
