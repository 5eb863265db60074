/* A Lease on a small API server, and one machine that stands for it, with every answer in our
 * hands. */
#include "base/rng.h"
#include "kube/runtime/lease.h"
#include "tests/kube/runtime/lease_server.h"

typedef struct World {
    Arena *arena;
    LeaseServer server;
    ManualClock clock;
    SeededRng rng;
    Lease *lease;
} World;

static World *world_new(void)
{
    Arena *arena = arena_open(64 << 20);
    World *w = arena_new(arena, World);
    w->arena = w->server.arena = arena;
    clock_manual_init(&w->clock, INT64_C(1000) * 1000000, INT64_C(1700000000) * 1000000000);
    rng_seed(&w->rng, 7);
    return w;
}

static void open_lease(World *w)
{
    LeaseOptions options = {
        .key = {"ns", "it"},
        .identity = "me",
        .clock = &w->clock.port,
        .rng = &w->rng.port,
    };
    then_ok(lease_open(w->arena, &options, &w->lease));
}

static void world_close(World *w)
{
    lease_close(w->lease);
    arena_close(w->arena);
}

static int64_t now_of(World *w)
{
    return clock_mono_ms(&w->clock.port);
}

static bool holds(World *w)
{
    return lease_is_held(w->lease, now_of(w));
}

/* The request that is due; aborts when none is. */
static Request due(World *w)
{
    Request request;
    int64_t next;
    then_true(lease_step(w->lease, w->arena, now_of(w), &request, &next));
    return request;
}

static int64_t next_call(World *w)
{
    Request request;
    int64_t next = 0;
    then_true(!lease_step(w->lease, w->arena, now_of(w), &request, &next));
    return next;
}

/* Asks the server and brings the answer `took_ms` later. */
static void deliver(World *w, const Request *request, int64_t took_ms)
{
    const Json *object = NULL;
    int64_t sent_ms = now_of(w);
    Err *err = lease_server_call(&w->server, w->arena, request, &object);
    clock_manual_advance_ms(&w->clock, took_ms);
    lease_answer(w->lease, err, err ? NULL : object, sent_ms, now_of(w));
}

/* Brings an error of this status; 0 is silence. */
static void disappoint(World *w, int status, int64_t retry_after_ms)
{
    int64_t now = now_of(w);
    Err *err = err_retry(w->arena, "no answer");
    err->status = status;
    err->retry_after_ms = retry_after_ms;
    lease_answer(w->lease, err, NULL, now, now);
}

/* Lives for some time with a server that answers at once. */
static void run(World *w, int64_t for_ms)
{
    int64_t end = now_of(w) + for_ms, next = 0;
    for (;;) {
        Request request;
        if (lease_step(w->lease, w->arena, now_of(w), &request, &next)) {
            deliver(w, &request, 0);
            continue;
        }
        if (next > end)
            break;
        clock_manual_advance_ms(&w->clock, next - now_of(w));
        if (lease_is_lost(w->lease, now_of(w)))
            break;
    }
    if (now_of(w) < end)
        clock_manual_advance_ms(&w->clock, end - now_of(w));
}

/* A leader that has just renewed. */
static World *leading_world(void)
{
    World *w = world_new();
    open_lease(w);
    run(w, 0);
    then_true(holds(w));
    return w;
}

static const char go_record[] =
    "{metadata: {namespace: 'ns', name: 'it', labels: {keep: 'me'}},"
    " spec: {holderIdentity: 'pod_5ba6ae29-4ad3-4a5e-8b0b-6d0e0b1f3a6d',"
    "  leaseDurationSeconds: 20, acquireTime: '2001-01-01T00:00:00.000000Z',"
    "  renewTime: '2001-01-01T00:00:00.000000Z', leaseTransitions: 4, strategy: 'x'}}";

