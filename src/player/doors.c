/* Doors: one epoll over all sockets. A slow pod's answer waits in its connection until its time has
 * come; a hanging one's never goes out, and the connection stays until the client leaves. */
#include "player/doors.h"

#include "base/bytes.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "player/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 << 10,
    IN_MAX = HTTP_HEAD_MAX + HTTP_BODY_MAX,
    OUT_MAX = 64 << 20,
    KEEP_BYTES = 64 << 10,
    ASK_ARENA_MAX = 128 << 20,
    EVENTS_AT_ONCE = 64,
    KEY_SIZE = POD_ADDRESS_SIZE + 8,
};

/* What the kernel tells of. */
typedef struct Socket {
    int fd;
    bool is_guest;
} Socket;

typedef struct Listener {
    Socket socket;
    Link link;
    bool is_wanted;
    bool has_failed; /* to listen; said once */
    char address[POD_ADDRESS_SIZE];
    int port;
    char key[KEY_SIZE]; /* "127.200.1.1:8443" */
} Listener;

typedef struct Guest {
    Socket socket;
    Link link;
    bool asks_for_room;             /* to send: the kernel had none */
    char address[POD_ADDRESS_SIZE]; /* of the door it came through */
    int port;
    Buf in, out;
    int64_t moved_ms; /* when a byte last moved */
    int64_t held_ms;  /* nothing goes out before; INT64_MAX: never */
    bool is_leaving;  /* closed once everything is out */
    bool is_gone;
} Guest;

struct Doors {
    Slab *slab;
    Arena *arena;
    Kubelet *kubelet;
    int shift;
    const Log *log;
    Map *by_key;
    Link listeners, guests;
    size_t guest_count;
    uint64_t followed;   /* the version of the endpoints */
    bool has_unfollowed; /* one of them has no listener */
    bool was_asked;
    int epoll;
};

Doors *doors_open(Kubelet *kubelet, int shift, const Log *log)
{
    Slab *slab = slab_open();
    Doors *d = slab_alloc(slab, sizeof *d);

    memset(d, 0, sizeof *d);
    d->slab = slab;
    d->arena = arena_open(ASK_ARENA_MAX);
    d->kubelet = kubelet;
    d->shift = shift;
    d->log = log;
    d->by_key = map_open(DOORS_LISTENERS_MAX);
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (d->epoll < 0)
        BUG("the kernel has no epoll for the doors");
    link_init(&d->listeners);
    link_init(&d->guests);
    return d;
}

/* Waits for more from a socket, and for room to send when that is asked for. */
static void await(const Doors *d, Socket *s, int operation, bool asks_for_room)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};

    if (asks_for_room)
        event.events |= EPOLLOUT;
    epoll_ctl(d->epoll, operation, s->fd, &event);
}

/* --- listeners */

static int listen_at(const char *address, int port)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    inet_pton(AF_INET, address, &name.sin_addr);
    if (bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    close(fd);
    return -1;
}

static void drop_listener(Doors *d, Listener *l)
{
    map_remove(d->by_key, l->key);
    link_remove(&l->link);
    if (l->socket.fd >= 0)
        close(l->socket.fd);
    slab_free(d->slab, l, sizeof *l);
}

/* NULL when there are too many. */
static Listener *find_or_add_listener(Doors *d, const PodEndpoint *endpoint)
{
    char key[KEY_SIZE];

    snprintf(key, sizeof key, "%s:%d", endpoint->address, endpoint->port);
    Listener *l = map_find(d->by_key, key);
    if (l)
        return l;
    l = slab_alloc(d->slab, sizeof *l);
    *l = (Listener){.socket = {.fd = -1}, .port = endpoint->port};
    snprintf(l->address, sizeof l->address, "%s", endpoint->address);
    memcpy(l->key, key, sizeof key);
    link_init(&l->link);
    if (!map_put(d->by_key, l->key, l)) {
        slab_free(d->slab, l, sizeof *l);
        return NULL;
    }
    link_insert_before(&d->listeners, &l->link);
    return l;
}

