/* Reply: what a program answers to one GET from outside: a page of metrics, a probe. Plain data, so
 * that whoever fills it need not know who serves it. */
#ifndef KUBE_REPLY_H
#define KUBE_REPLY_H

#include "base/bytes.h"

typedef struct Reply {
    int status;               /* 200 when left 0 */
    const char *content_type; /* text/plain when NULL */
    Buf body;                 /* filled by the handler; the server gives it back */
} Reply;

#endif
