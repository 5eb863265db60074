/* The machine that asks seids, between a scripted Http and a clock that the test moves. */
#include "sei/sidecar/seids.h"

#include "base/link.h"
#include "tests/test.h"

enum { OPEN_MAX = 64 };

typedef struct OpenCall {
    HttpId id; /* 0: free */
    HttpSink *sink;
    const char *url;
    int64_t deadline_ms;
    size_t answer_max;
} OpenCall;

typedef struct Rig {
    Http http; /* first, so that the port is this */
    Waker waker;
    Arena *arena;
    ManualClock clock;
    SeededRng rng;
    Seids *seids;
    OpenCall open[OPEN_MAX];
    HttpId last_id;
    int calls, open_count, open_most, wakes, hurries;
    const char *woken;
    int64_t next_ms;
    bool refuses_starts;
} Rig;

static Err *rig_start(Http *self, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    Rig *r = (Rig *)self;
    OpenCall *open = r->open;

    r->calls++;
    if (r->refuses_starts)
        return err_retry(a, "no more sockets");
    while (open->id)
        open++;
    *open = (OpenCall){.id = *ret = ++r->last_id,
        .sink = sink,
        .url = str_format(r->arena, "%s %s", call->method, call->url),
        .deadline_ms = call->deadline_ms,
        .answer_max = call->answer_max};
    then_str(call->bearer, NULL); /* a token is nothing for seid */
    r->open_count++;
    r->open_most = r->open_count > r->open_most ? r->open_count : r->open_most;
    return OK;
}

static void rig_cancel(Http *self, HttpId id)
{
    Rig *r = (Rig *)self;

    for (OpenCall *open = r->open; open < r->open + OPEN_MAX; open++)
        if (open->id == id && id) {
            open->id = 0;
            r->open_count--;
        }
}

static void rig_hurry(Http *self)
{
    ((Rig *)self)->hurries++;
}

static void rig_wake(Waker *self, Key key)
{
    Rig *r = link_owner(Rig, waker, self);

    r->wakes++;
    r->woken = key_text(r->arena, key);
}

static Rig *rig_open(void)
{
    Arena *arena = arena_open(64 << 20);
    Rig *r = arena_new(arena, Rig);

    r->arena = arena;
    r->http = (Http){.start = rig_start, .cancel = rig_cancel, .wake = rig_hurry};
    r->waker.wake = rig_wake;
    clock_manual_init(&r->clock, 1000000000, 1700000000000000000);
    rng_seed(&r->rng, 6);
    r->seids =
        seids_open(&(SeidsOptions){.http = &r->http, .clock = &r->clock.port, .rng = &r->rng.port});
    Attendant *attendant = seids_attendant(r->seids);
    attendant->bind(attendant, guard_none(), &r->waker);
    return r;
}

static void rig_close(Rig **r)
{
    seids_close((*r)->seids);
    then_int((*r)->open_count, 0); /* closing cancels what is under way */
    arena_close((*r)->arena);
}
#define SCOPED_RIG __attribute__((cleanup(rig_close))) Rig *

static void step(Rig *r)
{
    Attendant *attendant = seids_attendant(r->seids);

    r->next_ms = attendant->step(attendant);
}

static void pass(Rig *r, int64_t ms)
{
    int64_t until = clock_mono_ms(&r->clock.port) + ms;

    step(r);
    while (r->next_ms <= until) {
        int64_t left = r->next_ms - clock_mono_ms(&r->clock.port);
        clock_manual_advance_ms(&r->clock, left > 0 ? left : 0);
        step(r);
    }
    clock_manual_advance_ms(&r->clock, until - clock_mono_ms(&r->clock.port));
}

static OpenCall *oldest(Rig *r)
{
    OpenCall *found = NULL;

    for (OpenCall *open = r->open; open < r->open + OPEN_MAX; open++)
        if (open->id && (!found || open->id < found->id))
            found = open;
    then_true(found != NULL);
    return found;
}

static void end(Rig *r, OpenCall *call, const HttpAnswer *answer, const Err *why)
{
    call->id = 0;
    r->open_count--;
    call->sink->on_end(call->sink, answer, why);
    step(r);
}

