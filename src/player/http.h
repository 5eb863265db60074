/* Http: as much of HTTP/1.1 as the clients of a pod use: requests come out of bytes, answers become
 * bytes. Pure; the sockets are in doors.c. */
#ifndef PLAYER_HTTP_H
#define PLAYER_HTTP_H

#include "base/bytes.h"
#include "world/sidecar_door.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    HTTP_HEAD_MAX = 32 << 10,
    HTTP_BODY_MAX = 2 << 20,
};

typedef enum HttpState {
    HTTP_MORE, /* it goes on */
    HTTP_DONE,
    HTTP_BAD, /* no request that is understood: 400, and close */
} HttpState;

typedef struct HttpRequest {
    SidecarRequest request; /* without now_ms; in the arena, the body borrowed from the bytes */
    bool closes;            /* the client wants the connection closed */
    size_t len;             /* of the whole request, in bytes */
} HttpRequest;

/* Reads the request at the beginning of the bytes. */
HttpState http_parse(Arena *a, Bytes bytes, HttpRequest *ret);

/* Appends an answer. False when the buffer is full. */
bool http_write(Buf *out, const SidecarAnswer *answer, bool is_head, bool closes) MUST_CHECK;

#endif
