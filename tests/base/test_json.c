/* Json: parsing within limits, and getters that accept anything. */
#include "base/arena_raw.h"
#include "base/json.h"

#include "tests/test.h"

enum { CEILING = 256 << 20 };

static const char pod[] =
    "{metadata: {name: 'n-0', labels: {'sei.io/node': 'n'}, generation: 3},"
    " spec: {containers: [{name: 'seid', ports: [26657, 1.5]}, {name: 'sidecar'}], paused: true},"
    " status: {phase: null, big: 18446744073709551615, whole: 4.0, small: -7}}";

TEST(json_getters_return_the_value_at_a_path)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v = json_fixture(a, pod);

    then_str(json_str(v, ".metadata.name"), "n-0");
    then_str(json_str(v, ".metadata.labels['sei.io/node']"), "n");
    then_str(json_str(v, ".spec.containers[1].name"), "sidecar");
    then_str(json_text(json_find(v, ".spec['containers'][0]['name']")), "seid");
    then_str(json_text(json_member(json_find(v, ".metadata.labels"), "sei.io/node")), "n");
    then_str(json_text(json_member_any_case(json_find(v, ".metadata"), "NAME")), "n-0");
    then_int(json_int(v, ".metadata.generation", -1), 3);
    then_int(json_int(v, ".status.small", -1), -7);
    then_int(json_int(v, ".status.whole", -1), 4);
    then_true(json_bool(v, ".spec.paused", false));
    then_true(json_number(v, ".spec.containers[0].ports[1]", 0) == 1.5);
    then_true(json_number(v, ".status.big", 0) == 18446744073709551615.0);
    then_true(json_find(v, "") == v);
}

TEST(json_getters_return_the_fallback_for_absent_values_and_other_types)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v = json_fixture(a, pod);
    static const struct {
        const char *name, *path;
    } cases[] = {
        {"no such member", ".metadata.nothing"},
        {"no such element", ".spec.containers[2]"},
        {"into a string", ".metadata.name.more"},
        {"into a number by index", ".metadata.generation[0]"},
        {"an element of an object", ".metadata[0]"},
        {"a member of an array", ".spec.containers.name"},
        {"null", ".status.phase"},
        {"an object", ".metadata"},
        {"an array", ".spec.containers"},
    };

    each_case(i, cases) {
        then_str(json_str(v, cases[i].path), NULL);
        then_int(json_int(v, cases[i].path, 42), 42);
        then_int(json_bool(v, cases[i].path, true), true);
        then_true(json_number(v, cases[i].path, 1.5) == 1.5);
        then_str(json_str(NULL, cases[i].path), NULL);
    }
    then_int(json_int(v, ".status.big", 42), 42);
    then_int(json_int(v, ".spec.containers[0].ports[1]", 42), 42);
    then_str(json_str(v, ".metadata.generation"), NULL);
    then_true(json_member(v, NULL) == NULL && json_member(NULL, "x") == NULL);
    then_true(json_member_any_case(NULL, "x") == NULL);
}

TEST(every_json_type_has_its_name)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v = json_fixture(a, "[null, true, 1, 'x', [], {}]");
    JsonType want = JSON_NULL;
    const Json *element;

    json_each(element, v)
        then_int(json_type(element), want++);
    then_int(want, JSON_OBJECT + 1);
    then_int(json_type(NULL), JSON_ABSENT);
}

TEST(json_loops_visit_every_element_and_member)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"an array", "[1, [2, 3], {x: 4}, 5]", "1 [2,3] {\"x\":4} 5 "},
        {"an object", "{a: 1, b: [2, {c: 3}], d: {}}", "a=1 b=[2,{\"c\":3}] d={} "},
        {"an empty array", "[]", ""},
        {"an empty object", "{}", ""},
        {"a string", "'x'", ""},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *v = json_fixture(a, cases[i].text), *child;
        const char *seen = "";
        size_t count = 0;
        json_each(child, v) {
            bool keyed = json_type(v) == JSON_OBJECT;
            seen = str_format(a,
                "%s%s%s%s ",
                seen,
                keyed ? json_key(child) : "",
                keyed ? "=" : "",
                json_write(a, child).data);
            count++;
        }
        then_str(seen, cases[i].want);
        then_int(json_count(v), count);
    }
    then_true(json_first(NULL) == NULL);
    then_int(json_count(NULL), 0);
}

