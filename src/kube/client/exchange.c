/* Exchange: a Request on a libcurl handle.
 *
 * The surprising thing: libcurl sends a request again by itself when a connection that it used
 * before turns out dead and no byte of an answer has come, be it a GET or a POST that the server
 * may well have carried out. before_send counts, and refuses the second time for writes unless not
 * a byte of them had left. (client.c has the whole policy.) */
#include "kube/client/exchange.h"

#include "base/str.h"
#include "kube/client/fault.h"
#include "kube/client/retry_after.h"
#include "kube/client/wire.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The API server closes connections that were idle for 90 s; we do so before. */
enum { IDLE_MAX_S = 60 };

/* No token has this number. */
#define TOKEN_NOT_TAKEN UINT64_MAX

static void must(CURLcode code)
{
    if (code)
        BUG(curl_easy_strerror(code));
}

static long info_long(const Exchange *x, CURLINFO info)
{
    long value = 0;
    must(curl_easy_getinfo(x->easy, info, &value));
    return value;
}

static int64_t now_ms(const Exchange *x)
{
    return clock_mono_ms(x->client->options.clock);
}

/* What is left of the request's time, for all that is still to be done; 1 where that is over, for 0
 * would be no limit. 0: none. */
static int64_t left_ms(const Exchange *x)
{
    int64_t left = x->timeout_ms - (now_ms(x) - x->began_ms);

    if (!x->timeout_ms)
        return 0;
    return left > 0 ? left : 1;
}

static bool is_over(const Exchange *x)
{
    return x->timeout_ms && now_ms(x) - x->began_ms >= x->timeout_ms;
}

/* --- what libcurl calls --- */

/* Of a write, which always has a body. (A head that went out late is not in libcurl's count, but a
 * server waits for the body.) */
static bool nothing_was_sent(const Exchange *x)
{
    curl_off_t body_sent = 0;
    must(curl_easy_getinfo(x->easy, CURLINFO_SIZE_UPLOAD_T, &body_sent));
    return body_sent == 0 && info_long(x, CURLINFO_REQUEST_SIZE) == 0;
}

static int before_send(void *self, char *peer_ip, char *local_ip, int peer_port, int local_port)
{
    Exchange *x = self;
    (void)peer_ip, (void)local_ip, (void)peer_port, (void)local_port;

    /* Frozen since the caller made sure of its lease, or asleep with the machine, which libcurl's
     * own clock does not count: too late. */
    x->too_late = is_over(x);
    if (x->too_late)
        return CURL_PREREQFUNC_ABORT;
    bool allowed = x->sends == 0 || (x->sends == 1 && (x->can_repeat || nothing_was_sent(x)));
    x->sends++;
    return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static int on_socket(void *self, curl_socket_t fd, curlsocktype purpose)
{
    const Exchange *x = self;
    (void)purpose;
    return wire_find_dead_peers(fd, x->client->options.dead_peer_ms) ? CURL_SOCKOPT_OK
                                                                     : CURL_SOCKOPT_ERROR;
}

static CURLcode on_tls(CURL *easy, void *context, void *self)
{
    const Exchange *x = self;
    (void)easy;
    return tls_install(&x->credentials->tls, context) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

/* One header line, or the empty line that ends a head. Interim answers (1xx) end a head, too, and
 * trailers of a chunked answer come here after the body. */
static size_t on_line(char *line, size_t size, size_t len, void *self)
{
    Exchange *x = self;
    size_t count = size * len;

    x->head_len += count;
    if (x->head_len > EXCHANGE_HEAD_MAX) {
        x->too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    bool is_end = count <= 2 && (line[0] == '\r' || line[0] == '\n');
    if (x->status || !is_end)
        return count;
    long status = info_long(x, CURLINFO_RESPONSE_CODE);
    if (status < 200)
        return count;
    x->status = (int)status;
    return !x->on_head || x->on_head(x) ? count : CURL_WRITEFUNC_ERROR;
}

static size_t on_body(char *bytes, size_t size, size_t len, void *self)
{
    Exchange *x = self;
    size_t count = size * len;

    x->body_len += count;
    x->too_long = x->body_max && x->body_len > x->body_max;
    return !x->too_long && x->on_bytes(x, bytes, count) ? count : CURL_WRITEFUNC_ERROR;
}

/* --- what stays the same for every request --- */

static void set_transport(CURL *easy, const ClientOptions *options)
{
    must(curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L));
    /* Without it a silent resolver outlasts every deadline: its thread is waited for. */
    must(curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L));
    must(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"));
    must(curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1));
    must(curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L));
    /* Not even one of the environment: see client.c. */
    must(curl_easy_setopt(easy, CURLOPT_PROXY, ""));
    must(curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms));
    must(curl_easy_setopt(easy, CURLOPT_MAXCONNECTS, 1L)); /* a replaced one is let go at once */
    must(curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)IDLE_MAX_S));
    must(curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)EXCHANGE_BUFFER));
    must(curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent));
}

