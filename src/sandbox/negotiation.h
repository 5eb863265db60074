/* Negotiation: in which form a client wants its answer, read from its Accept header as the real
 * server reads it.
 *
 * This server speaks JSON alone: protobuf and YAML are passed over, and a client that takes
 * nothing else is told so (406), where the real server would serve it. */
#ifndef SANDBOX_NEGOTIATION_H
#define SANDBOX_NEGOTIATION_H

#include "base/json.h"

typedef enum Form {
    FORM_PLAIN,          /* the object, list or document itself */
    FORM_TABLE,          /* as=Table */
    FORM_METADATA,       /* as=PartialObjectMetadata, of one object */
    FORM_METADATA_LIST,  /* as=PartialObjectMetadataList */
    FORM_DISCOVERY,      /* as=APIGroupDiscoveryList: everything at once */
    FORM_NOT_ACCEPTABLE, /* 406 */
} Form;

/* What is asked for decides what it can be turned into. */
typedef enum Endpoint {
    ENDPOINT_RESOURCE,  /* objects, lists and watches of a kind */
    ENDPOINT_DISCOVERY, /* /api and /apis */
    ENDPOINT_DOCUMENT,  /* anything else */
} Endpoint;

typedef struct Negotiated {
    Form form;
    const char *version; /* of meta.k8s.io, for tables and metadata: "v1" or "v1beta1" */
} Negotiated;

/* What the header asks for; NULL and "" take anything. Of more than 32 clauses the rest is
 * ignored. */
Negotiated negotiate(Arena *a, const char *accept, Endpoint endpoint);

/* The Status of a 406. */
const Json *negotiation_refusal(Arena *a);

#endif
