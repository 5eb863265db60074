/* Tag: two keys never share one. */
#include "kube/runtime/tag.h"
#include "tests/test.h"

static const struct {
    const char *name;
    int number;
    Key key;
    const char *tag; /* NULL: none */
} cases[] = {
    {"a namespaced object", 0, {"default", "a"}, "0/default/a"},
    {"a cluster-scoped object", 12, {NULL, "node-1"}, "12//node-1"},
    {"an empty namespace is none", 12, {"", "node-1"}, "12//node-1"},
    {"a large number", 2147483647, {"n", "a"}, "2147483647/n/a"},
    {"no name", 0, {"default", NULL}, NULL},
    {"an empty name", 0, {"default", ""}, NULL},
    {"a slash in the name", 0, {"a", "b/c"}, NULL},
    {"a slash in the namespace", 0, {"a/b", "c"}, NULL},
};

TEST(a_queue_key_text_is_made_of_number_and_namespace_and_name)
{
    each_case(i, cases) {
        char tag[TAG_SIZE] = "untouched";
        bool written = tag_write(cases[i].number, cases[i].key, tag);
        then_true(written == (cases[i].tag != NULL));
        then_str(tag, cases[i].tag ? cases[i].tag : "untouched");
    }
}

TEST(a_name_in_a_queue_key_text_has_at_most_253_bytes)
{
    char name[300], tag[TAG_SIZE];
    memset(name, 'x', sizeof name);
    name[253] = '\0';
    then_true(tag_write(2147483647, (Key){name, name}, tag));
    then_int(strlen(tag), 253 + 253 + 12);

    name[253] = 'x';
    name[254] = '\0';
    then_true(!tag_write(0, (Key){NULL, name}, tag));
    then_true(!tag_write(0, (Key){name, "a"}, tag));
}
