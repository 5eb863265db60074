/* SecretFile: written, synced, renamed. */
#include "sandbox/secret_file.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, Bytes bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes.data += written;
            bytes.len -= (size_t)written;
        }
    }
    return fsync(fd) == 0;
}

int secret_file_make(const char *path)
{
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

Err *secret_file_write(Arena *a, const char *path, Bytes bytes)
{
    const char *beside = str_format(a, "%s.%d.new", path, (int)getpid());
    int fd = secret_file_make(beside);
    bool is_written = fd >= 0 && write_all(fd, bytes);
    int error = errno;

    if (fd >= 0)
        close(fd);
    if (is_written && rename(beside, path) == 0)
        return OK;
    if (is_written)
        error = errno;
    if (fd >= 0)
        unlink(beside);
    return err_terminal(a, "cannot write %s: %s", path, strerror(error));
}
