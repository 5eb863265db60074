/* The Http port over a libcurl multi handle.
 *
 * Answers are small and are gathered whole, so sinks are called when no bytes move, and may start
 * and cancel exchanges as they like. What libcurl may send a second time by itself is said in
 * exchange.c; the same holds here: a GET, or what had not left at all. */
#include "kube/client_http.h"

#include "base/link.h"
#include "base/str.h"
#include "kube/client/mover.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

enum {
    CONNECT_TIMEOUT_MS = 3000,
    CONNECTIONS_MAX = 128,
    IDLE_MAX_S = 50, /* sidecars close what was idle for 60 s; we do so before */
    CALL_MAX = 2 << 20,
    HEAD_MAX = 64 << 10,
    BUFFER = 16 << 10,
    LINES = 6,
};

typedef struct CurlHttp {
    Http port; /* first, so that the port is this */
    Arena *arena;
    ClientHttpOptions options;
    Mover mover;
    Link live, idle;
    size_t count; /* of talks ever made */
    HttpId last_id;
} CurlHttp;

/* One exchange, or the place for one. */
typedef struct Talk {
    Link link;
    CurlHttp *owner;
    Arena *arena; /* of the call under way */
    CURL *easy;
    HttpId id;
    HttpSink *sink;
    const char *address; /* "10.0.0.7:8443" */
    struct curl_slist lines[LINES];
    int64_t deadline_ms;
    bool is_get;
    int sends; /* how often libcurl was about to send it */
    int status;
    size_t head_len, answer_max;
    bool too_long;
    Buf body;
    char detail[CURL_ERROR_SIZE];
} Talk;

static void must(CURLcode code)
{
    if (code)
        BUG(curl_easy_strerror(code));
}

static void must_multi(CURLMcode code)
{
    if (code)
        BUG(curl_multi_strerror(code));
}

static long info_long(const Talk *t, CURLINFO info)
{
    long value = 0;

    must(curl_easy_getinfo(t->easy, info, &value));
    return value;
}

/* --- what libcurl calls ------------------------------------------------------------------------
 */

static bool nothing_was_sent(const Talk *t)
{
    curl_off_t body_sent = 0;

    must(curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &body_sent));
    return body_sent == 0 && info_long(t, CURLINFO_REQUEST_SIZE) == 0;
}

static int before_send(void *self, char *peer_ip, char *local_ip, int peer_port, int local_port)
{
    Talk *t = self;
    (void)peer_ip, (void)local_ip, (void)peer_port, (void)local_port;

    bool allowed = t->sends == 0 || (t->sends == 1 && (t->is_get || nothing_was_sent(t)));
    t->sends++;
    return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* One header line, or the empty line that ends a head; interim answers (1xx) have one, too. */
static size_t on_line(char *line, size_t size, size_t len, void *self)
{
    Talk *t = self;
    size_t count = size * len;

    t->head_len += count;
    t->too_long = t->head_len > HEAD_MAX;
    if (t->too_long)
        return CURL_WRITEFUNC_ERROR;
    bool is_end = count <= 2 && (line[0] == '\r' || line[0] == '\n');
    if (is_end && !t->status && info_long(t, CURLINFO_RESPONSE_CODE) >= 200)
        t->status = (int)info_long(t, CURLINFO_RESPONSE_CODE);
    return count;
}

static size_t on_body(char *bytes, size_t size, size_t len, void *self)
{
    Talk *t = self;

    t->too_long = !buf_append(&t->body, bytes, size * len);
    return t->too_long ? CURL_WRITEFUNC_ERROR : size * len;
}

/* --- talks come and go -------------------------------------------------------------------------
 */

static void set_callbacks(Talk *t)
{
    CURL *easy = t->easy;

    must(curl_easy_setopt(easy, CURLOPT_PRIVATE, t));
    must(curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->detail));
    must(curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_send));
    must(curl_easy_setopt(easy, CURLOPT_PREREQDATA, t));
    must(curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line));
    must(curl_easy_setopt(easy, CURLOPT_HEADERDATA, t));
    must(curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body));
    must(curl_easy_setopt(easy, CURLOPT_WRITEDATA, t));
}

static void set_manners(CURL *easy, const ClientHttpOptions *options)
{
    must(curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L));
    must(curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L)); /* a silent resolver is not waited for */
    must(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http"));
    must(curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1));
    must(curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L));
    must(curl_easy_setopt(easy, CURLOPT_PROXY, "")); /* not even one of the environment */
    must(curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms));
    must(curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)IDLE_MAX_S));
    must(curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)BUFFER));
    must(curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)BUFFER));
    must(curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent));
}

static Talk *new_talk(CurlHttp *h)
{
    Talk *t = arena_new(h->arena, Talk);

    h->count++;
    link_init(&t->link);
    t->owner = h;
    t->arena = arena_open(CALL_MAX);
    t->easy = curl_easy_init();
    if (!t->easy)
        BUG("libcurl ran out of memory");
    set_manners(t->easy, &h->options);
    set_callbacks(t);
    return t;
}

