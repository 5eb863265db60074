/* Color: select graphic rendition, as every terminal since the seventies has it. */
#include "cli/color.h"

#include "base/str.h"

const char *color_paint(Arena *a, bool is_welcome, Color color, const char *text)
{
    static const char *const codes[COLOR_COUNT] = {
        [COLOR_GOOD] = "32",
        [COLOR_BUSY] = "33",
        [COLOR_BAD] = "31",
        [COLOR_DIM] = "2",
        [COLOR_BOLD] = "1",
    };

    if (!is_welcome || !codes[color])
        return text;
    return str_format(a, "\033[%sm%s\033[0m", codes[color], text);
}
