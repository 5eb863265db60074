/* Parts: what the files of this room share. One reconcile is a NodePass, which goes once through
 *
 *     gather ──► decide ──► hold or pause ──► execute ──► conditions ──► flush ──► tell
 *
 * and is forgotten. */
#ifndef SEI_RECONCILE_PARTS_H
#define SEI_RECONCILE_PARTS_H

#include "base/map.h"
#include "base/slab.h"
#include "kube/kube.h"
#include "sei/exec/exec.h"
#include "sei/plan/explain.h"
#include "sei/plan/node_plan.h"
#include "sei/reconcile/app.h"
#include "sei/reconcile/edits.h"
#include "sei/reconcile/fleet_clocks.h"
#include "sei/reconcile/likenesses.h"
#include "sei/reconcile/lookups.h"
#include "sei/reconcile/pace.h"
#include "sei/reconcile/peers.h"
#include "sei/reconcile/permits.h"
#include "sei/reconcile/probe_asks.h"
#include "sei/reconcile/renderings.h"
#include "sei/reconcile/telling.h"
#include "sei/reconcile/waits.h"
#include "sei/render/render.h"
#include "sei/sidecar/credentials.h"
#include "sei/sidecar/sidecars.h"

struct App {
    Attendant attendant; /* first, so that the attendant is the app */
    Arena *arena;
    Controller nodes, fleets;
    const Controller *controllers[3]; /* ended by NULL */
    const Settings *settings;
    const char *const *namespaces; /* as in the options */
    Clock *clock;
    Guard *guard; /* guard_none until the manager is there */
    Waker *waker; /* NULL until then */
    Sidecars *sidecars;
    struct Seids *seids;
    Credentials *credentials;
    StartLocks *start_locks;
    Permits *permits;
    Waits *waits, *fleet_waits;
    FleetClocks *fleet_clocks;
    Edits *edits;
    ProbeAsks *probe_asks;
    Renderings *renderings;
    Likenesses *likenesses;
    Pace *pace;       /* of the status of fleets */
    Lookups *lookups; /* of the host names of fleets */
    Peers *peers;
    int64_t working_since_ms; /* wall clock: when it first looked at a fleet; 0: it has not */
    Figures figures;
};

/* One reconcile. */
typedef struct NodePass {
    Ctx *c;
    App *app;
    Reconciled *ret;
    SeiNode node; /* as read, and with the peers that it has now */
    TaskPeers peers;
    bool is_to_be_named; /* others want to know what its pod is called */
    bool scaled_by_hand;
    bool volume_was_read; /* live */
    bool set_is_stopped;  /* in this pass: the StatefulSet was brought to 0 */
    bool job_is_stopped;  /* the same of the bootstrap Job */
    Wanted wanted;
    NodeSnapshot snapshot;
    const Err *import_err;  /* what stands against the import, when it was looked at */
    int64_t permit_look_ms; /* when to ask for a permit again */
    NodeDecision decision;
    NodeStatus status;  /* as it becomes */
    const Json *stored; /* the node as our own write of it has left it, or NULL */
    ExecResult exec;
} NodePass;

/* Reads everything that counts, and renders what is wanted. ERR_TERMINAL: the spec cannot be
 * rendered. */
Err *gather_node(NodePass *p) MUST_CHECK;

/* Looks for what holds a validator's pod back: snapshot.pod_held_back. */
void gather_key_trouble(NodePass *p);

/* Asks what the failing probe of the pod got, once it is reported: snapshot.probe_output. */
void gather_probe_output(NodePass *p);

/* Notes what the node uses of what only one node may use at a time (`object` NULL: the SeiNode is
 * gone, but not all of it need be), and ends its turn to start. Nodes that wait for one of these
 * resources are enqueued when there is reason to. At the beginning of each reconcile. An error is
 * one of the caches. */
Err *note_start(Ctx *c, Key node, const Json *object) MUST_CHECK;

/* Looks for another that runs with the node's key as it does itself: snapshot.signing_twin. */
Err *gather_signing_twin(NodePass *p) MUST_CHECK;

/* Tells others of the node, and the node of others. An error is one of the caches. */
Err *gather_peers(NodePass *p) MUST_CHECK;

/* A node is nobody's peer any more. */
void forget_peer(App *app, Key node, int64_t when_ms);

/* Wakes those whose peers have changed; when to call again, in ms of the monotonic clock. */
int64_t wake_peers(App *app);

/* Asks the planner, and reads what it asks back for. ERR_TERMINAL: the spec is refused. */
Err *decide_node(NodePass *p) MUST_CHECK;

/* The volume belongs to a bootstrap Job, or may still do so. */
bool is_bootstrapping(const NodePass *p);

/* Labels and annotations of the live pod: they never restart it. */
Err *keep_pod_labels(NodePass *p) MUST_CHECK;

/* While paused: scaled to 0, and what existed exists. Unpaused: scaled back. Outside of plans. */
Err *keep_pause(NodePass *p) MUST_CHECK;

/* The node is to be paused, and is not: its StatefulSet or its Job was not stopped. Nobody else may
 * be told that the volume is free. */
bool runs_on_when_paused(const NodePass *p);

/* keep_pause for the Job of a bootstrap stage, which stands still while its node is paused. */
Err *keep_job_pause(NodePass *p) MUST_CHECK;

/* The Job is the node's, has not ended, and does not stand still. */
bool job_runs(const NodePass *p);

/* A node that is being deleted. */
Err *delete_node(NodePass *p) MUST_CHECK;

/* While the whole kind is being deleted, or nobody can say so, nothing of it is anybody's to lose.
 */
Err *crd_is_going(Ctx *c, const char *crd_name, bool *ret) MUST_CHECK;

/* Writes p->status where it differs from what is stored; true when something was written. */
Err *flush_status(NodePass *p, bool *ret_written) MUST_CHECK;

/* Reconciles once more after so long, or earlier; 0: not for this. */
void look_again(NodePass *p, int64_t after_ms);

/* What tasks work on. */
TaskRun task_run_of(NodePass *p);

/* Now, as the API writes it. */
const char *now_text(Ctx *c);

#endif
