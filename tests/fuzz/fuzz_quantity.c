/* Fuzzes quantities: whatever parses is written as text of the same amount, which then stays.
 *
 * The input is one text or, cut at the first zero byte, two, which are compared. */
#include "kube/quantity.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static bool parse(Arena *a, const char *text, Quantity *ret)
{
    Err *err = quantity_parse(a, text, ret);

    must(!err || err_is(err, ERR_TERMINAL));
    return !err;
}

static void check_text(Arena *a, Quantity q)
{
    Quantity again = {0}, canonical = q;
    const char *text = quantity_text(a, q);

    must(parse(a, text, &again));
    must(quantity_compare(q, again) == 0);
    must(str_eq(quantity_text(a, again), text));

    canonical.text = NULL;
    must(parse(a, quantity_text(a, canonical), &again));
    must(quantity_compare(q, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const char *text = str_slice(a, (const char *)data, size);
    size_t len = strlen(text);
    Quantity left, right;

    if (!parse(a, text, &left))
        return 0;
    check_text(a, left);
    if (len < size && parse(a, text + len + 1, &right))
        must(quantity_compare(left, right) == -quantity_compare(right, left));
    return 0;
}
