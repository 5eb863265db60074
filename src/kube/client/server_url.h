/* ServerUrl: where an API server is, taken apart for messages and for TLS. */
#ifndef KUBE_CLIENT_SERVER_URL_H
#define KUBE_CLIENT_SERVER_URL_H

#include "base/err.h"

#include <stdbool.h>

typedef struct ServerUrl {
    const char *base;   /* "https://host:port/prefix" without a trailing slash */
    const char *host;   /* as it stands in the URL: an IPv6 address keeps its brackets */
    const char *port;   /* never NULL: the scheme's own when the URL names none */
    const char *prefix; /* "" or "/clusters/one" */
    bool https;
} ServerUrl;

/* Takes a URL apart. ERR_TERMINAL says what is wrong with it: no http or https, no host, or a part
 * that the address of a server cannot have (user, query, fragment). */
Err *server_url_parse(Arena *a, const char *text, ServerUrl *ret) MUST_CHECK;

#endif
