/* Files of objects, read as kubectl reads them. */
#include "sandbox/manifest.h"

#include "kube/meta.h"
#include "tests/e2e/folder.h"
#include "tests/test.h"

#include <stdio.h>

enum { ARENA_MAX = 64 << 20 };

/* The names of what is visited, one after the other. */
static Err *note(void *self, Arena *a, const Json *object)
{
    const char **names = self;

    *names = str_format(a, "%s%s ", *names, meta_name(object));
    return OK;
}

static const char *write_file(Arena *a, const Folder *folder, const char *name, const char *text)
{
    const char *path = str_format(a, "%s/%s", folder_path(folder), name);
    FILE *file = fopen(path, "we");

    then_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

TEST(every_document_of_a_manifest_file_is_an_object)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"one", "metadata: {name: a}\n", "a "},
        {"two", "metadata: {name: a}\n---\nmetadata: {name: b}\n", "a b "},
        {"a line before the first", "---\nmetadata: {name: a}\n", "a "},
        {"comments and nothing", "# words\n---\n# more\n---\nmetadata: {name: a}\n--- \n", "a "},
        {"a line that only looks so", "metadata:\n  name: a\n  x: |\n    ---x\n", "a "},
        {"JSON", "{\"metadata\": {\"name\": \"a\"}}", "a "},
        {"nothing", "", ""},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Folder *folder = NULL;
        const char *names = "";
        then_ok(folder_open(a, "/tmp", &folder));
        const char *path = write_file(a, folder, "x.yaml", cases[i].text);
        then_ok(manifest_each(a, path, note, &names));
        then_str(names, cases[i].want);
        folder_close(folder, false);
    }
}

TEST(the_manifests_of_a_folder_are_read_in_order)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Folder *folder = NULL;
    const char *names = "";

    then_ok(folder_open(a, "/tmp", &folder));
    write_file(a, folder, "2.yaml", "metadata: {name: b}\n");
    write_file(a, folder, "1.yml", "metadata: {name: a}\n");
    write_file(a, folder, "3.txt", "metadata: {name: c}\n");
    write_file(a, folder, ".4.yaml", "metadata: {name: d}\n");
    then_ok(manifest_each(a, folder_path(folder), note, &names));
    then_str(names, "a b ");
    folder_close(folder, false);
}

TEST(an_invalid_manifest_is_reported_with_its_file)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Folder *folder = NULL;
    const char *names = "";

    then_ok(folder_open(a, "/tmp", &folder));
    const char *path = write_file(a, folder, "x.yaml", "metadata: {name: a\n");
    then_err(manifest_each(a, path, note, &names), TERMINAL("x.yaml: "));
    then_err(manifest_each(a, "/does/not/exist", note, &names), TERMINAL("No such file"));
    folder_close(folder, false);
}
