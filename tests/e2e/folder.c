/* A folder is in use as long as somebody holds the lock on the file `lock` in it. The kernel lets
 * go of the lock when the owner ends, however it ends, and the file gets its name only once it is
 * locked, so a folder whose lock can be had is nobody's. */
#include "tests/e2e/folder.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "sei-e2e-"

enum { FOLDER_WALK_FDS = 16 };

struct Folder {
    const char *path;
    int lock_fd;
};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, FOLDER_WALK_FDS, FTW_DEPTH | FTW_PHYS);
}

static void remove_if_deserted(const char *path)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    int fd = open(str_format(a, "%s/lock", path), O_RDWR | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        remove_tree(path);
    close(fd);
}

static void sweep(const char *parent)
{
    DIR *dir = opendir(parent);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        SCOPED_ARENA a = arena_open(1 << 16);

        if (str_has_prefix(entry->d_name, FOLDER_PREFIX))
            remove_if_deserted(str_format(a, "%s/%s", parent, entry->d_name));
    }
    if (dir)
        closedir(dir);
}

static Err *lock_folder(Arena *a, Folder *folder)
{
    const char *new = str_format(a, "%s/lock.new", folder->path);

    folder->lock_fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (folder->lock_fd < 0 || flock(folder->lock_fd, LOCK_EX | LOCK_NB) != 0
        || rename(new, str_format(a, "%s/lock", folder->path)) != 0)
        return err_failed(a, "cannot lock %s: %s", folder->path, strerror(errno));
    return OK;
}

Err *folder_open(Arena *a, const char *parent, Folder **ret)
{
    Folder *folder = arena_new(a, Folder);
    char *path = (char *)str_format(a, "%s/" FOLDER_PREFIX "XXXXXX", parent);

    sweep(parent);
    if (!mkdtemp(path))
        return err_failed(a, "cannot make a folder in %s: %s", parent, strerror(errno));
    folder->path = path;
    TRY(lock_folder(a, folder));
    *ret = folder;
    return OK;
}

void folder_close(Folder *folder, bool keep)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    if (!folder)
        return;
    if (keep)
        unlink(str_format(a, "%s/lock", folder->path)); /* or the next one would remove it */
    else
        remove_tree(folder->path);
    close(folder->lock_fd);
}

const char *folder_path(const Folder *folder)
{
    return folder->path;
}
