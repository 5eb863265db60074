/* JSON Patch: the examples of RFC 6902, what is refused, and what would grow without end. */
#include "base/json.h"

#include "tests/test.h"

enum { CEILING = 256 << 20 };

TEST(a_json_patch_gives_the_results_of_rfc_6902)
{
    static const struct {
        const char *name, *doc, *patch, *want;
        Want err;
    } cases[] = {
        {"no operation", "{a: 1}", "[]", "{a: 1}"},
        {"a member added",
            "{foo: 'bar'}",
            "[{op: 'add', path: '/baz', value: 'qux'}]",
            "{baz: 'qux', foo: 'bar'}"},
        {"a member replaced by adding",
            "{foo: {x: 1}}",
            "[{op: 'add', path: '/foo', value: 1}]",
            "{foo: 1}"},
        {"an element added",
            "{foo: ['bar', 'baz']}",
            "[{op: 'add', path: '/foo/1', value: 'qux'}]",
            "{foo: ['bar', 'qux', 'baz']}"},
        {"an element added at the end by its index",
            "[1]",
            "[{op: 'add', path: '/1', value: 2}]",
            "[1, 2]"},
        {"an element added at the end by a dash",
            "[1]",
            "[{op: 'add', path: '/-', value: [2]}]",
            "[1, [2]]"},
        {"an element added in front", "[1]", "[{op: 'add', path: '/0', value: 0}]", "[0, 1]"},
        {"the whole added", "{a: 1}", "[{op: 'add', path: '', value: [2]}]", "[2]"},
        {"null added", "{}", "[{op: 'add', path: '/a', value: null}]", "{a: null}"},
        {"a member removed",
            "{baz: 'qux', foo: 'bar'}",
            "[{op: 'remove', path: '/baz'}]",
            "{foo: 'bar'}"},
        {"an element removed",
            "{foo: ['bar', 'qux', 'baz']}",
            "[{op: 'remove', path: '/foo/1'}]",
            "{foo: ['bar', 'baz']}"},
        {"the last element removed, and one added",
            "[1, 2]",
            "[{op: 'remove', path: '/1'}, {op: 'add', path: '/-', value: 3}]",
            "[1, 3]"},
        {"a member replaced",
            "{a: 1, b: 2, c: 3}",
            "[{op: 'replace', path: '/b', value: {d: 4}}]",
            "{a: 1, b: {d: 4}, c: 3}"},
        {"an element replaced",
            "[1, 2, 3]",
            "[{op: 'replace', path: '/1', value: 9}]",
            "[1, 9, 3]"},
        {"the whole replaced", "{a: 1}", "[{op: 'replace', path: '', value: 'x'}]", "'x'"},
        {"a member moved",
            "{foo: {bar: 'baz', waldo: 'fred'}, qux: {corge: 'grault'}}",
            "[{op: 'move', from: '/foo/waldo', path: '/qux/thud'}]",
            "{foo: {bar: 'baz'}, qux: {corge: 'grault', thud: 'fred'}}"},
        {"an element moved",
            "{foo: ['all', 'grass', 'cows', 'eat']}",
            "[{op: 'move', from: '/foo/1', path: '/foo/3'}]",
            "{foo: ['all', 'cows', 'eat', 'grass']}"},
        {"a member moved into an array",
            "{a: {x: 1}, b: []}",
            "[{op: 'move', from: '/a/x', path: '/b/0'}]",
            "{a: {}, b: [1]}"},
        {"a member moved to where it is",
            "{a: 1}",
            "[{op: 'move', from: '/a', path: '/a'}]",
            "{a: 1}"},
        {"a member moved to a name that begins with its own",
            "{a: 1}",
            "[{op: 'move', from: '/a', path: '/ab'}]",
            "{ab: 1}"},
        {"a value copied, then only the copy changed",
            "{a: {x: 1}}",
            "[{op: 'copy', from: '/a', path: '/b'}, {op: 'replace', path: '/b/x', value: 2}]",
            "{a: {x: 1}, b: {x: 2}}"},
        {"the whole copied into itself",
            "{a: 1}",
            "[{op: 'add', path: '/b', value: 2}, {op: 'copy', from: '', path: '/c'}]",
            "{a: 1, b: 2, c: {a: 1, b: 2}}"},
        {"a test passed",
            "{baz: 'qux', foo: ['a', 2, 'c']}",
            "[{op: 'test', path: '/foo', value: ['a', 2.0, 'c']}, {op: 'remove', path: '/baz'}]",
            "{foo: ['a', 2, 'c']}"},
        {"a test of what was changed before",
            "{a: {b: 1}}",
            "[{op: 'add', path: '/a/c', value: 2}, {op: 'test', path: '', value: {a: {c: 2, b: "
            "1}}}]",
            "{a: {b: 1, c: 2}}"},
        {"escapes",
            "{'/': 1, '~1': 2}",
            "[{op: 'test', path: '/~01', value: 2}, {op: 'remove', path: '/~1'}]",
            "{'~1': 2}"},
        {"an empty key", "{'': 1}", "[{op: 'replace', path: '/', value: 2}]", "{'': 2}"},
        {"what is not known is ignored",
            "{}",
            "[{op: 'add', path: '/a', value: 1, xyz: 2}]",
            "{a: 1}"},
        {"no document", NULL, "[{op: 'add', path: '/a', value: 1}]", "{a: 1}"},

        {"a test failed",
            "{baz: 'qux'}",
            "[{op: 'test', path: '/baz', value: 'bar'}]",
            .err = TERMINAL("operation 0 of the JSON patch (test /baz): the value is another one")},
        {"a test of what is not there",
            "{}",
            "[{op: 'test', path: '/a', value: null}]",
            .err = TERMINAL("no such value")},
        {"a number is not its text",
            "{'/': 9}",
            "[{op: 'test', path: '/~1', value: '9'}]",
            .err = TERMINAL("another one")},
        {"the second operation fails",
            "{a: 1}",
            "[{op: 'remove', path: '/a'}, {op: 'remove', path: '/a'}]",
            .err = TERMINAL("operation 1 of the JSON patch (remove /a): there is no such value")},
        {"a parent that is not there",
            "{}",
            "[{op: 'add', path: '/a/b', value: 1}]",
            .err = TERMINAL("no object or array to look into")},
        {"a parent that is text",
            "{a: 'x'}",
            "[{op: 'add', path: '/a/b', value: 1}]",
            .err = TERMINAL("no object or array to look into")},
        {"an index too large",
            "[1]",
            "[{op: 'add', path: '/2', value: 1}]",
            .err = TERMINAL("no such place in the array")},
        {"an index with a leading zero",
            "[1]",
            "[{op: 'add', path: '/00', value: 1}]",
            .err = TERMINAL("no such place")},
        {"an index that is a word",
            "[1]",
            "[{op: 'add', path: '/x', value: 1}]",
            .err = TERMINAL("no such place")},
        {"an index beyond all counting",
            "[1]",
            "[{op: 'replace', path: '/99999999999999999999', value: 1}]",
            .err = TERMINAL("no such value")},
        {"a dash where something must stand",
            "[1]",
            "[{op: 'remove', path: '/-'}]",
            .err = TERMINAL("no such value")},
        {"the whole removed",
            "{}",
            "[{op: 'remove', path: ''}]",
            .err = TERMINAL("cannot be removed")},
        {"a replacement of nothing",
            "{}",
            "[{op: 'replace', path: '/a', value: 1}]",
            .err = TERMINAL("no such value")},
        {"a move into itself",
            "{a: {b: 1}}",
            "[{op: 'move', from: '/a', path: '/a/b'}]",
            .err = TERMINAL("moved into itself")},
        {"a move from nowhere",
            "{}",
            "[{op: 'move', from: '/a', path: '/b'}]",
            .err = TERMINAL("no such value")},
        {"a pointer without a slash",
            "{a: 1}",
            "[{op: 'remove', path: 'a'}]",
            .err = TERMINAL("begin with a slash")},
        {"a wrong escape",
            "{a: 1}",
            "[{op: 'remove', path: '/~2'}]",
            .err = TERMINAL("neither ~0 nor ~1")},
        {"an escape cut short",
            "{a: 1}",
            "[{op: 'remove', path: '/~'}]",
            .err = TERMINAL("neither ~0 nor ~1")},
        {"an unknown operation",
            "{}",
            "[{op: 'spam', path: '/a'}]",
            .err = TERMINAL("(spam /a): op is not")},
        {"no operation name", "{}", "[{path: '/a'}]", .err = TERMINAL("(? /a): op is not")},
        {"no path", "{}", "[{op: 'remove'}]", .err = TERMINAL("path is missing")},
        {"a path that is a number",
            "{}",
            "[{op: 'remove', path: 1}]",
            .err = TERMINAL("path is missing or no string")},
        {"no value", "{}", "[{op: 'add', path: '/a'}]", .err = TERMINAL("value is missing")},
        {"no from", "{}", "[{op: 'copy', path: '/a'}]", .err = TERMINAL("from is missing")},
        {"an operation that is no object", "{}", "[1]", .err = TERMINAL("op is not")},
        {"a patch that is no array", "{}", "{}", .err = TERMINAL("an array of operations")},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *doc = cases[i].doc ? json_fixture(a, cases[i].doc) : NULL, *got = NULL;
        then_err(json_patch(a, doc, json_fixture(a, cases[i].patch), &got), cases[i].err);
        then_json(got, cases[i].want);
        then_json(doc, cases[i].doc);
    }
}

