/* YAML as kubeconfigs use it becomes JSON; what could grow without bound is refused. */
#include "kube/client/yaml.h"
#include "tests/test.h"

static const struct {
    const char *name, *text, *json;
} readable[] = {
    {"nothing", "", .json = "{}"},
    {"comments alone", "# no clusters yet\n", .json = "{}"},
    {"a document mark", "---\na: b\n", .json = "{a: 'b'}"},
    {"an ended document", "a: b\n...\n", .json = "{a: 'b'}"},
    {"nested blocks", "a:\n- b: c\n  d: e\n- f\n", .json = "{a: [{b: 'c', d: 'e'}, 'f']}"},
    {"flow style", "a: [b, {c: d}]\n", .json = "{a: ['b', {c: 'd'}]}"},
    {"empty containers", "a: {}\nb: []\n", .json = "{a: {}, b: []}"},
    {"words with a meaning",
        "a: null\nb: ~\nc:\nd: true\ne: False\n",
        .json = "{a: null, b: null, c: null, d: true, e: false}"},
    {"the same words in quotes", "a: 'null'\nb: \"true\"\n", .json = "{a: 'null', b: 'true'}"},
    {"whole numbers", "a: 0\nb: -12\nc: 443\n", .json = "{a: 0, b: -12, c: 443}"},
    {"what only looks like a number",
        "a: 007\nb: 1.30\nc: 1e3\nd: 0x10\ne: 1234567890123456789012\n",
        .json = "{a: '007', b: '1.30', c: '1e3', d: '0x10', e: '1234567890123456789012'}"},
    {"a number as a key", "1: a\n", .json = "{'1': 'a'}"},
    {"a tag that says string", "a: !!str 12\n", .json = "{a: '12'}"},
    {"an anchor that nobody uses", "a: &x b\n", .json = "{a: 'b'}"},
    {"a literal block", "a: |\n  x\n  y\n", .json = "{a: 'x\\ny\\n'}"},
    {"a folded block", "a: >-\n  x\n  y\n", .json = "{a: 'x y'}"},
    {"escapes", "a: \"q\\\"b\\\\t\\te\\u00e9\"\n", .json = "{a: 'q\"b\\\\t\\te\u00e9'}"},
    {"JSON", "{\"a\": {\"b\": [1, true, null]}}", .json = "{a: {b: [1, true, null]}}"},
    {"JSON with tabs and surrogate pairs",
        "{\n\t\"a\": \"\\ud83d\\ude00\"}",
        .json = "{a: '\\ud83d\\ude00'}"},
    {"a flow mapping that is no JSON", "{a: b}", .json = "{a: 'b'}"},
    {"a list at the top", "- a\n", .json = "['a']"},
    {"a word at the top", "hello", .json = "'hello'"},
};

TEST(yaml_of_a_kubeconfig_is_converted_to_json)
{
    each_case(i, readable) {
        SCOPED_ARENA a = arena_open(8 << 20);
        const Json *got = NULL;

        then_ok(yaml_parse(a, readable[i].text, &got));
        then_json(got, readable[i].json);
    }
}

static const struct {
    const char *name, *text;
    Want want;
} refused[] = {
    {"an alias", "a: &x b\nc: *x\n", .want = TERMINAL("line 2, column 5: aliases")},
    {"the bomb of aliases",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
        .want = TERMINAL("aliases")},
    {"a merge key", "a: &x {b: c}\nd:\n  <<: *x\n", .want = TERMINAL("aliases")},
    {"a second document", "a: b\n---\nc: d\n", .want = TERMINAL("more than one YAML document")},
    {"a directive", "# x\n%YAML 1.2\n---\na: b\n", .want = TERMINAL("line 2: directives")},
    {"a tag", "a: !!binary aGk=\n", .want = TERMINAL("line 1, column")},
    {"a list as a key", "? [a]\n: b\n", .want = TERMINAL("a key must be plain text")},
    {"a NUL byte", "a: \"x\\0y\"\n", .want = TERMINAL("NUL")},
    {"brackets that do not close", "a: [b, c\n", .want = TERMINAL("not valid YAML")},
    {"a tab as indentation", "a:\n\tb: c\n", .want = TERMINAL("line 2")},
    {"indentation that goes astray", "a:\n    b: c\n  d: e\n", .want = TERMINAL("line 3")},
    {"broken UTF-8 in a comment", "# \xff\na: b\n", .want = TERMINAL("not valid YAML")},
    {"broken UTF-8", "a: \xff\xfe\n", .want = TERMINAL("not valid YAML")},
    {"JSON cut off", "{\"a\": ", .want = TERMINAL("not valid YAML")},
};

TEST(unsupported_yaml_is_refused_with_its_line)
{
    each_case(i, refused) {
        SCOPED_ARENA a = arena_open(8 << 20);
        const Json *got = NULL;

        then_err(yaml_parse(a, refused[i].text, &got), refused[i].want);
    }
}

/* `count` times a text, then another. */
static const char *repeated(Arena *a, const char *text, size_t count, const char *end)
{
    Buf whole = {.ceiling = 64 << 20};
    for (size_t i = 0; i < count; i++)
        then_true(buf_append(&whole, text, strlen(text)));
    then_true(buf_append(&whole, end, strlen(end)));
    const char *copy = str_copy(a, whole.data);
    buf_close(&whole);
    return copy;
}

TEST(the_nesting_depth_of_yaml_is_limited_in_both_styles)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const Json *got = NULL;

    then_err(yaml_parse(a, repeated(a, "[", 100000, ""), &got), TERMINAL("nested too deeply"));
    then_err(yaml_parse(a, repeated(a, "- ", 100000, "x"), &got), TERMINAL("nested too deeply"));
    then_err(yaml_parse(a, repeated(a, "{\"a\":", 10000, ""), &got), TERMINAL("nested too deeply"));
    then_ok(yaml_parse(a, repeated(a, "- ", YAML_DEPTH_MAX, "x"), &got));
    then_err(
        yaml_parse(a, repeated(a, "- ", YAML_DEPTH_MAX + 1, "x"), &got), TERMINAL("too deeply"));
}

/* Few long lines: for each line, ASan reads the rest of the text. */
TEST(the_size_of_yaml_is_limited)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const Json *got = NULL;
    const char *line = str_format(a, "#%0998d\n", 0);
    size_t count = YAML_BYTES_MAX / strlen(line);

    then_int(strlen(line), 1000);
    then_ok(yaml_parse(a, repeated(a, line, count, ""), &got));
    then_err(yaml_parse(a, repeated(a, line, count, line), &got), TERMINAL("larger"));
}

TEST(yaml_errors_never_repeat_the_text)
{
    static const struct {
        const char *name, *text;
    } secrets[] = {
        {"an alias", "token: *s3cret\n"},
        {"a tag", "token: !s3cret x\n"},
        {"a stray colon", "token: s3cret: x\n  y: z\n"},
        {"an unclosed string", "token: \"s3cret\n"},
        {"an unknown directive", "%s3cret\n---\na: b\n"},
        {"an undefined tag handle", "token: !s3cret!x y\n"},
    };
    each_case(i, secrets) {
        SCOPED_ARENA a = arena_open(8 << 20);
        const Json *got = NULL;
        Err *err = yaml_parse(a, secrets[i].text, &got);

        then_true(!strstr(err_text(a, err), "s3cret"));
    }
}
