/* The page about orders says all of them, and no others. What each does is in test_desk and
 * test_up, and in the tests of the world. */
#include "sandbox/orders.h"

#include "base/bytes.h"
#include "kube/client/file.h"
#include "tests/test.h"

enum { PAGE_MAX = 1 << 20 };

static const char *page(Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    Buf text = {.ceiling = PAGE_MAX};

    then_ok(file_read(a, str_format(a, "%s/docs/SANDBOX.md", root ? root : "."), &text, NULL));
    const char *copy = str_slice(a, text.data, text.len);
    buf_close(&text);
    return copy;
}

/* The first word of a form, or of an example. */
static const char *name_of(Arena *a, const char *line)
{
    return str_slice(a, line, strcspn(line, " `"));
}

static bool is_order(Arena *a, const char *name)
{
    const char *form;

    for (size_t i = 0; (form = orders_form(i)); i++)
        if (str_eq(name_of(a, form), name))
            return true;
    return false;
}

TEST(every_fault_command_is_documented)
{
    SCOPED_ARENA a = arena_open(PAGE_MAX * 2);
    const char *text = page(a), *form;

    for (size_t i = 0; (form = orders_form(i)); i++)
        if (!strstr(text, str_format(a, "`%s ", name_of(a, form))))
            fail_msg("docs/SANDBOX.md does not say: %s", form);
}

TEST(every_documented_fault_command_exists)
{
    SCOPED_ARENA a = arena_open(PAGE_MAX * 2);
    size_t rows = 0;

    for (const char *row = strstr(page(a), "\n| `"); row; row = strstr(row + 1, "\n| `")) {
        const char *end = strstr(row + 3, " | ");
        rows++;
        for (const char *at = row + 3; at && at < end; at = strchr(strchr(at + 1, '`') + 1, '`'))
            if (!is_order(a, name_of(a, at + 1)))
                fail_msg("docs/SANDBOX.md shows an order that is none: %s", name_of(a, at + 1));
    }
    then_true(rows > 5);
}
