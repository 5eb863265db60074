/* Replicas: lives and deaths of an operator, the lease between two of them, and the promise that
 * they never act together. */
#include "sim/replica.h"

#include "kube/meta.h"
#include "kube/runtime/machine.h"
#include "tests/sim/example.h"
#include "tests/test.h"

enum { SEEDS = 24 };

static void run_for(Example *e, int64_t ms)
{
    World *w = sim_world(example_sim(e));

    world_run_until(w, world_now_ms(w) + ms);
}

static void then_settles(Example *e, int64_t ms)
{
    SCOPED_ARENA a = arena_open(16 << 20);

    then_str(example_run(e, a, ms), NULL);
}

/* --- lives -------------------------------------------------------------------------------------
 */

TEST(an_operator_replica_starts_and_reconciles)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}});
    Replica *r = example_replica(e, 0);

    then_true(!replica_works(r));
    then_settles(e, 10000);
    then_true(replica_works(r) && replica_is_idle(r));
    then_int(replica_lives(r), 1);
}

TEST(a_replica_is_not_idle_while_a_watch_event_is_on_its_way_to_it)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}});
    Request patch = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_configmap,
        .key = {"default", "s0"},
        .body = json_fixture(a, "{metadata: {annotations: {unrelated: 'yes'}}}"),
    };

    then_settles(e, 10000);
    then_true(replica_is_idle(example_replica(e, 0)));
    then_ok(api_call(world_api(sim_world(example_sim(e)), "person"), a, &patch, NULL));
    then_true(!replica_is_idle(example_replica(e, 0)));
    then_settles(e, 10000);
}

TEST(a_crashed_replica_is_down_and_then_starts_again)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}});
    Replica *r = example_replica(e, 0);

    run_for(e, 100);
    replica_crash(r);
    then_true(!replica_manager(r) && !replica_works(r) && !replica_is_idle(r));
    replica_crash(r);
    run_for(e, 900);
    then_int(replica_lives(r), 1);
    run_for(e, 200);
    then_int(replica_lives(r), 2);
    then_settles(e, 10000);
}

TEST(a_crash_at_any_moment_leaves_nothing_behind_in_memory)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = seed}, .sources = 6});
        for (int i = 0; i < 5; i++) {
            run_for(e, (int64_t)seed * 7 % 83 + 1);
            replica_crash(example_replica(e, 0));
            run_for(e, 1100);
        }
        then_settles(e, 60000);
        then_int(replica_lives(example_replica(e, 0)), 6);
    }
}

TEST(a_replica_that_is_asked_to_end_stays_down_until_it_is_started)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}, .with_election = true});
    Replica *r = example_replica(e, 0);

    run_for(e, 300);
    replica_end(r);
    run_for(e, 20000);
    then_true(!replica_manager(r));
    then_int(replica_lives(r), 1);
    replica_start(r);
    replica_start(r);
    then_int(replica_lives(r), 2);
    then_settles(e, 60000);
}

/* The first call of a worker takes longer than anybody waits. */
static PortFault delay_a_worker(void *self, const PortCall *call)
{
    bool *struck = self;

    if (*struck || !strstr(call->strand, "worker"))
        return (PortFault){0};
    *struck = true;
    return (PortFault){.kind = PORT_LATE, .delay_ms = 60000};
}

TEST(a_replica_that_does_not_end_in_time_is_killed)
{
    bool struck = false;
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){
        .sim = {.seed = 1, .judge = delay_a_worker, .judge_self = &struck},
    });
    Replica *r = example_replica(e, 0);

    while (!struck)
        run_for(e, 1);
    replica_end(r);
    run_for(e, 3900);
    then_true(replica_manager(r) != NULL);
    run_for(e, 200);
    then_true(!replica_manager(r));
}

TEST(a_stopped_replica_does_nothing_and_then_catches_up)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}});
    Replica *r = example_replica(e, 0);

    run_for(e, 50);
    replica_stop(r);
    run_for(e, 100);
    uint64_t calls = sim_calls(example_sim(e));
    run_for(e, 5000);
    then_int(sim_calls(example_sim(e)), calls);
    replica_continue(r);
    then_settles(e, 60000);
    then_int(replica_lives(r), 1);
}

/* --- the lease ---------------------------------------------------------------------------------
 */

