/* Hall: libmicrohttpd without a thread of its own. The library calls back from within hall_poll
 * alone: once with the headers, then with each part of the body, and once when the request is
 * whole. */
#include "kube/serve/hall.h"

#include "base/str.h"
#include "kube/serve/bearer.h"
#include "kube/serve/hall_guest.h"
#include "kube/serve/listener.h"
#include "kube/serve/peer.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 1000,
    TIMEOUT_S = 60,
    REQUEST_MEMORY = 32 << 10,
    STREAM_BLOCK = 16 << 10,
    BODY_MAX = 3 << 20,
    HELD_MAX = 256 << 20,
    DISCARD_FACTOR = 8, /* so many times the largest body is read and thrown away */
    ANSWER_MAX = 256 << 20,
    LEAVING_AT_ONCE = 64, /* guests whose leave one poll takes in */
    CLOSING_ROUNDS = 3,
    ROUNDS_MAX = 8,
};

/* --- requests */

static const char *header_of(HallGuest *g, const char *name)
{
    const char *value = MHD_lookup_connection_value(g->connection, MHD_HEADER_KIND, name);

    return value ? value : "";
}

/* Comes before everything else about a request, and with the bytes as they were sent. */
static void *on_target(void *self, const char *target, struct MHD_Connection *connection)
{
    HallGuest *g = hall_guest_of(connection);
    (void)self;

    if (!g)
        return NULL;
    buf_clear(&g->target, HALL_TARGET_MAX);
    g->is_target_too_long = !buf_append(&g->target, target, strlen(target));
    return g;
}

static struct MHD_Response *response_of(HallGuest *g, const HallAnswer *answer)
{
    struct MHD_Response *response;

