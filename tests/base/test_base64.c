/* Base64: what a kubeconfig or a Secret may carry, and how a damaged one is told. */
#include "base/base64.h"
#include "tests/test.h"

static const struct {
    const char *name, *text, *bytes;
    Want want;
} cases[] = {
    {"nothing", "", .bytes = ""},
    {"one byte", "Zg==", .bytes = "f"},
    {"two bytes", "Zm8=", .bytes = "fo"},
    {"three bytes", "Zm9v", .bytes = "foo"},
    {"every digit",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        .bytes = "\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96"
                 "\x9b\x71\xd7\x9f\x82\x18\xa3\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3"
                 "\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf"},
    {"line breaks anywhere", "Z\nm9\r\nvY\nmFy\n", .bytes = "foobar"},
    {"a space", "Zm9v YmFy", .want = TERMINAL("byte 4")},
    {"a character of another alphabet", "Zm9_", .want = TERMINAL("byte 3")},
    {"a byte beyond ASCII", "Zm9\xc3", .want = TERMINAL("byte 3")},
    {"a lonely digit", "Z", .want = TERMINAL("cut off")},
    {"a group cut short", "Zm9vYm", .want = TERMINAL("cut off")},
    {"padding first", "=", .want = TERMINAL("byte 0")},
    {"padding after one digit", "Z===", .want = TERMINAL("byte 1")},
    {"a digit after padding", "Zg=g", .want = TERMINAL("byte 3")},
    {"too much padding", "Zg===", .want = TERMINAL("byte 4")},
    {"text after the end", "Zg==Zg==", .want = TERMINAL("byte 4")},
};

TEST(base64_is_decoded_or_refused_with_the_position_of_the_error)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Bytes got = {0};

        then_err(base64_decode(a, cases[i].text, &got), cases[i].want);
        if (cases[i].want)
            continue;
        size_t len = i == 4 ? 48 : strlen(cases[i].bytes);
        then_int(got.len, len);
        then_true(memcmp(got.data, cases[i].bytes, len) == 0);
        then_int(got.data[got.len], 0);
    }
}

TEST(a_base64_error_never_repeats_the_input)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Bytes got;
    Err *err = base64_decode(a, "c2VjcmV0!", &got);

    then_true(!strstr(err_text(a, err), "c2VjcmV0"));
}

TEST(base64_decoding_respects_the_maximum_of_its_arena)
{
    SCOPED_ARENA a = arena_open(1 << 10);
    char text[8001];
    Bytes got;

    memset(text, 'A', 8000);
    text[8000] = '\0';
    then_err(base64_decode(a, text, &got), TERMINAL(""));
}

static const struct {
    const char *name, *bytes, *text;
} url_cases[] = {
    {"nothing", "", ""},
    {"one byte", "f", "Zg"},
    {"two bytes", "fo", "Zm8"},
    {"three bytes", "foo", "Zm9v"},
    {"its own digits", "\xfb\xef\xff", "--__"},
};

TEST(base64url_is_encoded_and_decoded)
{
    each_case(i, url_cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Bytes got = {0};
        then_str(base64url_encode(a, bytes_of(url_cases[i].bytes)), url_cases[i].text);
        then_ok(base64url_decode(a, url_cases[i].text, &got));
        then_str(got.data, url_cases[i].bytes);
    }
}

TEST(invalid_base64url_is_refused)
{
    static const struct {
        const char *name, *text;
    } bad[] = {{"padding", "Zg=="}, {"the other alphabet", "++//"}, {"a lonely digit", "Z"}};
    each_case(i, bad) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Bytes got = {0};
        then_true(base64url_decode(a, bad[i].text, &got) != OK);
    }
}

TEST(base64_encoding_and_decoding_are_inverse)
{
    static const struct {
        const char *name, *bytes, *text;
    } encoded[] = {
        {"nothing", "", ""},
        {"one byte", "f", "Zg=="},
        {"two bytes", "fo", "Zm8="},
        {"three bytes", "foo", "Zm9v"},
        {"more", "foobar\xff\xfe", "Zm9vYmFy//4="},
    };

    each_case(i, encoded) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Bytes back;
        then_str(base64_encode(a, bytes_of(encoded[i].bytes)), encoded[i].text);
        then_ok(base64_decode(a, encoded[i].text, &back));
        then_true(bytes_equal(back, bytes_of(encoded[i].bytes)));
    }
}
