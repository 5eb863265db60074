/* Rig: a manager without threads or sockets, for tests. Caches are fed by hand, the API server
 * answers from a script, and the clock stands still until it is moved. A log line that is written
 * under the guard fails the test. */
#ifndef TESTS_KUBE_RUNTIME_RIG_H
#define TESTS_KUBE_RUNTIME_RIG_H

#include "kube/runtime/cluster.h"
#include "kube/runtime/machine.h"
#include "kube/runtime/worker.h"
#include "tests/test.h"

enum { RIG_ANSWERS_MAX = 32, RIG_REQUESTS_MAX = 64, RIG_RECONCILES_MAX = 64 };

typedef Err *RigReconcile(Ctx *c, Key key, Reconciled *ret);

/* One answer of the API server: an object, or an error. */
typedef struct RigAnswer {
    const char *object; /* JSON5 */
    bool accepted;      /* the body of the request comes back */
    Err err;            /* class 0: no error */
} RigAnswer;

typedef struct Rig {
    Transport transport; /* first, so that the transport is the rig */
    Api api;             /* all workers, the leader and the teller share it */
    Streams streams;
    Guard guard;
    LogSink sink;
    Log log;
    bool is_guarded;
    const char *logged; /* all lines so far */
    ManualClock clock;
    SeededRng rng;
    Controller controllers[2];
    const Controller *controller_list[3];
    ManagerOptions options;
    Manager *manager;
    Worker *worker;
    Arena *arena; /* as old as the rig */
    Arena *work;  /* reconciles: what they pin is let go before the caches are */

    RigAnswer answers[RIG_ANSWERS_MAX];
    int answer_count, answered;
    const char *requests[RIG_REQUESTS_MAX]; /* "get configmaps ns/x", in order */
    Request sent[RIG_REQUESTS_MAX];
    int request_count;
    const char *reconciled[RIG_RECONCILES_MAX]; /* keys, in order */
    int reconcile_count;
    RigReconcile *reconcile; /* what a reconcile does; NULL: nothing */
} Rig;

/* A rig with one controller of these watches. */
Rig *rig_open(const Watch *watches);

/* The same with leader election: nobody leads until the lease is taken. */
Rig *rig_open_with_lease(const Watch *watches);
void rig_close(Rig *r);

/* Builds the manager anew, of options that a test has changed. */
void rig_assemble_again(Rig *r);
void rig_close_scoped(Rig **r);
#define SCOPED_RIG __attribute__((cleanup(rig_close_scoped))) Rig *

/* Feeds a cache: a whole list, an event, a bookmark. Texts are JSON5. */
void rig_list(Rig *r, int cache, const char *version, const char *items);
void rig_put(Rig *r, int cache, const char *object);
void rig_remove(Rig *r, int cache, const char *object);
void rig_reach(Rig *r, int cache, const char *version);

/* What the API server says next. Without a script it answers 404. */
void rig_answer(Rig *r, const char *object);
void rig_fail(Rig *r, Err err);

/* The next write is carried out: the answer is its body, at version 3. */
void rig_accept(Rig *r);

/* Takes part in the manager's life: the watch step, the leader's step, and workers until nothing is
 * due. */
void rig_watch(Rig *r);
void rig_lead(Rig *r);
void rig_work(Rig *r);

/* Runs `reconcile` once for a key, outside of the queue, and gives its error. */
Err *rig_reconcile(Rig *r, Key key, RigReconcile *reconcile);

/* All keys reconciled so far, and all requests sent so far, as one line; and forgets them. */
const char *rig_reconciled(Rig *r);
const char *rig_requests(Rig *r);

/* An object as JSON5, in namespace "ns"; `more` is put behind its metadata's other fields. */
#define CONFIGMAP(name, uid, version, more)                                                        \
    "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace: 'ns', name: '" name               \
    "', uid: '" uid "', resourceVersion: '" version "'" more "}}"

#endif