    if (answer->stream)
        response = MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, STREAM_BLOCK, hall_guest_read, g, NULL);
    else /* The library takes it as void * and only reads: it lives as long as the guest's arena. */
        response = MHD_create_response_from_buffer(
            answer->body.len, (void *)(uintptr_t)answer->body.data, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return NULL;
    if (answer->content_type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->content_type);
    for (size_t i = 0; i < HALL_HEADERS_MAX && answer->headers[i].name; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    if (g->is_too_large)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    return response;
}

static enum MHD_Result send_answer(HallGuest *g, const HallAnswer *answer)
{
    struct MHD_Response *response = response_of(g, answer);

    if (!response)
        return MHD_NO;
    hall_guest_begin_answer(g);
    enum MHD_Result queued = MHD_queue_response(
        g->connection, answer->status ? (unsigned)answer->status : MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result take_group(
    void *self, enum MHD_ValueKind kind, const char *name, const char *value)
{
    HallRequest *request = self;
    size_t count = 0;
    (void)kind;

    while (request->as_groups[count])
        count++;
    if (count < HALL_GROUPS_MAX && value && strcasecmp(name, "Impersonate-Group") == 0)
        request->as_groups[count] = value;
    return MHD_YES;
}

static HallPeer peer_of(const HallGuest *g)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(g->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (!g->hall->certificate || !info)
        return (HallPeer){.user = ""};
    return peer_read(g->arena, info->tls_session);
}

static enum MHD_Result answer_request(HallGuest *g, const char *method)
{
    const HallOptions *o = &g->hall->options;
    HallAnswer answer = {0};
    HallRequest request = {
        .method = method,
        .target = g->target.data ? g->target.data : "",
        .bearer = bearer_of(g->connection),
        .accept = header_of(g, MHD_HTTP_HEADER_ACCEPT),
        .content_type = header_of(g, MHD_HTTP_HEADER_CONTENT_TYPE),
        .user_agent = header_of(g, MHD_HTTP_HEADER_USER_AGENT),
        .if_none_match = header_of(g, MHD_HTTP_HEADER_IF_NONE_MATCH),
        .as_user = header_of(g, "Impersonate-User"),
        .body = buf_bytes(&g->body),
        .is_too_large = g->is_too_large,
    };

    MHD_get_connection_values(g->connection, MHD_HEADER_KIND, take_group, &request);
    g->arena = arena_open(ANSWER_MAX);
    request.peer = peer_of(g);
    o->handle(o->self, g->arena, &request, &answer);
    g->stream = answer.stream;
    hall_guest_count(g, g->body.len + arena_used(g->arena));
    return send_answer(g, &answer);
}

static enum MHD_Result refuse_target(HallGuest *g)
{
    static const char why[] = "the path and query are too long\n";

    g->is_too_large = true;
    return send_answer(g,
        &(HallAnswer){
            .status = MHD_HTTP_URI_TOO_LONG,
            .content_type = "text/plain; charset=utf-8",
            .body = {why, sizeof why - 1},
        });
}

/* The headers are there. Who is answered now, before the body, loses the connection. */
static enum MHD_Result begin_request(HallGuest *g, const char *method)
{
    const char *length = header_of(g, MHD_HTTP_HEADER_CONTENT_LENGTH);
    int64_t bytes = 0;

    g->is_begun = true;
    if (g->is_target_too_long)
        return refuse_target(g);
    if (!*length || (str_to_int(length, &bytes) && bytes <= (int64_t)g->body.ceiling))
        return MHD_YES;
    g->is_too_large = true;
    return answer_request(g, method);
}

static enum MHD_Result take_in(HallGuest *g, const char *bytes, size_t len)
{
    if (!g->is_too_large && buf_append(&g->body, bytes, len)) {
        hall_guest_count(g, g->body.len);
        return MHD_YES;
    }
    g->is_too_large = true;
    buf_clear(&g->body, 0);
    hall_guest_count(g, 0);
    g->discarded += len;
    return g->discarded > DISCARD_FACTOR * g->body.ceiling ? MHD_NO : MHD_YES;
}

/* NOLINTNEXTLINE(readability-function-size): the signature is libmicrohttpd's. */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *path,
    const char *method, const char *version, const char *upload, size_t *upload_size,
    void **request)
{
    HallGuest *g = *request;
    (void)self, (void)connection, (void)path, (void)version;

    if (!g)
        return MHD_NO;
    if (!g->is_begun)
        return begin_request(g, method);
    if (*upload_size == 0)
        return answer_request(g, method);
    size_t len = *upload_size;
    *upload_size = 0;
    return take_in(g, upload, len);
}

static void on_completed(void *self, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode code)
{
    (void)self, (void)connection, (void)code;
    if (*request)
        hall_guest_finish(*request);
    *request = NULL;
}

/* --- opening and closing */

static struct MHD_Daemon *start(Hall *h, int fd)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
    /* As in serve.c: each connection is shown its own certificate. */
    struct MHD_OptionItem with_tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, certificate_none()},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(intptr_t)CERTIFICATE_PRIORITIES},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem without_tls[] = {{MHD_OPTION_END, 0, NULL}};

    return MHD_start_daemon(h->certificate ? flags | MHD_USE_TLS : flags,
        0,
        NULL,
        NULL,
        on_request,
        h,
        MHD_OPTION_LISTEN_SOCKET,
        fd,
        MHD_OPTION_CONNECTION_LIMIT,
        h->options.connections_max + HALL_SPARE,
        MHD_OPTION_CONNECTION_TIMEOUT,
        h->options.timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_MEMORY,
        MHD_OPTION_STRICT_FOR_CLIENT,
        1,
        MHD_OPTION_URI_LOG_CALLBACK,
        on_target,
        h,
        MHD_OPTION_NOTIFY_COMPLETED,
        on_completed,
        h,
        MHD_OPTION_NOTIFY_CONNECTION,
        hall_guest_on_connection,
        h,
        MHD_OPTION_ARRAY,
        h->certificate ? with_tls : without_tls,
        MHD_OPTION_END);
}

static void set_defaults(HallOptions *o)
{
    if (o->connections_max == 0)
        o->connections_max = CONNECTIONS_MAX;
    if (o->timeout_s == 0)
        o->timeout_s = TIMEOUT_S;
    if (o->body_max == 0)
        o->body_max = BODY_MAX;
    if (o->held_max == 0)
        o->held_max = HELD_MAX;
}

static Hall *hall_new(const HallOptions *options)
{
    Arena *own = arena_open(8 << 20);
    Hall *h = arena_new(own, Hall);

    h->own = own;
    h->options = *options;
    set_defaults(&h->options);
    link_init(&h->idle);
    link_init(&h->busy);
    link_init(&h->free);
    link_init(&h->asleep);
    unsigned places = h->options.connections_max + HALL_SPARE;
    HallGuest *guests = arena_array(own, HallGuest, places);
    for (unsigned i = 0; i < places; i++) {
        guests[i].hall = h;
        guests[i].target.ceiling = HALL_TARGET_MAX;
        guests[i].body.ceiling = h->options.body_max;
        link_init(&guests[i].asleep);
        link_init(&guests[i].link);
        link_insert_before(&h->free, &guests[i].link);
    }
    return h;
}

