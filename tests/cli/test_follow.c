/* get --watch: what it tells, and what it tells only once, over a connection that breaks. The test
 * is the server of the streams: each poll carries out one step of a script. */
#include "tests/cli/cast.h"
#include "tests/kube/runtime/fake_streams.h"

#include <inttypes.h>

typedef struct Wire {
    FakeStreams fake; /* first, so that the port is this */
    Terminal *terminal;
    const char *const *script;
} Wire;

static Wire wire;

static void send(const char *text)
{
    fake_bytes(&wire.fake, text, strlen(text));
}

/* One word of what the server does; the rest of it is what it sends. */
static void step(const char *what)
{
    if (str_has_prefix(what, "list ")) {
        then_int(wire.fake.request.verb, VERB_LIST);
        fake_head(&wire.fake, 200, 0);
        send(what + strlen("list "));
        fake_end(&wire.fake, OK);
    } else if (str_has_prefix(what, "open")) {
        then_int(wire.fake.request.verb, VERB_WATCH);
        fake_head(&wire.fake, 200, 0);
    } else if (str_has_prefix(what, "break ")) {
        Err why = {.class = ERR_RETRY, .message = what + strlen("break ")};
        fake_end(&wire.fake, &why);
    } else {
        send(what);
        send("\n");
    }
}

static Err *poll_script(Streams *self, Arena *a, int64_t timeout_ms)
{
    World *world = wire.terminal->world;

    (void)self;
    if (!wire.fake.running) { /* it waits before it tries again */
        world_run_until(world, world_now_ms(world) + (timeout_ms > 0 ? timeout_ms : 1));
        return OK;
    }
    if (!*wire.script)
        return err_terminal(a, "the script is over");
    step(*wire.script++);
    return OK;
}

static Streams *open_streams(Transport *self)
{
    (void)self;
    return &wire.fake.port;
}

static void close_streams(Transport *self, Streams *streams)
{
    (void)self, (void)streams;
}

static int watch(Terminal *t, const char *line, const char *const *script)
{
    wire = (Wire){.terminal = t, .script = script};
    fake_streams_init(&wire.fake, t->arena);
    wire.fake.port.poll = poll_script;
    t->transport.open_streams = open_streams;
    t->transport.close_streams = close_streams;
    return type(t, line);
}

/* A node as the server tells of it. */
static const char *told(
    Terminal *t, const char *event, const char *name, const char *version, const char *reason)
{
    const char *object = str_format(t->arena,
        "{\"apiVersion\": \"sei.io/v1alpha1\", \"kind\": \"SeiNode\", \"metadata\": {\"name\": "
        "\"%s\", \"namespace\": \"default\", \"resourceVersion\": \"%s\"}, \"spec\": {\"image\": "
        "\"x:v1\"}, \"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"False\", "
        "\"reason\": \"%s\"}]}}",
        name,
        version,
        reason);

    return event ? str_format(t->arena, "{\"type\": \"%s\", \"object\": %s}", event, object)
                 : object;
}

static const char *list_of(Terminal *t, const char *object)
{
    return str_format(t->arena,
        "list {\"kind\": \"SeiNodeList\", \"apiVersion\": \"sei.io/v1alpha1\", \"metadata\": "
        "{\"resourceVersion\": \"900\"}, \"items\": [%s]}",
        object);
}

TEST(get_with_watch_prints_every_change_once_over_a_broken_connection)
{
    SCOPED_TERMINAL t = terminal_open();
    const char *known = meta_resource_version(given_node(t, "n", "{}"));
    const char *script[] = {
        list_of(t, told(t, NULL, "n", known, "Shown")),
        "open",
        told(t, "MODIFIED", "n", "901", "One"),
        "break connection reset by peer",
        "open",
        told(t, "MODIFIED", "n", "901", "Again"),
        told(t, "ADDED", "m", "902", "Two"),
        told(t, "DELETED", "n", "903", "Three"),
        NULL,
    };

    then_int(watch(t, "get nodes -w --no-headers", script), EXIT_MISUSED);
    then_str(said(t),
        "n  True  Available  full  pacific-1  v1  0s\n"
        "n  False  One        ?     -          v1  -\n"
        "m  False  Two        ?     -          v1  -\n"
        "n  False  Three      ?     -          v1  -\n");
    then_talked(t, "connection reset by peer; trying again\n");
    then_talked(t, "connected again\n");
    then_talked(t, "the script is over");
}

TEST(get_with_watch_and_a_name_watches_only_that_object)
{
    SCOPED_TERMINAL t = terminal_open();
    const char *known = meta_resource_version(given_node(t, "n", "{}"));
    const char *script[] = {
        list_of(t, told(t, NULL, "n", known, "Shown")),
        "open",
        told(t, "MODIFIED", "n", "901", "One"),
        NULL,
    };

    then_int(watch(t, "get node n -w -o name", script), EXIT_MISUSED);
    then_str(said(t), "seinode.sei.io/n\nseinode.sei.io/n\n");
    then_true(strstr(wire.fake.url, "fieldSelector=metadata.name%3Dn") != NULL);
}

TEST(get_with_watch_prints_jsonpath_values_one_per_line)
{
    SCOPED_TERMINAL t = terminal_open();
    const char *script[] = {
        list_of(t, ""),
        "open",
        told(t, "ADDED", "m", "902", "Two"),
        NULL,
    };

    then_int(watch(t, "get nodes -w -l a=b -o 'jsonpath={.metadata.name},'", script), EXIT_MISUSED);
    then_str(said(t), ",m,");
    then_true(strstr(wire.fake.url, "labelSelector=a%3Db") != NULL);
}
