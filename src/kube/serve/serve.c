/* Serve: libmicrohttpd with one thread of its own, and everything about its guests bounded.
 *
 * What surprises: libmicrohttpd forgets time with every byte that arrives, so a client that sends
 * one byte now and then stays for hours. Such guests are let be until somebody else wants in: then
 * the one who has waited longest for its last whole request has to leave. All callbacks run on the
 * library's thread; only serve_close meets it, through two atomics and an eventfd. */
#include "kube/serve.h"

#include "base/arena.h"
#include "base/link.h"
#include "base/str.h"
#include "kube/serve/bearer.h"
#include "kube/serve/certificate.h"
#include "kube/serve/listener.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 64,
    CONNECTIONS_SPARE = 16, /* newcomers while others are being shown out */
    TIMEOUT_S = 10,
    REQUEST_MEMORY = 8 << 10,
    BODY_MAX = 64 << 20,
    BODY_KEEP = 256 << 10,
    CLOSE_WAIT_MS = 1000,
};

/* One connection. */
typedef struct Guest {
    Link link;
    struct MHD_Connection *connection;
    CertificatePair *shown; /* NULL without TLS */
} Guest;

struct Serve {
    Arena *own;
    ServeOptions options;
    struct MHD_Daemon *daemon;
    Certificate *certificate; /* NULL: plain HTTP */
    int port;

    /* Of the library's thread. */
    Link waiting, free; /* guests, the one who was last served longest ago first; and free places */
    unsigned guests;
    Buf body;

    atomic_uint replying;
    atomic_bool closing;
    int replied; /* an eventfd: the last reply is out, and somebody waits for that */
};

/* Guests. */

static Guest *guest_of(Link *link)
{
    return link_owner(Guest, link, link);
}

static void move_to_end(Link *list, Link *link)
{
    link_remove(link);
    link_insert_before(list, link);
}

/* Ends a connection; the library notices, and says goodbye through on_connection. */
static void show_out(Guest *guest)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(guest->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info)
        shutdown(info->connect_fd, SHUT_RDWR);
}

/* A connection is shown the certificate of its first moment. */
static void show_certificate(Serve *s, Guest *guest)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(guest->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    guest->shown =
        s->certificate && info ? certificate_show(s->certificate, info->tls_session) : NULL;
}

static void on_connection(void *self, struct MHD_Connection *connection, void **context,
    enum MHD_ConnectionNotificationCode code)
{
    Serve *s = self;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        Guest *leaving = *context;
        certificate_give_back(leaving->shown);
        move_to_end(&s->free, &leaving->link);
        s->guests--;
        return;
    }

    if (link_is_alone(&s->free))
        BUG("more connections than were allowed");
    Guest *guest = guest_of(s->free.next);
    guest->connection = connection;
    *context = guest;
    s->guests++;
    show_certificate(s, guest);
    if (s->guests > s->options.connections_max) {
        /* Shown out once, it is asked last: the next newcomer pushes another. */
        Guest *longest = guest_of(s->waiting.next);
        show_out(longest);
        move_to_end(&s->waiting, &longest->link);
    }
    move_to_end(&s->waiting, &guest->link);
}

/* Who has made a whole request goes to the end of the line. */
static void note_request(Serve *s, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
        move_to_end(&s->waiting, &((Guest *)info->socket_context)->link);
}

static void on_completed(void *self, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode code)
{
    Serve *s = self;
    (void)connection;
    (void)code;
    if (!*request)
        return;
    *request = NULL;
    if (atomic_fetch_sub(&s->replying, 1) == 1 && atomic_load(&s->closing))
        eventfd_write(s->replied, 1);
}

/* Replies. */

static struct MHD_Response *response_of(Bytes body, const char *content_type)
{
    /* The library takes it as void * and copies. */
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body.len, (void *)(uintptr_t)body.data, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
    return response;
}

static enum MHD_Result send_response(
    struct MHD_Connection *connection, int status, struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    enum MHD_Result sent = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return sent;
}

/* What comes after a refused request may be its body: the connection ends. */
static enum MHD_Result refuse(struct MHD_Connection *connection, int status, const char *why)
{
    struct MHD_Response *response = response_of(bytes_of(why), "text/plain; charset=utf-8");
    if (response) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    }
    return send_response(connection, status, response);
}

static bool has_body(struct MHD_Connection *connection)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *encoding =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    return encoding || (length && strspn(length, "0") != strlen(length));
}

static void answer(Serve *s, struct MHD_Connection *connection, const char *path, Reply *reply)
{
    const ServeOptions *o = &s->options;

    if (!o->admit || o->admit(o->admit_self, path, bearer_of(connection), reply))
        o->handle(o->self, path, reply);
}

static enum MHD_Result reply_to(Serve *s, struct MHD_Connection *connection, const char *path)
{
    Reply reply = {.body = s->body};
    answer(s, connection, path, &reply);
    s->body = reply.body;

