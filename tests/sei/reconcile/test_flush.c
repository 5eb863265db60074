/* Storing a status while others write: sent again where only the rest of the node has changed,
 * given up and told where the status itself is somebody else's by now. */
#include "kube/meta.h"
#include "sei/reconcile/parts.h"
#include "tests/sei/nodes.h"

typedef struct Desk {
    Kube kube; /* first, so that the port is this */
    Ctx ctx;
    int conflicts;    /* patches that are refused, from the first on */
    const char *live; /* a merge patch of the node as it is by now; NULL: it is gone */
    const Json *node;
    int patches, gets, told;
    const char *locked_to; /* the version that the last patch named */
} Desk;

static Err *err_status(Arena *a, int status)
{
    Err *err = err_retry(a, "refused");

    err->status = status;
    err->reason = status == 409 ? "Conflict" : "NotFound";
    return err;
}

static Err *answer(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    Desk *d = (Desk *)self;

    if (request->verb == VERB_GET) {
        d->gets++;
        if (!d->live)
            return err_status(c->arena, 404);
        *ret = json_merge(c->arena, d->node, json_fixture(c->arena, d->live));
        return OK;
    }
    then_str(request->subresource, "status");
    d->locked_to = str_copy(c->arena, json_str(request->body, ".metadata.resourceVersion"));
    if (d->patches++ < d->conflicts)
        return err_status(c->arena, 409);
    *ret = d->node;
    return OK;
}

static void note(Kube *self, Ctx *c, const Notice *notice)
{
    (void)c;
    then_str(notice->reason, "StatusConflict");
    ((Desk *)self)->told++;
}

static const struct {
    const char *name, *live;
    int conflicts, patches, gets, told;
    const char *locked_to;
    bool fails;
} cases[] = {
    {"no other writer", .patches = 1, .locked_to = "7"},
    {"the rest of the node was edited",
        "{metadata: {resourceVersion: '8', labels: {a: 'b'}}}",
        .conflicts = 1,
        .patches = 2,
        .gets = 1,
        .locked_to = "8"},
    {"the status was written by another",
        "{metadata: {resourceVersion: '8'}, status: {phase: 'Failed'}}",
        .conflicts = 1,
        .patches = 1,
        .gets = 1,
        .told = 1,
        .locked_to = "7",
        .fails = true},
    {"the node is gone", .conflicts = 1, .patches = 1, .gets = 1, .locked_to = "7", .fails = true},
    {"another node has its name",
        "{metadata: {uid: 'another', resourceVersion: '8'}}",
        .conflicts = 1,
        .patches = 1,
        .gets = 1,
        .locked_to = "7",
        .fails = true},
    {"another client edits faster than the operator writes",
        "{metadata: {resourceVersion: '8', labels: {a: 'b'}}}",
        .conflicts = 100,
        .patches = 4,
        .gets = 3,
        .told = 1,
        .locked_to = "8",
        .fails = true},
};

TEST(a_status_conflict_is_reported_if_another_writer_changed_the_status)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Desk d = {
            .kube = {.call = answer, .event = note},
            .conflicts = cases[i].conflicts,
            .live = cases[i].live,
        };
        d.ctx = (Ctx){.arena = a, .kube = &d.kube};
        App app = {.guard = guard_none()};
        NodePass p = {.c = &d.ctx, .app = &app};
        p.node = sample_node(a, "{metadata: {resourceVersion: '7'}, status: {phase: 'Running'}}");
        d.node = p.node.object;
        p.status = p.node.status;
        p.status.current_image = "seid:v2";
        bool written;

        Err *err = flush_status(&p, &written);

        then_true((err != NULL) == cases[i].fails);
        then_true(written == !cases[i].fails);
        then_int(d.patches, cases[i].patches);
        then_int(d.gets, cases[i].gets);
        then_int(d.told, cases[i].told);
        then_str(d.locked_to, cases[i].locked_to);
    }
}

TEST(an_unchanged_status_is_not_written)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Desk d = {.kube = {.call = answer, .event = note}};
    d.ctx = (Ctx){.arena = a, .kube = &d.kube};
    App app = {.guard = guard_none()};
    NodePass p = {.c = &d.ctx, .app = &app};
    p.node = sample_node(a, "{metadata: {resourceVersion: '7'}, status: {phase: 'Running'}}");
    p.status = p.node.status;
    bool written = true;

    then_ok(flush_status(&p, &written));

    then_true(!written);
    then_int(d.patches, 0);
}
