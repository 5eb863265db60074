/* Protobuf: the few objects that kubectl sends in it whatever a server says it takes: those of its
 * `create`, `auth` and `drain`. All else is asked for in JSON.
 *
 * What is not in the tables is refused, not dropped: half an object would be another object. */
#ifndef SANDBOX_PROTOBUF_H
#define SANDBOX_PROTOBUF_H

#include "base/bytes.h"
#include "base/json.h"

/* "application/vnd.kubernetes.protobuf" */
extern const char protobuf_type[];

/* The object in an envelope of Kubernetes, in the arena; bytes become base64, as in its JSON.
 * ERR_TERMINAL says what is malformed, or what no table knows. */
Err *protobuf_read(Arena *a, Bytes bytes, const Json **ret) MUST_CHECK;

#endif
