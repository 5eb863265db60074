/* Selectors: what is read, what it matches, and how it is written. The oddities are Kubernetes'. */
#include "kube/selector.h"
#include "tests/test.h"

/* --- the text form --- */

static const struct {
    const char *name, *text, *again; /* NULL: the same */
} texts[] = {
    {"everything", ""},
    {"everything, with spaces", "  ", ""},
    {"equality", "a=b"},
    {"equality, doubled", "a==b", "a=b"},
    {"inequality", "a!=b"},
    {"the empty value", "a="},
    {"existence", "a"},
    {"absence", "!a"},
    {"a set", "a in (x,y)"},
    {"a set is sorted", "a in (y,x,z)", "a in (x,y,z)"},
    {"a set of one", "a in (x)", "a=x"},
    {"a set with the empty value", "a in (,x)"},
    {"a negative set", "a notin (x,y)"},
    {"a negative set of one", "a notin (x)", "a!=x"},
    {"everything at once", "a=b,c!=d,e in (x,y),f notin (z),g,!h", "a=b,c!=d,e in (x,y),f!=z,g,!h"},
    {"requirements are sorted by key", "z,b=1,a", "a,b=1,z"},
    {"requirements of one key stay in order", "a!=y,a!=x"},
    {"spaces everywhere", " a  =  b , c  in  ( x , y ) ", "a=b,c in (x,y)"},
    {"a key with a prefix", "app.kubernetes.io/name=x"},
    {"a key that is a word of the language", "in in (in,notin)"},
    {"a key that begins like a word", "input"},
    {"no space before a parenthesis", "a in(x,y)", "a in (x,y)"},
    {"a value of 63 bytes", "a=123456789-123456789-123456789-123456789-123456789-123456789-123"},
};

TEST(a_selector_is_parsed_and_formatted)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_ok(selector_parse(a, texts[i].text, &selector));
        then_str(selector_text(a, selector), texts[i].again ? texts[i].again : texts[i].text);
    }
}

static const struct {
    const char *name, *text;
    Want want;
} faults[] = {
    {"a comma alone", ",", TERMINAL("byte 0: this is no key of a label")},
    {"a comma at the end", "a=b,", TERMINAL("byte 4: a key is missing")},
    {"two commas", "a,,b", TERMINAL("byte 2: this is no key")},
    {"no key", "=b", TERMINAL("byte 0: this is no key")},
    {"two values", "a=b=c", TERMINAL("byte 3: \",\" is expected")},
    {"two words", "a b", TERMINAL("byte 1: \"=\", \"!=\", \"in\" or \"notin\" is expected")},
    {"an empty set", "a in ()", TERMINAL("byte 6: the list of values is empty")},
    {"a set without parentheses", "a in x", TERMINAL("\"(\" is missing")},
    {"an open set", "a in (x", TERMINAL("byte 7: \")\" is missing")},
    {"an absence with a value", "!a=b", TERMINAL("byte 2: \",\" is expected")},
    {"an absence of nothing", "!", TERMINAL("byte 1: this is no key")},
    {"a comparison of numbers", "a>1", TERMINAL("byte 1: \",\" is expected")},
    {"a key that ends with a dash", "a-=b", TERMINAL("byte 0: this is no key")},
    {"a key of 64 bytes",
        "a123456789-123456789-123456789-123456789-123456789-123456789-123",
        TERMINAL("no key")},
    {"a prefix in capitals", "Sei.io/a", TERMINAL("no key")},
    {"a prefix with an empty label", "a..b/c", TERMINAL("no key")},
    {"a prefix that ends with a dash", "a-/c", TERMINAL("no key")},
    {"a prefix whose label begins with a dash", "a.-b/c", TERMINAL("no key")},
    {"an empty prefix", "/a", TERMINAL("no key")},
    {"two slashes", "a/b/c", TERMINAL("no key")},
    {"an empty name behind a prefix", "a.io/", TERMINAL("no key")},
    {"a value with a slash", "a=b/c", TERMINAL("byte 2: this is no value of a label")},
    {"a value that ends with a dot", "a=b.", TERMINAL("no value")},
    {"a value of 64 bytes",
        "a=0123456789-123456789-123456789-123456789-123456789-123456789-123",
        TERMINAL("no value")},
    {"a byte that is no letter", "a=\xc3\xa9", TERMINAL("no value")},
};

TEST(a_selector_syntax_error_is_reported_with_its_position)
{
    each_case(i, faults) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_err(selector_parse(a, faults[i].text, &selector), faults[i].want);
        then_true(!selector);
    }
}

