/* Resource: one kind as the server serves it: what is peculiar about it, its schema, and its
 * objects. */
#ifndef WORLD_RESOURCE_H
#define WORLD_RESOURCE_H

#include "base/err.h"
#include "base/json.h"
#include "kube/kind.h"
#include "world/history.h"
#include "world/schema.h"
#include "world/shelf.h"

#include <stdbool.h>

/* What a name of the kind may be. */
typedef enum NameRule {
    NAME_SUBDOMAIN,    /* a.b-c */
    NAME_LABEL,        /* without dots */
    NAME_LABEL_1035,   /* and beginning with a letter */
    NAME_PATH_SEGMENT, /* whatever a path can hold: "system:masters" */
} NameRule;

/* What sets a kind apart from a ConfigMap. */
typedef struct Traits {
    const Kind *kind;
    bool has_status;     /* a status subresource, and main writes that do not reach it */
    bool has_generation; /* counts changes of what is wanted */
    bool has_grace;      /* is asked to go before it goes: pods */
    bool is_custom;      /* comes from a CustomResourceDefinition */
    bool deletion_shows; /* DELETE answers with the object, not with a Status */
    bool update_needs_version;
    bool update_creates;
    bool update_counts;     /* the first one is written even if it changes nothing */
    bool has_no_dependents; /* propagation means nothing */
    bool keeps_status;      /* of a new object, too, whoever makes it */
    bool orphans;           /* unless the request says otherwise */
    bool any_finalizer;     /* its name need not be qualified */
    NameRule names;
    const char *protection;        /* a finalizer that every new object gets, or NULL */
    const char *new_status;        /* JSON of the status of a new object, or NULL */
    const char *const *selectable; /* fields beyond name and namespace, ended by NULL; or NULL */
} Traits;

/* Where the parts of a Scale stand in an object; all NULL when there is no scale subresource. */
typedef struct ScalePaths {
    const char *spec_replicas;
    const char *status_replicas;
    const char *selector; /* a text, or a LabelSelector; or NULL */
} ScalePaths;

typedef struct Resource {
    Traits traits;
    ScalePaths scale;
    Kind own_kind; /* of a custom resource: traits.kind points here */
    char api_version[KIND_API_VERSION_SIZE];
    const Schema *schema;
    const char *const *glance; /* the paths that selectors may ask for */
    Shelf *shelf;
    Packer *packer; /* NULL: of a server that packs nothing, or before the first object */
    Trail trail;
    uint64_t changed; /* the version of its last write */

    /* of a custom resource */
    const char *crd_name;   /* NULL of a built-in one */
    const Json *definition; /* the same */
    Arena *arena;           /* its description */
    bool is_closing;        /* its definition is on its way out */
    bool is_gone;           /* its definition is gone: it is not served */
    uint32_t epoch;         /* how often it went: watches of an older one have ended */
} Resource;

/* Row by row the built-in kinds; NULL behind the last. */
const Traits *resource_built_in(size_t row);

/* A resource of these traits with an empty shelf. */
Resource *resource_open(Slab *slab, const Traits *traits);
void resource_close(Slab *slab, Resource *r);

/* ERR_TERMINAL says why a CustomResourceDefinition describes no kind that can be served. */
Err *resource_check_custom(Arena *a, const Json *crd) MUST_CHECK;

/* The resource that a CustomResourceDefinition describes, and one that is described anew. */
Err *resource_open_custom(Arena *a, Slab *slab, const Json *crd, Resource **ret) MUST_CHECK;
Err *resource_describe(Arena *a, Slab *slab, Resource *r, const Json *crd) MUST_CHECK;

/* Whether a request for that kind means this resource. */
bool resource_serves(const Resource *r, const Kind *kind);

/* "statefulsets.apps" and "StatefulSet.apps": how messages name it. */
const char *resource_plural(Arena *a, const Resource *r);
const char *resource_singular(Arena *a, const Resource *r);

#endif
