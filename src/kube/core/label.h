/* Labels: what their keys and values may be. */
#ifndef SRC_KUBE_CORE_LABEL_H
#define SRC_KUBE_CORE_LABEL_H

#include <stdbool.h>

/* "name" or "prefix/name". */
bool label_is_key(const char *text);

/* A value; the empty one is allowed. */
bool label_is_value(const char *text);

#endif
