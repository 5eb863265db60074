/* Live: some objects of a cluster, kept as they are: a few watches through lost connections and
 * restarted servers, each with the reflector of the operator behind it.
 *
 *     Live *live = live_open(&(LiveOptions){...});
 *     while (...) {
 *         TRY(live_poll(live, arena, 200));
 *         const Json *nodes = live_list(live, arena, 0);
 *     }
 *     live_close(live);
 *
 * While a server is away the objects stay as they were last seen, and live_health says since when.
 */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "base/clock.h"
#include "base/json.h"
#include "kube/kind.h"
#include "kube/transport.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LIVE_WATCHES_MAX = 4,
    LIVE_OBJECTS_MAX = 10000, /* of all watches; further ones are not seen */
};

typedef struct LiveWatch {
    const Kind *kind; /* NULL ends the list */
    const char *namespace, *labels, *fields;
} LiveWatch;

typedef struct LiveSink LiveSink;

/* Who is told of every change, as it comes. */
struct LiveSink {
    /* The object is borrowed for the call. */
    void (*changed)(LiveSink *self, size_t watch, const Json *object, bool is_gone);
};

typedef struct LiveOptions {
    Transport *transport;
    Clock *clock;
    LiveWatch watches[LIVE_WATCHES_MAX + 1]; /* strings are borrowed */
    LiveSink *sink;
} LiveOptions;

typedef struct Live Live;

Live *live_open(const LiveOptions *options);

/* Accepts NULL. */
void live_close(Live *l);

/* Takes in what comes within `timeout_ms`; returns early when something came. An error is about the
 * streams as such, and final. */
Err *live_poll(Live *l, Arena *a, int64_t timeout_ms) MUST_CHECK;

/* The objects of a watch by their namespaces and names, those that end in a number by that: an
 * array in the arena, borrowed until the next poll. */
const Json *live_list(Live *l, Arena *a, size_t watch);

/* The only object of a watch, or NULL. */
const Json *live_only(Live *l, size_t watch);

typedef struct LiveHealth {
    bool is_synced;      /* everything has been seen once */
    bool is_connected;   /* every watch is open */
    int64_t since_ms;    /* monotonic: when that last changed */
    const char *trouble; /* why it is not connected, or NULL; borrowed until the next poll */
} LiveHealth;
LiveHealth live_health(const Live *l);

#endif
