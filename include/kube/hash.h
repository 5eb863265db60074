/* Hash: what a JSON value is, in 16 hex digits: SHA-256 of its canonical form, cut. Equal values
 * have equal hashes, whatever the order of their members. */
#ifndef KUBE_HASH_H
#define KUBE_HASH_H

#include "base/json.h"

enum { HASH_SIZE = 17 }; /* 16 digits and the NUL */

/* The hash of a value; NULL hashes as null. */
const char *hash_json(Arena *a, const Json *v);

/* The object pruned to what the managedFields entry of `manager` with operation Apply and no
 * subresource says is the manager's, without the metadata that identifies it (name, namespace;
 * apiVersion and kind are kept out too). Comparable with hash_owned_of_rendered for what that
 * manager would apply. NULL when there is no such entry. */
const Json *hash_owned_part(Arena *a, const Json *object, const char *manager);

/* The hash of hash_owned_part, or NULL. */
const char *hash_owned(Arena *a, const Json *object, const char *manager);

/* The hash that hash_owned would give on an object in which the server stored exactly what
 * `rendered` applies. */
const char *hash_owned_of_rendered(Arena *a, const Json *rendered);

#endif
