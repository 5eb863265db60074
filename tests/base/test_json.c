/* Json: parsing within limits, and getters that accept anything. */
#include "base/arena_raw.h"
#include "base/json.h"

#include "tests/test.h"

enum { CEILING = 256 << 20 };

static const char pod[] =
    "{metadata: {name: 'n-0', labels: {'sei.io/node': 'n'}, generation: 3},"
    " spec: {containers: [{name: 'seid', ports: [26657, 1.5]}, {name: 'sidecar'}], paused: true},"
    " status: {phase: null, big: 18446744073709551615, whole: 4.0, small: -7}}";

TEST(getters_find_what_a_path_names)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *v = json_fixture(a, pod);

    then_str(json_str(v, ".metadata.name"), "n-0");
    then_str(json_str(v, ".metadata.labels['sei.io/node']"), "n");
    then_str(json_str(v, ".spec.containers[1].name"), "sidecar");
    then_str(json_text(json_find(v, ".spec['containers'][0]['name']")), "seid");
    then_str(json_text(json_member(json_find(v, ".metadata.labels"), "sei.io/node")), "n");
    then_int(json_int(v, ".metadata.generation", -1), 3);
    then_int(json_int(v, ".status.small", -1), -7);
    then_int(json_int(v, ".status.whole", -1), 4);
    then_true(json_bool(v, ".spec.paused", false));
    then_true(json_number(v, ".spec.containers[0].ports[1]", 0) == 1.5);
    then_true(json_number(v, ".status.big", 0) == 18446744073709551615.0);
    then_true(json_find(v, "") == v);
}

TEST(what_is_absent_or_of_another_type_gives_the_fallback)
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
}

TEST(types_have_names)
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

TEST(loops_go_through_elements_and_members)
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
