/* Golden files: what something looked like when a person last agreed to it. They stand below
 * tests/golden; a run with SEI_GOLDEN=write rewrites those that differ, for the next review. */
#ifndef TESTS_SEI_GOLDEN_H
#define TESTS_SEI_GOLDEN_H

#include "base/bytes.h"
#include "tests/test.h"

enum { GOLDEN_MAX = 1 << 20 };

/* The whole file; "" when there is none. */
static inline const char *file_read(Arena *a, const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = arena_alloc(a, GOLDEN_MAX);

    if (!file)
        return "";
    size_t len = fread(text, 1, GOLDEN_MAX - 1, file);
    fclose(file);
    text[len] = '\0';
    return text;
}

static inline const char *golden_path(Arena *a, const char *path)
{
    const char *root = getenv("SEI_SOURCE_ROOT");

    return str_format(a, "%s/tests/golden/%s", root ? root : ".", path);
}

static inline const char *golden_read(Arena *a, const char *path)
{
    return file_read(a, golden_path(a, path));
}

/* Whether differing files are to be rewritten; does it. */
static inline bool golden_rewrite(Arena *a, const char *path, const char *text)
{
    if (!str_eq(getenv("SEI_GOLDEN"), "write"))
        return false;
    FILE *file = fopen(golden_path(a, path), "w");
    then_true(file != NULL);
    then_true(fputs(text, file) >= 0);
    then_int(fclose(file), 0);
    return true;
}

/* The value equals the golden one, field for field. */
static inline void then_golden(Arena *a, const Json *got, const char *path)
{
    const char *want = golden_read(a, path);

    if (*want && json_equal(got, json_fixture(a, want)))
        return;
    if (!golden_rewrite(a, path, str_format(a, "%s\n", json_pretty(a, got).data)))
        test_fail(
            __FILE__, __LINE__, "not as in tests/golden/%s:\n%s", path, json_pretty(a, got).data);
}

/* The text equals the golden one. */
static inline void then_golden_text(Arena *a, const char *got, const char *path)
{
    if (!str_eq(got, golden_read(a, path)) && !golden_rewrite(a, path, got))
        test_fail(__FILE__, __LINE__, "not as in tests/golden/%s:\n%s", path, got);
}

#endif