static Talk *take_talk(CurlHttp *h)
{
    if (link_is_alone(&h->idle))
        return h->count < CLIENT_HTTP_EXCHANGES_MAX ? new_talk(h) : NULL;
    Talk *t = link_owner(Talk, link, h->idle.next);
    link_remove(&t->link);
    return t;
}

static void rest(Talk *t)
{
    t->id = 0;
    t->sink = NULL;
    arena_reset(t->arena);
    buf_clear(&t->body, BUFFER);
    link_remove(&t->link);
    link_insert_before(&t->owner->idle, &t->link);
}

static void retire(Talk *t)
{
    must_multi(curl_multi_remove_handle(t->owner->mover.multi, t->easy));
    rest(t);
}

static void discard(Talk *t)
{
    link_remove(&t->link);
    curl_easy_cleanup(t->easy);
    buf_close(&t->body);
    arena_close(t->arena);
}

/* --- starting ----------------------------------------------------------------------------------
 */

/* What would end a header line, or a URL, and begin something else. */
static bool is_clean(const char *text)
{
    for (const char *at = text; at && *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            return false;
    return true;
}

static Err *check_call(Arena *a, const HttpCall *call)
{
    const char *authority = call->url + strlen("http://");

    if (!str_has_prefix(call->url, "http://") || !is_clean(call->url))
        return err_terminal(a, "\"%s\" is not an http:// URL", call->url);
    if (memchr(authority, '@', strcspn(authority, "/?#")))
        return err_terminal(a, "a URL with credentials in it is not dialled");
    if (!is_clean(call->host))
        return err_terminal(a, "\"%s\" cannot be a Host header", call->host);
    if (!is_clean(call->bearer))
        return err_terminal(a, "the token has characters that a header cannot have");
    if (call->deadline_ms < 1)
        return err_terminal(a, "%s: an exchange needs a deadline", call->url);
    if (call->body.len > CALL_MAX / 2 || strlen(call->url) > HEAD_MAX
        || (call->bearer && strlen(call->bearer) > HEAD_MAX))
        return err_terminal(a, "the call is larger than anybody takes");
    return OK;
}

static void set_body(Talk *t, const HttpCall *call)
{
    if (call->body.len) {
        must(curl_easy_setopt(t->easy, CURLOPT_POST, 1L));
        /* curl asks again, whatever the method, when a kept connection turns out to be dead; a new
         * one it does not. */
        must(curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 1L));
        must(curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len));
        must(curl_easy_setopt(t->easy, CURLOPT_COPYPOSTFIELDS, call->body.data));
    } else {
        must(curl_easy_setopt(t->easy, CURLOPT_HTTPGET, 1L));
        must(curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, 0L));
    }
    must(curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, call->method));
}

static void set_lines(Talk *t, const HttpCall *call)
{
    const char *lines[LINES];
    size_t count = 0;

    lines[count++] = "Accept: application/json";
    lines[count++] = "Expect:"; /* no round trip of 100-continue */
    if (call->body.len)
        lines[count++] = "Content-Type: application/json";
    if (call->host)
        lines[count++] = str_format(t->arena, "Host: %s", call->host);
    if (call->bearer)
        lines[count++] = str_format(t->arena, "Authorization: Bearer %s", call->bearer);
    for (size_t i = 0; i < count; i++)
        t->lines[i] = (struct curl_slist){
            .data = (char *)lines[i],
            .next = i + 1 < count ? &t->lines[i + 1] : NULL,
        };
    must(curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->lines));
}

static const char *address_of(Arena *a, const char *url)
{
    const char *at = url + strlen("http://");

    return str_slice(a, at, strcspn(at, "/?#"));
}

static Err *start(Http *port, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    CurlHttp *h = (CurlHttp *)port;

    TRY(check_call(a, call));
    Talk *t = take_talk(h);
    if (!t)
        return err_terminal(a, "more than %d exchanges at once", CLIENT_HTTP_EXCHANGES_MAX);
    t->address = address_of(t->arena, call->url);
    t->deadline_ms = call->deadline_ms;
    t->is_get = str_eq(call->method, "GET");
    t->answer_max = t->body.ceiling = call->answer_max;
    t->sends = t->status = 0;
    t->head_len = 0;
    t->too_long = false;
    t->detail[0] = '\0';
    must(curl_easy_setopt(t->easy, CURLOPT_URL, call->url));
    must(curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)call->deadline_ms));
    set_body(t, call);
    set_lines(t, call);
    t->sink = sink;
    t->id = *ret = ++h->last_id;
    link_insert_before(&h->live, &t->link);
    must_multi(curl_multi_add_handle(h->mover.multi, t->easy));
    return OK;
}

static void cancel(Http *port, HttpId id)
{
    CurlHttp *h = (CurlHttp *)port;

    for (Link *link = h->live.next; link != &h->live; link = link->next) {
        Talk *t = link_owner(Talk, link, link);
        if (t->id != id)
            continue;
        retire(t);
        return;
    }
}

/* --- ending ------------------------------------------------------------------------------------
 */

