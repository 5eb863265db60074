/* How soon a key is looked at after an event, and how often after many. */
#include "kube/meta.h"
#include "kube/runtime/wake.h"
#include "tests/kube/runtime/rig.h"

enum { CALM_MS = 250 };

static void key_from_annotation(Arena *a, const Json *object, KeySet *ret)
{
    const char *from = meta_annotation(object, "from");

    if (from)
        keyset_add(ret, key_parse(a, from));
}

/* ConfigMaps are reconciled. Secrets say in an annotation whom they concern, and may wait. */
static const Watch watches[] = {
    {kind_configmap},
    {kind_secret, .keys = key_from_annotation, .calm_ms = CALM_MS},
    {0},
};

#define FROM_X ", annotations: {from: 'ns/x'}"
#define OWNED_BY(name)                                                                             \
    ", ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap', name: '" name                       \
    "', uid: 'u', controller: true}]"
#define GOING ", deletionTimestamp: '2024-01-01T00:00:00Z'"
#define SECRET(uid, version, more)                                                                 \
    "{apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'ns', name: 's', uid: '" uid         \
    "', resourceVersion: '" version "'" FROM_X more "}}"

/* With a Secret in its cache, and nothing left to do. */
static Rig *open_with(const char *secret)
{
    Rig *r = rig_open(watches);

    rig_list(r, 0, "5", "[]");
    rig_list(r, 1, "5", str_format(r->arena, "[%s]", secret));
    rig_watch(r);
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
    return r;
}

/* What is reconciled until so long after now. */
static const char *reconciled_after(Rig *r, int64_t ms)
{
    clock_manual_advance_ms(&r->clock, ms);
    rig_work(r);
    return rig_reconciled(r);
}

TEST(events_of_a_debounced_watch_are_reconciled_together_after_the_delay_of_the_first)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));

    rig_put(r, 1, SECRET("u1", "6", ", labels: {a: '1'}"));
    then_str(reconciled_after(r, CALM_MS - 1), "");
    rig_put(r, 1, SECRET("u1", "7", ", labels: {a: '2'}"));
    then_str(reconciled_after(r, 1), "ns/x");
    then_str(reconciled_after(r, 10 * CALM_MS), "");
}

TEST(an_event_of_another_watch_does_not_wait_for_debounced_ones)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));

    rig_put(r, 1, SECRET("u1", "6", ", labels: {a: '1'}"));
    rig_put(r, 0, CONFIGMAP("x", "u", "7", ""));
    then_str(reconciled_after(r, 0), "ns/x");
    then_str(reconciled_after(r, 10 * CALM_MS), "");
}

TEST(an_owner_that_loses_an_object_is_enqueued_without_debouncing)
{
    static const struct {
        const char *name, *before, *event;
        bool is_removed;
        const char *at_once;
    } cases[] = {
        {"it is gone",
            SECRET("u1", "1", OWNED_BY("x")),
            SECRET("u1", "6", OWNED_BY("x")),
            true,
            "ns/x"},
        {"it is going",
            SECRET("u1", "1", OWNED_BY("x")),
            SECRET("u1", "6", OWNED_BY("x") GOING),
            false,
            "ns/x"},
        {"there is another in its place",
            SECRET("u1", "1", OWNED_BY("x")),
            SECRET("u2", "6", OWNED_BY("x")),
            false,
            "ns/x"},
        {"it has changed",
            SECRET("u1", "1", OWNED_BY("x")),
            SECRET("u1", "6", OWNED_BY("x") ", labels: {a: 'b'}"),
            false,
            ""},
        {"an object without an owner is deleted",
            SECRET("u1", "1", ""),
            SECRET("u1", "6", ""),
            true,
            ""},
        {"an object of another owner is deleted",
            SECRET("u1", "1", OWNED_BY("y")),
            SECRET("u1", "6", OWNED_BY("y")),
            true,
            ""},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_with(cases[i].before);
        if (cases[i].is_removed)
            rig_remove(r, 1, cases[i].event);
        else
            rig_put(r, 1, cases[i].event);
        then_str(reconciled_after(r, 0), cases[i].at_once);
        then_str(reconciled_after(r, CALM_MS), cases[i].at_once[0] ? "" : "ns/x");
    }
}

TEST(an_owner_whose_object_is_missing_from_a_list_is_enqueued_without_debouncing)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", OWNED_BY("x")));

    rig_list(r, 1, "9", "[]");
    then_str(reconciled_after(r, 0), "ns/x");
}

