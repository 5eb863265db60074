/* Looking around: what is there, what is not, and what could not be asked. */
#include "cli/sight.h"
#include "tests/cli/terminal.h"

#define NODE                                                                                       \
    "{metadata: {name: 'rpc-0'}, spec: {chainId: 'c', image: 'i', fullNode: {}}, status:"          \
    " {dataVolume: {name: 'mine', uid: 'u'}}}"

static SightPort port_of(Terminal *t, int64_t left_ms)
{
    Clock *clock = world_clock(t->world);

    return (SightPort){
        .arena = t->arena,
        .api = &t->faulty,
        .clock = clock,
        .deadline_ms = clock_mono_ms(clock) + left_ms,
        .namespace = "default",
    };
}

TEST(a_node_is_collected_with_its_related_objects)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);

    given(t,
        kind_pvc,
        "{metadata: {name: 'mine'}, spec: {accessModes: ['ReadWriteOnce'], resources: {requests:"
        " {storage: '1Gi'}}}}");
    const Json *sight = sight_take(&port, given(t, kind_seinode, NODE));
    then_str(json_str(sight, ".object.metadata.name"), "rpc-0");
    then_str(json_str(sight, ".claim.metadata.name"), "mine");
    then_str(json_str(sight, ".namespace"), "default");
    then_true(json_find(sight, ".statefulSet") == NULL);
    then_int(json_count(json_find(sight, ".pods")), 0);
    then_int(json_count(json_find(sight, ".missing")), 0);
}

#define EVENT(name, regarding, time)                                                               \
    "{metadata: {name: '" name "'}, regarding: {apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"   \
    " namespace: 'default', name: 'rpc-0', uid: '%s'}, eventTime: '" time "', reason: '" regarding \
    "', type: 'Normal', note: 'n', action: 'a', reportingController: 'c/c', reportingInstance:"    \
    " 'i'}"

TEST(only_the_newest_events_of_the_object_are_collected)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);
    const Json *node = given(t, kind_seinode, NODE);
    const char *uid = meta_uid(node);

    given(
        t, kind_event, str_format(t->arena, EVENT("a", "Old", "2026-01-01T00:00:01.000000Z"), uid));
    given(
        t, kind_event, str_format(t->arena, EVENT("b", "New", "2026-01-01T00:00:02.000000Z"), uid));
    given(
        t, kind_event, str_format(t->arena, EVENT("c", "No", "2026-01-01T00:00:03.000000Z"), "x"));
    const Json *events = json_find(sight_take(&port, node), ".events");
    then_int(json_count(events), 2);
    then_str(json_str(events, "[0].reason"), "New");
    then_str(json_str(events, "[1].reason"), "Old");
}

TEST(a_forbidden_related_object_is_named_and_the_others_are_collected)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);
    const Json *node = given(t, kind_seinode, NODE);

    t->fault = err_terminal(t->arena, "no such right");
    const Json *sight = sight_take(&port, node);
    then_str(json_str(sight, ".object.metadata.name"), "rpc-0");
    then_int(json_count(json_find(sight, ".missing")), 4);
    then_str(json_str(sight, ".missing[0].what"), "pods");
    then_str(json_str(sight, ".missing[0].why"), "no such right");
}

TEST(nothing_is_requested_when_no_time_is_left)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, 0);
    const Json *node = given(t, kind_seinode, NODE);

    t->calls = 0;
    const Json *sight = sight_take(&port, node);
    then_int(t->calls, 0);
    then_int(json_count(json_find(sight, ".missing")), 4);
    then_true(strstr(json_str(sight, ".missing[3].why"), "no time") != NULL);
}

TEST(a_snapshot_from_cached_objects_needs_no_requests)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ManualClock clock;
    clock_manual_init(&clock, 0, 0);
    const Json *object = json_fixture(a, "{kind: 'SeiNode'}");

    then_json(sight_of(a, &clock.port, "n", object, json_fixture(a, "{pods: [1]}")),
        "{now: '1970-01-01T00:00:00Z', namespace: 'n', object: {kind: 'SeiNode'}, pods: [1]}");
}

/* --- how far it is */

/* Seids answer to whoever may ask; everything else is the world's. */
static Err *seid_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (request->verb != VERB_RAW_GET)
        return t->api->call(t->api, a, request, ret);
    t->calls++;
    if (t->fault)
        return err_copy(a, t->fault);
    *ret = json_fixture(a,
        strstr(request->raw_path, "/rpc-1-0:") ? "{sync_info: {latest_block_height: '90'}}"
                                               : "{sync_info: {latest_block_height: '100'}}");
    return OK;
}

static const Json *given_child(Terminal *t, const char *name)
{
    return given(t,
        kind_seinode,
        str_format(t->arena,
            "{metadata: {name: '%s', labels: {'sei.io/nodedeployment': 'rpc'}}, spec: {chainId:"
            " 'c', image: 'i', fullNode: {}}}",
            name));
}

TEST(a_node_snapshot_asks_its_seid_and_two_more_of_its_fleet)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);

    t->faulty.call = seid_call;
    port.asks_seid = true;
    const Json *sight = sight_take(&port, given_child(t, "rpc-1"));
    then_json(json_find(sight, ".pulses"),
        "[{node: 'rpc-0', height: 100, catchesUp: false},"
        " {node: 'rpc-2', height: 100, catchesUp: false},"
        " {node: 'rpc-1', height: 90, catchesUp: false}]");
    then_int(t->calls, 4); /* one is about the peers */
    port.asks_seid = false;
    then_true(json_find(sight_take(&port, seen(t, kind_seinode, "rpc-1")), ".pulses") == NULL);
}

TEST(a_fleet_snapshot_asks_every_seid_until_a_request_is_refused)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);
    const Json *fleet = given(t,
        kind_seinodedeployment,
        "{metadata: {name: 'rpc'}, spec: {replicas: 2, updateStrategy: {type: 'InPlace'},"
        " template: {spec: {chainId: 'c', image: 'i', fullNode: {}}}}}");

    given_child(t, "rpc-0");
    given_child(t, "rpc-1");
    t->faulty.call = seid_call;
    port.asks_seid = true;
    then_int(json_count(json_find(sight_take(&port, fleet), ".pulses")), 2);
    t->fault = err_retry(t->arena, "forbidden");
    t->fault->status = 403;
    const Json *sight = sight_take(&port, fleet);
    then_json(json_find(sight, ".pulses"),
        "[{node: 'rpc-0', why:"
        " 'asking seid needs the right to get pods/proxy in namespace default'}]");
    then_int(json_count(json_find(sight, ".missing")), 0);
}

/* Each seid costs a second. */
static Err *hanging_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (request->verb != VERB_RAW_GET)
        return t->api->call(t->api, a, request, ret);
    t->calls++;
    world_run_until(t->world, world_now_ms(t->world) + request->deadline_ms);
    return err_retry(a, "no answer in time");
}

TEST(hanging_seids_cost_two_seconds_in_total)
{
    SCOPED_TERMINAL t = terminal_open();
    SightPort port = port_of(t, SIGHT_PATIENCE_MS);
    int64_t began = world_now_ms(t->world);

    t->faulty.call = hanging_call;
    port.asks_seid = true;
    const Json *sight = sight_take(&port, given_child(t, "rpc-1"));
    then_int(t->calls, 3);
    then_true(world_now_ms(t->world) - began <= SIGHT_SEID_MS);
    then_str(json_str(sight, ".pulses[2].node"), "rpc-1");
    then_str(json_str(sight, ".pulses[2].why"), "seid does not answer in time");
}
