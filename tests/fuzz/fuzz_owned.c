/* Fuzzes the owned part of objects: no managedFields, however hostile, does harm, and the form of a
 * form is itself. */
#include "kube/hash.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    const Json *object = NULL;
    Err *err = json_parse(a, (Bytes){(const char *)data, size}, &object);

    if (err || json_type(object) != JSON_OBJECT)
        return 0;
    const Json *part = hash_owned_part(a, object, "me");
    must((part == NULL) == (hash_owned(a, object, "me") == NULL));
    const Json *form = hash_rendered_part(a, object);
    must(form != NULL);
    must(json_equal(form, hash_rendered_part(a, form)));
    return 0;
}
