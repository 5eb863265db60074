/* Key: the name of one object of a known kind, and nothing about what happened to it. */
#ifndef KUBE_KEY_H
#define KUBE_KEY_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct Key {
    const char *namespace; /* NULL or "" for a cluster-scoped object */
    const char *name;
} Key;

/* Same namespace (NULL equals "") and name. */
bool key_eq(Key left, Key right);

/* "namespace/name", or "name" for a cluster-scoped object. */
const char *key_text(Arena *a, Key key);

/* The other way round: a text without a slash is a name alone. */
Key key_parse(Arena *a, const char *text);

/* A deep copy. */
Key key_copy(Arena *a, Key key);

#endif
