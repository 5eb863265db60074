/* Journal: "<16 hex digits of the SHA-256> <JSON>\n". */
#include "sandbox/journal.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "sandbox/secret_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUM_SIZE = 16, VALUE_MAX = 64 << 20 };

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

/* Cuts off what follows `kept`, if it is one torn line. */
static Err *cut(Arena *a, const char *path, const Buf *text, size_t kept)
{
    const char *end = memchr(text->data + kept, '\n', text->len - kept);

    if (end && end + 1 < text->data + text->len)
        return err_terminal(a,
            "the journal %s is damaged at byte %zu, and there is more behind: move it away to "
            "begin anew",
            path,
            kept);
    if (truncate(path, (off_t)kept) != 0)
        return wrong(a, path, "cannot be cut");
    return OK;
}

Err *journal_read(Arena *a, const char *path, JournalVisitor *visit, void *self, size_t *ret_torn)
{
    SCOPED_ARENA work = arena_open(VALUE_MAX);
    Buf text = {.ceiling = JOURNAL_BYTES_MAX};
    size_t at = 0, number = 0;
    Err *err = OK;

    *ret_torn = 0;
    if (file_is_missing(path))
        return OK;
    err = file_read(a, path, &text, NULL);
    while (!err && at < text.len) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        const Json *value =
            end ? read_line(work, text.data + at, (size_t)(end - text.data) - at) : NULL;
        if (!value) {
            err = cut(a, path, &text, at);
            *ret_torn = text.len - at;
            break;
        }
        visit(self, work, value, number++);
        arena_reset(work);
        at = (size_t)(end - text.data) + 1;
    }
    buf_close(&text);
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
