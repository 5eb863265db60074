/* Sets of fields, written as fieldsV1. */
#include "tests/test.h"
#include "world/fields_set.h"

static const FieldSet *read_set(Arena *a, const char *fields)
{
    return fieldset_decode(a, json_fixture(a, fields));
}

static void then_set(Arena *a, const FieldSet *got, const char *want)
{
    then_json(fieldset_encode(a, got), want);
}

/* --- names --- */

static const struct {
    const char *name, *less, *more;
} names[] = {
    {"fields by their bytes", "f:A", "f:a"},
    {"a shorter field first", "f:a", "f:ab"},
    {"fields before keys", "f:z", "k:{\"a\":1}"},
    {"keys before values", "k:{\"z\":1}", "v:1"},
    {"values before places", "v:\"z\"", "i:0"},
    {"numbers by their value", "k:{\"port\":80}", "k:{\"port\":443}"},
    {"negative numbers first", "v:-5", "v:3"},
    {"fractions between whole numbers", "v:1.5", "v:10"},
    {"digits in texts by their bytes", "v:\"10\"", "v:\"9\""},
    {"a shorter text first, whatever comes", "v:\"a\"", "v:\"a \""},
    {"by the first key that differs", "k:{\"a\":1,\"b\":\"y\"}", "k:{\"a\":2,\"b\":\"x\"}"},
    {"a quote in a text does not end it", "v:\"a\\\"1\"", "v:\"a\\\"2\""},
};

TEST(managed_field_names_have_an_order)
{
    each_case(i, names) {
        then_true(fieldset_compare_names(names[i].less, names[i].more) < 0);
        then_true(fieldset_compare_names(names[i].more, names[i].less) > 0);
        then_int(fieldset_compare_names(names[i].less, names[i].less), 0);
    }
}

TEST(field_sets_are_written_in_order)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const FieldSet *set = read_set(a,
        "{'f:p': {'k:{\"port\":443}': {}, 'f:x': {}, 'k:{\"port\":80}': {'.': {}, 'f:a': {}}}, "
        "'f:b': "
        "{}, 'f:b': {'f:c': {}}, 'odd': {}, 'k:nothing': {}}");

    then_str(json_write(a, fieldset_encode(a, set)).data,
        "{\"f:b\":{},\"f:p\":{\"f:x\":{},\"k:{\\\"port\\\":80}\":{\".\":{},\"f:a\":{}},"
        "\"k:{\\\"port\\\":443}\":{}}}");
}

TEST(a_node_of_a_field_set_is_found_by_its_name)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const FieldSet *set = read_set(a, "{'f:a': {}, 'f:b': {'f:x': {}}, 'f:c': {}}");

    then_int(fieldset_find(set, "f:a")->flags, FIELD_OWNED);
    then_int(fieldset_find(set, "f:b")->flags, 0);
    then_true(fieldset_find(set, "f:b")->inside != NULL);
    then_true(!fieldset_find(set, "f:d"));
    then_true(!fieldset_find(NULL, "f:a"));
}

/* --- operations --- */