TEST(only_a_failed_json_patch_test_has_a_status)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *doc = json_fixture(a, "{a: 1}"), *got;
    const Json *tests = json_fixture(a, "[{op: 'test', path: '/a', value: 2}]");
    const Json *removes = json_fixture(a, "[{op: 'remove', path: '/b'}]");

    then_true(err_has_status(json_patch(a, doc, tests, &got), 422));
    then_true(!err_has_status(json_patch(a, doc, removes, &got), 422));
    then_err(json_patch(a, doc, NULL, &got), TERMINAL("an array of operations"));
}

/* A patch of one operation many times, and of another, unless NULL, at its end. */
static const Json *repeated(Arena *a, const char *operation, int count, const char *last)
{
    Buf b = {.ceiling = 64 << 20};
    for (int i = 0; i < count; i++)
        then_true(buf_format(&b, "%s%s", i ? "," : "[", operation));
    then_true(buf_format(&b, "%s%s]", last ? "," : "", last ? last : ""));
    const Json *v = json_fixture(a, b.data);
    buf_close(&b);
    return v;
}

TEST(a_json_patch_that_multiplies_data_is_stopped)
{
    static const struct {
        const char *name, *operation;
        int count;
        Want want;
    } cases[] = {
        {"copies of the whole side by side",
            "{op: 'copy', from: '', path: '/-'}",
            40,
            TERMINAL("more than 1048576 values")},
        {"copies of the whole inside each other",
            "{op: 'copy', from: '', path: '/0/0'}",
            200,
            TERMINAL("more than 1048576 values")},
        {"too many operations",
            "{op: 'test', path: '', value: 1}",
            10001,
            TERMINAL("at most 10000")},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *got = NULL, *doc = json_fixture(a, "[[[]]]");
        then_err(json_patch(a, doc, repeated(a, cases[i].operation, cases[i].count, NULL), &got),
            cases[i].want);
        then_true(got == NULL);
    }
}

