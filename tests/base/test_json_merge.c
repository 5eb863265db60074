/* Merge patches: the examples of RFC 7386, and that making one and applying it are inverse. */
#include "base/json.h"

#include "tests/test.h"

enum { CEILING = 64 << 20 };

TEST(a_merge_patch_gives_the_results_of_rfc_7386)
{
    static const struct {
        const char *name, *base, *patch, *want;
    } cases[] = {
        {"a member is replaced", "{a: 'b'}", "{a: 'c'}", "{a: 'c'}"},
        {"a member is added", "{a: 'b'}", "{b: 'c'}", "{a: 'b', b: 'c'}"},
        {"a member is removed", "{a: 'b'}", "{a: null}", "{}"},
        {"one of two is removed", "{a: 'b', b: 'c'}", "{a: null}", "{b: 'c'}"},
        {"an array is replaced", "{a: ['b']}", "{a: 'c'}", "{a: 'c'}"},
        {"by an array", "{a: 'c'}", "{a: ['b']}", "{a: ['b']}"},
        {"within a member", "{a: {b: 'c'}}", "{a: {b: 'd', c: null}}", "{a: {b: 'd'}}"},
        {"arrays are whole", "{a: [{b: 'c'}]}", "{a: [1]}", "{a: [1]}"},
        {"a patch that is an array", "['a', 'b']", "['c', 'd']", "['c', 'd']"},
        {"a base that is an array", "{a: 'b'}", "['c']", "['c']"},
        {"a patch that is null", "{a: 'foo'}", "null", "null"},
        {"a patch that is text", "{a: 'foo'}", "'bar'", "'bar'"},
        {"null in the base stays", "{e: null}", "{a: 1}", "{e: null, a: 1}"},
        {"an array becomes an object", "[1, 2]", "{a: 'b', c: null}", "{a: 'b'}"},
        {"nothing becomes an object without null", "{}", "{a: {bb: {ccc: null}}}", "{a: {bb: {}}}"},
        {"null within an array stays", "{}", "{a: [{b: null}]}", "{a: [{b: null}]}"},
        {"no base", NULL, "{a: {b: 1}}", "{a: {b: 1}}"},
        {"no patch", "{a: 1}", NULL, "{a: 1}"},
        {"neither", NULL, NULL, NULL},
        {"text becomes an object", "{a: 'x'}", "{a: {b: 1}}", "{a: {b: 1}}"},
        {"of one key twice the first counts", "{a: 1, a: 2}", "{b: 1, b: 2, b: 3}", "{a: 1, b: 1}"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *base = cases[i].base ? json_fixture(a, cases[i].base) : NULL;
        const Json *patch = cases[i].patch ? json_fixture(a, cases[i].patch) : NULL;
        then_json(json_merge(a, base, patch), cases[i].want);
    }
}

TEST(the_difference_of_two_json_values_is_a_merge_patch)
{
    static const struct {
        const char *name, *from, *to, *want;
    } cases[] = {
        {"nothing", "{a: 1, b: [1]}", "{b: [1], a: 1.0}", NULL},
        {"a change", "{a: 1, b: 2}", "{a: 1, b: 3}", "{b: 3}"},
        {"an addition", "{a: 1}", "{a: 1, b: {c: 2}}", "{b: {c: 2}}"},
        {"a removal", "{a: 1, b: 2}", "{a: 1}", "{b: null}"},
        {"deep below",
            "{a: {b: {c: 1, d: 2}}, e: {}}",
            "{a: {b: {c: 1}}, e: {}}",
            "{a: {b: {d: null}}}"},
        {"arrays as a whole", "{a: [1, 2]}", "{a: [1, 3]}", "{a: [1, 3]}"},
        {"an object for text", "{a: 'x'}", "{a: {b: 1}}", "{a: {b: 1}}"},
        {"text for an object", "{a: {b: 1}}", "{a: 'x'}", "{a: 'x'}"},
        {"an object emptied", "{a: {b: 1}}", "{a: {}}", "{a: {b: null}}"},
        {"null counts as absent", "{a: 1}", "{a: null, b: null}", "{a: null}"},
        {"null stays null", "{a: null}", "{a: null}", NULL},
        {"null that should go", "{a: null}", "{}", "{a: null}"},
        {"from nothing", NULL, "{a: 1}", "{a: 1}"},
        {"to nothing", "{a: 1}", NULL, "{a: null}"},
        {"an array at the top", "[1]", "[2]", "[2]"},
        {"an equal array at the top", "[1]", "[1]", NULL},
        {"an object at the top for an array", "[1]", "{a: 1}", "{a: 1}"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *from = cases[i].from ? json_fixture(a, cases[i].from) : NULL;
        const Json *to = cases[i].to ? json_fixture(a, cases[i].to) : NULL;
        then_json(json_merge_diff(a, from, to), cases[i].want);
    }
}

TEST(applying_the_difference_gives_the_wanted_value)
{
    static const char *const values[] = {
        "{}",
        "{a: 1}",
        "{a: {b: 1, c: {d: [1, {e: null}]}}}",
        "{a: {b: 2, c: {}}, f: 'x'}",
        "{a: [1, 2, 3], f: {g: {h: true}}}",
        "{f: {g: {}}, z: ''}",
        "[1]",
        "'x'",
    };

    for (size_t i = 0; i < array_count(values); i++)
        for (size_t j = 0; j < array_count(values); j++) {
            SCOPED_ARENA a = arena_open(CEILING);
            const Json *from = json_fixture(a, values[i]), *to = json_fixture(a, values[j]);
            const Json *patch = json_merge_diff(a, from, to);
            then_int(patch == NULL, i == j);
            then_json(json_merge(a, from, patch), values[j]);
        }
}
