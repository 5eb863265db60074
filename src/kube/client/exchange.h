/* Exchange: one request and its answer over libcurl, as Api and Streams both need it.
 *
 * It owns an easy handle and knows how a Request becomes HTTP, how credentials get into it, when
 * libcurl may send it a second time, and what the end of it means. What to do with the bytes is its
 * owner's. */
#ifndef KUBE_CLIENT_EXCHANGE_H
#define KUBE_CLIENT_EXCHANGE_H

#include "base/bytes.h"
#include "base/err.h"
#include "kube/client/shared.h"
#include "kube/request.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Exchange Exchange;

enum {
    EXCHANGE_URL_MAX = 64 << 10,
    EXCHANGE_HEAD_MAX = 64 << 10,                  /* bytes of an answer's head */
    EXCHANGE_LINES = 5 + CLIENT_IMPERSONATION_MAX, /* header lines that we set */
    EXCHANGE_TYPE_MAX = 80,                        /* bytes of our Content-Type line */
    EXCHANGE_BUFFER = 16 << 10,      /* libcurl's smallest for sending, and one TLS record */
    EXCHANGE_WATCH_BUFFER = 4 << 10, /* kept while a watch is idle; as fast, within a few percent */
};

struct Exchange {
    const Client *client;
    Credentials *credentials; /* the owner's */
    CURL *easy;

    /* The owner's, called while bytes move; false gives the answer up. on_head may be NULL. */
    bool (*on_head)(Exchange *x);
    bool (*on_bytes)(Exchange *x, const char *bytes, size_t len);
    bool copies_body; /* of the request, whose arena may go before the end */

    Buf url, auth;
    uint64_t token_generation, tls_generation;
    struct curl_slist lines[EXCHANGE_LINES];
    struct curl_slist connect_to;
    char type_line[EXCHANGE_TYPE_MAX];
    char detail[CURL_ERROR_SIZE];

    /* The request under way. */
    int64_t timeout_ms; /* for all of it; 0: none */
    int64_t began_ms;
    size_t body_max; /* bytes of the answer; 0: no limit */
    bool is_write, can_repeat;
    bool too_late; /* its time was over before it could be sent */

    /* The attempt under way. */
    int sends; /* how often libcurl was about to send it */
    size_t head_len, body_len;
    int status;    /* of the answer, once its head has ended; else 0 */
    bool too_long; /* head_len or body_len passed its limit */
};

/* Makes the handle. The owner has set credentials, on_head, on_bytes and copies_body before. */
void exchange_open(Exchange *x, const Client *client);
void exchange_close(Exchange *x);

/* Sets the handle up for a request. ERR_TERMINAL when it cannot be sent at all. */
Err *exchange_prepare(Exchange *x, Arena *a, const Request *request) MUST_CHECK;

/* After a 401: looks for newer credentials and takes them. False when there are none, so that
 * asking again is no use. */
bool exchange_renew(Exchange *x);

/* Forgets the last attempt, so that the handle can be performed, once more or for the first time.
 */
void exchange_begin(Exchange *x);

/* Retry-After of the answer in milliseconds, or 0. */
int64_t exchange_retry_after_ms(Exchange *x);

/* The answer says that it is JSON. */
bool exchange_is_json(Exchange *x);

/* What libcurl's result means: OK when the answer came whole, else ERR_RETRY framed with the
 * request, and with outcome_unknown where a write may have been carried out. ERR_TERMINAL for an
 * answer that is too large. */
Err *exchange_end(Exchange *x, Arena *a, const Request *request, CURLcode code) MUST_CHECK;

/* An error about the answer itself (no JSON, say): ERR_RETRY, framed as those of exchange_end. */
Err *exchange_unusable(Exchange *x, Arena *a, const Request *request, const char *what);

#endif
