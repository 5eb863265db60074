/* Keys: two objects are the same when namespace and name are, and no namespace is no namespace. */
#include "kube/key.h"
#include "tests/test.h"

static const struct {
    const char *name;
    Key left, right;
    bool equal;
} pairs[] = {
    {"the same names", {"ns", "x"}, {"ns", "x"}, .equal = true},
    {"another name", {"ns", "x"}, {"ns", "y"}},
    {"another namespace", {"ns", "x"}, {"other", "x"}},
    {"an absent namespace is the empty one", {NULL, "x"}, {"", "x"}, .equal = true},
    {"a namespace is not none", {"ns", "x"}, {NULL, "x"}},
    {"none is not a namespace", {"", "x"}, {"ns", "x"}},
    {"two collections", {"ns", NULL}, {"ns", NULL}, .equal = true},
};

TEST(keys_are_equal_if_namespace_and_name_are_equal)
{
    each_case(i, pairs)
        then_true(key_eq(pairs[i].left, pairs[i].right) == pairs[i].equal);
}

static const struct {
    const char *name, *text;
    Key key;
} texts[] = {
    {"a namespaced object", "ns/x", {"ns", "x"}},
    {"a cluster-scoped object", "x", {NULL, "x"}},
    {"nothing", "", {NULL, ""}},
    {"a slash alone", "/", {"", ""}},
    {"only the first slash counts", "ns/a/b", {"ns", "a/b"}},
};

TEST(a_text_is_parsed_into_a_key)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Key key = key_parse(a, texts[i].text);

        then_str(key.namespace, texts[i].key.namespace);
        then_str(key.name, texts[i].key.name);
    }
}

TEST(a_key_is_formatted_as_a_text)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(key_text(a, (Key){"ns", "x"}), "ns/x");
    then_str(key_text(a, (Key){NULL, "x"}), "x");
    then_str(key_text(a, (Key){"", "x"}), "x");
    then_str(key_text(a, (Key){"ns", NULL}), "ns/");
}

TEST(a_copied_key_stays_valid_without_its_original)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char namespace[] = "ns", name[] = "x";
    Key copy = key_copy(a, (Key){namespace, name});

    namespace[0] = name[0] = '?';

    then_true(key_eq(copy, (Key){"ns", "x"}));
    then_str(key_copy(a, (Key){NULL, "x"}).namespace, NULL);
}
