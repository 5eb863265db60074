/* JsonQuery: what kubectl prints for the same template. */
#include "cli/json_query.h"
#include "tests/test.h"

static const char object[] =
    "{kind: 'List', n: 3, flag: true, metadata: {name: 'a', labels: {'sei.io/x': 'y'}}, items: ["
    "{metadata: {name: 'one'}, ports: [1, 2]}, {metadata: {name: 'two'}, ports: [3]}, {}]}";

static const struct {
    const char *name, *template, *want;
    Want err;
} cases[] = {
    {"a text alone", "abc", "abc"},
    {"nothing", "", ""},
    {"a member", "{.kind}", "List"},
    {"a deeper one", "{.metadata.name}", "a"},
    {"between texts", "<{.kind}>", "<List>"},
    {"the root", "{$.kind}", "List"},
    {"a number", "{.n}", "3"},
    {"a truth", "{.flag}", "true"},
    {"a value as JSON", "{.items[1].ports}", "[3]"},
    {"an index", "{.items[1].metadata.name}", "two"},
    {"an index from the end", "{.items[-2].metadata.name}", "two"},
    {"an index out of range", "{.items[7].metadata.name}", ""},
    {"what is not there", "{.a.b.c}", ""},
    {"a key in quotes", "{.metadata.labels['sei.io/x']}", "y"},
    {"a key in brackets behind a dot", "{.metadata.['name']}", "a"},
    {"an escaped key", "{.metadata.labels.sei\\.io/x}", "y"},
    {"all elements", "{.items[*].metadata.name}", "one two"},
    {"all of all", "{.items[*].ports[*]}", "1 2 3"},
    {"all members", "{.metadata.labels.*}", "y"},
    {"a quoted text", "{\"\\n\"}", "\n"},
    {"a brace in quotes", "{\"}\"}", "}"},
    {"a range", "{range .items[*]}{.metadata.name}{\"\\t\"}{end}!", "one\ttwo\t\t!"},
    {"the element itself", "{range .items[*].ports[*]}<{@}>{end}", "<1><2><3>"},
    {"a range in a range", "{range .items[*]}({range .ports[*]}{@},{end}){end}", "(1,2,)(3,)()"},
    {"the root within a range", "{range .items[*]}{$.kind} {end}", "List List List "},
    {"an empty range", "{range .none[*]}x{range .y}z{end}{end}.", "."},
    {"no closing brace", "{.kind", NULL, TERMINAL("a { without its }")},
    {"no end", "{range .items[*]}x", NULL, TERMINAL("a range without its {end}")},
    {"no range", "{end}", NULL, TERMINAL("an {end} without its range")},
    {"a filter", "{.items[?(@.x==1)]}", NULL, TERMINAL("filters and slices are not supported")},
    {"a slice", "{.items[0:2]}", NULL, TERMINAL("filters and slices are not supported")},
    {"a descent", "{..name}", NULL, TERMINAL(".. is not supported")},
    {"a word", "{kind}", NULL, TERMINAL("a path goes on with . or [")},
    {"an open bracket", "{.items[1}", NULL, TERMINAL("a bracket that is not closed")},
    {"an open quote", "{.items['x}", NULL, TERMINAL("a { without its }")},
};

TEST(a_jsonpath_template_gives_the_same_output_as_kubectl)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *text = NULL;
        then_err(json_query(a, json_fixture(a, object), cases[i].template, &text), cases[i].err);
        then_str(text, cases[i].want);
    }
}
