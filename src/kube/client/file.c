/* Reading small files whole. A stamp is taken from the descriptor that was read, not from the path:
 * between the two another file may have taken the name. */
#include "kube/client/file.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FileStamp stamp_of(const struct stat *seen)
{
    return (FileStamp){
        .device = seen->st_dev,
        .inode = seen->st_ino,
        .modified_ns = (int64_t)seen->st_mtim.tv_sec * 1000000000 + seen->st_mtim.tv_nsec,
        .size = seen->st_size,
    };
}

FileStamp file_stamp(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0 ? stamp_of(&seen) : (FileStamp){0};
}

bool file_stamp_eq(FileStamp left, FileStamp right)
{
    return left.device == right.device && left.inode == right.inode
        && left.modified_ns == right.modified_ns && left.size == right.size;
}

static Err *cannot_read(Arena *a, const char *path, int error)
{
    return err_terminal(a, "cannot read %s: %s", path, strerror(error));
}

static Err *read_all(Arena *a, const char *path, int fd, Buf *ret)
{
    char piece[4096];

    for (;;) {
        ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cannot_read(a, path, errno);
        if (got == 0)
            return OK;
        if (!buf_append(ret, piece, (size_t)got))
            return err_terminal(a, "%s is larger than %zu bytes", path, ret->ceiling);
    }
}

Err *file_read(Arena *a, const char *path, Buf *ret, FileStamp *ret_stamp)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cannot_read(a, path, errno);

    struct stat seen = {0};
    Err *err = fstat(fd, &seen) == 0 ? OK : cannot_read(a, path, errno);
    if (!err)
        err = read_all(a, path, fd, ret);
    close(fd);
    if (!err && ret_stamp)
        *ret_stamp = stamp_of(&seen);
    return err;
}

bool file_is_missing(const char *path)
{
    struct stat seen;
    return stat(path, &seen) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

const char *file_beside(Arena *a, const char *beside, const char *path)
{
    const char *slash = strrchr(beside, '/');
    if (path[0] == '/' || !slash)
        return path;
    return str_format(a, "%s/%s", str_slice(a, beside, (size_t)(slash - beside)), path);
}