    struct MHD_Response *response = response_of(
        buf_bytes(&s->body), reply.content_type ? reply.content_type : "text/plain; charset=utf-8");
    if (response && reply.status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (response && atomic_load(&s->closing))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    buf_clear(&s->body, BODY_KEEP);
    return send_response(connection, reply.status ? reply.status : MHD_HTTP_OK, response);
}

/* NOLINTNEXTLINE(readability-function-size): the signature is libmicrohttpd's. */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *path,
    const char *method, const char *version, const char *upload, size_t *upload_size,
    void **request)
{
    Serve *s = self;
    (void)version;
    (void)upload;
    (void)upload_size;

    /* The first call comes with the headers, the second when the request is whole; who is answered
     * at the first loses the connection. */
    if (*request)
        return reply_to(s, connection, path);
    *request = s;
    atomic_fetch_add(&s->replying, 1);
    note_request(s, connection);
    if (!str_eq(method, MHD_HTTP_METHOD_GET) && !str_eq(method, MHD_HTTP_METHOD_HEAD))
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are served\n");
    if (has_body(connection))
        return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE, "no request body is taken\n");
    return MHD_YES;
}

/* Opening and closing. */

static struct MHD_Daemon *start(Serve *s, int fd)
{
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC;
    /* The library wants to know of a certificate before anybody connects; each connection is shown
     * its own, so nobody is ever shown this one. */
    struct MHD_OptionItem with_tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, certificate_none()},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(intptr_t)CERTIFICATE_PRIORITIES},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem without_tls[] = {{MHD_OPTION_END, 0, NULL}};

    /* Signals are for the threads that wait for them. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(s->certificate ? flags | MHD_USE_TLS : flags,
        0,
        NULL,
        NULL,
        on_request,
        s,
        MHD_OPTION_LISTEN_SOCKET,
        fd,
        MHD_OPTION_CONNECTION_LIMIT,
        s->options.connections_max + CONNECTIONS_SPARE,
        MHD_OPTION_CONNECTION_TIMEOUT,
        s->options.timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_MEMORY,
        MHD_OPTION_STRICT_FOR_CLIENT,
        1,
        MHD_OPTION_NOTIFY_COMPLETED,
        on_completed,
        s,
        MHD_OPTION_NOTIFY_CONNECTION,
        on_connection,
        s,
        MHD_OPTION_ARRAY,
        s->certificate ? with_tls : without_tls,
        MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static Serve *serve_new(const ServeOptions *options)
{
    Arena *own = arena_open(1 << 20);
    Serve *s = arena_new(own, Serve);

    s->own = own;
    s->options = *options;
    if (s->options.connections_max == 0)
        s->options.connections_max = CONNECTIONS_MAX;
    if (s->options.timeout_s == 0)
        s->options.timeout_s = TIMEOUT_S;
    s->body.ceiling = BODY_MAX;
    link_init(&s->waiting);
    link_init(&s->free);
    unsigned places = s->options.connections_max + CONNECTIONS_SPARE;
    Guest *guests = arena_array(own, Guest, places);
    for (unsigned i = 0; i < places; i++) {
        link_init(&guests[i].link);
        link_insert_before(&s->free, &guests[i].link);
    }
    return s;
}

static void discard(Serve *s)
{
    certificate_close(s->certificate);
    buf_close(&s->body);
    arena_close(s->own);
}

/* Listens and starts; what fails is closed again. */
static Err *begin(Arena *a, Serve *s)
{
    const char *address = s->options.address;
    int fd;

    TRY(listener_open(a, address, &fd, &s->port));
    s->replied = eventfd(0, EFD_CLOEXEC);
    if (s->replied < 0) {
        Err *err = err_terminal(a, "cannot listen on '%s': %s", address, strerror(errno));
        close(fd);
        return err;
    }
    s->daemon = start(s, fd); /* closes the socket when it fails */
    if (s->daemon)
        return OK;
    close(s->replied);
    return err_terminal(a,
        "cannot listen on '%s': libmicrohttpd did not start%s",
        address,
        s->certificate && !MHD_is_feature_supported(MHD_FEATURE_TLS) ? ": it was built without TLS"
                                                                     : "");
}

Err *serve_open(Arena *a, const ServeOptions *options, Serve **ret)
{
    Serve *s = serve_new(options);
    Err *err = options->tls ? certificate_open(a, options->tls, &s->certificate) : OK;

    if (!err)
        err = begin(a, s);
    if (err) {
        discard(s);
        return err;
    }
    *ret = s;
    return OK;
}

void serve_close(Serve *s)
{
    if (!s)
        return;
    int fd = MHD_quiesce_daemon(s->daemon);
    atomic_store(&s->closing, true);
    if (atomic_load(&s->replying) > 0)
        poll(&(struct pollfd){.fd = s->replied, .events = POLLIN}, 1, CLOSE_WAIT_MS);
    MHD_stop_daemon(s->daemon);
    close(fd);
    close(s->replied);
    discard(s);
}

int serve_port(const Serve *s)
{
    return s->port;
}