static void answer(Rig *r, const char *body)
{
    end(r, oldest(r), &(HttpAnswer){200, "application/json", bytes_of(body)}, NULL);
}

static void be_silent(Rig *r, const char *why)
{
    Err err = {.class = ERR_RETRY, .message = why};

    end(r, oldest(r), NULL, &err);
}

#define CHAIN(id) "{\"node_info\":{\"network\":\"" id "\"}}"

static const SeidTarget rpc = {
    .node = {"sei", "rpc-0"}, .pod_uid = "pod-1", .pod_ip = "10.0.0.1", .is_pod_ready = true};

static SeidAnswer ask(Rig *r, SeidTarget target)
{
    SeidAnswer ret;

    seids_ask(r->seids, r->arena, &target, &ret);
    step(r);
    return ret;
}

TEST(a_seid_is_asked_for_its_status_and_the_answer_enqueues_the_node)
{
    SCOPED_RIG r = rig_open();

    SeidAnswer first = ask(r, rpc);
    then_str(first.chain_id, NULL);
    then_str(first.trouble, NULL);
    then_int(r->hurries, 1);
    then_str(oldest(r)->url, "GET http://10.0.0.1:26657/status");
    then_int(oldest(r)->deadline_ms, 3000);
    then_int(oldest(r)->answer_max, 64 << 10);
    answer(r, CHAIN("pacific-1"));
    then_int(r->wakes, 1);
    then_str(r->woken, "sei/rpc-0");
    then_str(ask(r, rpc).chain_id, "pacific-1");
    then_int(seids_figures(r->seids).requests, 1);
    then_int(seids_figures(r->seids).in_flight, 0);
}

TEST(a_seid_that_answered_is_polled_every_thirty_seconds_and_enqueues_only_a_new_chain)
{
    SCOPED_RIG r = rig_open();

    ask(r, rpc);
    answer(r, CHAIN("pacific-1"));
    pass(r, 26000);
    then_int(r->calls, 1);
    pass(r, 7500);
    then_int(r->calls, 2);
    answer(r, CHAIN("pacific-1"));
    then_int(r->wakes, 1);
    pass(r, 33500);
    answer(r, CHAIN("atlantic-2"));
    then_int(r->wakes, 2);
    then_str(ask(r, rpc).chain_id, "atlantic-2");
}

