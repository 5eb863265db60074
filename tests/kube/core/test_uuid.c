/* UUIDs: random ones are well formed and differ, derived ones are what others derive. */
#include "kube/uuid.h"
#include "tests/test.h"

TEST(a_random_uuid_is_a_valid_unique_version_4_uuid)
{
    SeededRng rng;
    char one[UUID_SIZE], other[UUID_SIZE], again[UUID_SIZE];

    rng_seed(&rng, 1);
    uuid_v4(&rng.port, one);
    uuid_v4(&rng.port, other);
    then_true(uuid_is_valid(one) && uuid_is_valid(other));
    then_true(one[14] == '4' && strchr("89ab", one[19]));
    then_true(!str_eq(one, other));

    rng_seed(&rng, 1);
    uuid_v4(&rng.port, again);
    then_str(again, one);
}

/* The vectors of RFC 9562 and of Python's uuid module. */
static const struct {
    const char *name, *space, *text, *uuid;
} derived[] = {
    {"a domain",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "www.example.com",
        "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
    {"another domain",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "python.org",
        "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
    {"no name", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "", "4ebd0208-8328-5d69-8c44-ec50939c0967"},
    {"a space in capitals",
        "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
        "python.org",
        "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
};

TEST(a_derived_uuid_equals_that_of_other_implementations)
{
    each_case(i, derived) {
        SCOPED_ARENA a = arena_open(1 << 16);
        char uuid[UUID_SIZE];

        then_ok(uuid_v5(a, derived[i].space, derived[i].text, uuid));
        then_str(uuid, derived[i].uuid);
    }
}

TEST(the_name_space_of_a_derived_uuid_must_be_a_uuid)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char uuid[UUID_SIZE] = "untouched";

    then_err(uuid_v5(a, "default", "x", uuid), TERMINAL("\"default\" is not a UUID"));
    then_err(uuid_v5(a, NULL, "x", uuid), TERMINAL("is not a UUID"));
    then_str(uuid, "untouched");
}

static const struct {
    const char *name, *text;
    bool valid;
} texts[] = {
    {"a uuid", "2ed6657d-e927-568b-95e1-2665a8aea6a2", .valid = true},
    {"the nil uuid", "00000000-0000-0000-0000-000000000000", .valid = true},
    {"capitals", "2ED6657D-E927-568B-95E1-2665A8AEA6A2", .valid = true},
    {"nothing", ""},
    {"no uuid at all", NULL},
    {"a digit too few", "2ed6657d-e927-568b-95e1-2665a8aea6a"},
    {"a digit too many", "2ed6657d-e927-568b-95e1-2665a8aea6a20"},
    {"a letter that is no digit", "2ed6657g-e927-568b-95e1-2665a8aea6a2"},
    {"dashes elsewhere", "2ed6657de-927-568b-95e1-2665a8aea6a2"},
    {"no dashes", "2ed6657de927568b95e12665a8aea6a2"},
    {"braces", "{2ed6657d-e927-568b-95e1-2665a8aea6a2}"},
};

TEST(only_the_canonical_form_of_a_uuid_is_valid)
{
    each_case(i, texts)
        then_true(uuid_is_valid(texts[i].text) == texts[i].valid);
}
