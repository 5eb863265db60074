/* YamlText: the layout, and that what is read back is what was written. */
#include "cli/yaml_text.h"
#include "kube/client/yaml.h"
#include "tests/test.h"

static const struct {
    const char *name, *json, *want;
} cases[] = {
    {"a word", "'abc'", "abc\n"},
    {"a number", "1.5", "1.5\n"},
    {"an empty object", "{}", "{}\n"},
    {"members", "{a: 1, b: true, c: null}", "a: 1\nb: true\nc: null\n"},
    {"an object in an object", "{a: {b: {c: 'd'}}}", "a:\n  b:\n    c: d\n"},
    {"a list is flush with its key", "{a: ['x', 'z'], b: []}", "a:\n- x\n- z\nb: []\n"},
    {"objects in a list",
        "{a: [{b: 1, c: {d: 2}}, {b: 3}]}",
        "a:\n- b: 1\n  c:\n    d: 2\n- b: 3\n"},
    {"a list in a list", "[[1, 2], [3], []]", "- - 1\n  - 2\n- - 3\n- []\n"},
    {"a list in an object in a list", "[{a: [1], b: 2}]", "- a:\n  - 1\n  b: 2\n"},
    {"an image", "{image: 'ghcr.io/x/sei:v6.4.1'}", "image: ghcr.io/x/sei:v6.4.1\n"},
    {"a time is no word", "'2026-01-01T00:00:00Z'", "\"2026-01-01T00:00:00Z\"\n"},
    {"a number as text", "'12'", "\"12\"\n"},
    {"a truth as text", "'true'", "\"true\"\n"},
    {"no as text", "'No'", "\"No\"\n"},
    {"a null as text", "'null'", "\"null\"\n"},
    {"nothing as text", "''", "\"\"\n"},
    {"a colon and a space", "'a: b'", "\"a: b\"\n"},
    {"a comment", "'a #b'", "\"a #b\"\n"},
    {"a space at the end", "'a '", "\"a \"\n"},
    {"a dash", "'- a'", "\"- a\"\n"},
    {"a key that is a number", "{'1': 'a'}", "\"1\": a\n"},
    {"a key with a quote", "{'a\"b': 'c'}", "\"a\\\"b\": c\n"},
    {"a label", "{'sei.io/node': 'a'}", "sei.io/node: a\n"},
    {"lines", "{a: 'x\\ny', b: 1}", "a: |-\n  x\n  y\nb: 1\n"},
    {"lines with an end", "{a: 'x\\n\\ny\\n'}", "a: |\n  x\n\n  y\n"},
    {"lines that begin with a space", "{a: ' x\\ny'}", "a: \" x\\ny\"\n"},
    {"a tab", "{a: 'x\\ty'}", "a: \"x\\ty\"\n"},
    {"lines in a list", "['x\\ny']", "- |-\n  x\n  y\n"},
};

TEST(yaml_output_has_the_layout_of_kubectl)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *text = NULL;
        const Json *value =
            json_find(json_fixture(a, str_format(a, "{v: %s}", cases[i].json)), ".v");
        then_ok(yaml_text(a, value, &text));
        then_str(text, cases[i].want);
    }
}

TEST(yaml_output_is_parsed_to_the_same_value)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *text = NULL;
        const Json *back = NULL;
        const Json *value =
            json_fixture(a, str_format(a, "{v: %s, w: [%s]}", cases[i].json, cases[i].json));
        then_ok(yaml_text(a, value, &text));
        if (str_eq(cases[i].name, "a number"))
            continue; /* our reader knows whole numbers only */
        then_ok(yaml_parse(a, text, &back));
        then_json(back, json_write(a, value).data);
    }
}
