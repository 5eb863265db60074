/* Play: the operator's SeiNode controller in a simulation with the whole cast: API server with our
 * CRDs, StatefulSet and Job controllers, garbage collector, volumes, a kubelet with seids and
 * sidecars; and a person who asks for things.
 *
 *     SCOPED_PLAY p = play_open(&(PlayOptions){.seed = 7});
 *     play_create_node(p, "rpc-0", "{}");
 *     then_str(play_settle(p), NULL);
 *     play_delete(p, kind_statefulset, "rpc-0");
 *
 * What everybody wrote is counted, so that a test can say what must not have happened. */
#ifndef TESTS_SIM_PLAY_H
#define TESTS_SIM_PLAY_H

#include "kube/kind.h"
#include "sei/api/node.h"
#include "sei/api/settings.h"
#include "sei/reconcile/resolver.h"
#include "sim/replica.h"
#include "sim/sim.h"
#include "world/kubelet.h"

typedef struct Play Play;

enum { PLAY_REPLICAS_MAX = 2, PLAY_PATIENCE_MS = 600000 };

#define PLAY_NAMESPACE "sei"

typedef struct PlayOptions {
    SimOptions sim;
    int replicas;                     /* 0: 1 */
    int workers;                      /* 0: 2 */
    bool talkative;                   /* the operator's log has all levels */
    int64_t platform_max_unavailable; /* 0: 1 */
    Resolver *resolver;               /* NULL: every host name resolves */
    const char *const *namespaces;    /* that the operator says it watches; NULL: all */
    bool kubelet_tells;               /* the kubelet posts Events about pods */
} PlayOptions;

Play *play_open(const PlayOptions *options);
void play_close(Play *p);
void play_close_scoped(Play **p);
#define SCOPED_PLAY __attribute__((cleanup(play_close_scoped))) Play *

Sim *play_sim(Play *p);
Replica *play_replica(Play *p, int number);
Kubelet *play_kubelet(Play *p);

/* Memory that lives as long as the play. */
Arena *play_arena(Play *p);

/* The settings with which the next life of a replica starts. */
Settings *play_settings(Play *p);

/* Every replica dies, and comes back as an operator that gives seid so many CPUs. */
void play_upgrade(Play *p, const char *cpu);

/* A replica stands still for so long without its knowing, while all others go on. */
void play_freeze(Play *p, int number, int64_t ms);

/* --- a person; all in PLAY_NAMESPACE. What is refused ends the test, except by play_try. --- */

/* A full node of chain pacific-1 and image seid:v1, with a merge patch of what differs. */
void play_create_node(Play *p, const char *name, const char *change);
void play_create(Play *p, const Kind *kind, const char *object);
void play_patch(Play *p, const Kind *kind, const char *name, const char *change);
void play_patch_status(Play *p, const Kind *kind, const char *name, const char *change);
void play_delete(Play *p, const Kind *kind, const char *name);
void play_delete_how(Play *p, const Kind *kind, const char *name, Propagation how);
void play_scale(Play *p, const char *name, int replicas);
/* A line of world/order.h. */
void play_order(Play *p, const char *line);
/* The HTTP status of a request. */
int play_try(Play *p, Request request, const char *body);

/* --- time --- */

/* Runs for so long. */
void play_run(Play *p, int64_t ms);

/* Runs until the operator has nothing left to do and every node and fleet is as its spec says, for
 * at most PLAY_PATIENCE_MS of virtual time. NULL when it came to that; else what is wrong, as a
 * sentence. */
const char *play_settle(Play *p);

/* Runs until something is so; false when it was not within PLAY_PATIENCE_MS. Of what `is_so` finds
 * it must keep nothing. */
bool play_until(Play *p, bool (*is_so)(Play *p, const char *name), const char *name);

/* --- what there is; NULL for what is not --- */

const Json *play_find(Play *p, const Kind *kind, const char *name);
/* The same in memory of the caller's: for what looks again and again. */
const Json *play_look(Play *p, Arena *a, const Kind *kind, const char *name);
/* A decoded node; a missing one ends the test. */
const SeiNode *play_node(Play *p, const char *name);
/* "True", "False", "Unknown", or NULL; its reason; its message. */
const char *play_condition(Play *p, const char *name, const char *type);
const char *play_reason(Play *p, const char *name, const char *type);
const char *play_message(Play *p, const char *name, const char *type);

/* How often an event of a reason was told about a node, from the beginning; and its newest text. */
int play_events(Play *p, const char *name, const char *reason, const char **ret_note);

/* All events about a node so far, a line each in the order of their first time:
 * "Normal PhaseTransition 2: Phase changed ...", with how often. */
const char *play_told(Play *p, const char *name);

/* The page of metrics of the first replica, of families whose names begin so. */
const char *play_metrics(Play *p, const char *prefix);

/* --- what happened since the last play_mark --- */

void play_mark(Play *p);
/* Writes of the operator that changed something: verb (or -1 for any) and kind (or NULL). */
int play_writes(const Play *p, int verb, const Kind *kind);
/* Such a write to an object that is not of this node; NULL for none. */
const char *play_wrote_beside(const Play *p, const char *node);
/* All API requests of the operator but those about leases and events, and without watches. */
int play_requests(const Play *p);
/* Of those, reads. */
int play_reads(const Play *p);
/* Pods that anybody deleted. */
int play_pods_deleted(const Play *p);
/* Tasks of a type (NULL: any) that were handed over to sidecars, each id counted once. */
int play_tasks_posted(const Play *p, const char *type);
/* One of them as it was sent, counted from 0; NULL past the last. */
const Json *play_posted(const Play *p, int number);
/* The first time, from the beginning, that two unfinished pods had one claim; NULL: never. */
const char *play_crowd(const Play *p);
/* The same of two that had one signing key. */
const char *play_double_signer(const Play *p);
/* The first promise about fleets, volumes or seids that was broken, from the beginning (crowd.h,
 * fleet_monitor.h, world/hazard.h); NULL: none. */
const char *play_broken_promise(Play *p);
/* The most nodes of a fleet that were down or about to be when the operator took the last one. */
int play_most_down(const Play *p);
/* Of the requests, status writes that say what a plan waits for. */
int play_waits_told(const Play *p);
/* Prints what happened, a line each: for a test that is about to fail. */
void play_tell(Play *p);

#endif
