/* EventTeller: an actor's voice for people: Events of the core, as client-go's recorder posts them.
 * What is said again is the same Event, counted; what is said too often about one object is not
 * said.
 *
 * A NULL teller says nothing: so actors are silent unless they are told to speak. What they say is
 * beside the one write that a step has. */
#ifndef WORLD_EVENT_TELLER_H
#define WORLD_EVENT_TELLER_H

#include "base/clock.h"
#include "kube/api.h"
#include "kube/key.h"

typedef struct EventTeller EventTeller;

enum {
    TELLER_MEMORY = 2048,  /* Events that are counted on; the oldest are forgotten */
    TELLER_BURST = 25,     /* about one object, */
    TELLER_REFILL_S = 300, /* and one more after so long */
    TELLER_MESSAGE_MAX = 1024,
};

EventTeller *event_teller_open(Clock *clock);
void event_teller_close(EventTeller *t);

typedef struct EventSaid {
    const Kind *kind; /* of what it is about */
    Key key;
    const char *uid;
    const char *part; /* "spec.containers{seid}", or NULL */
    bool is_warning;
    const char *reason, *message;
    const char *component, *host; /* who says it: "kubelet", "node-1"; host may be NULL */
} EventSaid;

/* Posts it. What cannot be posted is not said: nobody waits for it. */
void event_tell(EventTeller *t, Arena *a, Api *api, const EventSaid *said);

#endif
