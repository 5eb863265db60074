/* The language of managedFields. What it makes of whole objects is in test_owned. */
#include "kube/core/managed.h"
#include "tests/test.h"

TEST(the_managed_fields_entry_of_our_apply_to_the_object_itself_is_found)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Json *entries = json_fixture(a,
        "[{manager: 'me', operation: 'Update', n: 1},"
        " {manager: 'me', operation: 'Apply', subresource: 'status', n: 2},"
        " {manager: 'me', operation: 'Apply', subresource: '', n: 3}]");

    then_int(json_int(managed_find_entry(entries, "me"), ".n", 0), 3);
    then_true(!managed_find_entry(entries, "you"));
    then_true(!managed_find_entry(NULL, "me"));
}

static const struct {
    const char *name, *fields, *first;
} children[] = {
    {"owned as a whole", "{}", NULL},
    {"owned as a whole, said twice", "{'.': {}}", NULL},
    {"a field inside", "{'f:a': {}}", "f:a"},
    {"itself and a field inside", "{'.': {}, 'f:a': {}}", "f:a"},
    {"no fields at all", "['f:a']", NULL},
};

TEST(the_first_owned_child_in_managed_fields_is_found)
{
    each_case(i, children) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *child = managed_first_child(json_fixture(a, children[i].fields));

        then_str(child ? json_key(child) : NULL, children[i].first);
    }
    then_true(!managed_first_child(NULL));
}

static const struct {
    const char *name, *item, *element;
    bool none, is;
} items[] = {
    {"by a key", "k:{\"name\":\"x\"}", "{name: 'x', image: 'i'}", .is = true},
    {"by another key", "k:{\"name\":\"x\"}", "{name: 'y'}"},
    {"by two keys", "k:{\"n\":80,\"p\":\"TCP\"}", "{p: 'TCP', n: 80}", .is = true},
    {"by one of two keys", "k:{\"n\":80,\"p\":\"TCP\"}", "{n: 80}"},
    {"by a key of no object", "k:{\"name\":\"x\"}", "'x'"},
    {"by value", "v:\"x\"", "'x'", .is = true},
    {"by another value", "v:\"1\"", "1"},
    {"a field", "f:a", "'a'", .none = true},
    {"a place", "i:0", "'a'", .none = true},
    {"itself", ".", "'a'", .none = true},
    {"a key that does not parse", "k:{\"name\"", "{}", .none = true},
    {"a key that is a text", "k:\"x\"", "'x'", .none = true},
    {"nothing", "v:", "''", .none = true},
};

TEST(a_managed_list_element_is_identified_by_its_key_or_its_value)
{
    each_case(i, items) {
        SCOPED_ARENA a = arena_open(1 << 16);
        const Json *fields = json_fixture(a, str_format(a, "{'%s': {}}", items[i].item));
        ManagedItem item;

        bool read = managed_item_read(a, json_first(fields), &item);

        then_true(read == !items[i].none);
        if (read)
            then_true(managed_item_is(&item, json_fixture(a, items[i].element)) == items[i].is);
        then_true(managed_is_list_name(items[i].item)
            == (items[i].item[0] == 'k' || items[i].item[0] == 'v'));
    }
}