/* libcurl is given no certificates: tls_install brings them, shared by all connections. A session
 * is never resumed, so every connection verifies the server anew. */
static void set_tls(Exchange *x, const Config *config)
{
    CURL *easy = x->easy;

    must(curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2));
    must(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, config->insecure ? 0L : 1L));
    must(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, config->insecure ? 0L : 2L));
    must(curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L));
    must(curl_easy_setopt(easy, CURLOPT_CAINFO, NULL));
    must(curl_easy_setopt(easy, CURLOPT_CAPATH, NULL));
    must(curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls));
    must(curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, x));
}

static void set_callbacks(Exchange *x)
{
    CURL *easy = x->easy;

    must(curl_easy_setopt(easy, CURLOPT_PRIVATE, x));
    must(curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, x->detail));
    must(curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_send));
    must(curl_easy_setopt(easy, CURLOPT_PREREQDATA, x));
    must(curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket));
    must(curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, x));
    must(curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line));
    must(curl_easy_setopt(easy, CURLOPT_HEADERDATA, x));
    must(curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body));
    must(curl_easy_setopt(easy, CURLOPT_WRITEDATA, x));
}

/* With a tls-server-name the URL has that name, so that libcurl sends and verifies it, and the
 * connection is directed to the real address. */
static void set_server_name(Exchange *x)
{
    if (!x->client->connect_to)
        return;
    x->connect_to.data = (char *)x->client->connect_to;
    must(curl_easy_setopt(x->easy, CURLOPT_CONNECT_TO, &x->connect_to));
}

void exchange_open(Exchange *x, const Client *client)
{
    x->client = client;
    x->easy = curl_easy_init();
    if (!x->easy)
        BUG("libcurl ran out of memory");
    x->url = (Buf){.ceiling = EXCHANGE_URL_MAX};
    x->auth = (Buf){.ceiling = TOKEN_BYTES_MAX + 64};
    x->tls_generation = x->credentials->tls.generation;
    x->token_generation = TOKEN_NOT_TAKEN;
    set_transport(x->easy, &client->options);
    set_tls(x, &client->config);
    set_callbacks(x);
    set_server_name(x);
}

void exchange_close(Exchange *x)
{
    curl_easy_cleanup(x->easy);
    buf_close(&x->url);
    buf_close(&x->auth);
}

/* --- one request --- */

static Err *set_url(Exchange *x, Arena *a, const Request *request)
{
    const char *path = NULL, *base = x->client->dialled;

    TRY(request_url(a, request, &path));
    buf_clear(&x->url, EXCHANGE_URL_MAX);
    if (!buf_append(&x->url, base, strlen(base)) || !buf_append(&x->url, path, strlen(path)))
        return err_terminal(
            a, "%s: its URL is longer than %d bytes", request_text(a, request), EXCHANGE_URL_MAX);
    must(curl_easy_setopt(x->easy, CURLOPT_URL, x->url.data));
    return OK;
}

