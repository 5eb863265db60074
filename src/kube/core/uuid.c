/* UUIDs, by libuuid. Its own source of randomness is not used: chance enters through the Rng. */
#include "kube/uuid.h"

#include <stdint.h>
#include <string.h>
#include <uuid/uuid.h>

void uuid_v4(Rng *rng, char ret[UUID_SIZE])
{
    uint64_t random[2] = {rng->next(rng), rng->next(rng)};
    uuid_t id;

    memcpy(id, random, sizeof id);
    id[6] = (unsigned char)(0x40 | (id[6] & 0x0f)); /* version 4 */
    id[8] = (unsigned char)(0x80 | (id[8] & 0x3f)); /* variant of RFC 9562 */
    uuid_unparse_lower(id, ret);
}

Err *uuid_v5(Arena *a, const char *space, const char *name, char ret[UUID_SIZE])
{
    uuid_t space_id, id;

    if (!uuid_is_valid(space) || uuid_parse(space, space_id) != 0)
        return err_terminal(a, "\"%s\" is not a UUID", space ? space : "");
    uuid_generate_sha1(id, space_id, name, strlen(name));
    uuid_unparse_lower(id, ret);
    return OK;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool uuid_is_valid(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    size_t i;

    if (!text)
        return false;
    for (i = 0; form[i] && text[i]; i++)
        if (form[i] == '-' ? text[i] != '-' : !is_hex(text[i]))
            return false;
    return !form[i] && !text[i];
}
