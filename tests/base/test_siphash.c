/* SipHash-1-3: answers of CPython, which hashes bytes with it and, when told, with a key of zeros.
 */
#include "base/siphash.h"

#include "tests/test.h"

TEST(siphash_gives_the_known_hashes)
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

TEST(both_halves_of_the_siphash_key_change_the_hash)
{
    static const uint64_t keys[][2] = {{0, 0}, {1, 0}, {0, 1}};
    then_true(siphash(keys[0], "n-0", 3) != siphash(keys[1], "n-0", 3));
    then_true(siphash(keys[0], "n-0", 3) != siphash(keys[2], "n-0", 3));
    then_true(siphash(keys[1], "n-0", 3) != siphash(keys[2], "n-0", 3));
}

TEST(siphash_of_a_text_in_words_equals_that_of_one_piece)
{
    static const uint64_t key[2] = {3, 5};
    static const char text[] = "abcdefghijklmnop";
    Siphash h = siphash_begin(key);

    siphash_text(&h, text, 8);
    siphash_text(&h, text + 8, 8);
    siphash_word(&h, (uint64_t)16 << 56); /* how a text of 16 bytes ends */
    then_true(siphash_end(&h) == siphash(key, text, 16));
}

TEST(the_last_incomplete_word_of_a_text_changes_the_siphash)
{
    static const uint64_t key[2] = {3, 5};
    Siphash shorter = siphash_begin(key), longer = siphash_begin(key);

    siphash_text(&shorter, "abcdefgh", 8);
    siphash_text(&longer, "abcdefghi", 9);
    then_true(siphash_end(&shorter) != siphash_end(&longer));
}