TEST(a_change_of_fields_that_are_not_kept_enqueues_nothing)
{
    static const struct {
        const char *name, *event, *woken;
    } cases[] = {
        {"its version alone", CONFIGMAP("x", "u", "7", ""), ""},
        {"managed fields",
            CONFIGMAP("x", "u", "7", ", managedFields: [{manager: 'somebody'}]"),
            ""},
        {"a label", CONFIGMAP("x", "u", "7", ", labels: {resourceVersion: '7'}"), "ns/x"},
        {"that it is going", CONFIGMAP("x", "u", "7", GOING), "ns/x"},
        {"another in its place", CONFIGMAP("x", "u9", "7", ""), "ns/x"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_with(SECRET("u1", "1", ""));
        rig_put(r, 0, CONFIGMAP("x", "u", "6", ""));
        then_str(reconciled_after(r, 0), "ns/x");
        rig_put(r, 0, cases[i].event);
        then_str(reconciled_after(r, 0), cases[i].woken);
    }
}

/* --- what its watch does not care for */

static bool is_another_colour(Arena *a, const Json *before, const Json *now)
{
    (void)a;
    return !str_eq(meta_label(before, "colour"), meta_label(now, "colour"));
}

TEST(a_change_that_the_watch_does_not_consider_relevant_enqueues_nothing)
{
    static const Watch coloured[] = {{kind_configmap, .matters = is_another_colour}, {0}};
    static const struct {
        const char *name, *event, *woken;
    } cases[] = {
        {"another label", CONFIGMAP("x", "u", "7", ", labels: {colour: 'red', a: 'b'}"), ""},
        {"the one that matters", CONFIGMAP("x", "u", "7", ", labels: {colour: 'blue'}"), "ns/x"},
        {"another in its place", CONFIGMAP("x", "u9", "7", ", labels: {colour: 'red'}"), "ns/x"},
        {"another one", CONFIGMAP("y", "u9", "7", ", labels: {colour: 'red'}"), "ns/y"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = rig_open(coloured);
        rig_list(r, 0, "5", "[]");
        rig_watch(r);
        rig_put(r, 0, CONFIGMAP("x", "u", "6", ", labels: {colour: 'red'}"));
        then_str(reconciled_after(r, 0), "ns/x");
        rig_put(r, 0, cases[i].event);
        then_str(reconciled_after(r, 0), cases[i].woken);
    }
}

TEST(the_deletion_of_an_object_always_enqueues_its_key)
{
    static const Watch coloured[] = {{kind_configmap, .matters = is_another_colour}, {0}};
    SCOPED_RIG r = rig_open(coloured);

    rig_list(r, 0, "5", "[]");
    rig_watch(r);
    rig_put(r, 0, CONFIGMAP("x", "u", "6", ""));
    then_str(reconciled_after(r, 0), "ns/x");
    rig_remove(r, 0, CONFIGMAP("x", "u", "7", ""));
    then_str(reconciled_after(r, 0), "ns/x");
}

/* --- who is called */

/* Who calls for a worker, and whether one was about to be free. */
typedef struct Calls {
    const Manager *manager;
    int count;
    bool had_hand;
} Calls;

static void count_call(void *self)
{
    Calls *calls = self;

    calls->count++;
    calls->had_hand = manager_has_hand(calls->manager);
}

static void listen(Rig *r, Calls *ret)
{
    *ret = (Calls){.manager = r->manager};
    r->manager->host = ret;
    r->manager->work_added = count_call;
}

/* One that is asleep may sleep longer than until the next key is due. */
TEST(adding_a_key_notifies_a_worker)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));
    Calls calls;

    listen(r, &calls);
    rig_put(r, 1, SECRET("u1", "6", ", labels: {a: '1'}"));
    then_int(calls.count, 1);
    rig_put(r, 0, CONFIGMAP("y", "u", "7", ""));
    then_int(calls.count, 2);
    then_true(!calls.had_hand);
}

static Err *ask_the_server(Ctx *c, Key key, Reconciled *ret)
{
    const Rig *r = c->app;
    const Json *ignored;

    (void)ret;
    then_true(manager_has_hand(r->manager));
    TRY(kube_get_if_any(c, kind_configmap, key, &ignored));
    then_true(manager_has_hand(r->manager));
    return OK;
}

TEST(a_worker_that_blocks_on_the_server_notifies_another_worker)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));
    Calls calls;

    r->reconcile = ask_the_server;
    rig_put(r, 0, CONFIGMAP("y", "u", "7", ""));
    listen(r, &calls);
    then_true(worker_step(r->worker));
    then_int(calls.count, 1);
    then_true(!calls.had_hand);
    then_true(!manager_has_hand(r->manager));
}

