/* Manifest: a document ends where a line is "---". */
#include "sandbox/manifest.h"

#include "base/bytes.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "kube/client/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the next line that is "---" begins, or the end of the text. */
static size_t document_end(const char *text)
{
    const char *at = text;

    while (*at) {
        size_t len = strcspn(at, "\n");
        if (len >= 3 && strncmp(at, "---", 3) == 0 && strspn(at + 3, " \r") == len - 3)
            return (size_t)(at - text);
        at += len + (at[len] == '\n');
    }
    return (size_t)(at - text);
}

static Err *visit_text(
    Arena *a, const char *path, const char *text, ManifestVisit *visit, void *self)
{
    while (*text) {
        size_t len = document_end(text);
        const Json *object = NULL;
        Err *err = yaml_parse(a, str_slice(a, text, len), &object);
        if (err)
            return err_terminal(a, "%s: %s", path, err->message);
        if (json_count(object) > 0)
            TRY(visit(self, a, object));
        text += len;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return OK;
}

static Err *visit_file(Arena *a, const char *path, ManifestVisit *visit, void *self)
{
    Buf text = {.ceiling = MANIFEST_MAX};
    Err *err = file_read(a, path, &text, NULL);
    const char *copy = err || !text.len ? "" : str_slice(a, text.data, text.len);

    buf_close(&text);
    return err ? err : visit_text(a, path, copy, visit, self);
}

static bool is_manifest(const char *name)
{
    return name[0] != '.'
        && (str_has_suffix(name, ".yaml") || str_has_suffix(name, ".yml")
            || str_has_suffix(name, ".json"));
}

static int by_name(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

static Err *visit_folder(Arena *a, const char *path, DIR *folder, ManifestVisit *visit, void *self)
{
    const char **names = arena_array(a, const char *, MANIFEST_FILES_MAX);
    const struct dirent *entry;
    size_t count = 0;

    while ((entry = readdir(folder)))
        if (is_manifest(entry->d_name) && count < MANIFEST_FILES_MAX)
            names[count++] = str_copy(a, entry->d_name);
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++)
        TRY(visit_file(a, str_format(a, "%s/%s", path, names[i]), visit, self));
    return count ? OK : err_terminal(a, "%s: there is no .yaml file in this folder", path);
}

Err *manifest_each(Arena *a, const char *path, ManifestVisit *visit, void *self)
{
    DIR *folder = opendir(path);

    if (!folder)
        return errno == ENOTDIR ? visit_file(a, path, visit, self)
                                : err_terminal(a, "%s: %s", path, strerror(errno));
    Err *err = visit_folder(a, path, folder, visit, self);
    closedir(folder);
    return err;
}
