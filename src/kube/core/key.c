/* Keys. The empty namespace and the absent one are the same thing everywhere: objects say it with
 * an absent member, texts with no slash. */
#include "kube/key.h"

#include "base/str.h"

#include <string.h>

bool key_eq(Key left, Key right)
{
    bool left_bare = str_empty(left.namespace);

    if (left_bare != str_empty(right.namespace))
        return false;
    return (left_bare || str_eq(left.namespace, right.namespace)) && str_eq(left.name, right.name);
}

const char *key_text(Arena *a, Key key)
{
    const char *name = key.name ? key.name : "";

    if (str_empty(key.namespace))
        return str_copy(a, name);
    return str_format(a, "%s/%s", key.namespace, name);
}

Key key_parse(Arena *a, const char *text)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    if (!slash)
        return (Key){.name = str_copy(a, text)};
    return (Key){
        .namespace = str_slice(a, text, (size_t)(slash - text)),
        .name = str_copy(a, slash + 1),
    };
}

Key key_copy(Arena *a, Key key)
{
    return (Key){.namespace = str_copy(a, key.namespace), .name = str_copy(a, key.name)};
}
