/* Fault: why no whole answer came, in words that help. */
#ifndef KUBE_CLIENT_FAULT_H
#define KUBE_CLIENT_FAULT_H

#include "base/err.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

/* What is known once libcurl has given up. */
typedef struct Fault {
    CURLcode code;
    const char *address; /* "host:port" of the server */
    const char *detail;  /* libcurl's own words, or "" */
    int os_error;        /* errno of the connection attempt, or 0 */
    long verify_result;  /* OpenSSL's judgement of the server's certificate */
    bool connected;      /* the request was about to be sent, or was */
    bool answered;       /* the head of an answer had come */
    int64_t timeout_ms;  /* the limit that was passed, for CURLE_OPERATION_TIMEDOUT */
} Fault;

/* ERR_RETRY with status 0, whatever it was: certificates are renewed, servers come back. Never
 * called with CURLE_OK. */
Err *fault_err(Arena *a, const Fault *fault);

#endif