TEST(a_json_patch_with_a_result_that_is_too_deep_is_refused)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *got = NULL, *doc = json_fixture(a, "{a: 1}");
    const char *wrap = "{op: 'copy', from: '', path: '/w'}";
    char pointer[2 * 101 + 1];
    for (size_t i = 0; i < 101; i++)
        memcpy(pointer + 2 * i, "/w", 3);
    const char *far = str_format(a, "{op: 'remove', path: '%s'}", pointer);

    then_ok(json_patch(a, doc, repeated(a, wrap, 99, NULL), &got));
    got = NULL;
    then_err(
        json_patch(a, doc, repeated(a, wrap, 100, NULL), &got), TERMINAL("nested deeper than 100"));
    then_err(json_patch(a, doc, repeated(a, wrap, 110, far), &got), TERMINAL("deeper than 100"));
    then_true(got == NULL);
}

TEST(a_json_patch_respects_the_maximum_of_its_arena)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *got = NULL, *doc = json_fixture(a, "{a: [1, 2, 3], b: 0}");
    const Json *patch = repeated(a,
        "{op: 'replace', path: '/b', value: 0}, {op: 'test', path: '', value: {a: [1, 2, 3], b: "
        "0}}",
        2000,
        NULL);
    then_err(json_patch(a, doc, patch, &got), TERMINAL("the limit for one piece of work"));
}