TEST(a_missing_lease_is_created)
{
    World *w = world_new();
    open_lease(w);
    Request read = due(w);
    then_int(read.verb, VERB_GET);
    then_int(read.deadline_ms, 5000);
    then_true(!holds(w));
    deliver(w, &read, 0);
    Request create = due(w);
    then_int(create.verb, VERB_CREATE);
    then_json(create.body,
        str_format(w->arena,
            "{apiVersion: 'coordination.k8s.io/v1', kind: 'Lease',"
            " metadata: {namespace: 'ns', name: 'it'},"
            " spec: {holderIdentity: '%s', leaseDurationSeconds: 15, leaseTransitions: 0,"
            "  acquireTime: '2023-11-14T22:13:20.000000Z',"
            "  renewTime: '2023-11-14T22:13:20.000000Z'}}",
            lease_self(w->lease)));
    deliver(w, &create, 0);

    then_true(holds(w));
    then_int(lease_left_ms(w->lease, now_of(w)), 15000);
    then_str(lease_holder(w->lease), lease_self(w->lease));
    then_true(str_has_prefix(lease_self(w->lease), "me_"));
    then_int(strlen(lease_self(w->lease)), strlen("me_") + 16);
    world_close(w);
}

TEST(a_leader_renews_its_lease_with_one_write_each_time)
{
    World *w = leading_world();
    then_int(next_call(w), now_of(w) + 2000);
    unsigned reads = w->server.reads;
    run(w, 60000);

    then_true(holds(w));
    then_int(w->server.reads, reads);
    then_int(w->server.writes, 1 + 30);
    then_str(json_str(w->server.record, ".spec.acquireTime"), "2023-11-14T22:13:20.000000Z");
    then_str(json_str(w->server.record, ".spec.renewTime"), "2023-11-14T22:14:20.000000Z");
    then_int(json_int(w->server.record, ".spec.leaseTransitions", -1), 0);
    world_close(w);
}

TEST(a_standby_waits_for_the_duration_of_the_holder_by_its_own_clock)
{
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    open_lease(w);
    run(w, 19999);
    then_true(!holds(w));
    then_int(w->server.writes, 0);
    then_true(w->server.reads >= 8 && w->server.reads <= 13);
    then_true(str_has_prefix(lease_holder(w->lease), "pod_"));

    run(w, 1);
    then_true(holds(w));
    then_int(w->server.writes, 1);
    then_int(json_int(w->server.record, ".spec.leaseTransitions", -1), 5);
    then_int(json_int(w->server.record, ".spec.leaseDurationSeconds", -1), 15);
    then_str(json_str(w->server.record, ".spec.acquireTime"), "2023-11-14T22:13:40.000000Z");
    then_str(json_str(w->server.record, ".spec.strategy"), "x");
    then_str(meta_label(w->server.record, "keep"), "me");
    world_close(w);
}

TEST(every_change_of_the_lease_counts_as_a_renewal)
{
    static const struct {
        const char *name, *patch;
        int64_t version_back;
    } cases[] = {
        {"a renewal", "{spec: {renewTime: '2001-01-01T00:00:02.000000Z'}}"},
        {"a renewal by a clock that went back",
            "{spec: {renewTime: '1999-01-01T00:00:02.000000Z'}}"},
        {"another holder", "{spec: {holderIdentity: 'third'}}"},
        {"a version alone", "{}"},
        {"another holder under the same version (a restored etcd)",
            "{spec: {holderIdentity: 'third'}}",
            1},
        {"a renewal under the same version (a restored etcd)",
            "{spec: {renewTime: '2001-01-01T00:00:02.000000Z'}}",
            1},
    };
    each_case(i, cases) {
        World *w = world_new();
        lease_server_meddle(&w->server, go_record);
        open_lease(w);
        run(w, 15000);
        w->server.version -= cases[i].version_back;
        lease_server_meddle(&w->server, cases[i].patch);
        run(w, 19000);
        then_true(!holds(w));
        run(w, 5000);
        then_true(holds(w));
        world_close(w);
    }
}

