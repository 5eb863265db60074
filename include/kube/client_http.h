/* The Http port over libcurl: plain HTTP/1.1, no redirects, no proxies, connections kept open for
 * the next exchange with the same server. */
#ifndef KUBE_CLIENT_HTTP_H
#define KUBE_CLIENT_HTTP_H

#include "kube/http.h"

#include <stdint.h>

enum { CLIENT_HTTP_EXCHANGES_MAX = 256 };

typedef struct ClientHttpOptions {
    const char *user_agent;     /* "name/version" */
    int64_t connect_timeout_ms; /* 0: 3,000 */
    long connections_max;       /* open at once, with those kept while idle; 0: 128 */
} ClientHttpOptions;

/* Opens the port; http_close closes it. To be called before there are threads. */
Http *client_http_open(const ClientHttpOptions *options);

#endif
