/* A journal in a folder of the test's own: what is read back, and what happens to a damaged one. */
#include "sandbox/journal.h"

#include "base/draft.h"
#include "tests/e2e/folder.h"
#include "tests/test.h"

#include <sys/stat.h>

typedef struct Book {
    Arena *arena;
    Folder *folder;
    const char *path;
    const char *read; /* everything that was read, in one text */
} Book;

static void open_book(Book *b)
{
    *b = (Book){.arena = arena_open(16 << 20), .read = ""};
    then_ok(folder_open(b->arena, "/tmp", &b->folder));
    b->path = str_format(b->arena, "%s/journal", folder_path(b->folder));
}

static void close_book(Book *b)
{
    folder_close(b->folder, false);
    arena_close(b->arena);
}

#define SCOPED_BOOK __attribute__((cleanup(close_book))) Book

static void note(void *self, Arena *a, const Json *value, size_t number)
{
    Book *b = self;

    b->read = str_format(b->arena, "%s%zu:%s ", b->read, number, json_write(a, value).data);
}

static void write_two(Book *b)
{
    Journal *j = NULL;

    then_ok(journal_begin(b->arena, b->path, &j));
    then_ok(journal_append(b->arena, j, json_fixture(b->arena, "{a: 1}")));
    then_ok(journal_commit(b->arena, j));
    then_ok(journal_append(b->arena, j, json_fixture(b->arena, "{b: 'x\\ny'}")));
    then_ok(journal_sync(b->arena, j));
    struct stat seen;
    then_int(stat(b->path, &seen), 0);
    then_int(seen.st_size, (int64_t)journal_size(j));
    then_int(seen.st_mode & 0777, 0600);
    journal_close(j);
}

static void change_file(Book *b, long at, const char *bytes, size_t len)
{
    FILE *file = fopen(b->path, "r+e");

    then_true(file != NULL);
    then_int(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    then_int(fwrite(bytes, 1, len, file), len);
    then_int(fclose(file), 0);
}

TEST(a_file_next_to_the_journal_does_not_change_its_permissions)
{
    SCOPED_BOOK b;
    open_book(&b);
    const char *beside = str_format(b.arena, "%s.new", b.path);

    then_true(mknod(beside, S_IFREG | 0600, 0) == 0 && chmod(beside, 0666) == 0);
    write_two(&b); /* which looks who may read */
}

TEST(a_written_journal_is_read_back)
{
    SCOPED_BOOK b;
    size_t torn = 1;
    open_book(&b);

    then_ok(journal_read(b.arena, b.path, note, &b, &torn)); /* there is none yet */
    then_str(b.read, "");
    write_two(&b);
    then_ok(journal_read(b.arena, b.path, note, &b, &torn));
    then_str(b.read, "0:{\"a\":1} 1:{\"b\":\"x\\ny\"} ");
    then_int(torn, 0);
}

static void count_bytes(void *self, Arena *a, const Json *value, size_t number)
{
    size_t *sum = self;

    *sum = *sum * 31 + json_write(a, value).len + number;
}

TEST(journal_lines_of_any_length_are_read_back)
{
    SCOPED_BOOK b;
    Journal *j = NULL;
    size_t written = 0, read = 0, torn;
    open_book(&b);

    then_ok(journal_begin(b.arena, b.path, &j));
    for (size_t i = 0; i < 60; i++) {
        SCOPED_ARENA a = arena_open(16 << 20);
        size_t len = i % 3 ? i : 30011 * i; /* some are longer than what is read at once */
        char *text = arena_alloc(a, len + 1);
        memset(text, 'x', len);
        const Json *value = json_seal(a, draft(a, str("text", text)));
        then_ok(journal_append(a, j, value));
        count_bytes(&written, a, value, i);
    }
    then_ok(journal_commit(b.arena, j));
    journal_close(j);
    then_ok(journal_read(b.arena, b.path, count_bytes, &read, &torn));
    then_true(read == written && torn == 0);
}

TEST(a_journal_that_was_never_committed_leaves_the_old_one_unchanged)
{
    SCOPED_BOOK b;
    Journal *j;
    size_t torn;
    open_book(&b);

    write_two(&b);
    then_ok(journal_begin(b.arena, b.path, &j));
    then_ok(journal_append(b.arena, j, json_fixture(b.arena, "{c: 3}")));
    journal_close(j);
    then_ok(journal_read(b.arena, b.path, note, &b, &torn));
    then_str(b.read, "0:{\"a\":1} 1:{\"b\":\"x\\ny\"} ");
}

TEST(an_incomplete_end_of_the_journal_is_cut_off_at_any_byte)
{
    SCOPED_BOOK whole;
    struct stat seen;
    open_book(&whole);
    write_two(&whole);
    then_int(stat(whole.path, &seen), 0);
    size_t first = 16 + 1 + strlen("{\"a\":1}") + 1;

    for (size_t len = first + 1; len < (size_t)seen.st_size; len++) {
        SCOPED_BOOK b;
        size_t torn = 0;
        open_book(&b);
        write_two(&b);
        then_int(truncate(b.path, (off_t)len), 0);
        then_ok(journal_read(b.arena, b.path, note, &b, &torn));
        then_int(torn, len - first);
        then_str(b.read, "0:{\"a\":1} ");
        then_ok(journal_read(b.arena, b.path, note, &b, &torn)); /* and is good then */
        then_int(torn, 0);
    }
}

TEST(a_corrupt_last_line_of_the_journal_is_cut_off)
{
    SCOPED_BOOK b;
    size_t torn;
    open_book(&b);

    write_two(&b);
    change_file(&b, -3, "z", 1);
    then_ok(journal_read(b.arena, b.path, note, &b, &torn));
    then_true(torn > 0);
    then_str(b.read, "0:{\"a\":1} ");
}

TEST(damage_in_the_middle_of_the_journal_is_an_error)
{
    SCOPED_BOOK b;
    size_t torn;
    open_book(&b);

    write_two(&b);
    change_file(&b, 18, "z", 1);
    then_err(journal_read(b.arena, b.path, note, &b, &torn),
        TERMINAL("is damaged at byte 0, and there is more behind: move it away"));
}

TEST(a_journal_that_cannot_be_written_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Journal *j;

    then_err(journal_begin(a, "/no/such/folder/journal", &j),
        TERMINAL("the journal /no/such/folder/journal cannot be begun: No such file"));
}
