/* Need: which rights somebody must have, a row each. What the operator needs is what
 * deploy/rbac/operator.yaml gives it; a test compares the two. */
#ifndef CLI_DOCTOR_NEED_H
#define CLI_DOCTOR_NEED_H

#include <stdbool.h>

/* For what a right was asked about: the member "purpose" of an answered review. */
#define NEED_OPERATOR "operator"
#define NEED_PROXY    "proxy"
#define NEED_PERSON   "person"
#define NEED_INSTALL  "install"

typedef struct Need {
    const char *purpose;                        /* NULL ends the table */
    const char *group, *resource, *subresource; /* subresource NULL: none */
    const char *name;                           /* of one object, or NULL */
    const char *verbs;                          /* separated by blanks */
    bool is_namespaced;
} Need;

extern const Need needs[];

#endif
