/* Protobuf: the bodies that Kubernetes' own clients write for built-in kinds: kubectl does so for
 * create and auth can-i, without asking whether the server can read them.
 *
 * Only reading: answers are JSON, which every client takes. A kind or a field that no table here
 * knows is refused, never dropped. */
#ifndef SANDBOX_PROTOBUF_H
#define SANDBOX_PROTOBUF_H

#include "base/bytes.h"
#include "base/json.h"

/* The Content-Type of such a body. */
extern const char protobuf_type[];

/* The object in a body, as JSON would have it. ERR_TERMINAL names what is malformed or unknown. */
Err *protobuf_read(Arena *a, Bytes body, const Json **ret) MUST_CHECK;

#endif
