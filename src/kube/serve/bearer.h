/* Bearer: the token that came with a request. */
#ifndef KUBE_SERVE_BEARER_H
#define KUBE_SERVE_BEARER_H

#include <microhttpd.h>

/* The token behind "Authorization: Bearer", a secret; NULL when there is none. */
const char *bearer_of(struct MHD_Connection *connection);

#endif