static void set_body(Exchange *x, const Request *request, Bytes body)
{
    CURL *easy = x->easy;
    const char *type = request_content_type(request);

    assert(!type == !body.len);
    x->type_line[0] = '\0';
    if (!type) {
        must(curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L));
        must(curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL));
        return;
    }
    snprintf(x->type_line, sizeof x->type_line, "Content-Type: %s", type);
    must(curl_easy_setopt(easy, CURLOPT_POST, 1L));
    must(curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len));
    if (x->copies_body)
        must(curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body.data));
    else
        must(curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data));
    must(curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request_method(request)));
}

/* The lines live in the exchange and libcurl only reads them: no memory is asked for. */
static void set_lines(Exchange *x)
{
    const char *lines[EXCHANGE_LINES];
    size_t count = 0;

    lines[count++] = "Accept: application/json";
    lines[count++] = "Expect:"; /* no round trip of 100-continue before a large body */
    if (x->auth.len)
        lines[count++] = x->auth.data;
    if (x->type_line[0])
        lines[count++] = x->type_line;
    if (x->client->host_line)
        lines[count++] = x->client->host_line;
    for (size_t i = 0; i < CLIENT_IMPERSONATION_MAX && x->client->impersonation[i]; i++)
        lines[count++] = x->client->impersonation[i];
    for (size_t i = 0; i < count; i++)
        x->lines[i] = (struct curl_slist){
            .data = (char *)lines[i],
            .next = i + 1 < count ? &x->lines[i + 1] : NULL,
        };
    must(curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, x->lines));
}

/* Puts the token into its line; false when it is the one that stands there. */
static bool take_token(Exchange *x)
{
    static const char prefix[] = "Authorization: Bearer ";
    const Token *token = &x->credentials->token;

    if (x->token_generation == token->generation)
        return false;
    x->token_generation = token->generation;
    buf_clear(&x->auth, x->auth.ceiling);
    bool fits = token->text.len == 0
        || (buf_append(&x->auth, prefix, strlen(prefix))
            && buf_append(&x->auth, token->text.data, token->text.len));
    if (!fits)
        BUG("a token does not fit its line");
    return true;
}

/* Takes the newest credentials; true when they are others than before. To get them may take time:
 * libcurl has what is left of it. A new client certificate needs a new connection: the old one goes
 * on being whom it was opened as. */
static bool take_credentials(Exchange *x, bool force)
{
    client_credentials_refresh(x->credentials, now_ms(x), left_ms(x), force);
    bool other_token = take_token(x);
    bool other_tls = x->tls_generation != x->credentials->tls.generation;

    x->tls_generation = x->credentials->tls.generation;
    must(curl_easy_setopt(x->easy, CURLOPT_FRESH_CONNECT, other_tls ? 1L : 0L));
    must(curl_easy_setopt(x->easy, CURLOPT_TIMEOUT_MS, (long)left_ms(x)));
    set_lines(x);
    return other_token || other_tls;
}

static void set_limits(Exchange *x, const Request *request)
{
    const ClientOptions *options = &x->client->options;
    bool is_watch = request->verb == VERB_WATCH;

    x->body_max = is_watch ? 0 : options->body_max;
    x->timeout_ms = request->deadline_ms ? request->deadline_ms
        : is_watch                       ? 0
                                         : options->request_timeout_ms;
    /* A wish: libcurl keeps its buffer when a name did not resolve, and then refuses another. */
    (void)curl_easy_setopt(x->easy,
        CURLOPT_BUFFERSIZE,
        is_watch ? (long)EXCHANGE_WATCH_BUFFER : (long)EXCHANGE_BUFFER);
}