TEST(a_lease_without_a_holder_or_of_our_previous_process_is_acquired_at_once)
{
    static const struct {
        const char *name, *patch;
        int writes;
        int64_t wait_ms;
    } cases[] = {
        {"a released lease", "{spec: {holderIdentity: ''}}", 1, 0},
        {"a lease without holder", "{spec: {holderIdentity: null}}", 1, 0},
        {"our former self", "{spec: {holderIdentity: 'me_0123456789abcdef'}}", 1, 0},
        {"another identity", "{spec: {holderIdentity: 'you_0123456789abcdef'}}", 0, 20000},
        {"a longer identity", "{spec: {holderIdentity: 'me_you_0123456789abcdef'}}", 0, 20000},
        {"a shorter identity", "{spec: {holderIdentity: 'm_0123456789abcdef'}}", 0, 20000},
        {"a Go program of our name",
            "{spec: {holderIdentity: 'me_5ba6ae29-4ad3-4a5e-8b0b-6d0e0b1f3a6d'}}",
            0,
            20000},
        {"a form that is not ours", "{spec: {holderIdentity: 'me_0123456789ABCDEF'}}", 0, 20000},
        {"no duration means ours", "{spec: {leaseDurationSeconds: null}}", 0, 15000},
        {"a senseless duration means ours", "{spec: {leaseDurationSeconds: -3}}", 0, 15000},
    };
    each_case(i, cases) {
        World *w = world_new();
        lease_server_meddle(&w->server, go_record);
        lease_server_meddle(&w->server, cases[i].patch);
        open_lease(w);
        run(w, 0);
        then_int(w->server.writes, cases[i].writes);
        run(w, cases[i].wait_ms - (cases[i].wait_ms > 0));
        then_int(holds(w), cases[i].wait_ms == 0);
        run(w, 1);
        then_true(holds(w));
        then_int(json_int(w->server.record, ".spec.leaseTransitions", -1), 5);
        world_close(w);
    }
}

TEST(a_lease_of_our_previous_process_is_taken_over_only_in_the_first_attempt)
{
    static const char namesake[] = "{spec: {holderIdentity: 'me_0123456789abcdef'}}";
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    lease_server_meddle(&w->server, namesake);
    open_lease(w);
    due(w);
    disappoint(w, 503, 0);
    run(w, 2500);
    then_int(w->server.writes, 0);
    run(w, 20000);
    then_true(holds(w));
    world_close(w);

    w = world_new();
    lease_server_meddle(&w->server, go_record);
    open_lease(w);
    run(w, 0);
    lease_server_meddle(&w->server, namesake);
    run(w, 19000);
    then_int(w->server.writes, 0);
    world_close(w);
}

TEST(a_leader_steps_down_when_the_lease_names_another_holder)
{
    static const struct {
        const char *name, *patch;
    } cases[] = {
        {"another holder", "{spec: {holderIdentity: 'other'}}"},
        {"our identity in another process", "{spec: {holderIdentity: 'me_0123456789abcdef'}}"},
        {"nobody", "{spec: {holderIdentity: ''}}"},
    };
    each_case(i, cases) {
        World *w = leading_world();
        lease_server_meddle(&w->server, cases[i].patch);
        run(w, 1999);
        then_true(holds(w));
        run(w, 1);
        then_true(!holds(w));
        then_true(lease_is_lost(w->lease, now_of(w)));
        then_int(lease_left_ms(w->lease, now_of(w)), 0);
        then_true(next_call(w) == INT64_MAX);
        world_close(w);
    }
}

TEST(a_leader_keeps_leading_when_another_client_changed_other_fields_of_the_lease)
{
    static const struct {
        const char *name, *patch;
    } cases[] = {
        {"an annotation", "{metadata: {annotations: {a: 'b'}}}"},
        {"a deletion", NULL},
    };
    each_case(i, cases) {
        World *w = leading_world();
        lease_server_meddle(&w->server, cases[i].patch);
        run(w, 2000);
        then_true(holds(w));
        then_int(lease_left_ms(w->lease, now_of(w)), 15000);
        then_int(lease_failures(w->lease), 0);
        then_str(json_str(w->server.record, ".spec.holderIdentity"), lease_self(w->lease));
        then_str(meta_annotation(w->server.record, "a"), cases[i].patch ? "b" : NULL);
        run(w, 30000);
        then_true(holds(w));
        world_close(w);
    }
}

