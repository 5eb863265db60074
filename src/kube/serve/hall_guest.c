/* HallGuest: who has to leave when there is no room, and how a stream waits.
 *
 * What surprises: libmicrohttpd does not look at a connection that is suspended, so a client that
 * left while its stream was silent would stay for as long as it is silent. The hall itself listens
 * for that, with a second epoll. */
#include "kube/serve/hall_guest.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { KEEP_BYTES = 4 << 10 };

static HallGuest *owner(Link *link)
{
    return link_owner(HallGuest, link, link);
}

static void move_to_end(Link *list, Link *link)
{
    link_remove(link);
    link_insert_before(list, link);
}

HallGuest *hall_guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

/* --- coming and going */

/* Ends a connection; the library notices, and says goodbye through on_connection. */
static void show_out(HallGuest *g)
{
    shutdown(g->fd, SHUT_RDWR);
    g->has_left = true;
    hall_guest_rouse(g);
}

/* A connection too many: those without a request under way leave first. Shown out once, it is asked
 * last: the next newcomer pushes another. */
static void make_room(Hall *h, const HallGuest *newcomer)
{
    Link *list = link_is_alone(&h->idle) ? &h->busy : &h->idle;
    HallGuest *longest = link_is_alone(list) ? NULL : owner(list->next);

    if (!longest || longest == newcomer)
        return;
    move_to_end(list, &longest->link);
    show_out(longest);
}

static void show_certificate(HallGuest *g)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(g->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    g->shown = g->hall->certificate && info
        ? certificate_show(g->hall->certificate, info->tls_session)
        : NULL;
}

static void leave(HallGuest *g)
{
    Hall *h = g->hall;

    hall_guest_finish(g);
    certificate_give_back(g->shown);
    buf_close(&g->target);
    buf_close(&g->body);
    g->connection = NULL;
    move_to_end(&h->free, &g->link);
    h->guests--;
}

static void enter(Hall *h, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int on = 1;

    if (link_is_alone(&h->free) || !info)
        BUG("more connections than were allowed");
    HallGuest *g = owner(h->free.next);
    g->connection = connection;
    g->fd = info->connect_fd;
    g->has_left = false;
    *context = g;
    setsockopt(g->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    h->guests++;
    show_certificate(g);
    if (h->guests > h->options.connections_max)
        make_room(h, g);
    move_to_end(&h->idle, &g->link);
}

void hall_guest_on_connection(void *self, struct MHD_Connection *connection, void **context,
    enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        enter(self, connection, context);
    else
        leave(*context);
}

/* --- what is held */

/* What some guests hold together. */
typedef struct Load {
    size_t held, guests;
} Load;

static bool is_holding(const HallGuest *g, const HallGuest *newcomer)
{
    return g != newcomer && g->held > 0 && !g->has_left;
}

static void add_load(const Link *list, const HallGuest *newcomer, Load *ret)
{
    for (Link *link = list->next; link != list; link = link->next) {
        if (!is_holding(owner(link), newcomer))
            continue;
        ret->held += owner(link)->held;
        ret->guests++;
    }
}

static HallGuest *first_with(const Link *list, const HallGuest *newcomer, size_t share)
{
    for (Link *link = list->next; link != list; link = link->next)
        if (is_holding(owner(link), newcomer) && owner(link)->held >= share)
            return owner(link);
    return NULL;
}

/* Shows out whoever has waited longest and holds no less than the others do on average, until those
 * who stay do not hold too much: without the average, one large body would cost every watch its
 * place. Who has been shown out still counts in the hall, though not for long. */
static void lighten(Hall *h, const HallGuest *newcomer)
{
    for (;;) {
        Load others = {0};
        add_load(&h->idle, newcomer, &others);
        add_load(&h->busy, newcomer, &others);
        if (others.guests == 0 || others.held + newcomer->held <= h->options.held_max)
            return;
        size_t share = others.held / others.guests;
        HallGuest *longest = first_with(&h->idle, newcomer, share);
        show_out(longest ? longest : first_with(&h->busy, newcomer, share));
    }
}

void hall_guest_count(HallGuest *g, size_t held)
{
    Hall *h = g->hall;

    h->held = h->held - g->held + held;
    g->held = held;
    if (h->held > h->options.held_max)
        lighten(h, g);
}

void hall_guest_begin_answer(HallGuest *g)
{
    move_to_end(&g->hall->busy, &g->link);
}

void hall_guest_finish(HallGuest *g)
{
    hall_guest_count(g, 0);
    link_remove(&g->asleep);
    if (g->stream)
        g->stream->close(g->stream);
    arena_close(g->arena);
    buf_clear(&g->target, KEEP_BYTES);
    buf_wipe(&g->body);
    buf_clear(&g->body, KEEP_BYTES);
    g->stream = NULL;
    g->arena = NULL;
    g->piece = (Bytes){0};
    g->discarded = 0;
    g->is_begun = g->is_too_large = g->is_target_too_long = g->has_ended = false;
    move_to_end(&g->hall->idle, &g->link);
}

/* --- streams */

static bool has_piece(HallGuest *g)
{
    if (g->piece.len > 0 || g->has_ended || g->has_left)
        return true;
    switch (g->stream->next(g->stream, &g->piece)) {
    case HALL_PIECE:
        return true;
    case HALL_NOTHING:
        g->piece = (Bytes){0};
        return false;
    case HALL_END:
        g->piece = (Bytes){0};
        g->has_ended = true;
        return true;
    }
    BUG("a stream says something else");
}

static void fall_asleep(HallGuest *g)
{
    struct epoll_event leaves = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = g};
    int off = 0;

    /* What was said so far is not to wait for more. */
    setsockopt(g->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
    epoll_ctl(g->hall->descriptor, EPOLL_CTL_ADD, g->fd, &leaves);
    link_insert_before(&g->hall->asleep, &g->asleep);
    MHD_suspend_connection(g->connection);
}

ssize_t hall_guest_read(void *self, uint64_t position, char *to, size_t max)
{
    HallGuest *g = self;
    size_t filled = 0;

    (void)position;
    while (filled < max && has_piece(g) && g->piece.len > 0 && !g->has_left) {
        size_t len = g->piece.len < max - filled ? g->piece.len : max - filled;
        memcpy(to + filled, g->piece.data, len);
        g->piece.data += len;
        g->piece.len -= len;
        filled += len;
    }
    if (g->has_left)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (filled > 0)
        return (ssize_t)filled;
    if (g->has_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    fall_asleep(g);
    return 0;
}

void hall_guest_rouse(HallGuest *g)
{
    if (link_is_alone(&g->asleep) || !has_piece(g))
        return;
    link_remove(&g->asleep);
    epoll_ctl(g->hall->descriptor, EPOLL_CTL_DEL, g->fd, NULL);
    MHD_resume_connection(g->connection);
    g->hall->is_roused = true;
}