static const struct {
    const char *name, *left, *right;
    const char *both, *either, *only, *outside;
} operations[] = {
    {"nothing", "{}", "{}", "{}", "{}", "{}", "{}"},
    {"something and nothing",
        "{'f:a': {}}",
        "{}",
        "{}",
        "{'f:a': {}}",
        "{'f:a': {}}",
        "{'f:a': {}}"},
    {"nothing and something",
        "{}",
        "{'f:a': {'f:b': {}}}",
        "{}",
        "{'f:a': {'f:b': {}}}",
        "{}",
        "{}"},
    {"the same",
        "{'f:a': {'f:b': {}}}",
        "{'f:a': {'f:b': {}}}",
        "{'f:a': {'f:b': {}}}",
        "{'f:a': {'f:b': {}}}",
        "{}",
        "{}"},
    {"neighbours",
        "{'f:a': {}, 'f:c': {}}",
        "{'f:b': {}, 'f:c': {}}",
        "{'f:c': {}}",
        "{'f:a': {}, 'f:b': {}, 'f:c': {}}",
        "{'f:a': {}}",
        "{'f:a': {}}"},
    {"a whole and its part",
        "{'f:a': {'f:b': {}}}",
        "{'f:a': {}}",
        "{}",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        "{'f:a': {'f:b': {}}}",
        "{}"},
    {"a part and its whole",
        "{'f:a': {}}",
        "{'f:a': {'f:b': {}}}",
        "{}",
        "{'f:a': {'.': {}, 'f:b': {}}}",
        "{'f:a': {}}",
        "{'f:a': {}}"},
    {"parts",
        "{'f:a': {'.': {}, 'f:b': {}, 'f:c': {}}}",
        "{'f:a': {'f:b': {}, 'f:d': {}}}",
        "{'f:a': {'f:b': {}}}",
        "{'f:a': {'.': {}, 'f:b': {}, 'f:c': {}, 'f:d': {}}}",
        "{'f:a': {'.': {}, 'f:c': {}}}",
        "{'f:a': {'.': {}, 'f:c': {}}}"},
};

TEST(field_sets_are_combined_with_union_and_difference_and_intersection)
{
    each_case(i, operations) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const FieldSet *left = read_set(a, operations[i].left);
        const FieldSet *right = read_set(a, operations[i].right);

        then_set(
            a, fieldset_combine(a, left, FIELDSET_BOTH, right, FIELD_OWNED), operations[i].both);
        then_set(a,
            fieldset_combine(a, left, FIELDSET_EITHER, right, FIELD_OWNED),
            operations[i].either);
        then_set(
            a, fieldset_combine(a, left, FIELDSET_ONLY, right, FIELD_OWNED), operations[i].only);
        then_set(a,
            fieldset_combine(a, left, FIELDSET_OUTSIDE, right, FIELD_OWNED),
            operations[i].outside);
        then_true(fieldset_touches(left, right, FIELD_OWNED)
            == (fieldset_combine(a, left, FIELDSET_BOTH, right, FIELD_OWNED) != NULL));
    }
}

TEST(combining_field_sets_ignores_flags_that_are_not_requested)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const FieldNode node = {.name = "f:a", .flags = FIELD_REMOVED};
    const FieldSet removed = {.count = 1, .nodes = &node};
    const FieldSet *owned = read_set(a, "{'f:a': {}}");

    then_true(!fieldset_touches(owned, &removed, FIELD_CHANGED));
    then_true(fieldset_touches(owned, &removed, FIELD_REMOVED));
    then_set(a, fieldset_combine(a, NULL, FIELDSET_EITHER, &removed, FIELD_CHANGED), "{}");
    then_set(a, fieldset_combine(a, NULL, FIELDSET_EITHER, &removed, FIELD_REMOVED), "{'f:a': {}}");
}

/* --- for people --- */

typedef struct Told {
    Arena *arena;
    const char *all;
} Told;

static void tell(void *self, const char *path)
{
    Told *told = self;

    told->all = str_format(told->arena, "%s%s ", told->all, path);
}

TEST(the_members_of_a_field_set_are_listed_level_by_level)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Told told = {.arena = a, .all = ""};
    const FieldSet *set = read_set(a,
        "{'f:spec': {'f:a': {'f:deep': {}}, 'f:b': {}, 'f:list': {'v:\"x\"': {},"
        " 'k:{\"port\":80,\"proto\":\"T\"}': {'.': {}, 'f:name': {}}}}, 'f:z': {}}");

    fieldset_each(a, set, tell, &told);

    then_str(told.all,
        ".z .spec.b .spec.a.deep .spec.list[port=80,proto=\"T\"] .spec.list[=\"x\"] "
        ".spec.list[port=80,proto=\"T\"].name ");
}
