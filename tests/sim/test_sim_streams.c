/* The Streams port in virtual time: lists and watches in pieces, and what each fault does to them.
 */
#include "kube/meta.h"
#include "sim/sim_transport.h"
#include "tests/test.h"

/* A process of one strand that has one stream and polls. */
typedef struct Ear {
    StreamSink sink; /* first, so that a sink is its ear */
    Sim *sim;
    Process process;
    SimTransport transport;
    Streams *streams;
    PortOneFault fault;
    Request request;
    Arena *arena;
    StreamId id;
    int status;
    int64_t retry_after_ms;
    Buf text;
    int pieces;
    bool ended;
    int64_t ended_ms;
    Err *why;
    int polls;
} Ear;

static void on_head(StreamSink *self, int status, int64_t retry_after_ms)
{
    Ear *e = (Ear *)self;

    then_int(e->status, 0);
    then_int(e->pieces, 0);
    e->status = status;
    e->retry_after_ms = retry_after_ms;
}

static void on_bytes(StreamSink *self, const char *bytes, size_t len)
{
    Ear *e = (Ear *)self;

    then_true(e->status != 0 && !e->ended && len > 0);
    then_true(buf_append(&e->text, bytes, len));
    e->pieces++;
}

static void on_end(StreamSink *self, const Err *why)
{
    Ear *e = (Ear *)self;

    then_true(!e->ended);
    e->ended = true;
    e->ended_ms = world_now_ms(sim_world(e->sim));
    e->why = err_copy(e->arena, why);
}

static void listen(void *self)
{
    Ear *e = self;
    SCOPED_ARENA a = arena_open(1 << 20);

    then_ok(stream_start(e->streams, a, &e->request, &e->sink, &e->id));
    while (!e->process.killed) {
        Err *err = stream_poll(e->streams, a, 100000);
        if (err)
            break;
        e->polls++;
    }
}

static Ear *open_ear(uint64_t seed, PortFault fault)
{
    Arena *arena = arena_open(64 << 20);
    Ear *e = arena_new(arena, Ear);

    e->arena = arena;
    e->sink = (StreamSink){on_head, on_bytes, on_end};
    e->text.ceiling = 64 << 20;
    e->fault = (PortOneFault){.number = 1, .fault = fault};
    e->sim =
        sim_open(&(SimOptions){.seed = seed, .judge = port_judge_one, .judge_self = &e->fault});
    process_init(&e->process, sim_world(e->sim), "p");
    sim_transport_init(&e->transport, e->sim, &e->process, "user");
    e->streams = e->transport.port.open_streams(&e->transport.port);
    return e;
}

static void run_for(Ear *e, int64_t ms)
{
    World *w = sim_world(e->sim);

    world_run_until(w, world_now_ms(w) + ms);
}

static void begin(Ear *e, Request request)
{
    e->request = request;
    process_spawn(&e->process, "ear", listen, e);
}

static void close_ear(Ear *e)
{
    process_kill(&e->process);
    e->transport.port.close_streams(&e->transport.port, e->streams);
    process_close(&e->process);
    sim_close(e->sim);
    buf_close(&e->text);
    arena_close(e->arena);
}

static void create(Ear *e, const char *name)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = {"default", name},
        .body = json_fixture(e->arena,
            str_format(e->arena,
                "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: '%s'},"
                " data: {k: 'a value that has some length'}}",
                name)),
    };

    then_ok(api_call(world_api(sim_world(e->sim), "person"), e->arena, &request, NULL));
}

static const char *version_now(Ear *e)
{
    return str_format(
        e->arena, "%llu", (unsigned long long)server_version(world_server(sim_world(e->sim))));
}

static Request list_all(void)
{
    return (Request){.verb = VERB_LIST, .kind = kind_configmap, .deadline_ms = 60000};
}

static Request watch_from(const char *version)
{
    return (Request){
        .verb = VERB_WATCH,
        .kind = kind_configmap,
        .resource_version = version,
        .timeout_seconds = 300,
        .bookmarks = true,
        .deadline_ms = 330000,
    };
}

