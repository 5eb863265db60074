/* Doors: one poll over all sockets. A slow sidecar's answer waits in its connection until its time
 * has come; a hanging one's never goes out, and the connection stays until the client leaves. */
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
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 << 10,
    IN_MAX = HTTP_HEAD_MAX + HTTP_BODY_MAX,
    OUT_MAX = 64 << 20,
    KEEP_BYTES = 64 << 10,
    ASK_ARENA_MAX = 128 << 20,
};

typedef struct Listener {
    Link link;
    int fd;
    bool is_wanted;
    bool has_failed; /* to listen; said once */
    char address[POD_ADDRESS_SIZE];
} Listener;

typedef struct Guest {
    Link link;
    int fd;
    char address[POD_ADDRESS_SIZE]; /* of the door it came through */
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
    int port;
    const Log *log;
    Map *by_address;
    Link listeners, guests;
    size_t guest_count;
    bool was_asked;
    struct pollfd polls[DOORS_LISTENERS_MAX + DOORS_GUESTS_MAX];
};

Doors *doors_open(Kubelet *kubelet, int port, const Log *log)
{
    Slab *slab = slab_open();
    Doors *d = slab_alloc(slab, sizeof *d);

    memset(d, 0, sizeof *d);
    d->slab = slab;
    d->arena = arena_open(ASK_ARENA_MAX);
    d->kubelet = kubelet;
    d->port = port;
    d->log = log;
    d->by_address = map_open(DOORS_LISTENERS_MAX);
    link_init(&d->listeners);
    link_init(&d->guests);
    return d;
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
    map_remove(d->by_address, l->address);
    link_remove(&l->link);
    if (l->fd >= 0)
        close(l->fd);
    slab_free(d->slab, l, sizeof *l);
}

static void want_listener(Doors *d, const char *address)
{
    Listener *l = map_find(d->by_address, address);

    if (!l) {
        l = slab_alloc(d->slab, sizeof *l);
        *l = (Listener){.fd = -1};
        snprintf(l->address, sizeof l->address, "%s", address);
        link_init(&l->link);
        if (!map_put(d->by_address, l->address, l)) {
            slab_free(d->slab, l, sizeof *l);
            return;
        }
        link_insert_before(&d->listeners, &l->link);
    }
    l->is_wanted = true;
    if (l->fd >= 0)
        return;
    l->fd = listen_at(address, d->port);
    if (l->fd < 0 && !l->has_failed)
        log_warn(d->log,
            "cannot listen for a sidecar",
            log_str("address", address),
            log_str("error", strerror(errno)));
    l->has_failed = l->fd < 0;
}

void doors_follow(Doors *d)
{
    size_t cursor = 0;
    const char *address;
    Link *next;

    for (Link *l = d->listeners.next; l != &d->listeners; l = l->next)
        link_owner(Listener, link, l)->is_wanted = false;
    while ((address = kubelet_next_address(d->kubelet, &cursor)))
        want_listener(d, address);
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
    close(g->fd);
    buf_close(&g->in);
    buf_close(&g->out);
    slab_free(d->slab, g, sizeof *g);
    d->guest_count--;
}

static void let_in(Doors *d, const Listener *l, int64_t now_ms)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0)
        return;
    if (d->guest_count == DOORS_GUESTS_MAX) {
        close(fd);
        return;
    }
    Guest *g = slab_alloc(d->slab, sizeof *g);
    *g = (Guest){
        .fd = fd, .in = {.ceiling = IN_MAX}, .out = {.ceiling = OUT_MAX}, .moved_ms = now_ms};
    memcpy(g->address, l->address, sizeof g->address);
    link_init(&g->link);
    link_insert_before(&d->guests, &g->link);
    d->guest_count++;
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
    kubelet_ask(d->kubelet, d->arena, g->address, &http->request, &said);
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

/* Reads requests one at a time: the next waits until the answer to this one is out. */
static void serve(Doors *d, Guest *g, int64_t now_ms)
{
    HttpRequest http;

    if (g->is_gone || g->is_leaving || g->out.len || g->held_ms == INT64_MAX || !g->in.len)
        return;
    arena_reset(d->arena);
    switch (http_parse(d->arena, buf_bytes(&g->in), &http)) {
    case HTTP_MORE:
        break;
    case HTTP_DONE:
        answer(d, g, &http, now_ms);
        break;
    case HTTP_BAD:
        refuse(g);
        break;
    }
}

static void take_in(Guest *g, int64_t now_ms)
{
    char bytes[READ_BYTES];
    ssize_t got = recv(g->fd, bytes, sizeof bytes, 0);

    if (got > 0)
        g->is_gone = !buf_append(&g->in, bytes, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        g->is_gone = true;
    g->moved_ms = now_ms;
}

static void give_out(Guest *g, int64_t now_ms)
{
    ssize_t sent = send(g->fd, g->out.data, g->out.len, MSG_NOSIGNAL);

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

static nfds_t gather(Doors *d, int64_t now_ms)
{
    nfds_t count = 0;

    for (Link *l = d->listeners.next; l != &d->listeners; l = l->next)
        d->polls[count++] =
            (struct pollfd){.fd = link_owner(Listener, link, l)->fd, .events = POLLIN};
    for (Link *l = d->guests.next; l != &d->guests; l = l->next) {
        const Guest *g = link_owner(Guest, link, l);
        short events = POLLIN;
        if (may_go_out(g, now_ms))
            events |= POLLOUT;
        d->polls[count++] = (struct pollfd){.fd = g->fd, .events = events};
    }
    return count;
}

bool doors_poll(Doors *d, int64_t now_ms)
{
    const struct pollfd *seen = d->polls;
    Link *next, *last = d->guests.previous;

    d->was_asked = false;
    if (poll(d->polls, gather(d, now_ms), 0) < 0)
        return false;
    for (Link *l = d->listeners.next; l != &d->listeners; l = l->next, seen++)
        if (seen->revents & POLLIN)
            let_in(d, link_owner(Listener, link, l), now_ms);
    for (Link *l = d->guests.next; l != &d->guests; l = next, seen++) {
        Guest *g = link_owner(Guest, link, l);
        bool was_polled = last != &d->guests;
        next = l == last ? &d->guests : l->next;
        if (!was_polled)
            break;
        if (seen->revents & (POLLIN | POLLERR | POLLHUP))
            take_in(g, now_ms);
        serve(d, g, now_ms);
        if (!g->is_gone && may_go_out(g, now_ms))
            give_out(g, now_ms);
        bool is_idle =
            !g->out.len && g->held_ms != INT64_MAX && now_ms - g->moved_ms > DOORS_IDLE_MS;
        if (g->is_gone || is_idle)
            drop_guest(d, g);
    }
    return d->was_asked;
}

void doors_close(Doors *d)
{
    if (!d)
        return;
    while (!link_is_alone(&d->guests))
        drop_guest(d, link_owner(Guest, link, d->guests.next));
    while (!link_is_alone(&d->listeners))
        drop_listener(d, link_owner(Listener, link, d->listeners.next));
    map_close(d->by_address);
    arena_close(d->arena);
    slab_close(d->slab);
}
