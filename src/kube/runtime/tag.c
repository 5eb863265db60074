/* Tag: written by hand rather than by printf, because every event looks one up. */
#include "kube/runtime/tag.h"

#include "base/str.h"

#include <assert.h>
#include <string.h>

static bool is_part(const char *part)
{
    return strnlen(part, TAG_NAME_MAX + 1) <= TAG_NAME_MAX && !strchr(part, '/');
}

static char *write_part(char *at, const char *part)
{
    size_t len = strlen(part);
    memcpy(at, part, len);
    return at + len;
}

static char *write_number(char *at, int number)
{
    char digits[12];
    size_t count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

bool tag_write(int number, Key key, char ret[TAG_SIZE])
{
    const char *namespace = key.namespace ? key.namespace : "";

    assert(number >= 0);
    if (str_empty(key.name) || !is_part(key.name) || !is_part(namespace))
        return false;
    char *at = write_number(ret, number);
    *at++ = '/';
    at = write_part(at, namespace);
    *at++ = '/';
    at = write_part(at, key.name);
    *at = '\0';
    return true;
}
