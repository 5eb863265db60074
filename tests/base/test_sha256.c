/* SHA-256: the known answers of FIPS 180-2. */
#include "base/sha256.h"

#include "tests/test.h"

TEST(known_answers)
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

TEST(a_million_letters)
{
    char hash[SHA256_HEX_SIZE];
    Buf b = {.ceiling = 1000000};
    for (int i = 0; i < 100000; i++)
        then_true(buf_append(&b, "aaaaaaaaaa", 10));
    sha256_hex(buf_bytes(&b), hash);
    then_str(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    buf_close(&b);
}