TEST(malformed_json_is_refused_with_its_position)
{
    static const struct {
        const char *name, *text;
        Want want;
    } cases[] = {
        {"a scalar", " 1 "},
        {"an escaped slash", "\"\\/\""},
        {"a surrogate pair", "\"\\ud83d\\ude00\""},
        {"nothing", "", TERMINAL("malformed JSON at byte 0")},
        {"only space", "  \n ", TERMINAL("malformed JSON")},
        {"a bare word", "{\"a\": nope}", TERMINAL("at byte 6")},
        {"two values", "1 2", TERMINAL("at byte 2")},
        {"a trailing comma", "[1,]", TERMINAL("malformed")},
        {"a comment", "[1] // one", TERMINAL("malformed")},
        {"single quotes", "{'a': 1}", TERMINAL("malformed")},
        {"a byte order mark", "\xEF\xBB\xBF{}", TERMINAL("malformed")},
        {"an unclosed object", "{\"a\": 1", TERMINAL("malformed")},
        {"an unclosed string", "[\"abc", TERMINAL("malformed")},
        {"a string that ends in an escape", "\"\\", TERMINAL("malformed")},
        {"a wrong bracket", "[1}", TERMINAL("malformed")},
        {"too many closing brackets", "[]]]]", TERMINAL("malformed")},
        {"a control character in a string", "\"a\nb\"", TERMINAL("malformed")},
        {"a lone high surrogate", "\"\\ud800\"", TERMINAL("malformed")},
        {"a lone low surrogate", "\"\\udc00x\"", TERMINAL("malformed")},
        {"a raw surrogate", "\"\xED\xA0\x80\"", TERMINAL("malformed")},
        {"an over-long character", "\"\xC0\xAF\"", TERMINAL("malformed")},
        {"half a character", "\"\xE2\x82\"", TERMINAL("malformed")},
        {"a leading zero", "01", TERMINAL("malformed")},
        {"a plus sign", "+1", TERMINAL("malformed")},
        {"a number beyond all range", "1e999", TERMINAL("malformed")},
        {"not a number", "NaN", TERMINAL("malformed")},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *v = NULL;
        then_err(json_parse(a, bytes_of(cases[i].text), &v), cases[i].want);
        then_true((v != NULL) == (cases[i].want == OKAY));
    }
}

TEST(zero_bytes_outside_of_a_json_string_are_malformed)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    then_err(json_parse(a, (Bytes){"{}\0", 3}, &v), TERMINAL("at byte 2"));
    then_err(json_parse(a, (Bytes){"\"a\0b\"", 5}, &v), TERMINAL("malformed"));
    then_err(json_parse(a, (Bytes){NULL, 0}, &v), TERMINAL("malformed"));
}

TEST(json_getters_ignore_strings_that_contain_nul)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    const char *text = "{\"admin\\u0000x\":\"yes\\u0000no\",\"n\":\"yes\"}";
    then_ok(json_parse(a, bytes_of(text), &v));

    then_true(json_member(v, "admin") == NULL);
    then_true(json_find(v, ".admin") == NULL);
    then_str(json_text(json_first(v)), NULL);
    then_str(json_key(json_first(v)), "");
    then_true(!json_equal(json_first(v), json_find(v, ".n")));
    then_str(json_write(a, json_copy(a, v)).data, text);
}

TEST(json_getters_return_the_first_of_duplicate_keys)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    then_ok(json_parse(a, bytes_of("{\"a\":1,\"b\":0,\"a\":2}"), &v));
    then_int(json_int(v, ".a", 0), 1);
    then_int(json_int(json_member(v, "a"), "", 0), 1);
    then_int(json_count(v), 3);
}