TEST(a_seid_that_does_not_answer_is_polled_with_growing_delays)
{
    static const int64_t pauses_ms[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
    SCOPED_RIG r = rig_open();

    ask(r, rpc);
    for (size_t i = 0; i < array_count(pauses_ms); i++) {
        be_silent(r, "connection refused");
        int calls = r->calls;
        pass(r, pauses_ms[i] * 79 / 100);
        then_int(r->calls, calls);
        pass(r, pauses_ms[i] * 42 / 100);
        then_int(r->calls, calls + 1);
    }
    then_str(ask(r, rpc).trouble, "connection refused");
    then_int(r->wakes, 1); /* the same words are no news */
}

TEST(a_pod_that_is_not_ready_and_does_not_answer_enqueues_nothing)
{
    SCOPED_RIG r = rig_open();
    SeidTarget starting = rpc;

    starting.is_pod_ready = false;
    ask(r, starting);
    be_silent(r, "connection refused");
    then_int(r->wakes, 0);
    then_str(ask(r, starting).trouble, "connection refused");
}

TEST(the_seid_of_a_pod_that_becomes_ready_is_asked_at_once)
{
    SCOPED_RIG r = rig_open();
    SeidTarget starting = rpc;

    starting.is_pod_ready = false;
    ask(r, starting);
    for (int i = 0; i < 6; i++) {
        be_silent(r, "connection refused");
        pass(r, 40000);
    }
    be_silent(r, "connection refused");
    int calls = r->calls;
    ask(r, rpc);
    then_int(r->calls, calls + 1);
    be_silent(r, "connection refused");
    ask(r, rpc); /* it was Ready before */
    then_int(r->calls, calls + 1);
}

TEST(a_chain_id_stays_known_although_the_pod_does_not_answer_later)
{
    SCOPED_RIG r = rig_open();

    ask(r, rpc);
    answer(r, CHAIN("pacific-1"));
    pass(r, 40000);
    be_silent(r, "connection refused");
    SeidAnswer known = ask(r, rpc);
    then_str(known.chain_id, "pacific-1");
    then_str(known.trouble, "connection refused");
    then_int(r->wakes, 1);
}

TEST(the_chain_id_of_a_replaced_pod_is_forgotten)
{
    SCOPED_RIG r = rig_open();
    SeidTarget next = rpc;

    ask(r, rpc);
    answer(r, CHAIN("pacific-1"));
    next.pod_uid = "pod-2";
    next.pod_ip = "10.0.0.2";
    then_str(ask(r, next).chain_id, NULL);
    then_str(oldest(r)->url, "GET http://10.0.0.2:26657/status");
}

TEST(an_answer_of_a_pod_that_was_replaced_is_ignored)
{
    SCOPED_RIG r = rig_open();
    SeidTarget next = rpc;

    ask(r, rpc);
    next.pod_uid = "pod-2";
    ask(r, next);
    then_int(r->calls, 1);
    answer(r, CHAIN("pacific-1"));
    then_int(r->wakes, 0);
    then_int(r->calls, 2); /* the new pod is asked now */
    then_str(ask(r, next).chain_id, NULL);
}

TEST(a_pod_without_a_valid_ip_address_is_not_connected_to)
{
    static const struct {
        const char *name, *ip, *url; /* url NULL: nothing is dialled */
    } cases[] = {
        {"none yet", NULL, NULL},
        {"a name", "evil.example", NULL},
        {"a path", "10.0.0.1/x", NULL},
        {"IPv6", "fd00::7", "GET http://[fd00::7]:26657/status"},
    };

    each_case(i, cases) {
        SCOPED_RIG r = rig_open();
        SeidTarget target = rpc;
        target.pod_ip = cases[i].ip;
        ask(r, target);
        then_int(r->calls, cases[i].url ? 1 : 0);
        if (cases[i].url)
            then_str(oldest(r)->url, cases[i].url);
    }
}

TEST(a_forgotten_node_is_not_asked_for_its_seid_status_again)
{
    SCOPED_RIG r = rig_open();

    ask(r, rpc);
    seids_forget(r->seids, rpc.node); /* while a request is under way */
    answer(r, CHAIN("pacific-1"));
    then_int(r->wakes, 0);
    then_int(seids_figures(r->seids).nodes, 0);
    ask(r, rpc);
    answer(r, CHAIN("pacific-1"));
    seids_forget(r->seids, rpc.node);
    then_int(seids_figures(r->seids).nodes, 0);
    pass(r, 3600000);
    then_int(r->calls, 2);
    ask(r, rpc);
    seids_forget(r->seids, rpc.node);
    then_str(ask(r, rpc).chain_id, NULL);
    answer(r, CHAIN("pacific-1")); /* wanted again before it came */
    then_str(ask(r, rpc).chain_id, "pacific-1");
}

static SeidTarget target_of(Rig *r, int i)
{
    SeidTarget target = rpc;

    target.node.name = str_format(r->arena, "rpc-%d", i);
    target.pod_ip = str_format(r->arena, "10.0.1.%d", i);
    return target;
}

TEST(seids_that_do_not_answer_use_half_of_the_requests_and_delay_no_other_node)
{
    SCOPED_RIG r = rig_open();

    for (int i = 0; i < 40; i++)
        ask(r, target_of(r, i));
    then_int(r->open_most, SEIDS_FLIGHTS_MAX);
    for (int i = 0; i < 40; i++)
        be_silent(r, "no connection within 3000 ms");
    pass(r, 60000);
    then_int(r->open_count, SEIDS_FLIGHTS_MAX / 2);
    ask(r, target_of(r, 100)); /* of another one */
    then_int(r->open_count, SEIDS_FLIGHTS_MAX / 2 + 1);
    while (r->open_count)
        be_silent(r, "no connection within 3000 ms");
    then_int(r->open_most, SEIDS_FLIGHTS_MAX);
}

TEST(a_seid_request_that_cannot_be_sent_counts_as_unanswered)
{
    SCOPED_RIG r = rig_open();

    r->refuses_starts = true;
    ask(r, rpc);
    then_str(ask(r, rpc).trouble, "no more sockets");
    then_int(r->calls, 1);
}
