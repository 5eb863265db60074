/* Int or percent, as Kubernetes has it: 3, "3" or "25%". */
#include "kube/int_or_percent.h"

#include "base/str.h"

#include <string.h>

static bool read_text(Arena *a, const char *text, IntOrPercent *ret)
{
    size_t digits = strspn(text, "0123456789");

    ret->percent = str_eq(text + digits, "%");
    if (digits == 0 || (text[digits] && !ret->percent))
        return false;
    return str_to_int(str_slice(a, text, digits), &ret->value);
}

Err *int_or_percent_decode(Arena *a, const Json *v, IntOrPercent *ret)
{
    const char *text = json_text(v);
    IntOrPercent read = {.value = json_int(v, "", -1)};

    if (text && !read_text(a, text, &read))
        read.value = -1;
    if (read.value < 0 || read.value > INT32_MAX)
        return err_terminal(a,
            "%s is neither a whole number nor a percentage such as \"25%%\"",
            str_cut(a, json_write(a, v).data, 64));
    *ret = read;
    return OK;
}

int64_t int_or_percent_of(IntOrPercent v, int64_t total, Rounding rounding)
{
    int64_t round_by = rounding == ROUND_UP ? 99 : 0;
    int64_t of_rest = (total % 100 * v.value + round_by) / 100;
    int64_t amount;

    if (!v.percent)
        return v.value;
    if (__builtin_mul_overflow(total / 100, v.value, &amount)
        || __builtin_add_overflow(amount, of_rest, &amount))
        return INT64_MAX;
    return amount;
}