static int count_of(const Ear *e, const char *word)
{
    int count = 0;

    for (const char *at = e->text.data; at && (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* --- lists -------------------------------------------------------------------------------------
 */

TEST(a_simulated_list_arrives_complete_in_pieces_of_any_size)
{
    int pieces_max = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        Ear *e = open_ear(seed, (PortFault){0});
        const Json *list;

        for (int i = 0; i < 5; i++)
            create(e, str_format(e->arena, "x%d", i));
        begin(e, list_all());
        run_for(e, 1000);

        then_int(e->status, 200);
        then_true(e->ended);
        then_ok(e->why);
        then_ok(json_parse(e->arena, buf_bytes(&e->text), &list));
        then_int(json_count(json_find(list, ".items")), 5);
        pieces_max = e->pieces > pieces_max ? e->pieces : pieces_max;
        close_ear(e);
    }
    then_true(pieces_max > 2);
}

static const struct {
    const char *name;
    PortFault fault;
    int status;
    int64_t bytes; /* that arrived; -1 for all */
    Want want;
    int64_t ended_ms; /* at the latest */
} list_cases[] = {
    {"no connection", {.kind = PORT_UNSENT}, 0, 0, RETRY("refused the connection"), 1010},
    {"lost", {.kind = PORT_LOST}, 0, 0, RETRY("without an answer"), 1010},
    {"refused", {.kind = PORT_REFUSED, .status = 503}, 503, -1, OKAY, 1100},
    {"late", {.kind = PORT_LATE, .delay_ms = 3000}, 200, -1, OKAY, 4100},
    {"later than its deadline",
        {.kind = PORT_LATE, .delay_ms = 100000},
        0,
        0,
        RETRY("in time"),
        61000},
    {"cut before the first byte", {.kind = PORT_CUT}, 200, 0, RETRY("broke"), 1010},
    {"cut after ten bytes", {.kind = PORT_CUT, .bytes = 10}, 200, 10, RETRY("broke"), 1100},
    {"silent after ten bytes",
        {.kind = PORT_SILENT, .bytes = 10},
        200,
        10,
        RETRY("in time"),
        61000},
};

TEST(each_fault_of_a_list_has_its_effect)
{
    each_case(i, list_cases) {
        Ear *e = open_ear(7, list_cases[i].fault);

        create(e, "x");
        begin(e, list_all());
        run_for(e, 90000);

        then_true(e->ended);
        then_int(e->status, list_cases[i].status);
        then_err(e->why, list_cases[i].want);
        then_true(e->ended_ms <= list_cases[i].ended_ms);
        if (list_cases[i].bytes >= 0)
            then_int(e->text.len, list_cases[i].bytes);
        else
            then_true(e->text.len > 0);
        close_ear(e);
    }
}

TEST(a_refused_list_carries_its_retry_after_time)
{
    Ear *e = open_ear(1, (PortFault){.kind = PORT_REFUSED, .status = 429, .retry_after_ms = 4000});

    begin(e, list_all());
    run_for(e, 1000);
    then_int(e->status, 429);
    then_int(e->retry_after_ms, 4000);
    then_int(count_of(e, "TooManyRequests"), 1);
    close_ear(e);
}

/* --- watches -----------------------------------------------------------------------------------
 */

TEST(a_simulated_watch_delivers_every_change_in_order_and_delayed)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    then_int(e->status, 200);
    for (int i = 0; i < 30; i++) {
        create(e, str_format(e->arena, "x%02d", i));
        if (i % 3 == 0)
            run_for(e, 10);
    }
    then_true(count_of(e, "ADDED") < 30);
    run_for(e, 2000);
    then_int(count_of(e, "\"type\":\"ADDED\""), 30);
    const char *at = e->text.data;
    for (int i = 0; i < 30; i++) {
        at = strstr(at, str_format(e->arena, "\"name\":\"x%02d\"", i));
        then_true(at != NULL);
    }
    then_true(!e->ended && sim_streams_are_quiet(e->streams));
    close_ear(e);
}

TEST(a_stream_with_bytes_on_their_way_is_not_quiet)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    then_true(sim_streams_are_quiet(e->streams));
    run_for(e, 0);
    then_true(!sim_streams_are_quiet(e->streams));
    run_for(e, 1000);
    then_true(sim_streams_are_quiet(e->streams));
    create(e, "x");
    then_true(!sim_streams_are_quiet(e->streams));
    run_for(e, 1000);
    then_true(sim_streams_are_quiet(e->streams));
    close_ear(e);
}

TEST(the_simulated_server_ends_a_watch_at_its_timeout)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 299000);
    then_true(!e->ended);
    run_for(e, 2000);
    then_true(e->ended);
    then_ok(e->why);
    close_ear(e);
}

TEST(a_watch_without_changes_gets_bookmarks)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 200000);
    then_true(count_of(e, "BOOKMARK") >= 2 && count_of(e, "BOOKMARK") <= 4);
    close_ear(e);
}

