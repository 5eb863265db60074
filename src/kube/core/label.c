/* What keys and values of labels may be, as the API server has it. */
#include "kube/core/label.h"

#include <stddef.h>
#include <string.h>

enum { NAME_MAX_LEN = 63, PREFIX_MAX_LEN = 253 };

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* 1 to 63 letters, digits, "-", "_", ".", beginning and ending with a letter or digit. */
static bool is_name(const char *text, size_t len)
{
    if (len == 0 || len > NAME_MAX_LEN || !is_alphanumeric(text[0])
        || !is_alphanumeric(text[len - 1]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alphanumeric(text[i]) && !strchr("-_.", text[i]))
            return false;
    return true;
}

/* A DNS subdomain: lower-case labels with dots between them. */
static bool is_prefix(const char *text, size_t len)
{
    char before = '.';

    if (len == 0 || len > PREFIX_MAX_LEN)
        return false;
    for (size_t i = 0; i < len; before = text[i++]) {
        bool letter = is_alphanumeric(text[i]) && !(text[i] >= 'A' && text[i] <= 'Z');
        bool inner =
            (text[i] == '-' && before != '.') || (text[i] == '.' && before != '.' && before != '-');
        if (!letter && !inner)
            return false;
    }
    return before != '.' && before != '-';
}

bool label_is_key(const char *text)
{
    const char *slash = strchr(text, '/');
    const char *name = slash ? slash + 1 : text;

    return is_name(name, strlen(name)) && (!slash || is_prefix(text, (size_t)(slash - text)));
}

bool label_is_value(const char *text)
{
    return !*text || is_name(text, strlen(text));
}
