/* Labels: what their keys and values may be. */
#include "kube/core/label.h"
#include "tests/test.h"

#define SIXTY_THREE "123456789-123456789-123456789-123456789-123456789-123456789-123"

static const struct {
    const char *name; /* the text itself */
    bool key, value;
} texts[] = {
    {"a", .key = true, .value = true},
    {"A-b_c.D9", .key = true, .value = true},
    {"0", .key = true, .value = true},
    {"azAZ09", .key = true, .value = true},
    {"", .value = true},
    {SIXTY_THREE, .key = true, .value = true},
    {SIXTY_THREE "4"},
    {"-a"},
    {"a-"},
    {"_a"},
    {"a."},
    {"a b"},
    {"a\n"},
    {"\xc3\xa9"},
    {"sei.io/node", .key = true},
    {"a-b.c9/" SIXTY_THREE, .key = true},
    {"sei.io/"},
    {"/node"},
    {"sei.io/a/b"},
    {"Sei.io/node"},
    {"A.io/node"},
    {"Z.io/node"},
    {"0a.z9/node", .key = true},
    {"sei..io/node"},
    {".sei/node"},
    {"sei./node"},
    {"-sei/node"},
    {"sei-/node"},
    {"a.-b/node"},
    {"a-.b/node"},
    {"sei_io/node"},
};

TEST(label_keys_and_values_are_validated)
{
    each_case(i, texts) {
        then_true(label_is_key(texts[i].name) == texts[i].key);
        then_true(label_is_value(texts[i].name) == texts[i].value);
    }
}

TEST(a_label_prefix_has_at_most_253_bytes)
{
    char key[260] = {0};
    memset(key, 'p', 254);

    memcpy(key + 253, "/n", 3);
    then_true(label_is_key(key));
    memcpy(key + 253, "p/n", 4);
    then_true(!label_is_key(key));
}
