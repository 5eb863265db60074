/* HallGuest: one connection of a hall: its place, what it holds, and the stream that it listens to.
 */
#ifndef KUBE_SERVE_HALL_GUEST_H
#define KUBE_SERVE_HALL_GUEST_H

#include "base/arena.h"
#include "base/link.h"
#include "kube/serve/certificate.h"
#include "kube/serve/hall.h"

#include <microhttpd.h>

enum {
    HALL_TARGET_MAX = 16 << 10,
    HALL_SPARE = 16, /* places for newcomers while others are being shown out */
};

typedef struct HallGuest {
    Link link;   /* in the hall's idle, busy or free */
    Link asleep; /* in the hall's asleep, while its stream has nothing */
    Hall *hall;
    struct MHD_Connection *connection;
    CertificatePair *shown; /* NULL without TLS */
    int fd;

    /* Of the request under way. */
    Buf target, body;
    size_t discarded; /* bytes of a body that is too large */
    size_t held;      /* what it counts for among everything that is held */
    bool is_begun, is_too_large, is_target_too_long;
    Arena *arena; /* NULL: not answered yet */
    HallStream *stream;
    Bytes piece; /* of the stream, not yet given out */
    bool has_ended;
    bool has_left; /* nobody listens: the stream ends as it is */
} HallGuest;

struct Hall {
    Arena *own;
    HallOptions options;
    struct MHD_Daemon *daemon;
    Certificate *certificate; /* NULL: plain HTTP */
    int port;
    int descriptor; /* an epoll: the daemon's own, and the sleeping guests, who may leave */

    Link idle, busy, free; /* in each the one first who came there first */
    Link asleep;
    unsigned guests;
    size_t held;
    bool is_roused; /* somebody is to be moved at once */
};

/* The guest of a connection. */
HallGuest *hall_guest_of(struct MHD_Connection *connection);

/* libmicrohttpd's notice of a connection that comes or goes; self is the Hall. */
void hall_guest_on_connection(void *self, struct MHD_Connection *connection, void **context,
    enum MHD_ConnectionNotificationCode code);

/* Its last request is over: everything about it goes, and the guest is idle. */
void hall_guest_finish(HallGuest *g);

/* Counts what the guest holds now; if all hold too much, those go who hold much, and of them the
 * one first that has waited longest. */
void hall_guest_count(HallGuest *g, size_t held);

/* The answer has begun. */
void hall_guest_begin_answer(HallGuest *g);

/* libmicrohttpd's reader of a stream; self is the guest. */
ssize_t hall_guest_read(void *self, uint64_t position, char *to, size_t max);

/* Wakes a guest whose stream has a piece, has ended, or who has left. */
void hall_guest_rouse(HallGuest *g);

#endif
