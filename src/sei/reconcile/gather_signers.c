/* Signers, as one reconcile sees them: with which keys the node has to do is noted before it could
 * start anything, and whether another runs with its key is looked up. What follows from that for a
 * pod that is to start, its task finds out: signer_start.c. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/twins.h"

/* --- filling -----------------------------------------------------------------------------------
 */

typedef struct Filler {
    Walker port; /* first, so that the port is this */
    Signers *signers;
} Filler;

static void see_node(Walker *self, const Json *node)
{
    signers_see(((Filler *)self)->signers, meta_key(node), twins_secret_in(node));
}

/* Also one whose node is gone: it may be on its way, or left behind on purpose. */
static void see_statefulset(Walker *self, const Json *statefulset)
{
    const char *name = meta_label(statefulset, LABEL_NODE);
    SignerNote note = {0};

    twins_note_mounts(&note, json_find(statefulset, ".spec.template.spec.volumes"));
    for (size_t i = 0; name && i < note.count; i++)
        signers_see(((Filler *)self)->signers,
            (Key){.namespace = meta_namespace(statefulset), .name = name},
            note.secrets[i]);
}

static Err *fill(Ctx *c, Signers *signers)
{
    Filler nodes = {.port = {.see = see_node}, .signers = signers};
    Filler statefulsets = {.port = {.see = see_statefulset}, .signers = signers};

    if (!signers_must_be_filled(signers))
        return OK;
    Err *err = kube_walk(c, kind_seinode, &nodes.port);
    if (!err)
        err = kube_walk(c, kind_statefulset, &statefulsets.port);
    signers_filled(signers, !err);
    return err;
}

/* --- noting ------------------------------------------------------------------------------------
 */

Err *note_signer(Ctx *c, Key node, const Json *object)
{
    Signers *signers = ((App *)c->app)->signers;
    Key pod_key = {.namespace = node.namespace, .name = name_pod(c->arena, node.name)};
    const Json *statefulset, *pod;

    if (twins_secret_in(object))
        TRY(fill(c, signers));
    else if (!signers_knows(signers, node))
        return OK;
    TRY(kube_find(c, kind_statefulset, node, &statefulset));
    TRY(kube_find(c, kind_pod, pod_key, &pod));
    SignerNote note = twins_note(object, statefulset, pod);
    note.now_ms = clock_mono_ms(c->clock);
    signers_note(signers, node, &note);
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
    TRY(twins_find(p->c, p->app->signers, &p->node, secret, &twins));
    const Twin *twin = twins_that_runs(&twins);
    s->signing_twin = twin ? twin->node.name : NULL;
    return OK;
}