TEST(a_watch_from_a_compacted_resource_version_ends_with_410)
{
    Ear *e = open_ear(2, (PortFault){0});
    const char *version = version_now(e);

    create(e, "x");
    world_compact(sim_world(e->sim));
    create(e, "y");
    begin(e, watch_from(version));
    run_for(e, 1000);
    then_true(e->ended);
    then_ok(e->why);
    then_int(count_of(e, "\"type\":\"ERROR\""), 1);
    then_int(count_of(e, "\"code\":410"), 1);
    close_ear(e);
}

static const Kind kind_gadget[1] = {{"example.io", "v1", "gadgets", "Gadget", true, NULL}};

TEST(a_watch_of_a_kind_that_is_no_longer_served_ends_in_order)
{
    Ear *e = open_ear(2, (PortFault){0});
    Api *person = world_api(sim_world(e->sim), "person");
    Key definition = {.name = "gadgets.example.io"};
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_crd,
        .key = definition,
        .body = json_fixture(e->arena,
            "{apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition',"
            " metadata: {name: 'gadgets.example.io'}, spec: {group: 'example.io',"
            " scope: 'Namespaced', names: {plural: 'gadgets', kind: 'Gadget',"
            "  singular: 'gadget', listKind: 'GadgetList'},"
            " versions: [{name: 'v1', served: true, storage: true, schema: {openAPIV3Schema:"
            "  {type: 'object', 'x-kubernetes-preserve-unknown-fields': true}}}]}}"),
    };

    then_ok(api_call(person, e->arena, &request, NULL));
    Request watch = watch_from(version_now(e));
    watch.kind = kind_gadget;
    begin(e, watch);
    run_for(e, 1000);
    then_int(e->status, 200);
    request = (Request){.verb = VERB_DELETE, .kind = kind_crd, .key = definition};
    then_ok(api_call(person, e->arena, &request, NULL));
    run_for(e, 1000);
    then_true(e->ended);
    then_ok(e->why);
    close_ear(e);
}

TEST(a_silent_watch_delivers_nothing_and_does_not_end)
{
    Ear *e = open_ear(2, (PortFault){.kind = PORT_SILENT, .bytes = 50});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    create(e, "x");
    create(e, "y");
    run_for(e, 100000);
    then_int(e->text.len, 50);
    then_true(!e->ended);
    close_ear(e);
}

TEST(a_cut_watch_breaks_inside_an_event)
{
    Ear *e = open_ear(2, (PortFault){.kind = PORT_CUT, .bytes = 50});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    then_true(!e->ended);
    create(e, "x");
    run_for(e, 1000);
    then_int(e->text.len, 50);
    then_err(e->why, RETRY("broke the connection"));
    close_ear(e);
}

TEST(the_bytes_for_a_stopped_process_wait_until_it_continues)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    process_stop(&e->process);
    create(e, "x");
    run_for(e, 1000);
    then_int(e->text.len, 0);
    process_continue(&e->process);
    run_for(e, 1000);
    then_int(count_of(e, "ADDED"), 1);
    close_ear(e);
}

/* --- the port's own rules ----------------------------------------------------------------------
 */

TEST(a_cancelled_stream_delivers_nothing_more)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    stream_cancel(e->streams, e->id);
    stream_cancel(e->streams, 0);
    stream_cancel(e->streams, 12345);
    create(e, "x");
    run_for(e, 1000);
    then_int(e->text.len, 0);
    then_true(!e->ended);
    close_ear(e);
}

TEST(notifying_a_stream_makes_its_poll_return)
{
    Ear *e = open_ear(2, (PortFault){0});

    begin(e, watch_from(version_now(e)));
    run_for(e, 1000);
    int before = e->polls;
    stream_wake(e->streams);
    run_for(e, 0);
    then_int(e->polls, before + 1);
    close_ear(e);
}

static const struct {
    const char *name;
    PortFaultKind kind;
    int64_t ms;
} deaths[] = {
    {"before sending", PORT_CRASH_BEFORE, 0},
    {"after sending", PORT_CRASH_SENT, 0},
    {"when the server has answered", PORT_CRASH_AFTER, 10},
};

TEST(a_process_may_be_killed_while_it_uses_a_stream)
{
    each_case(i, deaths) {
        Ear *e = open_ear(2, (PortFault){.kind = deaths[i].kind});

        begin(e, watch_from(version_now(e)));
        run_for(e, deaths[i].ms);
        then_true(e->process.killed && e->process.is_over);
        then_int(e->status, 0);
        close_ear(e);
    }
}
