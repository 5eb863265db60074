/* One request at a time. The handle is kept, and with it the connections: whoever polls makes one
 * TLS handshake, not a hundred in a second. */
#include "tests/e2e/fetch.h"

#include "base/bytes.h"
#include "base/str.h"

#include <curl/curl.h>

enum {
    FETCH_TIMEOUT_MS = 10000,
    FETCH_BODY_MAX = 16 << 20,
};

static size_t take(char *bytes, size_t size, size_t count, void *body)
{
    return buf_append(body, bytes, size * count) ? size * count : 0;
}

/* One for each thread that fetches, for as long as the process lives. */
static CURL *kept_handle(void)
{
    static _Thread_local CURL *handle;

    if (!handle)
        handle = curl_easy_init();
    else
        curl_easy_reset(handle); /* what was asked for; its connections stay */
    return handle;
}

static void release_headers(void *thing)
{
    curl_slist_free_all(thing);
}

static void release_body(void *thing)
{
    buf_close(thing);
}

static struct curl_slist *headers_of(Arena *a, const Fetch *request)
{
    struct curl_slist *headers = NULL;

    if (request->accept)
        headers = curl_slist_append(headers, str_format(a, "Accept: %s", request->accept));
    if (request->body)
        headers = curl_slist_append(headers,
            str_format(a, "Content-Type: %s", request->type ? request->type : "application/json"));
    return headers;
}

Err *fetch_any(Arena *a, const Fetch *request, int *ret_status, const char **ret_body)
{
    SCOPED_ARENA scratch = arena_open(1 << 16);
    Buf *body = arena_new(scratch, Buf);
    CURL *curl = kept_handle();
    struct curl_slist *headers = headers_of(scratch, request);
    char problem[CURL_ERROR_SIZE] = "";
    long status = 0;
    CURLcode code;

    body->ceiling = FETCH_BODY_MAX;
    arena_pin(scratch, release_body, body);
    arena_pin(scratch, release_headers, headers);
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl,
        CURLOPT_TIMEOUT_MS,
        (long)(request->timeout_ms ? request->timeout_ms : FETCH_TIMEOUT_MS));
    curl_easy_setopt(curl, CURLOPT_CAINFO, request->ca_file);
    curl_easy_setopt(curl, CURLOPT_SSLCERT, request->cert_file);
    curl_easy_setopt(curl, CURLOPT_SSLKEY, request->key_file);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (request->body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    if (request->method)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    if (request->token) {
        curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
        curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, request->token);
    }
    code = curl_easy_perform(curl);
    if (code != CURLE_OK)
        return err_retry(a, "%s: %s", request->url, *problem ? problem : curl_easy_strerror(code));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    *ret_body = body->len ? str_slice(a, body->data, body->len) : "";
    *ret_status = (int)status;
    return OK;
}

Err *fetch(Arena *a, const Fetch *request, const char **ret_body)
{
    const char *text = NULL;
    int status = 0;

    TRY(fetch_any(a, request, &status, &text));
    if (status < 200 || status > 299)
        return err_failed(a, "%s: status %d: %s", request->url, status, text);
    *ret_body = text;
    return OK;
}
