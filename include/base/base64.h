/* Base64: how a kubeconfig carries certificates and keys inside itself, and a Secret its values. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/bytes.h"
#include "base/err.h"

/* Decodes standard base64 with padding; line breaks between digits are skipped, as Kubernetes' own
 * reader does. The result is NUL-terminated. ERR_TERMINAL tells where the text is wrong and never
 * repeats it: it may be a key. */
Err *base64_decode(Arena *a, const char *text, Bytes *ret) MUST_CHECK;

/* Standard base64 with padding, without line breaks. */
const char *base64_encode(Arena *a, Bytes data) NEVER_NULL;

/* The alphabet of URLs without padding, as in a JWT. Decoding says where the text is wrong and
 * never repeats it. */
const char *base64url_encode(Arena *a, Bytes data) NEVER_NULL;
Err *base64url_decode(Arena *a, const char *text, Bytes *ret) MUST_CHECK;

#endif