TEST(an_endless_selector_is_refused_with_little_memory)
{
    enum { LEN = 1 << 18 };
    SCOPED_ARENA a = arena_open(8 << 20);
    const Selector *selector = NULL;
    char *text = arena_array(a, char, LEN + 1);

    for (size_t i = 0; i < LEN; i += 2)
        memcpy(text + i, "a,", 2);
    then_err(selector_parse(a, text, &selector), TERMINAL("more than 256 requirements"));
    then_err(selector_parse_fields(a, text, &selector), TERMINAL("is expected here"));

    memcpy(text, "a in (", 6);
    then_err(selector_parse(a, text, &selector), TERMINAL("too many values"));
    then_ok(arena_err(a));
}

/* --- matching --- */

static const struct {
    const char *name, *selector, *labels;
    bool match;
} matches[] = {
    {"equal", "a=b", "{a: 'b'}", .match = true},
    {"another value", "a=b", "{a: 'c'}"},
    {"absent is not equal", "a=b", "{}"},
    {"absent is not the empty value", "a=", "{}"},
    {"the empty value", "a=", "{a: ''}", .match = true},
    {"unequal", "a!=b", "{a: 'c'}", .match = true},
    {"absent is unequal", "a!=b", "{}", .match = true},
    {"equal is not unequal", "a!=b", "{a: 'b'}"},
    {"in the set", "a in (z,x,y)", "{a: 'y'}", .match = true},
    {"not in the set", "a in (z,x,y)", "{a: 'w'}"},
    {"outside of the set", "a notin (x,y)", "{a: 'z'}", .match = true},
    {"absent is outside of the set", "a notin (x,y)", "{}", .match = true},
    {"not outside of the set", "a notin (x,y)", "{a: 'x'}"},
    {"there", "a", "{a: ''}", .match = true},
    {"not there", "a", "{b: ''}"},
    {"absent as asked", "!a", "{b: ''}", .match = true},
    {"not absent", "!a", "{a: ''}"},
    {"all of them", "a=b,!c", "{a: 'b'}", .match = true},
    {"not all of them", "a=b,!c", "{a: 'b', c: ''}"},
    {"everything", "", "{a: 'b'}", .match = true},
    {"no labels at all", "!a", "null", .match = true},
};

TEST(a_selector_matches_labels_as_kubernetes_does)
{
    each_case(i, matches) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;
        const Json *object =
            json_fixture(a, str_format(a, "{metadata: {labels: %s}}", matches[i].labels));

        then_ok(selector_parse(a, matches[i].selector, &selector));
        then_true(selector_matches(selector, object) == matches[i].match);
    }
}

TEST(an_absent_selector_matches_everything)
{
    then_true(selector_matches(NULL, NULL));
    then_true(selector_matches_fields(NULL, NULL));
    SCOPED_ARENA a = arena_open(1 << 16);
    then_str(selector_text(a, NULL), "");
}

static const struct {
    const char *name, *selector, *value;
} demands[] = {
    {"equality", "a=b,c=d", "b"},
    {"a set of one", "a in (b)", "b"},
    {"the empty value", "a=", ""},
    {"a set of two", "a in (b,c)", NULL},
    {"a set of two and an equality", "a in (b,c),a=b", "b"},
    {"inequality", "a!=b", NULL},
    {"existence", "a", NULL},
    {"another label", "c=d", NULL},
    {"everything", "", NULL},
};

TEST(the_only_value_that_a_selector_allows_for_a_label_is_found)
{
    each_case(i, demands) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_ok(selector_parse(a, demands[i].selector, &selector));
        then_str(selector_value_of(selector, "a"), demands[i].value);
    }
    then_str(selector_value_of(NULL, "a"), NULL);
}

/* --- the JSON form --- */