TEST(a_404_answer_to_a_renewal_means_that_the_lease_was_deleted)
{
    World *w = leading_world();
    lease_server_meddle(&w->server, NULL);
    clock_manual_advance_ms(&w->clock, 2000);
    Request write = due(w);
    int64_t now = now_of(w);
    lease_answer(w->lease, lease_server_refuse(w->arena, &write, 404, "NotFound"), NULL, now, now);
    run(w, 0);
    then_true(holds(w));
    then_true(w->server.record != NULL);
    world_close(w);
}

TEST(a_standby_waits_for_the_previous_duration_of_a_deleted_lease)
{
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    open_lease(w);
    run(w, 10000);
    lease_server_meddle(&w->server, NULL);
    run(w, 9999);
    then_int(w->server.writes, 0);
    then_str(lease_holder(w->lease), "");
    run(w, 1);
    then_true(holds(w));
    world_close(w);
}

TEST(a_lease_that_cannot_be_renewed_in_time_is_lost)
{
    World *w = leading_world();
    int64_t renewed = now_of(w);
    unsigned failures = 0;
    while (now_of(w) < renewed + 10000) {
        then_true(holds(w));
        then_int(lease_left_ms(w->lease, now_of(w)), renewed + 15000 - now_of(w));
        int64_t next = next_call(w);
        then_true(next <= renewed + 10000);
        clock_manual_advance_ms(&w->clock, next - now_of(w));
        if (next < renewed + 10000) {
            Request request = due(w);
            then_true(request.deadline_ms <= renewed + 10000 - now_of(w));
            disappoint(w, 0, 0);
            then_int(lease_failures(w->lease), ++failures);
        }
    }
    then_int(failures, 4);
    then_true(!holds(w));
    then_true(lease_is_lost(w->lease, now_of(w)));
    then_int(lease_left_ms(w->lease, now_of(w)), 0);
    then_true(next_call(w) == INT64_MAX);
    world_close(w);
}

TEST(a_late_answer_does_not_restore_a_lost_lease)
{
    World *w = leading_world();
    clock_manual_advance_ms(&w->clock, 9000);
    Request write = due(w);
    then_int(write.deadline_ms, 1000);
    deliver(w, &write, 1000);
    then_true(lease_is_lost(w->lease, now_of(w)));
    then_true(!holds(w));
    world_close(w);
}

TEST(a_successful_renewal_resets_the_failure_count)
{
    World *w = leading_world();
    for (unsigned i = 1; i <= 3; i++) {
        clock_manual_advance_ms(&w->clock, 2000);
        due(w);
        disappoint(w, 500, 0);
        then_int(lease_failures(w->lease), i);
    }
    run(w, 2000);
    then_int(lease_failures(w->lease), 0);
    then_true(holds(w));
    world_close(w);
}

TEST(the_duration_of_our_own_lease_starts_before_the_request_is_sent)
{
    World *w = leading_world();
    clock_manual_advance_ms(&w->clock, 2000);
    Request write = due(w);
    deliver(w, &write, 3000);
    then_int(lease_left_ms(w->lease, now_of(w)), 12000);
    then_int(lease_left_ms(w->lease, now_of(w) + 6999), 5001);
    then_int(lease_left_ms(w->lease, now_of(w) + 7000), 0);
    world_close(w);
}

TEST(the_duration_of_another_holder_starts_when_the_answer_arrives)
{
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    open_lease(w);
    Request read = due(w);
    deliver(w, &read, 4000);
    run(w, 19999);
    then_int(w->server.writes, 0);
    run(w, 1);
    then_true(holds(w));
    world_close(w);
}