Err *exchange_prepare(Exchange *x, Arena *a, const Request *request)
{
    TRY(set_url(x, a, request));
    set_body(x, request, request_body(a, request));
    set_limits(x, request);
    x->began_ms = now_ms(x);
    take_credentials(x, false);
    x->too_late = is_over(x);
    x->is_write = request_is_write(request);
    x->can_repeat = request_is_safe_to_repeat(request);
    exchange_begin(x);
    return OK;
}

void exchange_begin(Exchange *x)
{
    x->sends = 0;
    x->head_len = x->body_len = 0;
    x->status = 0;
    x->too_long = false;
    x->detail[0] = '\0';
}

bool exchange_renew(Exchange *x)
{
    /* Both tries and what lies between them share one deadline: a leader counts on it. */
    return !is_over(x) && take_credentials(x, true) && !is_over(x);
}

/* --- the answer --- */

int64_t exchange_retry_after_ms(Exchange *x)
{
    struct curl_header *header = NULL;
    CURLHcode code = curl_easy_header(x->easy, "Retry-After", 0, CURLH_HEADER, -1, &header);
    const char *value = code == CURLHE_OK ? header->value : NULL;
    return retry_after_ms(value, clock_wall_ms(x->client->options.clock));
}

bool exchange_is_json(Exchange *x)
{
    static const char json[] = "application/json";
    const char *type = NULL;

    must(curl_easy_getinfo(x->easy, CURLINFO_CONTENT_TYPE, &type));
    if (!type || strncasecmp(type, json, sizeof json - 1) != 0)
        return false;
    char next = type[sizeof json - 1];
    return next == '\0' || next == ';' || next == ' ';
}

/* Adds what every error of an exchange has: the request as its frame, and whether a write may have
 * been carried out all the same. */
static Err *framed(Exchange *x, Arena *a, const Request *request, Err *err)
{
    err->outcome_unknown = x->is_write && !nothing_was_sent(x);
    return err_wrap(a, err, "%s", request_text(a, request));
}

Err *exchange_unusable(Exchange *x, Arena *a, const Request *request, const char *what)
{
    return framed(x, a, request, err_retry(a, "the answer of %s %s", x->client->address, what));
}

static Err *too_long_err(Exchange *x, Arena *a)
{
    bool in_body = x->body_len > 0;
    Err *err = err_terminal(a,
        "the answer of %s is refused: its %s is larger than %zu bytes",
        x->client->address,
        in_body ? "body" : "head",
        in_body ? x->body_max : (size_t)EXCHANGE_HEAD_MAX);

    err->too_large = in_body;
    return err;
}

/* The limit that a time-out has passed: that of connecting, unless the whole was shorter. */
static int64_t limit_ms(const Exchange *x)
{
    int64_t connect_ms = x->client->options.connect_timeout_ms;
    bool whole = x->sends > 0 || (x->timeout_ms && x->timeout_ms < connect_ms);
    return whole ? x->timeout_ms : connect_ms;
}

Err *exchange_end(Exchange *x, Arena *a, const Request *request, CURLcode code)
{
    /* A connection that ends within the head is nothing wrong to libcurl. */
    bool headless = !code && x->status == 0;
    const Fault fault = {
        .code = headless ? CURLE_GOT_NOTHING : code,
        .address = x->client->address,
        .detail = str_empty(x->detail) ? curl_easy_strerror(code) : x->detail,
        .os_error = (int)info_long(x, CURLINFO_OS_ERRNO),
        .verify_result = info_long(x, CURLINFO_SSL_VERIFYRESULT),
        .connected = x->sends > 0,
        .answered = x->status > 0,
        .timeout_ms = limit_ms(x),
    };

    if (!code && !headless)
        return OK;
    if (x->too_late)
        return framed(x,
            a,
            request,
            err_retry(a, "not sent: its %lld ms were over before", (long long)x->timeout_ms));
    return framed(x, a, request, x->too_long ? too_long_err(x, a) : fault_err(a, &fault));
}
