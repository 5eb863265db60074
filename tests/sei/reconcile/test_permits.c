/* Who counts as stopped by a change of the platform. */
#include "sei/reconcile/permits.h"

#include "kube/kube.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

#define READY(status) "conditions: [{type: 'Ready', status: '" status "', reason: 'R'}]"
#define PLAN(kind, cause, phase)                                                                   \
    "plan: {id: 'p', kind: '" kind "', cause: '" cause "', phase: '" phase "', tasks: []}"
#define ENDED(kind, cause) "{id: 'p', kind: '" kind "', cause: '" cause "', result: 'Complete'}"

static const struct {
    const char *name, *node;
    bool holds;
} cases[] = {
    {"a node that the platform updates",
        "{status: {phase: 'Running', " PLAN("node-update", "platform", "Active") "}}",
        true},
    {"not one that its own spec updates",
        "{status: {phase: 'Running', " PLAN("node-update", "spec", "Active") "}}",
        false},
    {"one that was updated and is not ready yet",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("node-update", "platform",
            "Complete") ", history: [" ENDED("node-update", "platform") "]}}",
        true},
    {"also when another plan has come after it",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("mark-ready-reapply",
            "the sidecar is not ready", "Active") ", history: [" ENDED("node-update",
            "platform") ", " ENDED("repair", "Service is missing") "]}}",
        true},
    {"not one that is ready again",
        "{status: {phase: 'Running', " READY("True") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
    {"not one whose last update was its own",
        "{status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") ", " ENDED("node-update", "spec") "]}}",
        false},
    {"not one that is paused",
        "{spec: {paused: true}, status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
};

TEST(a_permit_is_held_until_the_node_is_ready_again)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = sample_node(a, cases[i].node);

        then_int(permits_is_holder(&node), cases[i].holds);
    }
}

/* --- who waits is woken --- */

typedef struct Line {
    Waker waker; /* first, so that the port is this */
    const char *woken;
    Kube kube;
    Ctx ctx;
    Permits *permits;
} Line;

static void note_wake(Waker *self, Key key)
{
    Line *l = (Line *)self;

    l->woken = key.name[0] == 'b' ? "b" : key.name[0] == 'c' ? "c" : "another";
    then_str(key.namespace, "sei");
}

static Err *no_nodes(Kube *self, Ctx *c, const Selection *selection, Objects *ret)
{
    (void)self, (void)c, (void)selection;
    *ret = (Objects){0};
    return OK;
}

static Err *nothing_to_walk(Kube *self, Ctx *c, const Kind *kind, Walker *walker)
{
    (void)self, (void)c, (void)kind, (void)walker;
    return OK;
}

static void line_open(Line *l, Arena *a)
{
    *l = (Line){.kube = {.select = no_nodes, .walk = nothing_to_walk},
        .waker = {note_wake},
        .permits = permits_open(1)};
    l->ctx = (Ctx){.arena = a, .kube = &l->kube};
    permits_bind(l->permits, &l->waker);
}

static bool takes(Line *l, const char *name)
{
    bool held;

    then_ok(permits_take(&l->ctx, l->permits, guard_none(), (Key){"sei", name}, &held));
    return held;
}

static const char *released(Line *l, const char *name)
{
    l->woken = NULL;
    permits_release(l->permits, guard_none(), (Key){"sei", name});
    return l->woken;
}

TEST(who_gives_a_permit_back_wakes_the_first_in_line)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Line l;
    line_open(&l, a);

    then_true(takes(&l, "a"));
    then_true(!takes(&l, "b"));
    then_true(!takes(&l, "c"));
    then_true(!takes(&l, "b")); /* stands there once, and where it stood */
    then_str(released(&l, "b"), NULL);
    then_str(released(&l, "a"), "b");
    then_true(takes(&l, "b"));
    then_str(released(&l, "b"), "c");
    permits_close(l.permits);
}

TEST(who_was_woken_and_needs_none_leaves_it_to_the_next)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Line l;
    line_open(&l, a);

    then_true(takes(&l, "a"));
    then_true(!takes(&l, "b"));
    then_true(!takes(&l, "c"));
    then_str(released(&l, "a"), "b");
    then_str(released(&l, "b"), "c"); /* its pass ended without a plan */
    then_true(takes(&l, "c"));
    then_str(released(&l, "c"), NULL);
    permits_close(l.permits);
}
