/* Http: the calls of the port. */
#include "kube/http.h"

Err *http_start(Http *h, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    return h->start(h, a, call, sink, ret);
}

void http_cancel(Http *h, HttpId id)
{
    h->cancel(h, id);
}

Err *http_poll(Http *h, Arena *a, int64_t timeout_ms)
{
    return h->poll(h, a, timeout_ms);
}

void http_wake(Http *h)
{
    h->wake(h);
}

void http_close(Http *h)
{
    if (h)
        h->close(h);
}
