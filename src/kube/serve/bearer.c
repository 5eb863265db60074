/* Bearer: one header. The scheme's case does not matter, nor do spaces before the token. */
#include "kube/serve/bearer.h"

#include <string.h>
#include <strings.h>

const char *bearer_of(struct MHD_Connection *connection)
{
    static const char scheme[] = "Bearer ";
    const char *value =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

    if (!value || strncasecmp(value, scheme, strlen(scheme)) != 0)
        return NULL;
    value += strlen(scheme);
    return value[strspn(value, " ")] ? value + strspn(value, " ") : NULL;
}
