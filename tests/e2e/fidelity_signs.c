/* Signs: what two servers give out differently is compared by the order in which it first appeared.
 * Everything is looked for in the text of an answer, so that messages are covered as well. */
#include "tests/e2e/fidelity.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

enum { ANSWER_MAX = 64 << 20 };

static size_t place_of(Side *side, Appeared *in, const char *value, size_t len)
{
    for (size_t i = 0; i < in->count; i++)
        if (strlen(in->values[i]) == len && memcmp(in->values[i], value, len) == 0)
            return i;
    if (in->count == FIDELITY_SEEN_MAX)
        BUG("more UIDs, versions or addresses than a sequence can have");
    in->values[in->count] = str_slice(side->arena, value, len);
    return in->count++;
}

/* How much of the text is of the shape: x hex digit, 9 digit, anything else itself; 0: it is not.
 */
static size_t shape_len(const char *text, const char *shape)
{
    size_t i = 0;

    for (; shape[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        bool fits = shape[i] == 'x' ? isxdigit(c) != 0
            : shape[i] == '9'       ? isdigit(c) != 0
                                    : c == (unsigned char)shape[i];
        if (!fits)
            return 0;
    }
    return i;
}

static size_t digits_len(const char *text)
{
    return strspn(text, "0123456789");
}

static size_t time_len(const char *text)
{
    size_t len = shape_len(text, "9999-99-99T99:99:99");

    if (len == 0 || strncmp(text, "2025", 4) < 0)
        return 0; /* what the steps themselves say is older */
    if (text[len] == '.')
        len += 1 + digits_len(text + len + 1);
    return text[len] == 'Z' ? len + 1 : 0;
}

/* Versions are known by what stands before them. */
static bool is_version(const char *start, const char *at)
{
    static const char *const befores[] = {
        "\"resourceVersion\":\"",
        "ResourceVersion in the precondition (",
        "ResourceVersion in record (",
        "ResourceVersion in object meta: ",
        NULL,
    };

    for (const char *const *each = befores; *each; each++) {
        size_t len = strlen(*each);
        if ((size_t)(at - start) >= len && memcmp(at - len, *each, len) == 0)
            return true;
    }
    return false;
}

static void append(Buf *to, const char *text, size_t len)
{
    if (!buf_append(to, text, len))
        BUG("an answer larger than any");
}

/* Puts the sign for what stands at `at` and gives its length, or 0 when it stays. */
/* NOLINTBEGIN(bugprone-assignment-in-if-condition): a ladder of tries reads best so. */
static size_t put_sign(Side *side, const char *start, const char *at, Buf *to)
{
    static const char token[] = "\"continue\":\"";
    size_t len = shape_len(at, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    const char *sign = NULL;

    if (len > 0) {
        sign = str_format(side->arena, "<uid %zu>", place_of(side, &side->uids, at, len));
    } else if ((len = time_len(at)) > 0) {
        sign = "<time>";
    } else if (is_version(start, at) && (len = digits_len(at)) > 0) {
        sign = str_format(side->arena, "<version %zu>", place_of(side, &side->versions, at, len));
    } else if (str_has_prefix(at, "\"10.") && (len = 1 + strspn(at + 1, "0123456789.")) > 8) {
        sign =
            str_format(side->arena, "\"<address %zu>", place_of(side, &side->addresses, at, len));
    } else if (str_has_prefix(at, token) && at[strlen(token)] != '"') {
        len = strlen(token) + strcspn(at + strlen(token), "\"");
        sign = "\"continue\":\"<token>";
    }
    if (sign)
        append(to, sign, strlen(sign));
    return sign ? len : 0;
}
/* NOLINTEND(bugprone-assignment-in-if-condition) */

const char *signs_for(Side *side, const char *text)
{
    Buf to = {.ceiling = ANSWER_MAX};

    for (const char *at = text; *at;) {
        size_t len = put_sign(side, text, at, &to);
        if (len == 0)
            append(&to, at, 1);
        at += len > 0 ? len : 1;
    }
    const char *copy = str_slice(side->arena, to.data ? to.data : "", to.len);
    buf_close(&to);
    return copy;
}
