/* The Api port over one libcurl easy handle: one caller, one kept-alive connection, one body buffer
 * that is used again and again. */
#include "kube/api.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/str.h"
#include "kube/client/exchange.h"
#include "kube/status.h"

/* What the buffer keeps between calls; most objects fit. */
enum { BODY_KEEP = 64 << 10 };

typedef struct CurlApi {
    Api port;
    Arena *arena;
    Credentials credentials;
    Exchange exchange;
    Buf body;
} CurlApi;

static bool on_bytes(Exchange *x, const char *bytes, size_t len)
{
    return buf_append(&link_owner(CurlApi, exchange, x)->body, bytes, len);
}

static CURLcode perform(CurlApi *api)
{
    exchange_begin(&api->exchange);
    buf_clear(&api->body, BODY_KEEP);
    return curl_easy_perform(api->exchange.easy);
}

/* A text such as the "ok" of /readyz, as a JSON string. */
static const Json *text_value(Arena *a, Bytes text)
{
    Draft *array = draft_array(a);
    draft_push_str(array, str_slice(a, text.data, text.len));
    return json_first(json_seal(a, array));
}

/* The answer's object. What is no JSON is an error only where JSON was promised: errors of proxies
 * are often HTML, and their status says enough. */
static Err *read_answer(CurlApi *api, Arena *a, const Request *request, Answer *ret)
{
    Exchange *x = &api->exchange;
    Bytes body = buf_bytes(&api->body);
    bool promised = x->status >= 200 && x->status < 300;

    *ret = (Answer){.status = x->status, .retry_after_ms = exchange_retry_after_ms(x)};
    if (body.len == 0)
        return OK;
    if (!exchange_is_json(x)) {
        if (request->verb == VERB_RAW_GET)
            ret->body = text_value(a, body);
        else if (promised)
            return exchange_unusable(x, a, request, "is not JSON: is it an API server?");
        return OK;
    }
    Err *err = json_parse(a, body, &ret->body);
    if (!err || !promised)
        return OK;
    Err *unusable =
        exchange_unusable(x, a, request, str_format(a, "cannot be used: %s", err_text(a, err)));
    unusable->too_large = err->too_large;
    return unusable;
}

static Err *call(Api *port, Arena *a, const Request *request, const Json **ret)
{
    CurlApi *api = link_owner(CurlApi, port, port);
    Exchange *x = &api->exchange;
    Answer answer = {0};

    TRY(exchange_prepare(x, a, request));
    CURLcode code = perform(api);
    if (!code && x->status == 401 && exchange_renew(x))
        code = perform(api);

    Err *err = exchange_end(x, a, request, code);
    if (!err)
        err = read_answer(api, a, request, &answer);
    if (!err)
        err = status_err(a, request, &answer);
    buf_wipe(&api->body); /* it may have been a Secret, or a token */
    buf_clear(&api->body, BODY_KEEP);
    if (!err)
        *ret = answer.body;
    return err;
}

Api *client_open_api(Transport *self)
{
    const Client *client = link_owner(Client, transport, self);
    Arena *arena = arena_open(sizeof(CurlApi));
    CurlApi *api = arena_new(arena, CurlApi);

    api->port.call = call;
    api->arena = arena;
    api->body.ceiling = client->options.body_max;
    api->credentials = client_credentials_copy(&client->credentials);
    api->exchange.credentials = &api->credentials;
    api->exchange.on_bytes = on_bytes;
    exchange_open(&api->exchange, client);
    return &api->port;
}

void client_close_api(Transport *self, Api *port)
{
    (void)self;
    if (!port)
        return;
    CurlApi *api = link_owner(CurlApi, port, port);
    exchange_close(&api->exchange);
    client_credentials_close(&api->credentials);
    buf_close(&api->body);
    arena_close(api->arena);
}
