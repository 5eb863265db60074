/* RetryAfter: the header with which a busy server says when to come back. */
#ifndef KUBE_CLIENT_RETRY_AFTER_H
#define KUBE_CLIENT_RETRY_AFTER_H

#include <stdint.h>

enum { RETRY_AFTER_MAX_S = 24 * 60 * 60 };

/* Milliseconds from now that a Retry-After asks for: whole seconds, or a date as HTTP writes it. 0
 * when it is absent (NULL), in the past or unreadable; at most a day. */
int64_t retry_after_ms(const char *text, int64_t wall_ms);

#endif
