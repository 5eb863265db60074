/* Tar: what the standard asks of a header, and what does not fit. */
#include "cli/report/tar.h"

#include "base/str.h"
#include "tests/test.h"

#include <stdlib.h>

enum { BLOCK = 512, CHECKSUM_AT = 148, SIZE_AT = 124, MAGIC_AT = 257, TYPE_AT = 156 };

static unsigned sum_of(const char *header)
{
    unsigned sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= CHECKSUM_AT && i < CHECKSUM_AT + 8 ? ' ' : (unsigned char)header[i];
    return sum;
}

TEST(a_file_in_a_tar_archive_has_a_header_and_whole_blocks)
{
    Buf tar = {.ceiling = 1 << 20};

    then_true(tar_add(&tar, "a/b.txt", bytes_of("hello"), 1767225600));
    then_int((int)tar.len, 2 * BLOCK);
    then_str(tar.data, "a/b.txt");
    then_int((int)strtoul(tar.data + SIZE_AT, NULL, 8), 5);
    then_str(tar.data + MAGIC_AT, "ustar");
    then_true(tar.data[TYPE_AT] == '0');
    then_int((int)strtoul(tar.data + CHECKSUM_AT, NULL, 8), (int)sum_of(tar.data));
    then_true(memcmp(tar.data + BLOCK, "hello", 6) == 0);
    then_true(tar_add(&tar, "empty", (Bytes){0}, 0));
    then_int((int)tar.len, 3 * BLOCK);
    then_true(tar_end(&tar));
    then_int((int)tar.len, 5 * BLOCK);
    buf_close(&tar);
}

TEST(a_file_that_does_not_fit_leaves_the_tar_archive_unchanged)
{
    static char large[3 * BLOCK];
    Buf tar = {.ceiling = 3 * BLOCK};

    then_true(tar_add(&tar, "a", bytes_of("x"), 0));
    then_true(!tar_add(&tar, "b", (Bytes){large, sizeof large}, 0));
    then_int((int)tar.len, 2 * BLOCK);
    then_true(tar_add(&tar, "c", (Bytes){0}, 0));
    then_true(!tar_end(&tar));
    buf_close(&tar);
}

TEST(a_tar_entry_with_a_name_that_is_too_long_is_refused)
{
    char name[TAR_NAME_MAX + 2];
    Buf tar = {.ceiling = 1 << 20};

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    then_true(!tar_add(&tar, name, bytes_of("x"), 0));
    name[TAR_NAME_MAX] = '\0';
    then_true(tar_add(&tar, name, bytes_of("x"), 0));
    buf_close(&tar);
}
