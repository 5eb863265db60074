/* Journal: "<16 hex digits of the SHA-256> <JSON>\n". */
#include "sandbox/journal.h"

#include "base/sha256.h"
#include "base/str.h"
#include "sandbox/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUM_SIZE = 16, VALUE_MAX = 64 << 20, READ_BYTES = 64 << 10 };

struct Journal {
    Arena *own;
    const char *path, *beside;
    int fd;
    size_t size;
    bool is_committed;
};

static Err *wrong(Arena *a, const char *path, const char *what)
{
    return err_terminal(a, "the journal %s %s: %s", path, what, strerror(errno));
}

/* --- reading */

/* The value of a line, or NULL when it is not what was written. */
static const Json *read_line(Arena *a, const char *line, size_t len)
{
    char sum[SHA256_HEX_SIZE];
    const Json *value = NULL;

    if (len <= SUM_SIZE + 1 || line[SUM_SIZE] != ' ')
        return NULL;
    Bytes text = {line + SUM_SIZE + 1, len - SUM_SIZE - 1};
    sha256_hex(text, sum);
    if (strncmp(sum, line, SUM_SIZE) != 0 || json_parse(a, text, &value))
        return NULL;
    return value;
}

/* A file that is read line by line. */
typedef struct Reader {
    const char *path;
    int fd;
    Buf text;
    size_t given; /* of the text */
    size_t at;    /* in the file: everything before was given */
    bool is_at_end;
    size_t torn; /* bytes that were cut off */
} Reader;

/* What was read and not given. */
static Bytes left(const Reader *r)
{
    return (Bytes){r->text.data ? r->text.data + r->given : "", r->text.len - r->given};
}

static Err *read_more(Arena *a, Reader *r)
{
    char bytes[READ_BYTES];
    ssize_t got;

    do
        got = read(r->fd, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return wrong(a, r->path, "cannot be read");
    buf_consume(&r->text, r->given);
    r->given = 0;
    r->is_at_end = got == 0;
    if (got > 0 && !buf_append(&r->text, bytes, (size_t)got))
        return err_terminal(a,
            "the journal %s has a line at byte %zu that is longer than any object: move it away to "
            "begin anew",
            r->path,
            r->at);
    return OK;
}

/* The length of the next line without its end, or that there is none, whole: SIZE_MAX. */
static Err *find_line(Arena *a, Reader *r, size_t *ret)
{
    size_t searched = 0;

    for (;;) {
        Bytes text = left(r);
        const char *end = memchr(text.data + searched, '\n', text.len - searched);
        *ret = end ? (size_t)(end - text.data) : SIZE_MAX;
        if (end || r->is_at_end)
            return OK;
        searched = text.len;
        TRY(read_more(a, r));
    }
}

/* Cuts off what is left, if it is one torn line, of that length or without an end (SIZE_MAX). */
static Err *cut(Arena *a, Reader *r, size_t len)
{
    while (!r->is_at_end && left(r).len <= len + 1)
        TRY(read_more(a, r));
    if (len != SIZE_MAX && left(r).len > len + 1)
        return err_terminal(a,
            "the journal %s is damaged at byte %zu, and there is more behind: move it away to "
            "begin anew",
            r->path,
            r->at);
    r->torn = left(r).len;
    if (truncate(r->path, (off_t)r->at) != 0)
        return wrong(a, r->path, "cannot be cut");
    return OK;
}

static Err *read_all(Arena *a, Reader *r, JournalVisitor *visit, void *self)
{
    SCOPED_ARENA work = arena_open(VALUE_MAX);
    size_t len, number = 0;
    Err *err;

    while (!(err = find_line(a, r, &len)) && left(r).len > 0) {
        const Json *value = len == SIZE_MAX ? NULL : read_line(work, left(r).data, len);
        if (!value)
            return cut(a, r, len);
        visit(self, work, value, number++);
        arena_reset(work);
        r->given += len + 1;
        r->at += len + 1;
    }
    return err;
}

Err *journal_read(Arena *a, const char *path, JournalVisitor *visit, void *self, size_t *ret_torn)
{
    Reader r = {.path = path, .text = {.ceiling = VALUE_MAX}};

    *ret_torn = 0;
    r.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r.fd < 0)
        return errno == ENOENT ? OK : wrong(a, path, "cannot be read");
    Err *err = read_all(a, &r, visit, self);
    *ret_torn = r.torn;
    buf_close(&r.text);
    close(r.fd);
    return err;
}

/* --- writing */

Err *journal_begin(Arena *a, const char *path, Journal **ret)
{
    Arena *own = arena_open(1 << 16);
    Journal *j = arena_new(own, Journal);

    j->own = own;
    j->path = str_copy(own, path);
    j->beside = str_format(own, "%s.new", path);
    j->fd = secret_file_make(j->beside);
    if (j->fd < 0) {
        Err *err = wrong(a, path, "cannot be begun");
        arena_close(own);
        return err;
    }
    *ret = j;
    return OK;
}

Err *journal_commit(Arena *a, Journal *j)
{
    TRY(journal_sync(a, j));
    if (rename(j->beside, j->path) != 0)
        return wrong(a, j->path, "cannot be replaced");
    j->is_committed = true;
    return OK;
}

void journal_close(Journal *j)
{
    if (!j)
        return;
    close(j->fd);
    if (!j->is_committed)
        unlink(j->beside);
    arena_close(j->own);
}

static bool write_whole(Journal *j, const char *bytes, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t written = write(j->fd, bytes + done, len - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

Err *journal_append(Arena *a, Journal *j, const Json *value)
{
    Bytes text = json_write(a, value);
    char sum[SHA256_HEX_SIZE];

    sha256_hex(text, sum);
    const char *line = str_format(a, "%.*s %s\n", SUM_SIZE, sum, text.data);
    size_t len = SUM_SIZE + 1 + text.len + 1;
    if (len > JOURNAL_BYTES_MAX - j->size)
        return err_terminal(a,
            "the journal %s would have more than %d bytes: delete what is not needed",
            j->path,
            JOURNAL_BYTES_MAX);
    if (write_whole(j, line, len)) {
        j->size += len;
        return OK;
    }
    Err *err = wrong(a, j->path, "cannot be written");
    /* Half a line is no end that others could be added to. */
    if (ftruncate(j->fd, (off_t)j->size) == 0)
        lseek(j->fd, (off_t)j->size, SEEK_SET);
    return err;
}

Err *journal_sync(Arena *a, Journal *j)
{
    return fdatasync(j->fd) == 0 ? OK : wrong(a, j->path, "cannot be put on the disk");
}

size_t journal_size(const Journal *j)
{
    return j->size;
}
