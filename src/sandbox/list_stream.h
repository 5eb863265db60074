/* ListStream: a list of the server as a stream of a hall. */
#ifndef SANDBOX_LIST_STREAM_H
#define SANDBOX_LIST_STREAM_H

#include "kube/serve/hall.h"
#include "world/server.h"

/* A stream in the arena that holds the objects until they are sent; NULL with the refusal. */
HallStream *list_stream_open(Server *s, Arena *a, const Request *request, Answer *ret);

#endif
