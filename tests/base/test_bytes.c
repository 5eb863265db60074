/* Bytes and Buf: what grows has a ceiling, and is always ended by a NUL. */
#include "base/bytes.h"

#include "tests/test.h"

TEST(bytes_are_made_from_text_and_compared)
{
    then_int(bytes_of("abc").len, 3);
    then_int(bytes_of(NULL).len, 0);
    then_true(bytes_equal(bytes_of("abc"), bytes_of("abc")));
    then_true(!bytes_equal(bytes_of("abc"), bytes_of("abd")));
    then_true(!bytes_equal(bytes_of("abc"), bytes_of("ab")));
    then_true(bytes_equal(bytes_of(NULL), bytes_of("")));
}

TEST(a_buffer_contains_everything_that_was_appended)
{
    Buf b = {.ceiling = 1 << 20};
    then_str(buf_bytes(&b).data, "");

    for (int i = 0; i < 1000; i++)
        then_true(buf_append(&b, "0123456789", 10));

    then_int(buf_bytes(&b).len, 10000);
    then_int(strlen(b.data), 10000);
    then_true(buf_append(&b, NULL, 0));
    then_int(b.len, 10000);
    buf_close(&b);
    then_int(b.len, 0);
    buf_close(&b);
}

TEST(a_full_buffer_refuses_an_append_and_stays_unchanged)
{
    Buf b = {.ceiling = 10};

    then_true(buf_append(&b, "01234567", 8));
    then_true(!buf_append(&b, "abc", 3));
    then_true(!buf_format(&b, "%d", 100));
    then_true(!buf_append(&b, "", SIZE_MAX));
    then_str(b.data, "01234567");
    then_true(buf_format(&b, "%d", 89));
    then_str(b.data, "0123456789");
    then_true(b.capacity <= 11);
    buf_close(&b);
}

TEST(formatted_text_is_appended_to_a_buffer)
{
    Buf b = {.ceiling = 1 << 20};

    then_true(buf_format(&b, "a=%d ", 1));
    then_true(buf_format(&b, "%0*d", 1000, 7));
    then_int(b.len, 1004);
    then_true(str_has_prefix(b.data, "a=1 000"));
    then_true(str_has_suffix(b.data, "07"));
    buf_close(&b);
}

TEST(consuming_removes_bytes_from_the_front_of_a_buffer)
{
    Buf b = {.ceiling = 100};
    buf_consume(&b, 0);
    then_true(buf_append(&b, "first second", 12));

    buf_consume(&b, 6);
    then_str(b.data, "second");
    buf_consume(&b, 6);
    then_str(b.data, "");
    then_bug("len <= b->len", buf_consume(&b, 1));
    buf_close(&b);
}

TEST(clearing_a_buffer_keeps_a_limited_capacity)
{
    Buf b = {.ceiling = 1 << 20};
    for (int i = 0; i < 1000; i++)
        then_true(buf_append(&b, "0123456789", 10));

    buf_clear(&b, 1 << 20);
    then_int(b.len, 0);
    then_true(b.capacity > 10000);
    buf_clear(&b, 100);
    then_str(b.data, "");
    then_int(b.capacity, 100);
    then_true(buf_append(&b, "again", 5));
    then_str(b.data, "again");
    buf_clear(&b, 0);
    then_int(b.capacity, 0);
    then_true(b.data == NULL);
}

TEST(wiping_a_buffer_overwrites_its_content)
{
    Buf b = {.ceiling = 100};
    buf_wipe(&b);
    then_true(buf_append(&b, "a passphrase", 12));

    buf_wipe(&b);

    then_int(b.len, 0);
    for (size_t i = 0; i <= 12; i++)
        then_int(b.data[i], 0);
    then_true(buf_append(&b, "again", 5));
    then_str(b.data, "again");
    buf_close(&b);
}
