/* PodUrl: how a pod is dialled: by its IP, never by a name. */
#ifndef SEI_SIDECAR_POD_URL_H
#define SEI_SIDECAR_POD_URL_H

#include "base/arena.h"

/* The IP itself; NULL when it is absent or cannot be an address. Such a text is never dialled. */
const char *pod_address(const char *pod_ip);

/* "http://10.0.0.7:26657/status"; an IPv6 address stands in brackets. `path` begins with '/'. */
const char *pod_url(Arena *a, const char *address, int port, const char *path);

#endif
