/* Files that only their owner reads, in a folder of the test's own. */
#include "sandbox/secret_file.h"
#include "tests/test.h"

#include <dirent.h>
#include <sys/stat.h>

static const char *make_folder(char name[64])
{
    snprintf(name, 64, "/tmp/secret-file.XXXXXX");
    then_true(mkdtemp(name) != NULL);
    return name;
}

static int count_files(const char *folder)
{
    DIR *d = opendir(folder);
    int count = 0;

    then_true(d != NULL);
    for (const struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

TEST(a_secret_file_is_replaced_atomically_and_is_readable_only_by_its_owner)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char folder[64], read_back[64] = "";
    const char *path = str_format(a, "%s/file", make_folder(folder));
    struct stat seen;

    then_ok(secret_file_write(a, path, bytes_of("a longer text before")));
    then_ok(secret_file_write(a, path, bytes_of("now")));
    FILE *file = fopen(path, "re");
    then_int(fread(read_back, 1, sizeof read_back, file), 3);
    fclose(file);
    then_str(read_back, "now");
    then_int(stat(path, &seen), 0);
    then_int(seen.st_mode & 0777, 0600);
    then_int(count_files(folder), 1); /* nothing is left beside it */
    unlink(path);
    rmdir(folder);
}

TEST(another_file_or_link_at_the_temporary_path_does_not_affect_a_secret_file)
{
    static const struct {
        const char *name;
        bool is_link;
    } cases[] = {{"a file that every user can read", false}, {"a link to somewhere else", true}};

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        char folder[64];
        const char *path = str_format(a, "%s/file", make_folder(folder));
        const char *beside = str_format(a, "%s.%d.new", path, (int)getpid());
        struct stat seen;

        if (cases[i].is_link)
            then_int(symlink("elsewhere", beside), 0);
        else
            then_true(mknod(beside, S_IFREG | 0600, 0) == 0 && chmod(beside, 0666) == 0);
        then_ok(secret_file_write(a, path, bytes_of("x")));
        then_int(lstat(path, &seen), 0);
        then_int(seen.st_mode, S_IFREG | 0600);
        then_int(count_files(folder), 1);
        unlink(path);
        rmdir(folder);
    }
}

TEST(a_secret_file_that_cannot_be_written_is_reported_with_the_cause)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    char folder[64];
    const char *missing = str_format(a, "%s/no/file", make_folder(folder));
    const char *taken = str_format(a, "%s/taken", folder);

    then_err(secret_file_write(a, missing, bytes_of("x")), TERMINAL("/no/file: No such file"));
    mkdir(taken, 0700);
    then_err(secret_file_write(a, taken, bytes_of("x")), TERMINAL("/taken: Is a directory"));
    then_int(count_files(folder), 1);
    rmdir(taken);
    rmdir(folder);
}
