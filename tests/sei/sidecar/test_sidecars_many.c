/* Many nodes: the cap, fairness, even spreading, memory. Sidecars here answer after a while, or
 * hang until their deadline. */
#include "tests/sei/sidecar/street.h"

static SidecarTarget node_of(Street *s, int i)
{
    return (SidecarTarget){
        .node = {"sei", str_format(s->arena, "node-%d", i)},
        .pod_uid = "pod",
        .pod_ip = str_format(s->arena, "10.%d.%d.1", i / 250, i % 250),
        .host = str_format(s->arena, "node-%d-0.node-%d.sei.svc.cluster.local:8443", i, i),
        .bearer = "token",
    };
}

static void probe_all(Street *s, int from, int to)
{
    for (int i = from; i < to; i++) {
        SidecarTarget target = node_of(s, i);
        SidecarProbe probe;
        sidecar_probe(s->port, s->arena, &target, &probe);
    }
    street_step(s);
}

/* 10.0.x.1: healthy; 10.1.x.1 and above: hung. */
static bool is_hung(const OpenCall *call)
{
    return !str_has_prefix(call->ip, "10.0.");
}

/* Answers everybody who is healthy, at once; those that hang after their deadline, which is told by
 * `since`. */
typedef struct Wait {
    HttpId id;
    int64_t since_ms;
} Wait;

static void serve(Street *s, Wait *waits)
{
    for (int i = 0; i < STREET_OPEN_MAX; i++) {
        OpenCall *call = &s->open[i];
        if (!call->id)
            continue;
        if (waits[i].id != call->id)
            waits[i] = (Wait){call->id, street_now(s)};
        if (!is_hung(call)) {
            street_end(s, call, &(HttpAnswer){.status = 200}, NULL);
        } else if (street_now(s) - waits[i].since_ms >= call->deadline_ms) {
            Err why = {.class = ERR_RETRY, .message = "no answer", .outcome_unknown = true};
            street_end(s, call, NULL, &why);
        }
    }
}

TEST(at_most_the_maximum_of_sidecar_requests_run_at_once_and_every_node_gets_its_turn)
{
    SCOPED_STREET s = street_open();
    Wait waits[STREET_OPEN_MAX] = {0};

    s->sent = NULL;
    probe_all(s, 0, 200);
    then_int(s->open_count, SIDECARS_FLIGHTS_MAX);
    serve(s, waits);
    while (s->open_count)
        serve(s, waits);
    then_int(s->open_most, SIDECARS_FLIGHTS_MAX);
    then_int(s->calls, 200);
    then_int(s->wakes, 200);
}

/* Health of the hung ones is asked all the time; a healthy node's task goes through at once. */
static int64_t slowest_ms(Street *s, int hung, int64_t for_ms)
{
    Wait waits[STREET_OPEN_MAX] = {0};
    int64_t slowest = 0, begun = street_now(s);
    int round = 0;

    s->sent = NULL;
    probe_all(s, 250, 250 + hung);
    probe_all(s, 0, 1);
    for (int64_t spent = 0; spent < for_ms; spent += 50) {
        SidecarTarget target = node_of(s, 1);
        SidecarNews news;
        SidecarJob job = {.type = "x",
            .id = str_format(s->arena, "aaaaaaaa-0000-4000-8000-%012d", round),
            .submit_and_go = true};
        sidecar_task(s->port, s->arena, &target, &job, &news);
        if (news.state == SIDECAR_COMPLETED) {
            slowest = street_now(s) - begun > slowest ? street_now(s) - begun : slowest;
            begun = street_now(s);
            round++;
        }
        street_step(s);
        for (OpenCall *call; (call = street_call(s, "10.0.1.1"));) {
            HttpAnswer answer = {
                201, "application/json", bytes_of(str_format(s->arena, "{\"id\":\"%s\"}", job.id))};
            street_end(s, call, &answer, NULL);
        }
        serve(s, waits);
        street_pass(s, 50);
    }
    then_true(round > 0);
    return slowest;
}

TEST(fifty_hung_sidecars_delay_no_other_node)
{
    SCOPED_STREET s = street_open();

    then_true(slowest_ms(s, 50, 120000) <= 100);
}

TEST(a_thousand_hung_sidecars_delay_others_once_and_then_use_half_of_the_requests)
{
    SCOPED_STREET s = street_open();
    int64_t first = slowest_ms(s, 1000, 60000);

    then_true(first <= 1000 / SIDECARS_FLIGHTS_MAX * SIDECAR_HEALTH_DEADLINE_MS + 3000);
    s->open_most = s->open_count;
    then_true(slowest_ms(s, 0, 120000) <= 100);
    then_true(s->open_most <= SIDECARS_FLIGHTS_MAX / 2 + 2);
}

TEST(with_few_requests_at_once_hung_sidecars_use_half_of_them)
{
    SCOPED_STREET s = street_open_with(4);

    (void)slowest_ms(s, 50, 120000);
    then_true(slowest_ms(s, 0, 120000) <= 100);
    then_int(s->open_most, 4);
}

TEST(health_probes_of_nodes_that_started_together_are_spread_evenly)
{
    enum { NODES = 2400, SECONDS = 30 };
    SCOPED_STREET s = street_open();
    Wait waits[STREET_OPEN_MAX] = {0};
    int busiest = 0, calmest = NODES;

    s->sent = NULL;
    for (int i = 0; i < NODES; i++) {
        SidecarTarget target = node_of(s, i % 250);
        target.node.name = str_format(s->arena, "n-%d", i);
        SidecarProbe probe;
        sidecar_probe(s->port, s->arena, &target, &probe);
    }
    street_step(s);
    for (int second = 0; second < 4 * SECONDS; second++) {
        int before = s->calls;
        for (int i = 0; i < 100; i++) {
            serve(s, waits);
            street_pass(s, 10);
        }
        if (second < 2 * SECONDS)
            continue;
        busiest = s->calls - before > busiest ? s->calls - before : busiest;
        calmest = s->calls - before < calmest ? s->calls - before : calmest;
    }
    then_true(busiest <= 2 * NODES / SECONDS);
    then_true(calmest >= NODES / SECONDS / 2);
}

TEST(a_node_beyond_the_maximum_is_reported_as_an_error)
{
    SCOPED_STREET s = street_open();
    SidecarNews news;
    SidecarProbe probe;

    s->sent = NULL;
    for (int i = 0; i < SIDECARS_NODES_MAX; i++) {
        SidecarTarget target = {.node = {"sei", str_format(s->arena, "n-%d", i)}};
        sidecar_probe(s->port, s->arena, &target, &probe);
    }
    SidecarTarget one_more = node_of(s, 1);
    sidecar_task(s->port, s->arena, &one_more, &(SidecarJob){.id = "x", .type = "x"}, &news);
    then_int(news.state, SIDECAR_UNREACHABLE);
    then_true(strstr(news.message, "too many nodes"));
    then_int(sidecars_figures(s->machine).nodes, SIDECARS_NODES_MAX);
}
