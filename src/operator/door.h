/* Door: who may read the metrics when they are served securely. Asks the API server whose token
 * came (TokenReview), and whether they may get that path (SubjectAccessReview): so the right to
 * scrape is given by a ClusterRole with nonResourceURLs.
 *
 * Answers are remembered for a while, under a hash of the token and never the token; questions are
 * limited, so that whoever tries tokens out does not keep the API server busy. */
#ifndef OPERATOR_DOOR_H
#define OPERATOR_DOOR_H

#include "base/clock.h"
#include "base/log.h"
#include "kube/reply.h"
#include "kube/transport.h"

#include <stdbool.h>

typedef struct Door Door;

enum {
    DOOR_MEMORY = 64,
    DOOR_ADMITTED_MS = 60000, /* how long a yes is remembered */
    DOOR_REFUSED_MS = 10000,
    DOOR_KNOWN_MS = 3600000, /* after that: who was admitted is asked about again at any rate */
    DOOR_REVIEWS_MAX = 10,   /* a second */
    DOOR_DEADLINE_MS = 3000,
};

/* All is borrowed. */
typedef struct DoorOptions {
    Transport *transport;
    Clock *clock;
    const Log *log;
} DoorOptions;

Door *door_open(const DoorOptions *options);

/* Accepts NULL. */
void door_close(Door *d);

/* Of the type of ServeOptions.admit, and called by one thread at a time. When false the reply says
 * 401 (no token, or nobody's), 403 (may not), 429 (too many questions) or 503 (the API server does
 * not say). */
bool door_admit(void *door, const char *path, const char *bearer, Reply *reply);

#endif
