/* Hash: what a JSON value is, in 16 hex digits: SHA-256 of its canonical form, cut. Equal values
 * have equal hashes, whatever the order of their members. */
#ifndef KUBE_HASH_H
#define KUBE_HASH_H

#include "base/json.h"

enum { HASH_SIZE = 17 }; /* 16 digits and the NUL */

/* The hash of a value; NULL hashes as null. */
const char *hash_json(Arena *a, const Json *v);

/* --- is it still what we applied? --- */

/* The object pruned to what the managedFields entry of `manager` with operation Apply and no
 * subresource says is the manager's, in the form in which it equals hash_rendered_part of what that
 * manager applied, for as long as nobody touched it: without apiVersion, kind, status and the
 * metadata that identifies it; with null for every false, 0, "", {} and for what is the manager's
 * but is not there; without empty lists. NULL when there is no such entry. */
const Json *hash_owned_part(Arena *a, const Json *object, const char *manager);

/* The hash of hash_owned_part, or NULL. */
const char *hash_owned(Arena *a, const Json *object, const char *manager);

/* A number that stays the same for as long as nothing changes that hash_owned and
 * meta_applied_replicas read, whoever the manager: so a new status gives no other one. The secret
 * is that of json_digest. */
uint64_t hash_owned_source(Arena *a, const Json *object, const uint64_t secret[2]);

/* What is rendered, in the same form. It must be as the server stores it: quantities as
 * quantity_text gives them; no empty list where the list is replaced as a whole (args); and inside
 * of values that are replaced as a whole the server's defaults spelt out (fieldRef: {apiVersion:
 * v1, fieldPath: ...}), because there they count as the manager's. */
const Json *hash_rendered_part(Arena *a, const Json *rendered);

/* The hash that hash_owned gives on an object in which the server stored exactly what `rendered`
 * applies. */
const char *hash_owned_of_rendered(Arena *a, const Json *rendered);

#endif
