/* FieldManagers: metadata.managedFields, read and written: which manager owns what. */
#ifndef SRC_WORLD_FIELDS_MANAGED_H
#define SRC_WORLD_FIELDS_MANAGED_H

#include "world/fields.h"
#include "world/fields_set.h"

enum {
    FIELD_MANAGERS_MAX = 1024, /* entries of one object; the server keeps 10 that update */
};

typedef struct FieldManager {
    const char *manager;
    const char *api_version;
    const char *subresource; /* NULL for the object itself */
    const char *time;        /* may be NULL */
    const FieldSet *set;     /* NULL: it owns nothing and has no entry */
    const Json *encoded;     /* the fieldsV1 of `set` when that is at hand, or NULL */
    bool applies;            /* Apply; else Update */
} FieldManager;

typedef struct FieldManagers {
    Arena *arena;
    FieldManager *items;
    size_t count, capacity;
} FieldManagers;

/* Reads the list; an entry that is none makes all of it nothing, as in the server. */
FieldManagers fieldmanagers_decode(Arena *a, const Json *entries);

/* The entry of a writer, which is made when there is none. An Update is told apart by its
 * apiVersion, too. The pointer holds until the next call. */
FieldManager *fieldmanagers_get(FieldManagers *m, const FieldWriter *writer, bool applies);

/* Replaces what a manager owns. */
void fieldmanager_own(FieldManager *manager, const FieldSet *set);

/* Folds the oldest updates together while there are more than the server keeps. */
void fieldmanagers_cap(FieldManagers *m);

/* Writes the list in the server's order; NULL when nobody owns anything. */
const Json *fieldmanagers_encode(FieldManagers *m);

/* "\"kubectl\" using v1": how messages call a manager. */
const char *fieldmanager_text(Arena *a, const FieldManager *manager);

/* The order in which messages name managers. */
int fieldmanager_compare(const FieldManager *left, const FieldManager *right);

#endif
