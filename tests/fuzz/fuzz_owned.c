/* Fuzzes the owned part of objects: no managedFields, however hostile, does harm, the form of a
 * form is itself, and what is handed over is owned as what it was. */
#include "kube/core/handover.h"
#include "kube/hash.h"
#include "kube/meta.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static bool is_anyones(const Json *entry)
{
    (void)entry;
    return true;
}

/* The patch fits, changes nothing but the books, and is the only one. */
static void check_handover(Arena *a, const Json *object)
{
    static const Handover handover = {.to = "you", .is_from = is_anyones};
    const Json *after, *patch = handover_patch(a, object, object, &handover);

    if (!patch || !meta_resource_version(object))
        return;
    must(!json_patch(a, object, patch, &after));
    must(json_equal(json_find(after, ".metadata.name"), json_find(object, ".metadata.name")));
    must(!handover_patch(a, after, object, &handover));
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
    check_handover(a, object);
    return 0;
}