static Err *timeout_err(Arena *a, const Talk *t)
{
    int64_t connect_ms = t->owner->options.connect_timeout_ms;
    long long limit = t->deadline_ms;

    if (t->sends == 0) {
        limit = t->deadline_ms < connect_ms ? t->deadline_ms : connect_ms;
        return err_retry(a, "no connection to %s within %lld ms", t->address, limit);
    }
    return err_retry(a,
        "%s did not %s within %lld ms",
        t->address,
        t->status ? "end its answer" : "answer",
        limit);
}

static Err *connect_err(Arena *a, const Talk *t)
{
    long os_error = info_long(t, CURLINFO_OS_ERRNO);

    if (os_error == ECONNREFUSED)
        return err_retry(a, "connection to %s refused", t->address);
    if (os_error == EHOSTUNREACH || os_error == ENETUNREACH)
        return err_retry(a, "no route to %s", t->address);
    return err_retry(a, "no connection to %s", t->address);
}

static Err *fault_of(Arena *a, const Talk *t, CURLcode code)
{
    if (t->too_long && t->status)
        return err_retry(a, "%s answers with more than %zu bytes", t->address, t->answer_max);
    if (t->too_long)
        return err_retry(a, "%s answers with a head of more than %d bytes", t->address, HEAD_MAX);
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return err_retry(a, "cannot resolve the host of %s", t->address);
    case CURLE_COULDNT_CONNECT:
        return connect_err(a, t);
    case CURLE_OPERATION_TIMEDOUT:
        return timeout_err(a, t);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
        return err_retry(a, "%s does not speak HTTP", t->address);
    case CURLE_OK: /* the connection ended within the head */
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_ABORTED_BY_CALLBACK:
        return err_retry(a,
            t->status ? "the answer of %s broke off" : "%s closed the connection without an answer",
            t->address);
    default:
        return err_retry(a,
            "talking to %s failed: %s",
            t->address,
            t->detail[0] ? t->detail : curl_easy_strerror(code));
    }
}

/* Tells the sink, which may start another exchange: even in this very place. */
static void finish(Talk *t, CURLcode code)
{
    HttpSink *sink = t->sink;
    SCOPED_ARENA a = arena_open(BUFFER);
    Buf body = t->body;
    HttpAnswer answer = {.status = t->status};
    const char *type = NULL;
    Err *why = OK;

    if (code || !t->status) {
        why = fault_of(a, t, code);
        why->outcome_unknown = t->sends > 0 && !nothing_was_sent(t);
    }
    must(curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type));
    answer.content_type = str_copy(a, type ? str_cut(a, type, 256) : NULL);
    answer.body = (Bytes){body.data ? body.data : "", body.len};
    t->body = (Buf){0};
    retire(t);
    sink->on_end(sink, why ? NULL : &answer, why);
    buf_close(&body);
}

static Err *poll_http(Http *port, Arena *a, int64_t timeout_ms)
{
    CurlHttp *h = (CurlHttp *)port;
    const CURLMsg *message;
    int left;

    (void)a;
    mover_move(&h->mover, timeout_ms);
    while ((message = curl_multi_info_read(h->mover.multi, &left))) {
        Talk *t = NULL;
        CURLcode code = message->data.result;
        if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t))
            BUG("a handle that is not ours");
        finish(t, code);
    }
    return OK;
}

static void wake(Http *port)
{
    mover_wake(&((CurlHttp *)port)->mover);
}

/* --- open and close ----------------------------------------------------------------------------
 */

static void close_http(Http *port)
{
    CurlHttp *h = (CurlHttp *)port;

    while (!link_is_alone(&h->live))
        retire(link_owner(Talk, link, h->live.next));
    while (!link_is_alone(&h->idle))
        discard(link_owner(Talk, link, h->idle.next));
    mover_close(&h->mover);
    arena_close(h->arena);
}

static ClientHttpOptions with_defaults(Arena *a, const ClientHttpOptions *options)
{
    ClientHttpOptions o = *options;

    o.user_agent = str_copy(a, options->user_agent);
    if (!o.connect_timeout_ms)
        o.connect_timeout_ms = CONNECT_TIMEOUT_MS;
    if (!o.connections_max)
        o.connections_max = CONNECTIONS_MAX;
    return o;
}

Http *client_http_open(const ClientHttpOptions *options)
{
    Arena *arena = arena_open(CLIENT_HTTP_EXCHANGES_MAX * sizeof(Talk) + HEAD_MAX);
    CurlHttp *h = arena_new(arena, CurlHttp);

    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        BUG("libcurl cannot start");
    h->port = (Http){
        .start = start,
        .cancel = cancel,
        .poll = poll_http,
        .wake = wake,
        .close = close_http,
    };
    h->arena = arena;
    h->options = with_defaults(arena, options);
    mover_open(&h->mover);
    must_multi(curl_multi_setopt(h->mover.multi, CURLMOPT_MAXCONNECTS, h->options.connections_max));
    must_multi(curl_multi_setopt(
        h->mover.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, h->options.connections_max));
    link_init(&h->live);
    link_init(&h->idle);
    return &h->port;
}
