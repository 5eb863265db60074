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

TEST(a_node_is_seen_with_what_is_around_it)
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

TEST(the_newest_events_of_the_object_are_seen_and_no_others)
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

TEST(what_is_forbidden_is_named_and_the_rest_is_there)
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

TEST(nothing_is_asked_when_no_time_is_left)
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

TEST(who_keeps_objects_fresh_makes_a_sight_without_asking)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ManualClock clock;
    clock_manual_init(&clock, 0, 0);
    const Json *object = json_fixture(a, "{kind: 'SeiNode'}");

    then_json(sight_of(a, &clock.port, "n", object, json_fixture(a, "{pods: [1]}")),
        "{now: '1970-01-01T00:00:00Z', namespace: 'n', object: {kind: 'SeiNode'}, pods: [1]}");
}