/* `count` times one text, then `count` times another. */
static Bytes nested(Arena *a, size_t count, const char *open, const char *close)
{
    size_t open_len = strlen(open), close_len = strlen(close);
    char *text = arena_alloc(a, count * (open_len + close_len) + 1), *end = text;
    for (size_t i = 0; i < count; i++)
        end = mempcpy(end, open, open_len);
    for (size_t i = 0; i < count; i++)
        end = mempcpy(end, close, close_len);
    return bytes_of(text);
}

TEST(the_depth_of_json_is_limited)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;

    then_ok(json_parse(a, nested(a, JSON_DEPTH_MAX, "[", "]"), &v));
    then_err(json_parse(a, nested(a, JSON_DEPTH_MAX + 1, "[", "]"), &v),
        TERMINAL("nested deeper than 100"));
    then_err(
        json_parse(a, nested(a, 10000, "{\"a\":[", "]}"), &v), TERMINAL("nested deeper than 100"));
    then_err(json_parse(a, nested(a, 10000, "[", ""), &v), TERMINAL("malformed"));

    const char *in_string = str_format(a, "[\"%s\"]", nested(a, 200, "[\\\"{", "").data);
    const char *side_by_side = str_format(a, "[%s1]", nested(a, 200, "[{}],", "").data);
    then_ok(json_parse(a, bytes_of(in_string), &v));
    then_ok(json_parse(a, bytes_of(side_by_side), &v));
}

TEST(the_number_of_json_values_is_limited)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    const char *zeros = nested(a, JSON_VALUES_MAX - 2, "0,", "").data;
    const char *many = nested(a, JSON_VALUES_MAX, "0,", "").data;

    then_ok(json_parse(a, bytes_of(str_format(a, "[%s0]", zeros)), &v));
    then_int(json_count(v), JSON_VALUES_MAX - 1);
    Err *err = json_parse(a, bytes_of(str_format(a, "[%s0]", many)), &v);
    then_err(err, TERMINAL("more than 1048576 values"));
    then_true(err->too_large);
    const char *boxes = nested(a, JSON_VALUES_MAX / 2, "[0],", "").data;
    then_err(json_parse(a, bytes_of(str_format(a, "[%s0]", boxes)), &v),
        TERMINAL("more than 1048576 values"));
    const char *members = nested(a, JSON_VALUES_MAX / 2, "\"\":0,", "").data;
    then_err(json_parse(a, bytes_of(str_format(a, "{%s\"\":0}", members)), &v),
        TERMINAL("more than 1048576 values"));
}

TEST(the_length_of_json_is_limited)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    Bytes text = nested(a, JSON_BYTES_MAX, " ", " ");
    ((char *)text.data)[0] = '1';
    then_ok(json_parse(a, (Bytes){text.data, JSON_BYTES_MAX}, &v));
    text.len = JSON_BYTES_MAX + 1;
    then_err(json_parse(a, text, &v), TERMINAL("longer than the limit of 16777216"));
}

TEST(the_memory_of_json_parsing_is_limited_by_the_arena)
{
    SCOPED_ARENA texts = arena_open(CEILING);
    Bytes zeros = bytes_of(str_format(texts, "[%s0]", nested(texts, 10000, "0,", "").data));
    const Json *v = NULL;

    SCOPED_ARENA small = arena_open(100000);
    then_err(json_parse(small, zeros, &v), TERMINAL("would pass the memory limit"));
    then_true(v == NULL);
    SCOPED_ARENA enough = arena_open(200000);
    then_ok(json_parse(enough, zeros, &v));
    then_true(arena_used(enough) < 190000);
    then_ok(arena_err(enough));
}

