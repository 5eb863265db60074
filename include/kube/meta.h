/* Meta: what every Kubernetes object says about itself. All getters accept NULL and give NULL, 0 or
 * false for what is absent. */
#ifndef KUBE_META_H
#define KUBE_META_H

#include "base/draft.h"
#include "base/json.h"
#include "kube/key.h"
#include "kube/kind.h"

#include <stdbool.h>
#include <stdint.h>

/* metadata.name, namespace, uid, resourceVersion, deletionTimestamp as they stand there. */
const char *meta_name(const Json *object);
const char *meta_namespace(const Json *object);
const char *meta_uid(const Json *object);
const char *meta_resource_version(const Json *object);
const char *meta_deletion_timestamp(const Json *object);

/* metadata.generation, 0 when absent. */
int64_t meta_generation(const Json *object);

/* Namespace and name, borrowed from the object. */
Key meta_key(const Json *object);

/* One label or annotation, by its exact key. */
const char *meta_label(const Json *object, const char *key);
const char *meta_annotation(const Json *object, const char *key);

/* A deletionTimestamp is set. */
bool meta_deleting(const Json *object);

/* The finalizer is in the list. */
bool meta_has_finalizer(const Json *object, const char *finalizer);

/* The one owner reference with controller: true, or NULL. */
const Json *meta_controller(const Json *object);

/* The controller reference names exactly this owner's UID. False when either UID is absent. */
bool meta_controlled_by(const Json *object, const Json *owner);

/* Any owner reference names this owner's UID. */
bool meta_owned_by(const Json *object, const Json *owner);

/* A controller owner reference to `owner`, blocking its foreground deletion. */
Draft *meta_owner_reference(Arena *a, const Kind *kind, const Json *owner);

/* The owner references without that of this UID. */
const Json *meta_other_owners(Arena *a, const Json *object, const char *owner_uid);

/* A JSON patch that takes the owner of this UID off, with tests that fail when the object is not as
 * it was seen; NULL when it is not an owner. */
const Json *meta_remove_owner_patch(Arena *a, const Json *object, const char *owner_uid);

/* JSON patches of one finalizer, each with a test that fails when the list is not the one seen in
 * `object`; NULL when there is nothing to do. */
const Json *meta_add_finalizer_patch(Arena *a, const Json *object, const char *finalizer);
const Json *meta_remove_finalizer_patch(Arena *a, const Json *object, const char *finalizer);

/* The hash of the fields that our field manager owns, as the cache computed it when the object
 * arrived (hash_owned); NULL on objects that do not come from a cache whose watch names a manager,
 * or that we never applied. */
const char *meta_owned_hash(const Json *object);

/* The member of a cached object in which that hash is kept: no Kubernetes object has one of that
 * name. */
#define META_OWNED_HASH_MEMBER "$ownedHash"

/* Whether our field manager's apply owns spec.replicas, as the cache saw it when the object
 * arrived. False once somebody has used the scale subresource, and on objects that do not come from
 * a cache whose watch names a manager. */
bool meta_owns_replicas(const Json *object);

/* The same, asked of a live object with its managedFields. */
bool meta_applied_replicas(const Json *live, const char *manager);

/* The member of a cached object in which that is kept. */
#define META_OWNS_REPLICAS_MEMBER "$ownsReplicas"

/* Orders two resourceVersions as the unsigned numbers that they are, of any length: <0, 0, >0. NULL
 * and "" come first. Text that is no number is ordered after every number, by bytes. */
int meta_version_compare(const char *left, const char *right);

#endif