static const char *holder(Example *e, Arena *a)
{
    Request get = {.verb = VERB_GET, .kind = kind_lease, .key = {"default", "sim"}};
    Answer answer = {0};

    server_call(world_server(sim_world(example_sim(e))), a, "test", &get, &answer);
    return json_str(answer.body, ".spec.holderIdentity");
}

static Replica *leader_of(Example *e)
{
    return replica_works(example_replica(e, 0)) ? example_replica(e, 0) : example_replica(e, 1);
}

static Replica *other_than(Example *e, const Replica *r)
{
    return example_replica(e, r == example_replica(e, 0) ? 1 : 0);
}

TEST(one_of_two_replicas_leads_and_the_other_is_on_standby)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}, .replicas = 2});

    run_for(e, 5000);
    then_true(replica_works(leader_of(e)));
    then_true(!replica_works(other_than(e, leader_of(e))));
    then_true(manager_is_synced(replica_manager(other_than(e, leader_of(e)))));
}

TEST(a_crashed_leader_acquires_its_lease_again)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}, .replicas = 2});

    run_for(e, 5000);
    Replica *leader = leader_of(e);
    replica_crash(leader);
    run_for(e, 4000);
    then_true(replica_works(leader));
    then_int(replica_lives(leader), 2);
}

TEST(a_leader_that_ends_in_order_releases_its_lease_at_once)
{
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}, .replicas = 2});

    run_for(e, 5000);
    Replica *leader = leader_of(e), *other = other_than(e, leader);
    replica_end(leader);
    run_for(e, 4000);
    then_true(replica_works(other));
    then_int(replica_lives(other), 1);
}

TEST(a_leader_that_was_stopped_too_long_ends_and_starts_as_a_standby)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = 1}, .replicas = 2});

    run_for(e, 5000);
    Replica *leader = leader_of(e), *other = other_than(e, leader);
    const char *before = holder(e, a);
    replica_stop(leader);
    run_for(e, 30000);
    then_true(replica_works(other));
    then_true(!str_eq(holder(e, a), before));
    replica_continue(leader);
    run_for(e, 10000);
    then_int(replica_lives(leader), 2);
    then_true(replica_works(other) && !replica_works(leader));
}

/* --- the promise -------------------------------------------------------------------------------
 */

/* Two operators never act together: whoever writes a ConfigMap holds the lease at that moment. */
typedef struct Promise {
    char holder[64];
    int writes;
    int broken;
} Promise;

static void watch_promise(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Promise *p = self;

    (void)before;
    if (kind_eq(request->kind, kind_lease))
        snprintf(p->holder, sizeof p->holder, "%s", json_str(after, ".spec.holderIdentity"));
    if (!kind_eq(request->kind, kind_configmap) || str_eq(user, "person"))
        return;
    p->writes++;
    p->broken += !str_has_prefix(p->holder, user);
}

static Promise stop_leaders(uint64_t seed, int linger_percent)
{
    Promise promise = {.holder = ""};
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){
        .sim = {.seed = seed, .linger_percent = linger_percent, .latency_max_ms = 20},
        .replicas = 2,
        .sources = 60,
        .bustle_ms = 60000,
    });

    sim_on_write(example_sim(e), watch_promise, &promise);
    run_for(e, 2000 + (int64_t)seed * 37 % 500);
    for (int round = 0; round < 4; round++) {
        Replica *leader = leader_of(e);
        replica_stop(leader);
        run_for(e, 20000 + (int64_t)seed * 13 % 1000);
        replica_continue(leader);
        run_for(e, 1000 + (int64_t)seed * 91 % 700);
    }
    if (linger_percent == 0)
        then_settles(e, 120000);
    return promise;
}

TEST(a_leader_that_was_stopped_writes_nothing_after_another_one_leads)
{
    int writes = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Promise promise = stop_leaders(seed, 0);
        then_int(promise.broken, 0);
        writes += promise.writes;
    }
    then_true(writes > 500);
}

/* The fence is asked before a write is sent; a thread that is stopped right behind it still sends.
 * Only a precondition at the server could hold such a write back, and the example's have none: a
 * copy may then even outlive its source. This shows that a broken promise would be noticed. */
TEST(a_write_that_is_sent_after_the_lease_was_lost_is_detected)
{
    enum { TRIES = 20 * SEEDS }; /* it takes bad luck */
    int broken = 0;

    for (uint64_t seed = 0; seed < TRIES && !broken; seed++)
        broken += stop_leaders(seed, 60).broken;
    then_true(broken > 0);
}