TEST(a_json_string_of_three_megabytes_is_parsed_completely)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    size_t len = 3 << 20;
    const char *text = str_format(a, "{\"log\":\"%s\"}", nested(a, len, "x", "").data);

    then_ok(json_parse(a, bytes_of(text), &v));
    then_int(strlen(json_str(v, ".log")), len);
    then_true(bytes_equal(json_write(a, v), bytes_of(text)));
}

static const char every_form[] =
    "{\"a\":[1,-2,3.5e-3,true,false,null,\"\\u00e9\\n\xE2\x82\xAC\"],\"b\":{\"c\":{}, \"d\":[[]]}}";

TEST(json_that_is_cut_at_any_byte_is_malformed)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v;
    size_t len = strlen(every_form);

    then_ok(json_parse(a, bytes_of(every_form), &v));
    for (size_t cut = 0; cut < len; cut++) {
        /* A copy of exactly this length: reading past its end is seen by the sanitizer. */
        SCOPED_ARENA work = arena_open(CEILING);
        char *part = arena_alloc(work, cut);
        memcpy(part, every_form, cut);
        then_err(json_parse(work, (Bytes){part, cut}, &v), TERMINAL("malformed"));
    }
}

TEST(any_changed_byte_of_json_gives_a_value_or_an_error)
{
    SCOPED_ARENA a = arena_open(CEILING);
    size_t good = 0, bad = 0;

    for (size_t i = 0; i < strlen(every_form); i++)
        for (int byte = 0; byte < 256; byte++) {
            char *text = (char *)str_copy(a, every_form);
            const Json *v = NULL;
            text[i] = (char)byte;
            Err *err = json_parse(a, (Bytes){text, strlen(every_form)}, &v);
            then_true(err ? v == NULL && err_is(err, ERR_TERMINAL) : v != NULL);
            good += !err;
            bad += err != OK;
            arena_reset(a);
        }
    then_true(good > 100 && bad > 1000);
}

/* An object of 20 KB as a server sends it. */
static const char *large_object(Arena *a)
{
    Buf b = {.ceiling = 1 << 20};
    bool fits = buf_format(&b, "{\"metadata\":{\"name\":\"n-0\"},\"spec\":{\"containers\":[");
    for (int i = 0; i < 150; i++)
        fits = fits
            && buf_format(&b,
                "%s{\"name\":\"container-%d\",\"image\":\"ghcr.io/sei-protocol/sei:v%d\","
                "\"ports\":[{\"port\":%d,\"ready\":true}],\"args\":[\"\\u00e9\\n\"]}",
                i ? "," : "",
                i,
                i,
                26657 + i);
    fits = fits && buf_format(&b, "]}}");
    then_true(fits);
    const char *text = str_copy(a, b.data);
    buf_close(&b);
    return text;
}

TEST(a_warm_arena_parses_json_without_allocating_memory)
{
    SCOPED_ARENA a = arena_open(CEILING);
    SCOPED_ARENA texts = arena_open(CEILING);
    static const char *const paths[] = {".metadata.name", ".spec.containers[].image", NULL};
    const char *text = large_object(texts);
    then_true(strlen(text) > 18000);

    size_t warm = 0;
    for (int i = 0; i < 100; i++) {
        const Json *v = NULL;
        then_ok(json_parse(a, bytes_of(text), &v));
        Bytes kept = json_canonical(a, json_project(a, v, paths));
        then_true(kept.len > 3000);
        arena_reset(a);
        if (i == 1)
            warm = arena_blocks(a);
    }
    then_int(arena_blocks(a), warm);
}

TEST(a_copied_json_value_stays_valid_without_its_original)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Arena *work = arena_open(CEILING);
    const Json *whole = json_copy(a, json_fixture(work, pod));
    const Json *part = json_copy(a, json_find(json_fixture(work, pod), ".spec.containers"));
    const Json *text = json_copy(a, json_find(json_fixture(work, pod), ".metadata.name"));
    arena_close(work);

    then_json(whole, pod);
    then_json(part, "[{name: 'seid', ports: [26657, 1.5]}, {name: 'sidecar'}]");
    then_str(json_text(text), "n-0");
    then_true(json_copy(a, NULL) == NULL);
}

