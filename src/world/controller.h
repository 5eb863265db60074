/* Controller: what all controllers of the world share: a view of what they saw, a list of errands,
 * and the manners of doing them.
 *
 * An errand is a text that names what should be looked at again ("default/web"). A step takes the
 * first errand that is due and lets the controller sync it: look at the view, do the first thing
 * that is missing. One successful write ends a sync; the errand then waits until the view shows
 * that write (or a second has passed) and is synced anew, until nothing is missing. An error sends
 * the errand back, later each time, as workqueue's rate limiter does: 5 ms, doubled, up to 1000 s.
 */
#ifndef WORLD_CONTROLLER_H
#define WORLD_CONTROLLER_H

#include "base/map.h"
#include "base/slab.h"
#include "world/agenda.h"
#include "world/controllers.h"
#include "world/event_teller.h"
#include "world/view.h"

typedef struct Controller Controller;
typedef struct Errand Errand;

/* One sync of one errand. */
typedef struct Sync {
    Controller *controller;
    const char *errand;
    Arena *arena;
    Api *api;
    int64_t now_ms;
    int64_t again_ms; /* set by the controller: when to look again; 0: when something changes */
    bool wrote;
} Sync;

/* A change, with what was seen before. */
typedef struct Change {
    const Kind *kind;
    Key key;
    const Json *before, *after; /* NULL: was not there, is gone */
    Arena *arena;
    int64_t now_ms;
} Change;

/* One controller as data. */
typedef struct ControllerTraits {
    const char *name;
    const Kind *const *kinds;
    ViewTagger *tag;
    bool metadata_only;
    size_t size; /* of the struct that begins with Controller */
    void (*notice)(Controller *c, const Change *change);
    Err *(*sync)(Sync *s);
    void (*close)(Controller *c); /* of what the struct holds beyond Controller; or NULL */
} ControllerTraits;

struct Controller {
    Actor actor;
    ControllerTraits traits;
    ControllerOptions options;
    Slab *slab;
    View *view;
    Arena *scratch; /* of seeing */
    Agenda agenda;
    EventTeller *teller; /* NULL: nobody is told */
    Map *errands;        /* by their text */
    Map *awaited;        /* the first errand that waits for an object, by its identity */
    Sync *step;          /* of the step at hand */
};

/* A zeroed struct of traits->size with its Controller part ready. */
Controller *controller_open(const ControllerTraits *traits, const ControllerOptions *options);

/* Puts an errand on the list, or has it done sooner: at `due_ms` and as much later as the seed
 * says. */
void controller_want(Controller *c, const char *errand, int64_t due_ms);

/* The same for "namespace/name" of an object that has a namespace. */
void controller_want_key(Controller *c, Key key, int64_t due_ms);

/* The wall clock in RFC 3339, in the arena. */
const char *controller_now(const Controller *c, Arena *a);

/* Carries out a write under the name kube-controller-manager. `ret` may be NULL. After it
 * succeeded a sync must not write again. */
Err *sync_write(Sync *s, Request request, const Json **ret) MUST_CHECK;

/* Makes what was seen into what is wanted, by a merge patch that is locked to the seen version;
 * nothing when they are the same. `subresource` is "status" or NULL. */
Err *sync_update(Sync *s, const Kind *kind, const Json *seen, const Json *wanted,
    const char *subresource) MUST_CHECK;

/* Deletes by name alone, whatever bears it now: so do the controllers of workloads. */
Err *sync_delete(Sync *s, const Kind *kind, const Json *seen) MUST_CHECK;

/* Tells people about an object: "create Pod web-0 in StatefulSet web successful". */
void sync_tell(
    Sync *s, const Kind *kind, const Json *object, const char *reason, const char *message);

/* The live object; NULL when there is none. */
Err *sync_get(Sync *s, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

#endif