static const struct {
    const char *name, *json, *text;
    Want want;
} decodings[] = {
    {"labels", "{matchLabels: {b: 'x', a: 'y'}}", "a=y,b=x"},
    {"expressions",
        "{matchExpressions: [{key: 'a', operator: 'In', values: ['y', 'x']},"
        " {key: 'b', operator: 'NotIn', values: ['z']}, {key: 'c', operator: 'Exists'},"
        " {key: 'd', operator: 'DoesNotExist', values: []}]}",
        "a in (x,y),b!=z,c,!d"},
    {"both",
        "{matchLabels: {b: 'x'}, matchExpressions: [{key: 'a', operator: 'Exists'}]}",
        "a,b=x"},
    {"nothing", "null", .want = TERMINAL("empty selector")},
    {"an empty one", "{}", .want = TERMINAL("empty selector")},
    {"empty parts", "{matchLabels: {}, matchExpressions: []}", .want = TERMINAL("empty selector")},
    {"labels that are a list", "{matchLabels: ['a']}", .want = TERMINAL("no object")},
    {"expressions that are none",
        "{matchExpressions: {key: 'a'}}",
        .want = TERMINAL("a key that no label")},
    {"a label that is a number", "{matchLabels: {a: 1}}", .want = TERMINAL("no label can be")},
    {"a label with an odd key", "{matchLabels: {'a b': 'c'}}", .want = TERMINAL("no label can be")},
    {"an expression without a key",
        "{matchExpressions: [{operator: 'Exists'}]}",
        .want = TERMINAL("a key that no label")},
    {"an operator that is none",
        "{matchExpressions: [{key: 'a', operator: 'Gt', values: ['1']}]}",
        .want = TERMINAL("operator that is none")},
    {"no values where some are needed",
        "{matchExpressions: [{key: 'a', operator: 'In'}]}",
        .want = TERMINAL("values")},
    {"values where none can be",
        "{matchExpressions: [{key: 'a', operator: 'Exists', values: ['x']}]}",
        .want = TERMINAL("values")},
    {"a value that no label has",
        "{matchExpressions: [{key: 'a', operator: 'In', values: ['x y']}]}",
        .want = TERMINAL("a value that no label")},
    {"a value that is a number",
        "{matchExpressions: [{key: 'a', operator: 'In', values: [1]}]}",
        .want = TERMINAL("a value that no label")},
};

TEST(a_label_selector_in_an_object_is_decoded)
{
    each_case(i, decodings) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_err(
            selector_decode(a, json_fixture(a, decodings[i].json), &selector), decodings[i].want);
        if (!decodings[i].want)
            then_str(selector_text(a, selector), decodings[i].text);
    }
    SCOPED_ARENA a = arena_open(1 << 20);
    const Selector *selector = NULL;
    then_err(selector_decode(a, NULL, &selector), TERMINAL("empty selector"));
}

/* --- fields --- */

static const char running[] =
    "{metadata: {name: 'x', namespace: 'ns'}, spec: {unschedulable: true, note: 'a,b=c\\\\d'},"
    " status: {phase: 'Running'}}";

static const struct {
    const char *name, *selector, *again;
    bool match;
} fields[] = {
    {"everything", "", .match = true},
    {"by name", "metadata.name=x", .match = true},
    {"by another name", "metadata.name=y"},
    {"doubled", "metadata.name==x", "metadata.name=x", .match = true},
    {"unequal", "status.phase!=Failed", .match = true},
    {"both",
        "status.phase!=Failed,metadata.name=x",
        "metadata.name=x,status.phase!=Failed",
        .match = true},
    {"only one of both",
        "status.phase!=Running,metadata.name=x",
        "metadata.name=x,status.phase!=Running"},
    {"absent is empty", "spec.nodeName=", .match = true},
    {"absent is not something", "spec.nodeName!=n", .match = true},
    {"a flag", "spec.unschedulable=true", .match = true},
    {"a value with everything in it", "spec.note=a\\,b\\=c\\\\d", .match = true},
};

TEST(a_field_selector_matches_fields)
{
    each_case(i, fields) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_ok(selector_parse_fields(a, fields[i].selector, &selector));
        then_true(selector_matches_fields(selector, json_fixture(a, running)) == fields[i].match);
        then_str(
            selector_text(a, selector), fields[i].again ? fields[i].again : fields[i].selector);
    }
}

static const struct {
    const char *name, *text;
    Want want;
} field_faults[] = {
    {"no operator", "metadata.name", TERMINAL("byte 13: \"=\" or \"!=\" is expected")},
    {"no path", "=x", TERMINAL("byte 0: this is no path")},
    {"a path with a bracket", "a[0]=x", TERMINAL("no path")},
    {"a path with an empty name", "a..b=x", TERMINAL("no path")},
    {"a path that ends with a dot", "a.=x", TERMINAL("no path")},
    {"a comma at the end", "a=b,", TERMINAL("byte 4: a path is missing")},
    {"a second equals sign", "a=b=c", TERMINAL("byte 2: this value has")},
    {"an escape of nothing", "a=b\\", TERMINAL("this value has")},
    {"an escape of a letter", "a=\\b", TERMINAL("this value has")},
    {"a set", "a in (b)", TERMINAL("no path")},
    {"half of an operator", "a!b", TERMINAL("is expected here")},
};

TEST(a_field_selector_syntax_error_is_reported_with_its_position)
{
    each_case(i, field_faults) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Selector *selector = NULL;

        then_err(selector_parse_fields(a, field_faults[i].text, &selector), field_faults[i].want);
        then_true(!selector);
    }
}
