/* Files of the sources, found by the root that the build tells. */
#include "tests/tables.h"

#include "base/bytes.h"
#include "kube/client/file.h"
#include "tests/test.h"

enum { TEXT_MAX = 16 << 20 };

const char *table_source(Arena *a, const char *path)
{
    const char *root = getenv("SEI_SOURCE_ROOT");
    Buf text = {.ceiling = TEXT_MAX};

    then_ok(file_read(a, str_format(a, "%s/%s", root ? root : ".", path), &text, NULL));
    const char *copy = str_slice(a, text.data, text.len);
    buf_close(&text);
    return copy;
}

/* Writes out what stands in << >>. */
static const char *expand(Arena *a, const char *text)
{
    Buf out = {.ceiling = TEXT_MAX};
    const char *begin;

    while ((begin = strstr(text, "<<")) != NULL) {
        const char *end = strstr(begin, ">>");
        const char *star = end ? memrchr(begin, '*', (size_t)(end - begin)) : NULL;
        int64_t times = 0;
        then_true(star != NULL);
        then_true(str_to_int(str_slice(a, star + 1, (size_t)(end - star - 1)), &times));
        then_true(buf_append(&out, text, (size_t)(begin - text)));
        for (int64_t i = 0; i < times; i++)
            then_true(buf_append(&out, begin + 2, (size_t)(star - begin - 2)));
        text = end + 2;
    }
    then_true(buf_append(&out, text, strlen(text)));
    const char *copy = str_slice(a, out.data, out.len);
    buf_close(&out);
    return copy;
}

const Json *table_load(Arena *a, const char *path)
{
    return json_fixture(a, expand(a, table_source(a, path)));
}
