/* Catalog: the kinds that a server serves, as clients are told of them: in order, with the names
 * and verbs that people use. Discovery and OpenAPI are written from it.
 *
 * Of a custom kind everything stands in its definition; what the built-in ones are called for short
 * only Kubernetes' own code says, so there is a table of it here. */
#ifndef SANDBOX_CATALOG_H
#define SANDBOX_CATALOG_H

#include "base/arena.h"
#include "world/server.h"

#include <stdbool.h>
#include <stddef.h>

enum { CATALOG_SUBRESOURCES_MAX = 8 };

/* Lists of texts end with NULL. */
typedef struct Subresource {
    const char *name;                   /* "scale"; NULL ends a table */
    const char *group, *version, *kind; /* of what it answers with; NULL: that of the resource */
    const char *const *verbs;
} Subresource;

typedef struct CatalogRow {
    Served served;
    const char *singular;
    const char *const *short_names, *const *categories, *const *verbs;
    Subresource subresources[CATALOG_SUBRESOURCES_MAX];
    size_t subresource_count;
} CatalogRow;

/* In the order of groups, then of versions from the most stable, then of names: so each version of
 * a group is one run of rows. */
typedef struct Catalog {
    CatalogRow *rows;
    size_t count;
} Catalog;

/* What is served now. Borrowed from the server until the next write to a definition. */
Catalog catalog_of(Arena *a, const Server *s);

/* The row behind the last one of the same group, or group and version, as that of `first`. */
size_t catalog_group_end(const Catalog *c, size_t first);
size_t catalog_version_end(const Catalog *c, size_t first);

#endif
