/* Warnings in a header. The texts hold names that clients made up, so nothing of them may end the
 * header or begin another one. */
#include "sandbox/warning.h"

#include "base/str.h"
#include "kube/core/text.h"

#include <stdbool.h>
#include <string.h>

enum { WARNINGS_MAX = 4096 };

static bool fits_in_header(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static void add_quoted(Text *t, const char *text)
{
    text_add(t, t->len > 0 ? ", 299 - \"" : "299 - \"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_add_byte(t, '\\');
        text_add_byte(t, *text);
    }
    text_add_byte(t, '"');
}

const char *warning_header(Arena *a, const char *const *texts)
{
    Text t = {.arena = a};

    for (; texts && *texts; texts++)
        if (fits_in_header(*texts) && t.len + 2 * strlen(*texts) < WARNINGS_MAX)
            add_quoted(&t, *texts);
    return t.len > 0 ? str_copy(a, text_seen(&t)) : NULL;
}
