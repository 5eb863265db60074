/* Table: objects as the rows and columns that kubectl prints, and objects cut down to their
 * metadata.
 *
 * Built-in kinds have the columns of the real server's printers, custom ones those of their
 * definition. Ages are told by the server, in text: they hold for the moment of the answer. The
 * descriptions of built-in columns are our own, and shorter. */
#ifndef SANDBOX_TABLE_H
#define SANDBOX_TABLE_H

#include "base/err.h"
#include "base/json.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct TableWish {
    const char *version; /* of meta.k8s.io, as negotiated: "v1" or "v1beta1" */
    const char *include; /* includeObject: what rows carry; NULL and "" count as "Metadata" */
    bool no_headers;     /* of all but the first event of a watch */
    int64_t now_ns;      /* ages are counted from here */
} TableWish;

/* OK, or 400 for a value of includeObject that is none. */
Err *table_check_include(Arena *a, const char *include) MUST_CHECK;

/* The Table of an object or a list of a kind. A Status comes back as it is. */
const Json *table_of(Arena *a, const Served *served, const Json *body, const TableWish *wish);

/* The PartialObjectMetadata of an object, and the list of those of a list. A Status comes back as
 * it is; 406 when the one is asked of the other. */
Err *table_metadata(Arena *a, const char *version, const Json *object, const Json **ret) MUST_CHECK;
Err *table_metadata_list(
    Arena *a, const char *version, const Json *list, const Json **ret) MUST_CHECK;

#endif
