/* Kube: the cluster as reconcilers see it. Reads come from the caches and never lie about the
 * caller's own writes: where a write has not come back yet, the read waits (ERR_WAIT) rather than
 * show the old state. Writes go to the server at once, and only while this process may write
 * (leader election).
 *
 * Three kindnesses so that no caller repeats them: selecting refuses an empty selector; deleting
 * what is already gone is done; and a delete names exactly what was seen. */
#ifndef KUBE_KUBE_H
#define KUBE_KUBE_H

#include "base/err.h"
#include "base/json.h"
#include "kube/ctx.h"
#include "kube/key.h"
#include "kube/kind.h"
#include "kube/request.h"
#include "kube/selector.h"

#include <stdbool.h>
#include <stddef.h>

/* Objects in the arena. */
typedef struct Objects {
    const Json **items;
    size_t count;
} Objects;

/* What is kept of an object, for those who read many large ones: made in `scratch`, and copied from
 * there. It keeps the metadata. */
typedef const Json *KubeTrim(Arena *scratch, const Json *object);

/* Which cached objects: of a namespace (NULL: every one) by label selector, or by the UID of their
 * controller. */
typedef struct Selection {
    const Kind *kind;
    const char *namespace;
    const Selector *selector; /* either this */
    const char *owner_uid;    /* or this */
    KubeTrim *trim;           /* NULL: objects are kept whole */
} Selection;

/* What people are told about an object. */
typedef struct Notice {
    const Json *regarding;
    const char *type, *reason, *note;
} Notice;

/* Is shown objects, one after the other. */
typedef struct Walker Walker;
struct Walker {
    void (*see)(Walker *self, const Json *object); /* borrowed for the call */
    const char *namespace;                         /* only those in it; NULL: all */
    bool is_done;                                  /* it has seen enough: a live walk ends */
};

/* A port: filled by the runtime, by tests, by the simulator. */
struct Kube {
    Err *(*find)(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret);
    Err *(*select)(Kube *self, Ctx *c, const Selection *selection, Objects *ret);
    Err *(*call)(Kube *self, Ctx *c, const Request *request, const Json **ret);
    void (*event)(Kube *self, Ctx *c, const Notice *notice);
    Err *(*walk)(Kube *self, Ctx *c, const Kind *kind, Walker *walker);
    bool (*serves)(
        Kube *self, const Kind *kind, const char *namespace); /* NULL: whatever is asked for */
};

/* --- cached reads
 * --------------------------------------------------------------------------------------------------
 */

/* The cached object, or NULL when there is none. ERR_WAIT while our own write of it has not been
 * seen. */
Err *kube_find(Ctx *c, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

/* All cached objects of a namespace (NULL: every one) that a label selector matches; a NULL
 * selector is ERR_TERMINAL. */
Err *kube_select(Ctx *c, const Kind *kind, const char *namespace, const Selector *selector,
    Objects *ret) MUST_CHECK;

/* All cached objects whose controller has this UID. */
Err *kube_owned(Ctx *c, const Kind *kind, const char *owner_uid, Objects *ret) MUST_CHECK;

/* The same, trimmed: memory is needed for one whole object at a time. */
Err *kube_owned_trimmed(
    Ctx *c, const Kind *kind, const char *owner_uid, KubeTrim *trim, Objects *ret) MUST_CHECK;

/* A trim: the metadata alone. */
const Json *kube_metadata_alone(Arena *scratch, const Json *object);

/* Shows all cached objects of a kind (of the walker's namespace), in no order, for whoever keeps an
 * index of its own: memory is needed for one at a time. They may be older than our own writes. */
Err *kube_walk(Ctx *c, const Kind *kind, Walker *walker) MUST_CHECK;

/* Whether the server knows a kind and shows it: false while an optional watch of it finds nothing
 * to watch. `namespace` is NULL for all that are watched. */
bool kube_is_served(Ctx *c, const Kind *kind, const char *namespace);

/* --- live calls
 * ----------------------------------------------------------------------------------------------------
 */

/* One request as given: the way for what has no function of its own. */
Err *kube_call(Ctx *c, const Request *request, const Json **ret) MUST_CHECK;

/* The object as it is now; 404 is an error. */
Err *kube_get(Ctx *c, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

/* The object as it is now; NULL when it does not exist. */
Err *kube_get_if_any(Ctx *c, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

/* Every object of a selection, page by page. ERR_TERMINAL past 100,000. A page that expires starts
 * the list anew, once. */
Err *kube_list(Ctx *c, const Request *list, Objects *ret) MUST_CHECK;

/* Shows the walker every object of a live LIST, page by page. Memory holds one page at a time: the
 * walker copies what it keeps. A page that is too large is asked for again with half as many
 * objects. A page that has expired (410) starts the walk anew, up to three times, so the walker may
 * see an object twice. `list` needs no limit; the walker's own namespace does not count. The walk
 * ends early as soon as the walker is done. */
Err *kube_walk_live(Ctx *c, const Request *list, Walker *walker) MUST_CHECK;

/* Creates the object; namespace and name come from its metadata. An existing one is an error (409
 * AlreadyExists). */
Err *kube_create(Ctx *c, const Kind *kind, const Json *object, const Json **ret) MUST_CHECK;

/* Server-side apply by `manager`. An object with metadata.uid can only update the one it names. */
typedef struct ApplyOptions {
    const char *manager;
    bool force;
    const char *subresource; /* "status" or NULL */
    const Json *seen; /* what is meant to be changed: refused (409) when it is another by now, or
                         has changed; NULL: created when it does not exist */
    bool any_version; /* what was seen may have changed meanwhile, but be no other */
} ApplyOptions;
Err *kube_apply(Ctx *c, const Kind *kind, const Json *object, ApplyOptions options,
    const Json **ret) MUST_CHECK;

/* JSON merge patch and JSON patch of what was seen: a merge patch carries the seen object's
 * resourceVersion unless the patch itself has one. */
Err *kube_merge_patch(
    Ctx *c, const Kind *kind, const Json *seen, const Json *patch, const Json **ret) MUST_CHECK;
Err *kube_json_patch(
    Ctx *c, const Kind *kind, Key key, const Json *operations, const Json **ret) MUST_CHECK;

/* Merge patch of the status subresource, locked to the resourceVersion of `seen`. */
Err *kube_patch_status(
    Ctx *c, const Kind *kind, const Json *seen, const Json *patch, const Json **ret) MUST_CHECK;

/* Deletes exactly what was seen. Already gone, or replaced by another UID, is OK. */
typedef struct DeleteOptions {
    Propagation propagation;
    bool same_version; /* only if it has not changed since it was seen */
    bool has_grace;
    int64_t grace_seconds;
} DeleteOptions;
Err *kube_delete(Ctx *c, const Kind *kind, const Json *seen, DeleteOptions options) MUST_CHECK;

/* A token of a ServiceAccount for an audience (NULL: the server's default); when it ends, as RFC
 * 3339. */
typedef struct TokenOptions {
    const char *audience;
    int64_t expiration_seconds; /* 0: the server's default */
} TokenOptions;
Err *kube_create_token(
    Ctx *c, Key service_account, TokenOptions options, const Json **ret_status) MUST_CHECK;

/* Tells people: an Event about an object. `type` is "Normal" or "Warning". Never fails and never
 * blocks; repeated ones are counted, and too many are dropped. */
void kube_event(
    Ctx *c, const Json *regarding, const char *type, const char *reason, const char *note);

#endif
