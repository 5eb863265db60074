/* Page: text that grows, compared with a file in the end. */
#include "tests/docs/page.h"

#include "base/str.h"

#include <stdarg.h>
#include <string.h>

#define DOCS "../../docs/" /* as golden files see it */

enum { PAGE_MAX = 1 << 20 };

void say(Page *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const char *text = str_vformat(p->arena, format, args);
    va_end(args);
    then_true(buf_append(&p->text, text, strlen(text)));
}

Page page_open(Arena *a, const char *test, const char *title, const char *intro)
{
    Page p = {.arena = a, .text = {.ceiling = PAGE_MAX}};

    say(&p,
        "<!-- Made from the source by tests/docs/%s.c: edit there. -->\n\n# %s\n\n%s\n",
        test,
        title,
        intro);
    return p;
}

void then_page(Page *p, const char *name)
{
    const char *text = str_copy(p->arena, p->text.data);

    buf_close(&p->text);
    then_golden_text(p->arena, text, str_format(p->arena, DOCS "%s", name));
}