/* False when there is none. */
static bool want_listener(Doors *d, const PodEndpoint *endpoint)
{
    Listener *l = find_or_add_listener(d, endpoint);

    if (!l)
        return false;
    l->is_wanted = true;
    if (l->socket.fd >= 0)
        return true;
    l->socket.fd = listen_at(l->address, l->port + d->shift);
    if (l->socket.fd >= 0)
        await(d, &l->socket, EPOLL_CTL_ADD, false);
    else if (!l->has_failed)
        log_warn(d->log,
            "cannot listen for a pod",
            log_str("address", l->key),
            log_str("error", strerror(errno)));
    l->has_failed = l->socket.fd < 0;
    return !l->has_failed;
}

void doors_follow(Doors *d)
{
    uint64_t version = kubelet_endpoints_version(d->kubelet);
    size_t cursor = 0;
    PodEndpoint endpoint;
    Link *next;

    if (version == d->followed && !d->has_unfollowed)
        return;
    d->followed = version;
    d->has_unfollowed = false;
    for (Link *l = d->listeners.next; l != &d->listeners; l = l->next)
        link_owner(Listener, link, l)->is_wanted = false;
    while (kubelet_next_endpoint(d->kubelet, &cursor, &endpoint))
        d->has_unfollowed = !want_listener(d, &endpoint) || d->has_unfollowed;
    for (Link *l = d->listeners.next; l != &d->listeners; l = next) {
        next = l->next;
        if (!link_owner(Listener, link, l)->is_wanted)
            drop_listener(d, link_owner(Listener, link, l));
    }
}

/* --- guests */

static void drop_guest(Doors *d, Guest *g)
{
    link_remove(&g->link);
    close(g->socket.fd);
    buf_close(&g->in);
    buf_close(&g->out);
    slab_free(d->slab, g, sizeof *g);
    d->guest_count--;
}

static void let_in(Doors *d, const Listener *l, int64_t now_ms)
{
    int fd = accept4(l->socket.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0)
        return;
    if (d->guest_count == DOORS_GUESTS_MAX) {
        close(fd);
        return;
    }
    Guest *g = slab_alloc(d->slab, sizeof *g);
    *g = (Guest){.socket = {.fd = fd, .is_guest = true},
        .in = {.ceiling = IN_MAX},
        .out = {.ceiling = OUT_MAX},
        .moved_ms = now_ms};
    memcpy(g->address, l->address, sizeof g->address);
    g->port = l->port;
    link_init(&g->link);
    link_insert_before(&d->guests, &g->link);
    d->guest_count++;
    await(d, &g->socket, EPOLL_CTL_ADD, false);
}

static void refuse(Guest *g)
{
    static const SidecarAnswer bad = {.status = 400,
        .content_type = "text/plain; charset=utf-8",
        .body = {"400 Bad Request", 15}};

    g->is_leaving = true;
    g->is_gone = !http_write(&g->out, &bad, false, true);
    buf_clear(&g->in, KEEP_BYTES);
}

static void answer(Doors *d, Guest *g, HttpRequest *http, int64_t now_ms)
{
    SidecarAnswer said;

    http->request.now_ms = now_ms;
    kubelet_ask(d->kubelet, d->arena, &(PodEndpoint){g->address, g->port}, &http->request, &said);
    d->was_asked = true;
    g->is_leaving = http->closes;
    switch (said.fate) {
    case FATE_HANGS:
        g->held_ms = INT64_MAX;
        break;
    case FATE_REFUSED:
        g->is_gone = true;
        break;
    case FATE_ANSWERED:
        g->held_ms = now_ms + said.delay_ms;
        g->is_gone =
            !http_write(&g->out, &said, str_eq(http->request.method, "HEAD"), http->closes);
        break;
    }
    buf_consume(&g->in, http->len);
}

/* Reads one request, unless the answer to the one before is not out. True when there was one. */
static bool serve(Doors *d, Guest *g, int64_t now_ms)
{
    HttpRequest http;

    if (g->is_gone || g->is_leaving || g->out.len || g->held_ms == INT64_MAX || !g->in.len)
        return false;
    arena_reset(d->arena);
    switch (http_parse(d->arena, buf_bytes(&g->in), &http)) {
    case HTTP_MORE:
        return false;
    case HTTP_DONE:
        answer(d, g, &http, now_ms);
        return true;
    case HTTP_BAD:
        refuse(g);
        return true;
    }
    BUG("a request is something else");
}

