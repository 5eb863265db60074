/* Paths are read anew at each use: they are short, and so need no form but their text. */
#include "base/json_path.h"

#include <string.h>

static PathStep key_step(const char *key, size_t len)
{
    if (len == 0)
        BUG("a JSON path with an empty key");
    return (PathStep){.type = PATH_KEY, .key = {key, len}};
}

/* What stands between brackets; *path is behind the opening one. */
static PathStep bracket_step(const char **path)
{
    const char *begin = *path;
    bool quoted = *begin == '\'';
    const char *end = quoted ? strchr(begin + 1, '\'') : begin + strspn(begin, "0123456789");

    if (!end || end[quoted] != ']')
        BUG("a JSON path with brackets that do not close");
    *path = end + quoted + 1;
    if (quoted)
        return key_step(begin + 1, (size_t)(end - begin - 1));
    if (end == begin)
        return (PathStep){.type = PATH_EVERY};
    size_t index = 0;
    for (; begin < end; begin++)
        index = index * 10 + (size_t)(*begin - '0');
    return (PathStep){.type = PATH_INDEX, .index = index};
}

/* Keys are short: to look at each character takes less time than to prepare strcspn's table. */
static size_t key_length(const char *key)
{
    size_t len = 0;

    while (key[len] != '\0' && key[len] != '.' && key[len] != '[')
        len++;
    return len;
}

bool path_next(const char **path, PathStep *ret)
{
    const char *begin = *path;

    if (*begin == '\0')
        return false;
    *path = begin + 1;
    if (*begin == '[') {
        *ret = bracket_step(path);
        return true;
    }
    if (*begin != '.')
        BUG("a JSON path that does not begin with a dot or a bracket");
    size_t len = key_length(begin + 1);
    *path = begin + 1 + len;
    *ret = key_step(begin + 1, len);
    return true;
}
