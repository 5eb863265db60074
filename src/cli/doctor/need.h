/* Need: which rights somebody must have, a row each. What accounts need is what deploy/rbac gives
 * them; a test compares the two. */
#ifndef CLI_DOCTOR_NEED_H
#define CLI_DOCTOR_NEED_H

#include <stdbool.h>

/* For what a right was asked about: the member "purpose" of an answered review. */
#define NEED_OPERATOR "operator" /* of the operator's account, where its nodes are */
#define NEED_LEASE    "lease"    /* of the same, where its Lease is */
#define NEED_TOKEN    "token"    /* of the same, on the account whose tokens sidecars are shown */
#define NEED_METRICS  "metrics"  /* of the same, with --metrics-secure */
#define NEED_ROUTES   "routes"   /* of the same, where a fleet has routes */
#define NEED_SIDECAR  "sidecar"  /* of the account whose tokens sidecars are shown */
#define NEED_PROXY    "proxy"
#define NEED_PERSON   "person"
#define NEED_INSTALL  "install"

typedef struct Need {
    const char *purpose;                        /* NULL ends the table */
    const char *group, *resource, *subresource; /* subresource NULL: none */
    const char *name;  /* of one object, or NULL; who asks may know a better one */
    const char *verbs; /* separated by blanks */
    bool is_namespaced;
} Need;

extern const Need needs[];

#endif
