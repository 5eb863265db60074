/* SHA-256: the known answers of FIPS 180-2. */
#include "base/sha256.h"

#include "tests/test.h"

TEST(sha256_gives_the_known_hashes)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"nothing", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"two blocks",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    each_case(i, cases) {
        char hash[SHA256_HEX_SIZE];
        sha256_hex(bytes_of(cases[i].text), hash);
        then_str(hash, cases[i].want);
    }
}

TEST(sha256_of_a_million_letters_gives_the_known_hash)
{
    char hash[SHA256_HEX_SIZE];
    Buf b = {.ceiling = 1000000};
    for (int i = 0; i < 100000; i++)
        then_true(buf_append(&b, "aaaaaaaaaa", 10));
    sha256_hex(buf_bytes(&b), hash);
    then_str(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    buf_close(&b);
}

/* RFC 4231. */
TEST(hmac_sha256_gives_the_known_hashes)
{
    static const struct {
        const char *name, *key, *text, *want;
    } cases[] = {
        {"a short key",
            "Jefe",
            "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {"nothing", "", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
    };

    each_case(i, cases) {
        unsigned char code[SHA256_HMAC_SIZE];
        char hex[2 * SHA256_HMAC_SIZE + 1];
        sha256_hmac(bytes_of(cases[i].key), bytes_of(cases[i].text), code);
        for (size_t k = 0; k < SHA256_HMAC_SIZE; k++)
            snprintf(hex + 2 * k, 3, "%02x", code[k]);
        then_str(hex, cases[i].want);
    }
}
