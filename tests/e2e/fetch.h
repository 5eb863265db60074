/* Fetch: one HTTP request on libcurl, for the launcher's own needs: is it ready, compact, give me a
 * token. Deliberately not the house's client: what is under test must not be what holds the test
 * up. */
#ifndef TESTS_E2E_FETCH_H
#define TESTS_E2E_FETCH_H

#include "base/err.h"

#include <stdint.h>

typedef struct Fetch {
    const char *url;
    const char *method;    /* NULL: POST of a body, else GET */
    const char *body;      /* JSON; or NULL */
    const char *type;      /* of the body; NULL: application/json */
    const char *accept;    /* the form of the answer; NULL: any */
    const char *ca_file;   /* whom to trust */
    const char *cert_file; /* and who we are */
    const char *key_file;
    const char *token;  /* or by this; NULL: neither */
    int64_t timeout_ms; /* 0: 10,000 */
} Fetch;

/* Carries it out and gives the body, NUL-terminated. ERR_RETRY without an answer; ERR_FAILED, with
 * the status and the body, for one that is not 2xx. */
Err *fetch(Arena *a, const Fetch *request, const char **ret_body) MUST_CHECK;

/* The same for whoever wants any answer: OK whatever the status is. */
Err *fetch_any(Arena *a, const Fetch *request, int *ret_status, const char **ret_body) MUST_CHECK;

#endif
