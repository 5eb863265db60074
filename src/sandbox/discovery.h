/* Discovery: the documents that tell a client which kinds a server serves, as the real server
 * writes them. A definition that is applied or deleted shows at once.
 *
 * Left out are the hashes of storage versions, which only a migrator of storage reads. */
#ifndef SANDBOX_DISCOVERY_H
#define SANDBOX_DISCOVERY_H

#include "base/json.h"
#include "world/server.h"

#include <stdbool.h>

typedef struct DiscoveryQuestion {
    const char *path;    /* "/api", "/apis", "/api/v1", "/apis/GROUP", "/apis/GROUP/VERSION" */
    bool whole;          /* of /api and /apis: everything at once (FORM_DISCOVERY) */
    const char *address; /* where clients reach this server: "127.0.0.1:6443" */
} DiscoveryQuestion;

/* The document, or NULL when there is none at that path. A slash at its end does not matter. */
const Json *discovery_find(Arena *a, const Server *s, const DiscoveryQuestion *question);

/* The Content-Type of a document that is `whole`. */
extern const char discovery_whole_type[];

#endif
