/* Objects as the server handles them: put together anew with the metadata that is the server's own,
 * and compared by their parts. Pure. */
#ifndef WORLD_OBJECT_H
#define WORLD_OBJECT_H

#include "base/json.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stdint.h>

/* The metadata that no client decides. */
typedef struct Stamp {
    const char *api_version, *kind;
    Key key;
    const char *uid;
    uint64_t version;   /* 0: none, as in the answer to a dry run */
    int64_t generation; /* 0: none */
    const char *created;
    const char *deleted; /* when it goes, or NULL */
    bool has_grace;
    int64_t grace_seconds;
} Stamp;

/* The stamp that an object has. */
Stamp object_stamp(const Json *object);

/* The object under a stamp: kind and metadata first, in the API's order; what is empty in the
 * metadata is left out, as is whatever the API does not know there. */
const Json *object_stamped(Arena *a, const Json *object, const Stamp *stamp);

/* The object with one member of the top replaced, added, or (NULL) without it. */
const Json *object_with(Arena *a, const Json *object, const char *member, const Json *value);

/* The same one level deeper, in the object at that member: metadata.labels, spec.replicas. */
typedef struct MemberPath {
    const char *outer, *inner;
} MemberPath;
const Json *object_with_inner(Arena *a, const Json *object, MemberPath path, const Json *value);

/* The value as JSON, for object_with. */
const Json *object_text(Arena *a, const char *text);
const Json *object_number(Arena *a, int64_t number);

/* True when the two say the same, but for times in managedFields and the version. */
bool object_same(const Json *left, const Json *right);

/* True when anything differs outside of apiVersion, kind and metadata, and, if it has a life of
 * its own, outside of status. */
bool object_wants_differ(const Json *left, const Json *right, bool without_status);

#endif
