/* Addresses: the vectors of BIP-173, and what a person may mistype in one of a Sei account. */
#include "sei/api/bech32.h"

#include "base/str.h"
#include "tests/test.h"

enum { ARENA_MAX = 1 << 20 };

#define ADDRESS "sei1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5jwagqa"

TEST(addresses_that_bip_173_lists_as_valid_are_accepted)
{
    static const struct {
        const char *name, *prefix;
    } rows[] = {
        {"A12UEL5L", "a"},
        {"a12uel5l", "a"},
        {"an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tg"
         "s",
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio"},
        {"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef"},
        {"11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247"
         "j",
            "1"},
        {"split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split"},
        {"?1ezyfcl", "?"},
    };

    each_case(i, rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_ok(bech32_check(a, rows[i].name, rows[i].prefix));
    }
}

TEST(addresses_that_bip_173_lists_as_invalid_are_refused_with_the_cause)
{
    static const struct {
        const char *name, *prefix;
        Want want;
    } rows[] = {
        {"\x20"
         "1nwldj5",
            "\x20",
            TERMINAL("no letter or digit")},
        {"\x7f"
         "1axkwrx",
            "\x7f",
            TERMINAL("no letter or digit")},
        {"\x80"
         "1eym55h",
            "\x80",
            TERMINAL("no letter or digit")},
        {"an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569p"
         "vx",
            "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio",
            TERMINAL("longer than 90")},
        {"pzry9x0s0muk", "pzry", TERMINAL("no prefix")},
        {"1pzry9x0s0muk", "", TERMINAL("no prefix")},
        {"x1b4n0q5v", "x", TERMINAL("'b' never stands")},
        {"li1dgmt3", "li", TERMINAL("too short")},
        {"de1lg7wt\xff", "de", TERMINAL("no letter or digit")},
        {"A1G7SGD8", "a", TERMINAL("checksum is wrong")},
        {"10a06t8", "", TERMINAL("no prefix")},
        {"1qzzfhee", "", TERMINAL("no prefix")},
    };

    each_case(i, rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_err(bech32_check(a, rows[i].name, rows[i].prefix), rows[i].want);
    }
}

TEST(an_invalid_sei_account_address_is_refused_with_the_cause)
{
    static const struct {
        const char *name, *text;
        Want want;
    } rows[] = {
        {"nothing", "", TERMINAL("no prefix")},
        {"of another chain",
            "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu",
            TERMINAL("begin with sei1")},
        {"half in capitals", "sei1QYPQXPQ9QCRSSZG2PVXQ6RS0ZQG3YYC5JWAGQA", TERMINAL("mixes")},
        {"an ethereum one", "0x52908400098527886E0F7030069857D2E4169EE7", TERMINAL("mixes")},
        {"words", "not-an-address", TERMINAL("no prefix")},
    };

    each_case(i, rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        then_err(bech32_check(a, rows[i].text, "sei"), rows[i].want);
    }
}

/* Every single letter that differs is found. */
TEST(any_single_mistyped_letter_of_a_sei_address_fails_its_checksum)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    then_ok(bech32_check(a, ADDRESS, "sei"));
    for (size_t i = 0; ADDRESS[i]; i++) {
        char *text = (char *)str_copy(a, ADDRESS);
        text[i] = text[i] == 'q' ? 'p' : 'q';
        then_true(bech32_check(a, text, "sei") != OK);
    }
}
