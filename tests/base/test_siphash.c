/* SipHash-1-3: answers of CPython, which hashes bytes with it and, when told, with a key of zeros.
 */
#include "base/siphash.h"

#include "tests/test.h"

TEST(known_answers)
{
    static const struct {
        const char *name;
        uint64_t want;
    } cases[] = {
        {"a", 0x407448D2B89B1813U},
        {"abcdefg", 0x6DB12AAE9070F506U},
        {"abcdefgh", 0x3F7B849C0B8E35EAU},
        {"seinode/default/n-0", 0x063D29E76232BA77U},
    };
    static const uint64_t zeros[2] = {0, 0};

    each_case(i, cases)
        then_true(siphash(zeros, cases[i].name, strlen(cases[i].name)) == cases[i].want);
}

TEST(each_half_of_the_key_counts)
{
    static const uint64_t keys[][2] = {{0, 0}, {1, 0}, {0, 1}};
    then_true(siphash(keys[0], "n-0", 3) != siphash(keys[1], "n-0", 3));
    then_true(siphash(keys[0], "n-0", 3) != siphash(keys[2], "n-0", 3));
    then_true(siphash(keys[1], "n-0", 3) != siphash(keys[2], "n-0", 3));
}
