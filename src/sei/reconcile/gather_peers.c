/* Peers, as one reconcile sees them: what the node is for others is noted, its sidecar is asked
 * what it is called when others want to know, and its own peers are looked up. Nobody waits for
 * anybody: what is not known yet wakes the node when it is. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/plan/peers.h"
#include "sei/task/kinds.h"

enum { WAKE_ARENA_MAX = 64 << 20, TOKEN_LOOK_MS = 5000, WHY_MAX = 300 };

static int64_t now_ms(const NodePass *p)
{
    return clock_mono_ms(p->c->clock);
}

/* Leaves the guard; the attendant tells earlier than it would have when there is reason to. */
static void leave(App *app, int64_t due_before)
{
    bool is_earlier = peers_due_ms(app->peers) < due_before;

    guard_leave(app->guard);
    if (is_earlier)
        http_wake(app->attendant.http);
}

/* --- filling -----------------------------------------------------------------------------------
 */

typedef struct Filler {
    Walker port; /* first, so that the port is this */
    App *app;
} Filler;

static void see(Walker *self, const Json *object)
{
    App *app = ((Filler *)self)->app;

    guard_enter(app->guard);
    peers_see(app->peers, object);
    guard_leave(app->guard);
}

static Err *fill(NodePass *p)
{
    App *app = p->app;
    Filler filler = {.port = {.see = see}, .app = app};

    guard_enter(app->guard);
    bool must = peers_must_be_filled(app->peers);
    guard_leave(app->guard);
    if (!must)
        return OK;
    Err *err = kube_walk(p->c, kind_seinode, &filler.port);
    guard_enter(app->guard);
    int64_t before = peers_due_ms(app->peers);
    peers_filled(app->peers, !err, now_ms(p));
    leave(app, before);
    return err;
}

/* --- what the node is for others ---------------------------------------------------------------
 */

static void note(NodePass *p, bool asks)
{
    App *app = p->app;

    guard_enter(app->guard);
    int64_t before = peers_due_ms(app->peers);
    peers_note(app->peers, p->node.object, asks ? p->node.spec.peers : NULL, now_ms(p));
    p->is_to_be_named = peers_want_name(app->peers, p->node.key, meta_uid(p->snapshot.pod));
    leave(app, before);
}

static void set_name(NodePass *p, const char *pod_uid, const char *node_id)
{
    App *app = p->app;

    guard_enter(app->guard);
    int64_t before = peers_due_ms(app->peers);
    peers_name(app->peers, p->node.key, pod_uid, node_id, now_ms(p));
    leave(app, before);
}

/* The Secret of the node key cannot be read, or holds no key. No event tells when that changes. */
static int64_t note_unnamed(NodePass *p, const Err *why)
{
    App *app = p->app;
    const char *text = str_cut(p->c->arena, err_text(p->c->arena, why), WHY_MAX);

    guard_enter(app->guard);
    int64_t before = peers_due_ms(app->peers);
    int64_t pause_ms =
        peers_name_failed(app->peers, p->node.key, meta_uid(p->snapshot.pod), text, now_ms(p));
    leave(app, before);
    return pause_ms;
}

static int64_t pause_left_ms(NodePass *p)
{
    guard_enter(p->app->guard);
    int64_t left_ms =
        peers_name_pause_ms(p->app->peers, p->node.key, meta_uid(p->snapshot.pod), now_ms(p));
    guard_leave(p->app->guard);
    return left_ms;
}

/* The pod that the next task is for: in the first stage of a bootstrap that of the Job. The id is
 * kept with the UID of the pod, so a Secret is read once per pod. seid mounts the key by subPath: a
 * container keeps the key that it was created with. The id of an edited Secret is wrong until seid
 * is restarted, if the operator reads the Secret in between, as it does after its own restart.
 * Without a pod that is ours there is no id; an event follows. */
static Err *ask_name(NodePass *p)
{
    TaskRun run = task_run_of(p);
    SidecarTarget target;
    SidecarName name;

    run.status = &p->node.status;
    run.task = plan_next_task(&run.status->plan);
    int64_t left_ms = pause_left_ms(p);
    look_again(p, left_ms);
    if (left_ms)
        return OK;
    Err *err = task_sidecar_name(p->c, &run, &target, &name);
    if (run.look_again_ms) /* of the Secret */
        look_again(p, note_unnamed(p, err));
    TRY(err);
    if (name.node_id[0])
        set_name(p, target.pod_uid, name.node_id);
    return OK;
}

/* --- what others are for the node --------------------------------------------------------------
 */

static bool has_label_source(const NodeSpec *spec)
{
    const Json *peer;

    json_each(peer, spec->peers)
        if (json_find(peer, ".label"))
            return true;
    return false;
}

static void resolve(NodePass *p)
{
    guard_enter(p->app->guard);
    PeersFound found =
        peers_resolve(p->app->peers, p->c->arena, p->node.key, p->node.status.resolved_peers);
    guard_leave(p->app->guard);
    p->node.status.resolved_peers = found.resolved;
    p->peers = (TaskPeers){
        .is_known = found.is_known,
        .matched = found.matched,
        .silent = found.silent,
        .silent_why = found.silent_why,
    };
}

Err *gather_peers(NodePass *p)
{
    const SeiNode *node = &p->node;
    bool is_frozen = node->spec.paused || node->status.phase == PHASE_FAILED;
    bool has_labels = has_label_source(&node->spec);
    bool is_refused = plan_check_peers(p->c->arena, node, p->app->namespaces) != OK;
    bool asks = has_labels && !is_frozen && !is_refused;

    if (asks)
        TRY(fill(p));
    note(p, asks);
    if (p->is_to_be_named) {
        Err *err = ask_name(p);
        if (err_is(err, ERR_RETRY)) /* no token is to be had: told by those who need one more */
            look_again(p, TOKEN_LOOK_MS);
    }
    if (asks)
        resolve(p);
    else if (!has_labels)
        p->node.status.resolved_peers = NULL;
    return OK;
}

/* --- beside reconciles -------------------------------------------------------------------------
 */

void forget_peer(App *app, Key node, int64_t when_ms)
{
    guard_enter(app->guard);
    int64_t before = peers_due_ms(app->peers);
    peers_forget(app->peers, node, when_ms);
    leave(app, before);
}

int64_t wake_peers(App *app)
{
    for (;;) {
        SCOPED_ARENA a = arena_open(WAKE_ARENA_MAX);
        Key *keys = NULL;

        guard_enter(app->guard);
        size_t count = peers_take_due(app->peers, a, clock_mono_ms(app->clock), &keys);
        int64_t next = peers_due_ms(app->peers);
        guard_leave(app->guard);
        for (size_t i = 0; app->waker && i < count; i++)
            app->waker->wake(app->waker, keys[i]);
        if (count == 0)
            return next;
    }
}