TEST(a_json_fixture_may_have_single_quotes_and_bare_keys_and_comments_and_trailing_commas)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"a bare key", "{bare: 1, _b2$: 2}", "{'bare':1,'_b2$':2}"},
        {"a bare key before a space", "{a : {b\n: 1}}", "{'a':{'b':1}}"},
        {"a key that looks like a value", "{true: true, null: null}", "{'true':true,'null':null}"},
        {"a quoted key", "{'a-b': 1, \"c.d\": 2}", "{'a-b':1,'c.d':2}"},
        {"double quotes in single quotes", "['say \"x\"']", "['say \\'x\\'']"},
        {"an escaped quote", "['it\\'s', '\\\\']", "['it`s','\\\\']"},
        {"an escaped double quote", "['\\\"']", "['\\'']"},
        {"other escapes", "['\\n\\u0041']", "['\\nA']"},
        {"a single quote in double quotes", "[\"it's\", \"\\\"\"]", "['it`s','\\'']"},
        {"syntax in strings", "['{a: 1} // no', \"/* b: */\"]", "['{a: 1} // no','/* b: */']"},
        {"comments", "[1, /* it's a: */ 2, // \"b: '\n 3] // c", "[1,2,3]"},
        {"trailing commas", "{a: [1, 2,], b: {c: 3,},}", "{'a':[1,2],'b':{'c':3}}"},
        {"numbers", "[1.5e3, -2]", "[1500.0,-2]"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        Bytes json = json_write(a, json_fixture(a, cases[i].text));
        char *seen = (char *)json.data;  /* of this arena */
        for (char *at = seen; *at; at++) /* " is shown as ', and ' as `: cases stay readable */
            *at = *at == '\'' ? '`' : *at == '"' ? '\'' : *at;
        then_str(seen, cases[i].want);
    }
}

TEST(a_malformed_json_fixture_is_a_bug)
{
    SCOPED_ARENA a = arena_open(CEILING);

    then_bug("fixture: ", json_fixture(a, "{bare: }"));
    then_bug("fixture: ", json_fixture(a, "NaN"));
    then_bug("fixture: ", json_fixture(a, "{'a: 1}"));
    then_bug("fixture: ", json_fixture(a, "{\"a\\"));
    then_bug("fixture: ", json_fixture(a, "['a\\"));
    then_bug("fixture: ", json_fixture(a, "[1] /* open"));
    then_bug("fixture: ", json_fixture(a, "/"));
    then_bug("fixture: ", json_fixture(a, ""));
}

TEST(a_malformed_json_path_is_a_bug)
{
    static const struct {
        const char *name, *path, *phrase;
    } cases[] = {
        {"no dot", "metadata", "does not begin with a dot"},
        {"an empty key", ".metadata..name", "empty key"},
        {"a dot alone", ".", "empty key"},
        {"an open bracket", ".a[1", "do not close"},
        {"an open quote", ".a['b]", "do not close"},
        {"a word in brackets", ".a[b]", "do not close"},
        {"empty quotes", ".a['']", "empty key"},
        {"every element", ".a[]", "names no single value"},
    };
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v = json_fixture(a, "{a: [1], metadata: {}}");

    each_case(i, cases)
        then_bug(cases[i].phrase, json_find(v, cases[i].path));
}

TEST(written_json_is_parsed_to_the_same_value)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SCOPED_ARENA small = arena_open(64);
    const Json *v = json_fixture(a, "{a: [1, {b: 'x'}], c: null}"), *again = NULL;
    Bytes text = json_write(a, v);

    then_ok(json_parse_again(a, text, &again));
    then_true(json_equal(again, v));
    then_err(json_parse_again(small, text, &again), TERMINAL("memory limit"));
    then_err(json_parse_again(a, bytes_of("{"), &again), TERMINAL("malformed"));
}
