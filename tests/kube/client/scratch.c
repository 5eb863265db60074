/* Scratch folders, removed with all that is in them. */
#include "tests/kube/client/scratch.h"

#include "base/str.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *seen, int type, struct FTW *place)
{
    (void)seen, (void)type, (void)place;
    return remove(path);
}

static void remove_folder(void *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_folder(Arena *a)
{
    char pattern[] = "/tmp/kube-client-XXXXXX";
    if (!mkdtemp(pattern))
        abort();
    const char *path = str_copy(a, pattern);
    arena_pin(a, remove_folder, (void *)path);
    return path;
}

const char *scratch_write(Arena *a, const char *folder, const char *name, const char *text)
{
    const char *path = str_format(a, "%s/%s", folder, name);
    const char *fresh = str_format(a, "%s.new", path);
    FILE *file = fopen(fresh, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) || rename(fresh, path))
        abort();
    return path;
}