static Err *hang_for_a_while(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    Calls *calls = r->manager->host;

    (void)key, (void)ret;
    rig_put(r, 0, CONFIGMAP("z", "u2", "8", ""));
    then_int(calls->count, 1);
    then_true(calls->had_hand);
    int64_t looks_again_ms = manager_watch_step(r->manager);
    then_int(looks_again_ms, clock_mono_ms(r->manager->clock) + MANAGER_HAND_MS);
    r->clock.mono_ns += (int64_t)MANAGER_HAND_MS * 1000000;
    rig_watch(r);
    then_int(calls->count, 3);
    then_true(!calls->had_hand);
    return OK;
}

TEST(a_key_does_not_wait_long_for_a_worker_that_hangs)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));
    Calls calls;

    r->reconcile = hang_for_a_while;
    rig_put(r, 0, CONFIGMAP("y", "u", "7", ""));
    listen(r, &calls);
    then_true(worker_step(r->worker));
    then_int(calls.count, 3);
}

/* --- how often one looks */

/* A guard behind which a quick worker stands: whenever it is free he takes what there is. */
typedef struct QuickWorker {
    Guard port;
    Manager *manager;
    int looks;
} QuickWorker;

static void let_in(Guard *self)
{
    (void)self;
}

static void look_at_once(Guard *self)
{
    QuickWorker *w = (QuickWorker *)self;
    QueueKey key;

    while (queue_take(w->manager->queue, clock_mono_ms(w->manager->clock), &key, NULL)) {
        w->looks++;
        queue_done_ok(w->manager->queue, key, clock_mono_ms(w->manager->clock));
    }
}

static Err *patch_itself(Ctx *c, Key key, Reconciled *ret)
{
    const Json *seen;

    (void)ret;
    TRY(kube_find(c, kind_configmap, key, &seen));
    return kube_merge_patch(
        c, kind_configmap, seen, json_fixture(c->arena, "{data: {a: 'b'}}"), NULL);
}

#define LABELLED(version, value) CONFIGMAP("x", "u", version, ", labels: {a: '" value "'}")

TEST(the_event_of_our_own_write_is_reconciled_at_once)
{
    static const struct {
        const char *name, *event;
        int looks;
    } cases[] = {
        {"it brings what we wrote", LABELLED("9", "2"), 1},
        {"it brings nothing that is kept", LABELLED("9", "1"), 1},
        {"it is older than what we wrote", LABELLED("8", "3"), 1},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_with(SECRET("u1", "1", ""));
        QuickWorker quick = {.port = {let_in, look_at_once}, .manager = r->manager};
        Guard *none = r->manager->guard;

        rig_put(r, 0, LABELLED("6", "1"));
        rig_work(r);
        rig_answer(r, LABELLED("9", "2"));
        then_ok(rig_reconcile(r, (Key){"ns", "x"}, patch_itself));
        r->manager->guard = &quick.port;
        rig_put(r, 0, cases[i].event);
        r->manager->guard = none;
        then_int(quick.looks, cases[i].looks);
    }
}

TEST(a_bookmark_past_our_own_write_enqueues_its_key)
{
    SCOPED_RIG r = open_with(SECRET("u1", "1", ""));

    rig_put(r, 0, LABELLED("6", "1"));
    rig_work(r);
    rig_reconciled(r);
    rig_answer(r, LABELLED("9", "2"));
    then_ok(rig_reconcile(r, (Key){"ns", "x"}, patch_itself));
    rig_reach(r, 0, "9");
    then_str(reconciled_after(r, 0), "ns/x");
}

/* --- who wrote what an event shows */

static const Watch of_two_kinds[] = {{kind_configmap}, {kind_secret}, {0}};

static Err *patch_itself_and_make_a_secret(Ctx *c, Key key, Reconciled *ret)
{
    TRY(patch_itself(c, key, ret));
    return kube_create(c, kind_secret, json_fixture(c->arena, SECRET("s", "", "")), NULL);
}

/* "ns/x" has written itself, at version 9, and a Secret, at 11; neither was shown. */
static Rig *open_with_two_writes(void)
{
    Rig *r = rig_open(of_two_kinds);

    rig_list(r, 0, "5", "[" LABELLED("5", "1") "]");
    rig_list(r, 1, "5", "[]");
    rig_watch(r);
    rig_answer(r, LABELLED("9", "2"));
    rig_answer(r, SECRET("s", "11", ""));
    r->reconcile = patch_itself_and_make_a_secret;
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x");
    r->reconcile = NULL;
    return r;
}

