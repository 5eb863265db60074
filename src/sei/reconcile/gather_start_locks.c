/* Start locks, as one reconcile sees them: what the node shares with other nodes (signing keys,
 * data volumes) is noted before it could start anything, and whether another node runs with its key
 * is looked up. What follows from that for a pod that is to start, its task finds out:
 * signer_start.c, volume_start.c. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/twins.h"

/* --- filling -----------------------------------------------------------------------------------
 */

typedef struct Filler {
    Walker port; /* first, so that the port is this */
    StartLocks *locks;
} Filler;

static const char *import_of(const Json *node)
{
    return json_str(node, ".spec.dataVolume.import.pvcName");
}

/* The volume that was made for the node itself is left out: who else uses it is in the table. */
static const char *imported_by(const Json *node)
{
    bool is_imported = json_bool(node, ".status.dataVolume.imported", false);

    return is_imported ? json_str(node, ".status.dataVolume.name") : NULL;
}

static void see_node(Walker *self, const Json *node)
{
    StartLocks *locks = ((Filler *)(void *)self)->locks;
    Key key = meta_key(node);

    start_locks_see(locks, key, exclusive_key(twins_secret_in(node)));
    start_locks_see(locks, key, exclusive_claim(import_of(node)));
    start_locks_see(locks, key, exclusive_claim(imported_by(node)));
}

/* The claim that the volume mounts, or NULL. Left out as above. */
static const char *claim_in(const Json *volume, const char *node)
{
    const char *claim = json_str(volume, ".persistentVolumeClaim.claimName");

    return claim && !str_eq(name_node_of_volume(claim), node) ? claim : NULL;
}

/* Also one whose node is gone: it may be on its way, or left behind on purpose. */
static void see_statefulset(Walker *self, const Json *statefulset)
{
    StartLocks *locks = ((Filler *)(void *)self)->locks;
    Key key = {
        .namespace = meta_namespace(statefulset), .name = meta_label(statefulset, LABEL_NODE)};
    const Json *volume;

    if (!key.name)
        return;
    json_each(volume, json_find(statefulset, ".spec.template.spec.volumes")) {
        start_locks_see(locks, key, exclusive_key(json_str(volume, ".secret.secretName")));
        start_locks_see(locks, key, exclusive_claim(claim_in(volume, key.name)));
    }
}

static Err *fill(Ctx *c, StartLocks *locks)
{
    Filler nodes = {.port = {.see = see_node}, .locks = locks};
    Filler statefulsets = {.port = {.see = see_statefulset}, .locks = locks};

    if (!start_locks_must_be_filled(locks))
        return OK;
    Err *err = kube_walk(c, kind_seinode, &nodes.port);
    if (!err)
        err = kube_walk(c, kind_statefulset, &statefulsets.port);
    start_locks_filled(locks, !err);
    return err;
}

/* --- noting ------------------------------------------------------------------------------------
 */

typedef struct StartParts {
    const Json *node, *statefulset, *pod, *job;
} StartParts;

static Err *find_parts(Ctx *c, Key node, StartParts *ret)
{
    Key pod = {.namespace = node.namespace, .name = name_pod(c->arena, node.name)};
    Key job = {.namespace = node.namespace, .name = name_bootstrap_job(c->arena, node.name)};

    TRY(kube_find(c, kind_statefulset, node, &ret->statefulset));
    TRY(kube_find(c, kind_pod, pod, &ret->pod));
    return kube_find(c, kind_job, job, &ret->job);
}

static void note_mounts(StartNote *note, const char *node, const Json *volumes)
{
    const Json *volume;

    json_each(volume, volumes)
        start_note_add(note, exclusive_claim(claim_in(volume, node)));
}

/* Its own volume only when another node names it: then that one must see this one, too. */
static void note_claims(
    StartNote *note, StartLocks *locks, Key node, const StartParts *parts, const char *own_claim)
{
    start_note_add(note, exclusive_claim(import_of(parts->node)));
    start_note_add(note, exclusive_claim(imported_by(parts->node)));
    note_mounts(note, node.name, json_find(parts->pod, ".spec.volumes"));
    note_mounts(note, node.name, json_find(parts->statefulset, ".spec.template.spec.volumes"));
    if (start_locks_is_shared(locks, node, exclusive_claim(own_claim)))
        start_note_add(note, exclusive_claim(own_claim));
}

/* Most nodes share nothing, and cost two lookups in the table. */
static bool shares_nothing(StartLocks *locks, Key node, const Json *object, const char *own_claim)
{
    return !twins_secret_in(object) && !import_of(object) && !imported_by(object)
        && !start_locks_knows(locks, node)
        && !start_locks_is_shared(locks, node, exclusive_claim(own_claim));
}

Err *note_start(Ctx *c, Key node, const Json *object)
{
    StartLocks *locks = ((App *)c->app)->start_locks;
    const char *own_claim = name_data_volume(c->arena, node.name);
    StartParts parts = {.node = object};

    TRY(fill(c, locks));
    if (shares_nothing(locks, node, object, own_claim))
        return OK;
    TRY(find_parts(c, node, &parts));
    StartNote note = twins_note(object, parts.statefulset, parts.pod);
    note_claims(&note, locks, node, &parts, own_claim);
    note.is_seen = note.is_seen || (parts.job && !job_is_complete(parts.job));
    note.now_ms = clock_mono_ms(c->clock);
    start_locks_note(locks, node, &note);
    return OK;
}

/* --- who else runs -----------------------------------------------------------------------------
 */

Err *gather_signing_twin(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;
    TaskRun run = task_run_of(p);
    const char *secret = task_signing_secret(&run);
    Twins twins;

    if (!secret || !twins_runs(s->statefulset, s->pod, secret))
        return OK;
    TRY(twins_find(p->c, p->app->start_locks, &p->node, secret, &twins));
    const Twin *twin = twins_that_runs(&twins);
    s->signing_twin = twin ? twin->node.name : NULL;
    return OK;
}
