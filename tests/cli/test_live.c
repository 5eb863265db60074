/* Live objects: as they are, through everything. */
#include "cli/live.h"
#include "tests/cli/world_streams.h"

#define NODE(name) "{metadata: {name: '" name "'}, spec: {chainId: 'c', image: 'i', fullNode: {}}}"

typedef struct Scene {
    LiveSink sink; /* first */
    Terminal *terminal;
    WorldStreams streams;
    Transport transport;
    Live *live;
    const char *told; /* "rpc-0 rpc-1 -rpc-0 " */
} Scene;

static void note(LiveSink *self, size_t watch, const Json *object, bool is_gone)
{
    Scene *s = (Scene *)self;

    (void)watch;
    s->told =
        str_format(s->terminal->arena, "%s%s%s ", s->told, is_gone ? "-" : "", meta_name(object));
}

static Streams *open_streams(Transport *self)
{
    return &link_owner(Scene, transport, self)->streams.port;
}

static void close_streams(Transport *self, Streams *streams)
{
    (void)self, (void)streams;
}

static void scene_open(Scene *s, Terminal *t)
{
    *s = (Scene){.sink = {note}, .terminal = t, .told = ""};
    world_streams_init(&s->streams, t);
    s->transport = (Transport){.open_streams = open_streams, .close_streams = close_streams};
    s->live = live_open(&(LiveOptions){
        .transport = &s->transport,
        .clock = world_clock(t->world),
        .watches = {{kind_seinode, "default", NULL, NULL}},
        .sink = &s->sink,
    });
}

static void poll_times(Scene *s, int times)
{
    while (times-- > 0)
        then_ok(live_poll(s->live, s->terminal->arena, 1000));
}

static void remove_node(Terminal *t, const char *name)
{
    terminal_ask(t, (Request){.verb = VERB_DELETE, .kind = kind_seinode, .key = {"default", name}});
}

TEST(the_live_cache_reports_every_change_once_and_equals_the_cluster)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    given(t, kind_seinode, NODE("rpc-10"));
    given(t, kind_seinode, NODE("rpc-2"));
    scene_open(&s, t);
    then_true(!live_health(s.live).is_synced);
    poll_times(&s, 4);
    then_str(s.told, "rpc-10 rpc-2 ");
    then_true(live_health(s.live).is_synced && live_health(s.live).is_connected);
    given(t, kind_seinode, NODE("rpc-3"));
    poll_times(&s, 2);
    remove_node(t, "rpc-2");
    poll_times(&s, 2);
    then_str(s.told, "rpc-10 rpc-2 rpc-3 -rpc-2 ");
    const Json *list = live_list(s.live, t->arena, 0);
    then_int(json_count(list), 2);
    then_str(json_str(list, "[0].metadata.name"), "rpc-3");
    then_str(json_str(list, "[1].metadata.name"), "rpc-10");
    then_true(live_only(s.live, 0) != NULL);
    live_close(s.live);
}

TEST(an_object_that_was_deleted_during_an_outage_is_reported_afterwards)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    given(t, kind_seinode, NODE("rpc-0"));
    scene_open(&s, t);
    poll_times(&s, 4);
    s.streams.is_down = true;
    poll_times(&s, 5);
    LiveHealth health = live_health(s.live);
    then_true(!health.is_connected && health.is_synced);
    then_true(strstr(health.trouble, "connection refused") != NULL);
    then_true(world_now_ms(t->world) - health.since_ms >= 1000);
    then_int(json_count(live_list(s.live, t->arena, 0)), 1);
    remove_node(t, "rpc-0");
    given(t, kind_seinode, NODE("rpc-1"));
    s.streams.is_down = false;
    s.streams.has_forgotten = true;
    poll_times(&s, 60);
    then_true(live_health(s.live).is_connected);
    then_str(s.told, "rpc-0 rpc-1 -rpc-0 ");
    then_int(json_count(live_list(s.live, t->arena, 0)), 1);
    live_close(s.live);
}

static Err *lose_descriptors(WorldStreams *streams, int poll)
{
    (void)poll;
    return err_terminal(streams->terminal->arena, "no descriptors are left");
}

TEST(a_failing_stream_ends_the_live_cache_with_an_error)
{
    SCOPED_TERMINAL t = terminal_open();
    Scene s;

    scene_open(&s, t);
    s.streams.act = lose_descriptors;
    then_err(live_poll(s.live, t->arena, 1000), TERMINAL("no descriptors"));
    live_close(s.live);
    live_close(NULL);
}