TEST(a_key_that_wrote_two_objects_is_enqueued_when_both_are_visible)
{
    static const struct {
        const char *name, *event, *reconciled;
    } cases[] = {
        {"what it wrote", LABELLED("9", "2"), ""},
        {"an earlier write of another client", LABELLED("8", "3"), "ns/x"},
        {"a later write of another client", LABELLED("10", "3"), "ns/x"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = open_with_two_writes();

        rig_put(r, 0, cases[i].event);
        then_str(reconciled_after(r, 0), cases[i].reconciled);
        rig_put(r, 0, LABELLED("10", "2"));
        rig_work(r);
        rig_reconciled(r);
        rig_put(r, 1, SECRET("s", "11", ""));
        then_str(reconciled_after(r, 0), "ns/x");
    }
}

TEST(a_list_that_shows_our_own_write_enqueues_the_key_because_it_may_contain_more)
{
    SCOPED_RIG r = open_with_two_writes();

    rig_list(r, 0, "10", "[" LABELLED("9", "2") "]");
    then_str(reconciled_after(r, 0), "ns/x");
}

/* --- who wrote words that are news to nobody */

static bool never_matters(Arena *a, const Json *before, const Json *now)
{
    (void)a, (void)before, (void)now;
    return false;
}

static const Watch of_words[] = {{kind_configmap, .matters = never_matters}, {0}};

static Err *patch_once(Ctx *c, Key key, Reconciled *ret)
{
    ret->is_content = true;
    return patch_itself(c, key, ret);
}

static Err *patch_twice(Ctx *c, Key key, Reconciled *ret)
{
    TRY(patch_once(c, key, ret));
    return kube_merge_patch(c,
        kind_configmap,
        json_fixture(c->arena, LABELLED("9", "2")),
        json_fixture(c->arena, "{data: {b: 'c'}}"),
        NULL);
}

static Err *patch_and_fail(Ctx *c, Key key, Reconciled *ret)
{
    TRY(patch_once(c, key, ret));
    return err_wait(c->arena, "something else");
}

static Err *patch_and_read(Ctx *c, Key key, Reconciled *ret)
{
    const Json *seen;

    TRY(patch_once(c, key, ret));
    Err *not_yet = kube_find(c, kind_configmap, key, &seen);
    then_int(not_yet->class, ERR_WAIT); /* told where people look, and kept to itself */
    return OK;
}

TEST(a_key_that_needs_no_requeue_is_not_enqueued_when_its_only_write_is_visible)
{
    static const struct {
        const char *name;
        RigReconcile *reconcile;
        const char *reconciled;
    } cases[] = {
        {"content", patch_once, ""},
        {"a key that needs a requeue", patch_itself, "ns/x"},
        {"two writes", patch_twice, "ns/x"},
        {"it waits for something", patch_and_fail, "ns/x"},
        {"it waits for its write", patch_and_read, "ns/x"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = rig_open(of_words);

        rig_list(r, 0, "5", "[" LABELLED("5", "1") "]");
        rig_watch(r);
        rig_answer(r, LABELLED("9", "2"));
        rig_answer(r, LABELLED("9", "2"));
        r->reconcile = cases[i].reconcile;
        rig_work(r);
        then_str(rig_reconciled(r), "ns/x");
        r->reconcile = NULL;
        rig_put(r, 0, LABELLED("9", "2"));
        then_str(reconciled_after(r, 0), cases[i].reconciled);
    }
}

static Err *find_itself(Ctx *c, Key key, Reconciled *ret)
{
    const Json *seen;

    (void)ret;
    return kube_find(c, kind_configmap, key, &seen);
}

TEST(a_key_that_had_to_wait_for_its_write_is_enqueued_when_it_is_visible)
{
    SCOPED_RIG r = rig_open(of_words);

    rig_list(r, 0, "5", "[" LABELLED("5", "1") "]");
    rig_watch(r);
    rig_answer(r, LABELLED("9", "2"));
    r->reconcile = patch_once;
    rig_work(r);
    r->reconcile = find_itself;
    wake_key(r->manager, (QueueKey){.key = {"ns", "x"}});
    rig_work(r);
    then_str(rig_reconciled(r), "ns/x, ns/x");
    rig_put(r, 0, LABELLED("9", "2"));
    then_str(reconciled_after(r, 0), "ns/x");
}
