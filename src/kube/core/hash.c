/* Hashes of JSON values, cut to the length of a Kubernetes label that people can still read. */
#include "kube/hash.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/core/owned.h"

const char *hash_json(Arena *a, const Json *v)
{
    char digits[SHA256_HEX_SIZE];

    sha256_hex(json_canonical(a, v), digits);
    return str_slice(a, digits, HASH_SIZE - 1);
}

const Json *hash_owned_part(Arena *a, const Json *object, const char *manager)
{
    return owned_part(a, object, manager);
}

const char *hash_owned(Arena *a, const Json *object, const char *manager)
{
    const Json *part = owned_part(a, object, manager);

    return part ? hash_json(a, part) : NULL;
}

uint64_t hash_owned_source(Arena *a, const Json *object, const uint64_t secret[2])
{
    return json_digest(object, json_paths(a, owned_passes_by), secret);
}

const Json *hash_rendered_part(Arena *a, const Json *rendered)
{
    return owned_part_of_rendered(a, rendered);
}

const char *hash_owned_of_rendered(Arena *a, const Json *rendered)
{
    const Json *part = owned_part_of_rendered(a, rendered);

    return part ? hash_json(a, part) : "too large to compare";
}
