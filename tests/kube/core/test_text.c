/* Text that grows: pieces of any length, in the order in which they were added. */
#include "kube/core/text.h"
#include "tests/test.h"

TEST(a_new_text_is_empty)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Text t = {.arena = a};

    then_str(text_seen(&t), "");
    then_int(t.len, 0);
}

TEST(pieces_are_appended_to_a_text_also_after_it_was_read)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Text t = {.arena = a};

    text_add(&t, "ab");
    then_str(text_seen(&t), "ab");
    text_add_byte(&t, 'c');
    text_add_bytes(&t, "defg", 2);
    text_add(&t, "");
    then_str(text_seen(&t), "abcde");
    then_int(t.len, 5);
}

TEST(a_text_grows_beyond_its_memory_without_loss)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Text t = {.arena = a};
    char long_piece[3000];
    memset(long_piece, 'x', sizeof long_piece);

    for (int i = 0; i < 1000; i++)
        text_add_byte(&t, (char)('a' + i % 26));
    text_add_bytes(&t, long_piece, sizeof long_piece);

    then_int(strlen(text_seen(&t)), 4000);
    for (int i = 0; i < 1000; i++)
        then_int(t.data[i], 'a' + i % 26);
    then_int(t.data[3999], 'x');
}
