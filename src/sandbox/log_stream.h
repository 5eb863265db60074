/* LogStream: the log of a container as a stream of a hall. */
#ifndef SANDBOX_LOG_STREAM_H
#define SANDBOX_LOG_STREAM_H

#include "kube/serve/hall.h"
#include "sandbox/route.h"
#include "world/kubelet.h"

/* A stream in the arena of the pods/log that a route asks for; NULL with the refusal. */
HallStream *log_stream_open(Kubelet *k, Arena *a, const Route *route, Answer *ret_refusal);

#endif
