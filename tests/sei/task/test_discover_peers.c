/* discover-peers while nobody is known: who is waited for, and who is not. */
#include "tests/sei/pods.h"

#define LABELS "{spec: {peers: [{label: {selector: {fleet: 'rpc', tier: '1'}}}]}}"

static const struct {
    const char *name, *params;
    TaskPeers peers;
    bool state_sync, submitted;
    int began_ago_s;
    Want want;
    int asked; /* of the sidecar */
} cases[] = {
    {"a peer is known",
        "{Sources: [{type: 'static', addresses: ['x@y:1']}]}",
        .peers = {.is_known = true, .matched = 1},
        .want = WAIT("has not answered"),
        .asked = 1},
    {"in the spelling of the wire",
        "{sources: [{type: 'static', addresses: ['x@y:1']}]}",
        .want = WAIT("has not answered"),
        .asked = 1},
    {"it is still being found out", "{Sources: []}", .want = WAIT("still being looked for")},
    {"the matching peers have not answered",
        "{Sources: []}",
        .peers = {.is_known = true, .matched = 2, .silent = "sei/rpc-1"},
        .want = WAIT("no peer of fleet=rpc,tier=1 in namespace sei is known yet: sei/rpc-1 has not "
                     "said its node id")},
    {"the matching peers have not answered for long",
        "{Sources: []}",
        .peers = {.is_known = true, .matched = 2, .silent = "sei/rpc-1"},
        .began_ago_s = 600},
    {"the matching peers have not answered for long, and state sync needs one",
        "{Sources: []}",
        .peers = {.is_known = true, .matched = 2, .silent = "sei/rpc-1"},
        .state_sync = true,
        .began_ago_s = 600,
        .want = WAIT("sei/rpc-1 has not said its node id")},
    {"no peer matches: the first node starts alone",
        "{Sources: null}",
        .peers = {.is_known = true}},
    {"no peer matches, and state sync needs one",
        "{Sources: null}",
        .peers = {.is_known = true},
        .state_sync = true,
        .want = WAIT("no node matches the peers of fleet=rpc,tier=1 in namespace sei, and state "
                     "sync needs one")},
    {"a submitted task is polled, whatever its params",
        "{Sources: [{type: 'static', addresses: ['x@y:1']}]}",
        .submitted = true,
        .want = WAIT("has not answered"),
        .asked = 1},
};

static const char *seconds_ago(TaskWorld *w, int seconds)
{
    char *text = arena_alloc(w->arena, TIMESTAMP_SIZE);
    Clock *clock = &w->clock.port;

    return timestamp_format(clock->wall_ns(clock) - seconds * INT64_C(1000000000), text);
}

TEST(peer_discovery_waits_only_if_its_sources_may_still_give_a_peer)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(LABELS);
        given_statefulset(w);
        given_pod(w, new_pod(w));
        w->run.task->params = json_fixture(w->arena, cases[i].params);
        w->run.task->submitted_at = cases[i].submitted ? "2026-01-01T00:00:00Z" : NULL;
        w->run.peers = cases[i].peers;
        w->status.plan.task_count = 1;
        w->status.plan.started_at = seconds_ago(w, cases[i].began_ago_s);
        if (cases[i].state_sync)
            plan_add_task(w->arena, &w->status.plan, TASK_CONFIGURE_STATE_SYNC, NULL);

        then_err(when_task_runs(w, TASK_DISCOVER_PEERS), cases[i].want);
        then_int(w->sidecar.asked, cases[i].asked);
        then_int((int)w->run.task->retry_count, 0);
    }
}
