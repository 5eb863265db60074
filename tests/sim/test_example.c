/* The example controller in virtual time: the same seed does the same, and whatever single call
 * fails, and wherever the process dies, the world is right in the end. */
#include "tests/sim/example.h"

#include "base/str.h"
#include "kube/manager.h"
#include "kube/meta.h"
#include "kube/runtime/machine.h"
#include "tests/test.h"

enum { PATIENCE_MS = 300000, SEEDS = 100 };

typedef struct Outcome {
    uint64_t hash;
    uint64_t calls;
    const char *complaint;
} Outcome;

static Outcome run_until_right(Arena *a, const ExampleOptions *options)
{
    SCOPED_ARENA work = arena_open(16 << 20);
    SCOPED_EXAMPLE e = example_open(options);
    const char *complaint = example_run(e, work, PATIENCE_MS);

    return (Outcome){
        .hash = sim_trace(example_sim(e))->hash,
        .calls = sim_calls(example_sim(e)),
        .complaint = str_copy(a, complaint),
    };
}

/* --- determinism -------------------------------------------------------------------------------
 */

CAMPAIGN(the_example_controller_converges_with_one_trace_for_each_seed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    uint64_t hashes[SEEDS];
    int equal = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        ExampleOptions options = {.sim = {.seed = seed}, .sources = 6};
        Outcome first = run_until_right(a, &options);
        Outcome again = run_until_right(a, &options);
        then_str(first.complaint, NULL);
        then_true(first.hash == again.hash);
        hashes[seed] = first.hash;
    }
    for (int i = 0; i < SEEDS; i++)
        for (int k = 0; k < i; k++)
            equal += hashes[i] == hashes[k];
    then_int(equal, 0);
}

TEST(two_example_replicas_give_one_trace_for_each_seed)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
        ExampleOptions options = {.sim = {.seed = seed}, .replicas = 2};
        Outcome first = run_until_right(a, &options);
        Outcome again = run_until_right(a, &options);
        then_str(first.complaint, NULL);
        then_true(first.hash == again.hash);
    }
}

/* A reconcile that peeks at something that differs from run to run. */
static Err *reconcile_by_chance(Ctx *c, Key key, Reconciled *ret)
{
    Err *err = example_controllers[0]->reconcile(c, key, ret);
    Rng *forbidden = rng_system();

    if (rng_below(forbidden, 2) == 0)
        ret->again_after_ms = 10;
    return err;
}

TEST(a_planted_nondeterminism_changes_the_trace_hash)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Controller planted = *example_controllers[0];
    const Controller *controllers[] = {&planted, NULL};
    ExampleOptions options = {.sim = {.seed = 7}, .sources = 12, .controllers = controllers};
    int differ = 0;

    planted.reconcile = reconcile_by_chance;
    Outcome first = run_until_right(a, &options);
    for (int i = 0; i < 8; i++)
        differ += run_until_right(a, &options).hash != first.hash;
    then_true(differ > 0);
}

/* --- every call fails once ---------------------------------------------------------------------
 */

static const struct {
    const char *name;
    PortFault fault;
} faults[] = {
    {"no connection", {.kind = PORT_UNSENT}},
    {"the answer is lost", {.kind = PORT_LOST}},
    {"a conflict", {.kind = PORT_REFUSED, .status = 409}},
    {"too many requests", {.kind = PORT_REFUSED, .status = 429, .retry_after_ms = 1000}},
    {"an internal error", {.kind = PORT_REFUSED, .status = 500}},
    {"an internal error after the deed", {.kind = PORT_DISGUISED, .status = 500}},
    {"not available", {.kind = PORT_REFUSED, .status = 503}},
    {"too old", {.kind = PORT_REFUSED, .status = 410}},
    {"a bit late", {.kind = PORT_LATE, .delay_ms = 1500}},
    {"so late that the caller has given up", {.kind = PORT_LATE, .delay_ms = 40000}},
    {"silence", {.kind = PORT_SILENT}},
    {"silence in the middle", {.kind = PORT_SILENT, .bytes = 300}},
    {"broken off at once", {.kind = PORT_CUT}},
    {"broken off in the middle", {.kind = PORT_CUT, .bytes = 700}},
    {"death before the call", {.kind = PORT_CRASH_BEFORE}},
    {"death on the way", {.kind = PORT_CRASH_SENT}},
    {"death before the answer", {.kind = PORT_CRASH_AFTER}},
};

/* Fails each call of a run in turn, until there is no k-th call any more; the number of runs. */
static uint64_t fail_every_call(Arena *a, const ExampleOptions *options, PortFault fault)
{
    for (uint64_t k = 1;; k++) {
        PortOneFault one = {.number = k, .fault = fault};
        ExampleOptions judged = *options;
        judged.sim.judge = port_judge_one;
        judged.sim.judge_self = &one;
        Outcome outcome = run_until_right(a, &judged);
        if (outcome.complaint)
            print_error(
                "call %llu of %llu\n", (unsigned long long)k, (unsigned long long)outcome.calls);
        then_str(outcome.complaint, NULL);
        if (!one.struck)
            return k - 1;
    }
}

/* Forgets that something went wrong. */
static Err *reconcile_without_errors(Ctx *c, Key key, Reconciled *ret)
{
    Err *err = example_controllers[0]->reconcile(c, key, ret);

    return err_is(err, ERR_RETRY) ? OK : err;
}

TEST(a_planted_bug_is_found_by_failing_every_call)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Controller planted = *example_controllers[0];
    const Controller *controllers[] = {&planted, NULL};
    int wrong = 0, runs = 0;

    planted.reconcile = reconcile_without_errors;
    for (PortOneFault one = {.struck = true}; one.struck; runs++) {
        one = (PortOneFault){
            .number = (uint64_t)runs + 1,
            .fault = {.kind = PORT_REFUSED, .status = 500},
        };
        ExampleOptions options = {
            .sim = {.seed = 5, .judge = port_judge_one, .judge_self = &one},
            .controllers = controllers,
        };
        wrong += run_until_right(a, &options).complaint != NULL;
    }
    then_true(wrong > 0 && wrong < runs);
}

CAMPAIGN(the_example_controller_converges_whatever_single_call_fails)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    uint64_t runs = 0;

    each_case(i, faults)
        runs += fail_every_call(a, &(ExampleOptions){.sim = {.seed = 5}}, faults[i].fault);
    print_message("# %llu runs with one fault each\n", (unsigned long long)runs);
    then_true(runs > 200);
}

CAMPAIGN(two_example_replicas_converge_whatever_single_call_fails)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    uint64_t runs = 0;

    each_case(i, faults)
        runs += fail_every_call(
            a, &(ExampleOptions){.sim = {.seed = 11}, .replicas = 2}, faults[i].fault);
    print_message("# %llu runs of two replicas with one fault each\n", (unsigned long long)runs);
    then_true(runs > 200);
}
