/* Fields that nobody knows, and fields that stand twice: told, warned of, or refused. */
#include "tests/test.h"
#include "tests/world/desk.h"
#include "world/schema.h"

static const char *joined(Arena *a, const char *const *texts)
{
    const char *all = "";

    for (; texts && *texts; texts++)
        all = str_format(a, "%s%s%s", all, *all ? ", " : "", *texts);
    return all;
}

static const struct {
    const char *name, *object, *strays;
} built_in[] = {
    {"nothing", "{metadata: {name: 'x', labels: {any: 'y'}}, spec: {nodeName: 'n'}}", ""},
    {"at the root", "{colour: {x: 1}}", "unknown field \"colour\""},
    {"of metadata", "{metadata: {colour: 1}}", "unknown field \"metadata.colour\""},
    {"in a list",
        "{spec: {containers: [{name: 'a'}, {nmae: 'b', ports: [{port: 1}]}]}}",
        "unknown field \"spec.containers[1].nmae\", "
        "unknown field \"spec.containers[1].ports[0].port\""},
    {"twice",
        "{spec: {nodeName: 'a', nodeName: 'b', zz: 1, nodeName: 'c', aa: 2}}",
        "duplicate field \"spec.nodeName\", unknown field \"spec.zz\", unknown field \"spec.aa\""},
};

TEST(unknown_fields_of_built_in_kinds_are_reported_in_their_order)
{
    each_case(i, built_in) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const char *const *strays =
            schema_strays(a, schema_of_kind(kind_pod), json_fixture(a, built_in[i].object), false);

        then_str(joined(a, strays), built_in[i].strays);
        then_true(!strays == !*built_in[i].strays);
    }
}

TEST(at_most_a_hundred_unknown_fields_are_reported)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Draft *d = draft_object(a);
    size_t count = 0;

    for (int i = 0; i < 5000; i++)
        draft_add(d, num(str_format(a, "x%d", i), 1));
    const char *const *strays = schema_strays(a, schema_of_kind(kind_pod), json_seal(a, d), true);
    while (strays[count])
        count++;
    then_int(count, 100);
}

/* --- by the server --- */

static const char widget[] = "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'},"
                             " spec: {zz: 1, size: 'a', aa: 2, size: 'b'}}";

static void ask_with(Desk *d, FieldValidation validation, Request request, const char *json5)
{
    request.field_validation = validation;
    request.dry_run = true;
    ask_body(d, request, json5);
}

TEST(unknown_fields_of_custom_kinds_are_reported_by_name)
{
    SCOPED_DESK d = desk_open();
    Request new = {.verb = VERB_CREATE, .kind = kind_widget};

    create(d, kind_crd, widget_crd);
    ask_with(d, FIELD_VALIDATION_STRICT, new, widget);
    then_refused(d,
        400,
        "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: duplicate "
        "field \"spec.size\", unknown field \"spec.aa\", unknown field \"spec.zz\"");
    then_true(!d->answer.warnings);
    ask_with(d, FIELD_VALIDATION_WARN, new, widget);
    then_status(d, 201);
    then_str(joined(d->arena, d->answer.warnings),
        "duplicate field \"spec.size\", unknown field \"spec.aa\", unknown field \"spec.zz\"");
    ask_with(d, FIELD_VALIDATION_IGNORE, new, widget);
    then_status(d, 201);
    then_true(!d->answer.warnings);
    ask_with(d, FIELD_VALIDATION_UNSAID, new, widget);
    then_status(d, 201);
    then_true(!d->answer.warnings);
}

TEST(every_write_can_validate_unknown_fields_strictly)
{
    static const struct {
        const char *name;
        Verb verb;
        int status;
        const char *body;
    } cases[] = {
        {"a create", VERB_CREATE, 400, "{metadata: {name: 'd'}, dat: {}}"},
        {"an update", VERB_UPDATE, 400, "{metadata: {name: 'c'}, dat: {}}"},
        {"a merge patch", VERB_MERGE_PATCH, 422, "{dat: {}}"},
        {"a strategic merge patch", VERB_STRATEGIC_PATCH, 422, "{dat: {}}"},
        {"a JSON patch", VERB_JSON_PATCH, 422, "[{op: 'add', path: '/dat', value: {}}]"},
    };

    each_case(i, cases) {
        SCOPED_DESK d = desk_open();
        Request request = {.verb = cases[i].verb, .kind = kind_configmap, .key.name = "c"};

        create(d, kind_configmap, "{metadata: {name: 'c'}}");
        ask_with(d, FIELD_VALIDATION_STRICT, request, cases[i].body);
        then_refused(d, cases[i].status, "strict decoding error: unknown field \"dat\"");
        ask_with(d, FIELD_VALIDATION_WARN, request, cases[i].body);
        then_str(joined(d->arena, d->answer.warnings), "unknown field \"dat\"");
        then_true(d->answer.status < 300);
    }
}
