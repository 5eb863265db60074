/* Tag: a number and a key as one text, for tables that find things by it. */
#ifndef KUBE_RUNTIME_TAG_H
#define KUBE_RUNTIME_TAG_H

#include "kube/key.h"

#include <stdbool.h>

enum { TAG_NAME_MAX = 253, TAG_SIZE = 2 * TAG_NAME_MAX + 16 };

/* Writes "number/namespace/name". False when the key cannot be one of a Kubernetes object: no name,
 * more than TAG_NAME_MAX bytes in either part, or a slash in one, which would let two keys share a
 * tag. */
bool tag_write(int number, Key key, char ret[TAG_SIZE]);

#endif
