/* Files that others replace: reading them whole, and noticing that they changed. */
#include "kube/client/file.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <sys/stat.h>

TEST(a_file_is_read_completely_and_its_stamp_belongs_to_the_content)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = scratch_write(a, scratch_folder(a), "token", "abc\n");
    Buf text = {.ceiling = 100};
    FileStamp stamp;

    then_ok(file_read(a, path, &text, &stamp));
    then_str(text.data, "abc\n");
    then_true(file_stamp_eq(stamp, file_stamp(path)));
    buf_close(&text);
}

TEST(a_replaced_file_has_another_stamp_even_with_the_same_content)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a), *path = scratch_write(a, folder, "token", "abc");
    FileStamp before = file_stamp(path);

    scratch_write(a, folder, "token", "abc");
    then_true(!file_stamp_eq(before, file_stamp(path)));
}

TEST(a_file_that_cannot_be_read_is_named_with_the_cause)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    Buf text = {.ceiling = 100};

    then_err(file_read(a, "/nowhere/token", &text, NULL),
        TERMINAL("cannot read /nowhere/token: No such file or directory"));
    then_err(file_read(a, folder, &text, NULL), TERMINAL("Is a directory"));
    buf_close(&text);
}

TEST(a_file_may_be_as_large_as_the_limit_and_no_larger)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = scratch_write(a, scratch_folder(a), "big", "0123456789");
    Buf fits = {.ceiling = 10}, tight = {.ceiling = 9};

    then_ok(file_read(a, path, &fits, NULL));
    then_err(file_read(a, path, &tight, NULL), TERMINAL("larger than 9 bytes"));
    buf_close(&fits);
    buf_close(&tight);
}

TEST(a_file_counts_as_missing_only_if_its_path_does_not_exist)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *path = scratch_write(a, scratch_folder(a), "x", "");

    then_true(!file_is_missing(path));
    then_true(file_is_missing("/nowhere/x"));
    then_true(file_is_missing(str_format(a, "%s/below-a-file", path)));
    then_true(file_stamp_eq(file_stamp("/nowhere/x"), (FileStamp){0}));
}

static const struct {
    const char *name, *beside, *path, *want;
} places[] = {
    {"an absolute path stays", "/home/u/.kube/config", "/etc/ca.crt", .want = "/etc/ca.crt"},
    {"a relative one starts at the folder",
        "/home/u/.kube/config",
        "pki/ca.crt",
        .want = "/home/u/.kube/pki/ca.crt"},
    {"beside a file at the root", "/config", "ca.crt", .want = "/ca.crt"},
    {"beside a relative file", "kube/config", "ca.crt", .want = "kube/ca.crt"},
    {"beside a file here", "config", "ca.crt", .want = "ca.crt"},
};

TEST(relative_paths_start_at_the_folder_of_the_file_that_names_them)
{
    each_case(i, places) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_str(file_beside(a, places[i].beside, places[i].path), places[i].want);
    }
}