TEST(an_acquisition_that_is_answered_too_late_is_written_again)
{
    World *w = world_new();
    open_lease(w);
    Request read = due(w);
    deliver(w, &read, 0);
    Request create = due(w);
    deliver(w, &create, 10000);
    then_true(!holds(w));
    then_true(!lease_is_lost(w->lease, now_of(w)));
    Request write = due(w);
    then_int(write.verb, VERB_UPDATE);
    deliver(w, &write, 0);
    then_true(holds(w));
    world_close(w);
}

TEST(a_lease_write_of_unknown_outcome_is_read_and_repeated)
{
    World *w = world_new();
    open_lease(w);
    Request read = due(w);
    deliver(w, &read, 0);
    Request create = due(w);
    const Json *object;
    then_ok(lease_server_call(&w->server, w->arena, &create, &object));
    disappoint(w, 0, 0);
    then_true(!holds(w));

    run(w, 2400);
    then_true(holds(w));
    then_int(w->server.writes, 2);
    then_int(json_int(w->server.record, ".spec.leaseTransitions", -1), 0);
    then_str(json_str(w->server.record, ".spec.acquireTime"), "2023-11-14T22:13:20.000000Z");
    world_close(w);
}

TEST(a_lease_answer_without_a_version_counts_as_a_failure)
{
    static const struct {
        const char *name, *object;
    } cases[] = {
        {"no object", NULL},
        {"no version", "{kind: 'Lease', spec: {holderIdentity: ''}}"},
    };
    each_case(i, cases) {
        World *w = world_new();
        open_lease(w);
        due(w);
        const Json *object = cases[i].object ? json_fixture(w->arena, cases[i].object) : NULL;
        lease_answer(w->lease, OK, object, now_of(w), now_of(w));
        then_int(lease_failures(w->lease), 1);
        run(w, 2400);
        then_true(holds(w));
        then_int(lease_failures(w->lease), 0);
        world_close(w);
    }

    World *w = leading_world();
    clock_manual_advance_ms(&w->clock, 2000);
    due(w);
    lease_answer(w->lease,
        OK,
        json_fixture(w->arena, "{metadata: {resourceVersion: '9'}, spec: {holderIdentity: 'x'}}"),
        now_of(w),
        now_of(w));
    then_int(lease_failures(w->lease), 1);
    world_close(w);
}

TEST(a_renewal_waits_as_the_server_asks_but_not_beyond_its_lease)
{
    static const struct {
        const char *name;
        int64_t retry_after_ms, least_ms, most_ms;
    } cases[] = {
        {"nothing asked", 0, 1600, 2400},
        {"less than the pause", 1000, 1600, 2400},
        {"more than the pause", 4000, 4000, 4000},
        {"an hour", 3600000, 5000, 5000},
    };
    each_case(i, cases) {
        World *w = world_new();
        open_lease(w);
        due(w);
        disappoint(w, 429, cases[i].retry_after_ms);
        int64_t wait = next_call(w) - now_of(w);
        then_true(wait >= cases[i].least_ms && wait <= cases[i].most_ms);
        world_close(w);
    }
}

TEST(endless_write_conflicts_do_not_cause_a_request_storm)
{
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    lease_server_meddle(&w->server, "{spec: {holderIdentity: ''}}");
    open_lease(w);
    unsigned requests = 0;
    for (int64_t end = now_of(w) + 20000; now_of(w) < end;) {
        Request request;
        int64_t now = now_of(w), next;
        if (!lease_step(w->lease, w->arena, now, &request, &next)) {
            clock_manual_advance_ms(&w->clock, next - now);
            continue;
        }
        requests++;
        if (request.verb == VERB_GET)
            deliver(w, &request, 0);
        else
            lease_answer(
                w->lease, lease_server_refuse(w->arena, &request, 409, "Conflict"), NULL, now, now);
    }
    then_true(requests <= 2 * 11 + 2);
    world_close(w);
}

