/* Two nodes with one signing key, at every moment: whenever they are let go, whichever call of the
 * operator is lost and wherever it dies, never do two pods live that could sign, and one does in
 * the end. */
#include "kube/meta.h"
#include "tests/sim/strike.h"
#include "tests/sim/twins.h"

static bool one_is_ready(Play *p, const char *name)
{
    bool has_first = play_find(p, kind_seinode, "val-0") != NULL;

    (void)name;
    return (has_first && is_ready(p, "val-0")) != is_ready(p, "val-1");
}

/* One is let go while the other comes: which of them starts is open, that it is one is not. */
CAMPAIGN(two_validators_with_one_key_that_are_unpaused_at_any_moment_never_both_start)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}, .workers = 4});

        given_secrets(p);
        play_create_node(p, "val-0", BORN_PAUSED);
        play_run(p, 3000);
        create(p, "val-1");
        play_run(p, (int64_t)seed * 67 % 2000);
        let_go(p, "val-0");
        if (seed % 3 == 0)
            stop(p, "val-1");
        then_true(play_until(p, one_is_ready, NULL));
        play_run(p, REST_MS);
        if (play_double_signer(p))
            play_tell(p);
        then_str(play_double_signer(p), NULL);
        then_true(one_is_ready(p, NULL));
    }
}

/* The first apply of a StatefulSet is slow. */
typedef struct Delay {
    const char *node;
    int64_t ms;
    bool has_come;
} Delay;

static PortFault delay_apply(void *self, const PortCall *call)
{
    Delay *delay = self;
    const Request *request = call->request;

    if (delay->has_come || !request || request->verb != VERB_APPLY
        || !kind_eq(request->kind, kind_statefulset) || !str_eq(request->key.name, delay->node))
        return (PortFault){0};
    delay->has_come = true;
    return (PortFault){.kind = PORT_LATE, .delay_ms = delay->ms};
}

static const struct {
    const char *name;
    int64_t ms;
} delays[] = {
    {"while it is waited for", 3000},
    {"when the caller no longer waits", 40000},
};

/* The older one is let go when the other has been let through and has not started yet. */
TEST(a_start_that_is_in_progress_keeps_other_nodes_with_the_same_key_stopped)
{
    each_case(i, delays) {
        Delay delay = {.node = "val-1", .ms = delays[i].ms};
        SCOPED_PLAY p = play_open(&(PlayOptions){
            .sim = {.seed = 30, .judge = delay_apply, .judge_self = &delay}, .workers = 4});

        given_secrets(p);
        play_create_node(p, "val-0", BORN_PAUSED);
        create_later(p, "val-1");
        while (!delay.has_come)
            play_run(p, 1);
        let_go(p, "val-0");
        play_run(p, 1000);
        then_true(!has_pod(p, "val-1"));
        play_run(p, 2 * delays[i].ms);
        then_true(play_until(p, one_is_ready, NULL));
        play_run(p, REST_MS);
        then_str(play_double_signer(p), NULL);
        then_true(is_ready(p, "val-1"));
    }
}

static void given_one_that_waits(Play *p)
{
    given_running(p, "val-0");
    create(p, "val-1");
    then_true(play_until(p, is_held, "val-1"));
}

static void create_both(Play *p)
{
    create(p, "val-0");
    create(p, "val-1");
}

static void pause_first(Play *p)
{
    stop(p, "val-0");
}

static void delete_first(Play *p)
{
    play_delete(p, kind_seinode, "val-0");
}

static void pause_and_unpause_first(Play *p)
{
    stop(p, "val-0");
    play_run(p, 2500);
    let_go(p, "val-0");
}

static void delete_its_statefulset(Play *p)
{
    play_delete(p, kind_statefulset, "val-0");
}

/* `signer` has the pod in the end; NULL: one of the two. */
static const char *find_wrong(Play *p, const char *signer)
{
    play_run(p, REST_MS); /* what is to end has ended */
    bool is_well = play_until(p, one_is_ready, NULL);
    play_run(p, REST_MS);
    bool first = has_pod(p, "val-0"), second = has_pod(p, "val-1");

    if (play_double_signer(p))
        return play_double_signer(p);
    if (!is_well || !one_is_ready(p, NULL))
        return "no node is Ready";
    if (first == second)
        return first ? "both have a pod" : "neither has a pod";
    return signer && !has_pod(p, signer) ? "the wrong one has a pod" : NULL;
}

static const StrikeScene scenes[] = {
    {"two births", given_secrets, create_both, find_wrong, "val-0"},
    {"a move by a pause", given_one_that_waits, pause_first, find_wrong, "val-1"},
    {"a move by a deletion", given_one_that_waits, delete_first, find_wrong, "val-1"},
    {"a pause that is taken back", given_one_that_waits, pause_and_unpause_first, find_wrong},
    {"a repair", given_one_that_waits, delete_its_statefulset, find_wrong},
};

CAMPAIGN(the_operator_may_crash_at_every_write_and_one_of_two_validators_signs)
{
    static const struct {
        const char *name;
        PortFault fault;
        bool is_rare; /* only when all are asked for */
    } deaths[] = {
        {"before the call", {.kind = PORT_CRASH_BEFORE}},
        {"on the way", {.kind = PORT_CRASH_SENT}, .is_rare = true},
        {"before the answer", {.kind = PORT_CRASH_AFTER}},
    };
    int courses = 0;

    each_case(i, deaths)
        for (size_t k = 0; k < array_count(scenes); k++)
            if (!deaths[i].is_rare || strike_wants_all())
                courses += strike_each_call(&scenes[k], deaths[i].fault, true);
    print_message("# %d deaths\n", courses);
    then_true(courses > 50);
}

CAMPAIGN(every_call_may_get_lost_and_one_of_two_validators_signs)
{
    int courses = 0;

    for (size_t k = 0; k < array_count(scenes); k++)
        courses += strike_each_call(&scenes[k], (PortFault){.kind = PORT_LOST}, false);
    print_message("# %d lost answers\n", courses);
    then_true(courses > 50);
}