static void take_in(Guest *g, int64_t now_ms)
{
    char bytes[READ_BYTES];
    ssize_t got = recv(g->socket.fd, bytes, sizeof bytes, 0);

    if (got > 0)
        g->is_gone = !buf_append(&g->in, bytes, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        g->is_gone = true;
    g->moved_ms = now_ms;
}

static void give_out(Guest *g, int64_t now_ms)
{
    ssize_t sent = send(g->socket.fd, g->out.data, g->out.len, MSG_NOSIGNAL);

    if (sent > 0) {
        buf_consume(&g->out, (size_t)sent);
        g->moved_ms = now_ms;
    } else if (errno != EAGAIN && errno != EINTR) {
        g->is_gone = true;
    }
    if (!g->out.len && g->is_leaving)
        g->is_gone = true;
}

static bool may_go_out(const Guest *g, int64_t now_ms)
{
    return g->out.len && g->held_ms <= now_ms;
}

/* What the kernel has told of. Nobody is dropped here: it may tell of them twice. */
static void take_news(Doors *d, int64_t now_ms)
{
    struct epoll_event seen[EVENTS_AT_ONCE];
    int count = epoll_wait(d->epoll, seen, EVENTS_AT_ONCE, 0);

    for (int i = 0; i < count; i++) {
        Socket *socket = seen[i].data.ptr;
        if (!socket->is_guest)
            let_in(d, link_owner(Listener, socket, socket), now_ms);
        else if (seen[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP))
            take_in(link_owner(Guest, socket, socket), now_ms);
    }
}

static void ask_for_room(const Doors *d, Guest *g, int64_t now_ms)
{
    bool asks = !g->is_gone && may_go_out(g, now_ms);

    if (asks != g->asks_for_room)
        await(d, &g->socket, EPOLL_CTL_MOD, asks);
    g->asks_for_room = asks;
}

/* Until nothing moves: of what is in a buffer of ours, the kernel will not tell. */
static void move(Doors *d, Guest *g, int64_t now_ms)
{
    bool was_answered;

    do {
        was_answered = serve(d, g, now_ms);
        if (!g->is_gone && may_go_out(g, now_ms))
            give_out(g, now_ms);
    } while (was_answered && !g->out.len);
    ask_for_room(d, g, now_ms);
}

bool doors_poll(Doors *d, int64_t now_ms)
{
    Link *next;

    d->was_asked = false;
    take_news(d, now_ms);
    for (Link *l = d->guests.next; l != &d->guests; l = next) {
        Guest *g = link_owner(Guest, link, l);
        next = l->next;
        move(d, g, now_ms);
        bool is_idle =
            !g->out.len && g->held_ms != INT64_MAX && now_ms - g->moved_ms > DOORS_IDLE_MS;
        if (g->is_gone || is_idle)
            drop_guest(d, g);
    }
    return d->was_asked;
}

int doors_descriptor(const Doors *d)
{
    return d->epoll;
}

static int64_t due_ms(const Guest *g)
{
    if (g->held_ms == INT64_MAX)
        return INT64_MAX;
    if (g->out.len)
        return g->asks_for_room ? INT64_MAX : g->held_ms;
    return g->moved_ms + DOORS_IDLE_MS + 1;
}

int64_t doors_due_ms(const Doors *d)
{
    int64_t due = INT64_MAX;

    for (const Link *l = d->guests.next; l != &d->guests; l = l->next) {
        int64_t own = due_ms(link_owner(Guest, link, (Link *)l));
        due = own < due ? own : due;
    }
    return due;
}

void doors_close(Doors *d)
{
    if (!d)
        return;
    while (!link_is_alone(&d->guests))
        drop_guest(d, link_owner(Guest, link, d->guests.next));
    while (!link_is_alone(&d->listeners))
        drop_listener(d, link_owner(Listener, link, d->listeners.next));
    close(d->epoll);
    map_close(d->by_key);
    arena_close(d->arena);
    slab_close(d->slab);
}