TEST(the_lease_has_at_most_one_request_in_flight)
{
    World *w = leading_world();
    int64_t renewed = now_of(w);
    clock_manual_advance_ms(&w->clock, 2000);
    Request write = due(w);
    then_int(next_call(w), renewed + 10000);
    deliver(w, &write, 0);
    then_int(next_call(w), now_of(w) + 2000);
    /* An answer to nothing changes nothing. */
    lease_answer(w->lease, OK, NULL, now_of(w), now_of(w));
    then_int(next_call(w), now_of(w) + 2000);
    then_int(lease_failures(w->lease), 0);
    world_close(w);
}

TEST(every_renewal_changes_the_lease_even_if_the_wall_clock_stands_still)
{
    World *w = leading_world();
    int64_t version = w->server.version, wall = w->clock.wall_ns;
    for (int i = 1; i <= 5; i++) {
        run(w, 2000);
        w->clock.wall_ns = wall;
        then_int(w->server.version, version + i);
    }
    world_close(w);
}

TEST(the_leader_releases_its_lease)
{
    World *w = leading_world();
    run(w, 2000);
    Request release;
    then_true(lease_release(w->lease, w->arena, &release));
    then_true(release.deadline_ms > 0 && release.deadline_ms <= 2000);
    const Json *object = NULL;
    then_ok(lease_server_call(&w->server, w->arena, &release, &object));
    then_json(json_find(object, ".spec"),
        "{holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0,"
        " acquireTime: '2023-11-14T22:13:22.000001Z', renewTime: '2023-11-14T22:13:22.000001Z'}");
    lease_answer(w->lease, OK, object, now_of(w), now_of(w));
    then_true(!holds(w));
    then_true(!lease_is_lost(w->lease, now_of(w) + 100000));
    then_true(next_call(w) == INT64_MAX);
    then_true(!lease_release(w->lease, w->arena, &release));
    lease_close(w->lease);

    open_lease(w);
    run(w, 0);
    then_true(holds(w));
    then_int(json_int(w->server.record, ".spec.leaseTransitions", -1), 1);
    world_close(w);
}

TEST(a_standby_has_no_lease_to_release)
{
    World *w = world_new();
    lease_server_meddle(&w->server, go_record);
    open_lease(w);
    run(w, 3000);
    Request release;
    then_true(!lease_release(w->lease, w->arena, &release));
    world_close(w);
}

TEST(lease_options_that_cannot_work_are_refused_with_the_cause)
{
    static const struct {
        const char *name, *namespace, *lease, *identity;
        int64_t duration_ms, renew_ms, retry_ms;
        Want want;
    } cases[] = {
        {"the defaults", "ns", "it", "me"},
        {"others", "ns", "it", "me", 3000, 2000, 500},
        {"no identity", "ns", "it", NULL, .want = TERMINAL("identity")},
        {"an empty identity", "ns", "it", "", .want = TERMINAL("identity")},
        {"no name", "ns", NULL, "me", .want = TERMINAL("needs a namespace and a name")},
        {"no namespace", "", "it", "me", .want = TERMINAL("needs a namespace and a name")},
        {"a deadline as long as the lease",
            "ns",
            "it",
            "me",
            .renew_ms = 15000,
            .want = TERMINAL("lease ns/it: duration (15000 ms), renew deadline (15000 ms)")},
        {"a pause as long as the deadline",
            "ns",
            "it",
            "me",
            .retry_ms = 10000,
            .want = TERMINAL("retry period (10000 ms)")},
        {"a negative pause", "ns", "it", "me", .retry_ms = -1, .want = TERMINAL("shorter")},
        {"more than a day", "ns", "it", "me", .duration_ms = 86400001, .want = TERMINAL("a day")},
    };
    each_case(i, cases) {
        World *w = world_new();
        LeaseOptions options = {
            .key = {cases[i].namespace, cases[i].lease},
            .identity = cases[i].identity,
            .duration_ms = cases[i].duration_ms,
            .renew_ms = cases[i].renew_ms,
            .retry_ms = cases[i].retry_ms,
            .clock = &w->clock.port,
            .rng = &w->rng.port,
        };
        then_err(lease_open(w->arena, &options, &w->lease), cases[i].want);
        then_int(w->lease != NULL, cases[i].want == NULL);
        world_close(w);
    }
}
