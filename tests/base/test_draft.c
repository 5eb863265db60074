/* Draft: C that looks like the YAML it becomes; NULL leaves a field out. */
#include "base/draft.h"

#include "tests/test.h"

enum { CEILING = 1 << 20 };

TEST(a_draft_is_sealed_to_the_json_that_it_describes)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *labels = draft(a, str("sei.io/node", "n"));

    Draft *d = draft(a,
        str("apiVersion", "v1"),
        obj("metadata", str("name", "n"), sub("labels", labels), num("generation", -3)),
        obj("spec",
            flag("paused", false),
            strs("args", "start", "--home"),
            list("ports", draft(a, num("port", 26657)), draft(a, num("port", 26656)))));

    then_str(json_write(a, json_seal(a, d)).data,
        "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"labels\":{\"sei.io/node\":\"n\"},"
        "\"generation\":-3},\"spec\":{\"paused\":false,\"args\":[\"start\",\"--home\"],"
        "\"ports\":[{\"port\":26657},{\"port\":26656}]}}");
    then_int(draft_count(d), 3);
}

TEST(null_values_are_omitted_from_a_draft)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *d = draft(a,
        str("a", NULL),
        sub("b", NULL),
        draft_json("c", NULL),
        draft_num_if(false, "d", 1),
        draft_num_if(true, "e", INT64_MAX),
        draft_flag_if("f", false),
        draft_flag_if("g", true),
        draft_field_strs("h", NULL),
        draft_field_list("i", NULL),
        draft_field_object("j", NULL),
        obj("k", str("l", NULL)),
        list("m", NULL),
        strs("n", NULL));

    then_json(json_seal(a, d), "{e: 9223372036854775807, g: true, k: {}, m: [], n: []}");
    then_true(json_seal(a, NULL) == NULL);
    then_int(draft_count(NULL), 0);
}

TEST(draft_objects_and_arrays_can_grow)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *object = draft_object(a), *array = draft_array(a);
    then_json(json_seal(a, object), "{}");
    then_json(json_seal(a, array), "[]");

    draft_push(array, draft(a, str("x", "1")));
    draft_push_str(array, "2");
    draft_push_json(array, json_fixture(a, "[3, {y: 4}]"));
    draft_push_json(array, json_fixture(a, "5"));
    draft_set(object, sub("list", array));
    draft_set(object, obj("nested", obj("deeper", flag("yes", true))));
    draft_set(object, str("nothing", NULL));

    then_json(json_seal(a, object),
        "{list: [{x: '1'}, '2', [3, {y: 4}], 5], nested: {deeper: {yes: true}}}");
    then_int(draft_count(array), 4);
    then_int(draft_count(object), 2);
}

TEST(draft_fields_are_added_without_a_search)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *d = draft(a, str("a", "1"));

    draft_add(d, str("b", NULL));
    draft_add(d, sub("c", draft(a, num("x", 1))));

    then_json(json_seal(a, d), "{a: '1', c: {x: 1}}");
    then_bug("no field to add", draft_add(d, obj("o", num("x", 1))));
    then_bug("without a key", draft_add(d, num(NULL, 1)));
    then_bug("no object", draft_add(draft_array(a), num("x", 1)));
}

TEST(parsed_json_values_are_added_to_a_draft_unchanged)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *spec =
        json_fixture(a, "{replicas: 3, template: {spec: {containers: [{name: 'c'}]}}}");

    Draft *d =
        draft(a, draft_json("spec", spec), draft_json("again", json_find(spec, ".template")));

    then_json(json_seal(a, d),
        "{spec: {replicas: 3, template: {spec: {containers: [{name: 'c'}]}}},"
        " again: {spec: {containers: [{name: 'c'}]}}}");
}

TEST(a_sealed_draft_can_be_extended)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *d = draft(a, str("a", "1"));
    const Json *before = json_seal(a, d);
    draft_set(d, str("b", "2"));

    then_json(before, "{a: '1'}");
    then_json(json_seal(a, d), "{a: '1', b: '2'}");
}

TEST(adding_a_key_twice_to_a_draft_is_a_bug)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *d = draft(a, str("a", "1"));
    then_bug("one key twice", draft_set(d, num("a", 1)));
    then_bug("one key twice", draft(a, str("x", "1"), num("y", 1), str("x", "2")));
    then_bug("without a key", draft_set(d, str(NULL, "x")));
}

TEST(adding_a_draft_to_two_parents_is_a_bug)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *child = draft(a, str("a", "1")), *array = draft_array(a);
    draft_push(array, child);
    then_bug("two parents", draft_push(array, child));
    then_bug("two parents", draft(a, sub("x", child)));
}

TEST(using_a_draft_object_as_an_array_is_a_bug)
{
    SCOPED_ARENA a = arena_open(CEILING);
    then_bug("no object", draft_set(draft_array(a), num("a", 1)));
    then_bug("no array", draft_push_str(draft_object(a), "x"));
}

TEST(a_draft_nested_too_deeply_is_a_bug)
{
    SCOPED_ARENA a = arena_open(CEILING);
    Draft *d = draft_array(a);
    for (int i = 0; i < JSON_DEPTH_MAX - 1; i++) {
        Draft *outer = draft_array(a);
        draft_push(outer, d);
        d = outer;
    }
    then_true(json_seal(a, d) != NULL);
    Draft *outer = draft_array(a);
    draft_push(outer, d);
    then_bug("deeper than JSON_DEPTH_MAX", json_seal(a, outer));

    Draft *graft = draft_array(a), *above = draft_array(a);
    draft_push_json(graft, json_seal(a, d));
    draft_push(above, graft);
    then_bug("deeper than JSON_DEPTH_MAX", json_seal(a, above));
}