static void discard(Hall *h)
{
    certificate_close(h->certificate);
    arena_close(h->own);
}

/* Listens and starts; what fails is closed again. */
static Err *begin(Arena *a, Hall *h)
{
    const char *address = h->options.address;
    int fd;

    TRY(listener_open(a, address, &fd, &h->port));
    h->daemon = start(h, fd); /* closes the socket when it fails */
    const union MHD_DaemonInfo *info =
        h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    h->descriptor = info ? epoll_create1(EPOLL_CLOEXEC) : -1;
    struct epoll_event moves = {.events = EPOLLIN};
    if (h->descriptor >= 0 && epoll_ctl(h->descriptor, EPOLL_CTL_ADD, info->epoll_fd, &moves) == 0)
        return OK;
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    return err_terminal(a,
        "cannot listen on '%s': libmicrohttpd did not start: %s",
        address,
        MHD_is_feature_supported(MHD_FEATURE_EPOLL) ? strerror(errno)
                                                    : "it was built without epoll");
}

Err *hall_open(Arena *a, const HallOptions *options, Hall **ret)
{
    Hall *h = hall_new(options);
    Err *err = options->tls ? certificate_open_texts(a, options->tls, &h->certificate) : OK;

    if (!err)
        err = begin(a, h);
    if (err) {
        discard(h);
        return err;
    }
    *ret = h;
    return OK;
}

static void rouse_all(Hall *h)
{
    while (!link_is_alone(&h->asleep)) {
        HallGuest *g = link_owner(HallGuest, asleep, h->asleep.next);
        g->has_left = true;
        hall_guest_rouse(g);
    }
}

void hall_close(Hall *h)
{
    if (!h)
        return;
    /* The library cannot stop while somebody is suspended. */
    for (int i = 0; i < CLOSING_ROUNDS; i++) {
        rouse_all(h);
        MHD_run(h->daemon);
    }
    rouse_all(h);
    MHD_stop_daemon(h->daemon);
    close(h->descriptor);
    discard(h);
}

/* --- moving */

/* Waits until something can be moved, and takes in who has left; how many moved. */
static int take_leaves(Hall *h, int64_t timeout_ms)
{
    struct epoll_event seen[LEAVING_AT_ONCE];
    int count = epoll_wait(h->descriptor, seen, LEAVING_AT_ONCE, (int)timeout_ms);
    int moved = count;

    for (int i = 0; i < count; i++) {
        HallGuest *g = seen[i].data.ptr;
        if (seen[i].data.ptr == h) /* nothing of ours moves there */
            moved--;
        if (!g || seen[i].data.ptr == h)
            continue;
        g->has_left = true;
        hall_guest_rouse(g);
    }
    return moved;
}

void hall_poll(Hall *h, int64_t timeout_ms)
{
    MHD_UNSIGNED_LONG_LONG limit = 0;

    if (h->is_roused)
        timeout_ms = 0;
    else if (MHD_get_timeout(h->daemon, &limit) == MHD_YES && limit < (uint64_t)timeout_ms)
        timeout_ms = (int64_t)limit;
    h->is_roused = false;
    /* One round of the library takes in ten newcomers: a crowd is not to queue behind the owner's
     * other business. */
    for (int i = 0; i < ROUNDS_MAX && take_leaves(h, i == 0 ? timeout_ms : 0) + !i > 0; i++)
        MHD_run(h->daemon);
}

void hall_stir(Hall *h)
{
    Link *next;

    for (Link *link = h->asleep.next; link != &h->asleep; link = next) {
        next = link->next;
        hall_guest_rouse(link_owner(HallGuest, asleep, link));
    }
}

/* --- looking on */

int hall_port(const Hall *h)
{
    return h->port;
}

int hall_descriptor(const Hall *h)
{
    return h->descriptor;
}

void hall_heed(Hall *h, int descriptor)
{
    struct epoll_event heeded = {.events = EPOLLIN, .data.ptr = h};

    if (epoll_ctl(h->descriptor, EPOLL_CTL_ADD, descriptor, &heeded) != 0)
        BUG("a descriptor that cannot be waited for");
}

unsigned hall_guests(const Hall *h)
{
    return h->guests;
}

size_t hall_waiting(const Hall *h)
{
    size_t count = 0;

    for (const Link *link = h->asleep.next; link != &h->asleep; link = link->next)
        count++;
    return count;
}
