/* OpenAPI: the documents from which clients learn what objects look like: kubectl explain, and
 * whether the server checks unknown fields itself.
 *
 * Custom kinds are described by the schemas of their definitions, built-in ones by the tables of
 * the world: so what no table knows is not described. Patches of built-in kinds are not said to
 * take strategic merge patches, though they do: kubectl then works them out from what it knows of
 * these kinds itself, instead of from tables that know less. */
#ifndef SANDBOX_OPENAPI_H
#define SANDBOX_OPENAPI_H

#include "base/bytes.h"
#include "base/json.h"
#include "world/server.h"

/* The document at "/openapi/v3" (the index), "/openapi/v3/api/v1" or
 * "/openapi/v3/apis/GROUP/VERSION", or NULL when there is none. Those of the index are named with
 * hashes, which change as they do; a query behind the path is not part of it. */
const Json *openapi_find(Arena *a, const Server *s, const char *path);

/* /openapi/v2 with no kinds in it: kubectl asks for it only to look what it can leave to the
 * server, and in protobuf. */
extern const char openapi_v2_type[];
Bytes openapi_v2(void);

#endif
