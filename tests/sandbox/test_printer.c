/* The columns of custom kinds: paths, and what becomes of values. */
#include "kube/timestamp.h"
#include "sandbox/printer.h"
#include "tests/test.h"

static const char object_text[] =
    "{metadata: {name: 'n', creationTimestamp: '2026-01-01T00:00:00Z', annotations: {'a.b/c': "
    "'x'}},"
    " spec: {count: 3, share: 2.75, on: true, list: ['p', 'q'], deep: {empty: null}, word: 'w'},"
    " status: {conditions: [{type: 'Odd', status: 'False'},"
    "  {type: 'Ready', status: 'True', reason: 'All ] well'}]}}";

static const struct {
    const char *name, *path, *want; /* NULL: nothing */
} paths[] = {
    {"a name", ".spec.word", "'w'"},
    {"the object itself", ".spec.deep", "{empty: null}"},
    {"null", ".spec.deep.empty", "null"},
    {"a name that is not there", ".spec.nothing.at.all", NULL},
    {"a name below a text", ".spec.word.more", NULL},
    {"a place", ".spec.list[1]", "'q'"},
    {"a place from the end", ".spec.list[-1]", "'q'"},
    {"a place behind the end", ".spec.list[2]", NULL},
    {"a place of what is no list", ".spec[0]", NULL},
    {"the first of all", ".spec.list[*]", "'p'"},
    {"a name in brackets", ".metadata.annotations['a.b/c']", "'x'"},
    {"a name in brackets behind a dot", ".metadata.annotations.[\"a.b/c\"]", "'x'"},
    {"a name with a dot in it", ".metadata.annotations.a\\.b/c", "'x'"},
    {"a condition", ".status.conditions[?(@.type==\"Ready\")].reason", "'All ] well'"},
    {"a condition in single quotes", ".status.conditions[?(@.type=='Ready')].status", "'True'"},
    {"a condition with spaces", ".status.conditions[?( @.type == 'Odd' )].status", NULL},
    {"a condition with spaces inside", ".status.conditions[?(@.type == 'Odd' )].status", "'False'"},
    {"a bracket in a text", ".status.conditions[?(@.reason=='All ] well')].type", "'Ready'"},
    {"a condition that none has", ".status.conditions[?(@.type==\"Other\")].reason", NULL},
    {"a comparison that is not understood", ".status.conditions[?(@.type!=\"Ready\")]", NULL},
    {"a condition without quotes", ".status.conditions[?(@.type==Ready)]", NULL},
    {"a bracket that stays open", ".spec.list[0", NULL},
    {"no path", "spec", NULL},
    {"nothing at all", "", object_text},
};

TEST(a_printer_column_path_leads_to_a_value_or_to_none)
{
    each_case(i, paths) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *got = printer_find(a, json_fixture(a, object_text), paths[i].path);

        if (paths[i].want)
            then_json(got, paths[i].want);
        else
            then_true(!got);
    }
}

static const struct {
    const char *name, *type, *path, *want;
} cells[] = {
    {"text", "string", ".spec.word", "'w'"},
    {"a number as text", "string", ".spec.count", "'3'"},
    {"truth as text", "string", ".spec.on", "'true'"},
    {"a list as text", "string", ".spec.list", "'[\"p\",\"q\"]'"},
    {"null as text", "string", ".spec.deep.empty", "'null'"},
    {"nothing as text", "string", ".spec.nothing", "null"},
    {"an integer", "integer", ".spec.count", "3"},
    {"an integer of a fraction", "integer", ".spec.share", "2"},
    {"an integer of a text", "integer", ".spec.word", "null"},
    {"a number", "number", ".spec.share", "2.75"},
    {"a number of truth", "number", ".spec.on", "null"},
    {"truth", "boolean", ".spec.on", "true"},
    {"truth of a number", "boolean", ".spec.count", "null"},
    {"a date", "date", ".metadata.creationTimestamp", "'5m3s'"},
    {"a date that is none", "date", ".spec.word", "'<invalid>'"},
    {"a date of a number", "date", ".spec.count", "null"},
    {"a type that is none", "colour", ".spec.word", "null"},
};

TEST(a_printer_column_value_is_formatted_by_its_type)
{
    each_case(i, cells) {
        SCOPED_ARENA a = arena_open(1 << 20);
        TableRow row = {.arena = a, .object = json_fixture(a, object_text)};

        row.cells = draft_array(a);
        then_true(timestamp_parse("2026-01-01T00:05:03Z", &row.now_ns));
        printer_push_cell(&row,
            json_seal(a, draft(a, str("type", cells[i].type), str("jsonPath", cells[i].path))));
        then_json(json_seal(a, row.cells), str_format(a, "[%s]", cells[i].want));
    }
}

TEST(a_crd_without_printer_columns_shows_the_age)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *bare = json_fixture(a, "{spec: {versions: [{name: 'v1'}]}}");
    const Json *columns = printer_columns(a, bare, "v1");

    then_int(json_count(columns), 1);
    then_str(json_str(columns, "[0].jsonPath"), ".metadata.creationTimestamp");
}

TEST(each_crd_version_has_its_own_printer_columns)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *two = json_fixture(a,
        "{spec: {versions: [{name: 'v1', additionalPrinterColumns: [{name: 'A'}]},"
        " {name: 'v2', additionalPrinterColumns: [{name: 'B'}]}]}}");

    then_str(json_str(printer_columns(a, two, "v2"), "[0].name"), "B");
}

TEST(a_printer_column_header_is_described_by_its_path)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *column =
        json_fixture(a, "{name: 'Phase', type: 'string', priority: 1, jsonPath: '.status.phase'}");

    then_json(json_seal(a, printer_header(a, column)),
        "{name: 'Phase', type: 'string', format: '', priority: 1, description: "
        "'Custom resource definition column (in JSONPath format): .status.phase'}");
}

TEST(a_printer_column_path_that_is_too_long_leads_nowhere)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = ".a";

    for (int i = 0; i < 10; i++)
        path = str_format(a, "%s%s", path, path);
    then_true(!printer_find(a, json_fixture(a, "{a: 1}"), path));
    then_json(printer_find(a, json_fixture(a, "{a: 1}"), ".a"), "1");
}
