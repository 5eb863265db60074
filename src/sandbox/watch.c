/* Watch: events are read when the client has room for them, so one that does not read costs
 * nothing: when it has fallen too far behind, it hears that its version is too old. */
#include "sandbox/watch.h"

#include "base/draft.h"
#include "base/str.h"

enum { EVENT_MAX = 64 << 20 };

typedef struct Watch {
    HallStream port; /* first, so that the port is this */
    World *world;
    ServerWatch *watch;
    Shape shape;
    Arena *arena; /* of one event */
} Watch;

/* An event whose object has the form that was asked for. One that cannot have it stays as it is. */
static Bytes shaped(Watch *w, Bytes line)
{
    Arena *a = w->arena;
    Clock *clock = world_clock(w->world);
    const Json *event, *object;

    if (w->shape.negotiated.form == FORM_PLAIN || json_parse(a, line, &event))
        return line;
    object = json_find(event, ".object");
    if (shape_body(a, &w->shape, world_server(w->world), clock->wall_ns(clock), &object))
        return line;
    w->shape.no_headers = true; /* said once */
    event =
        json_seal(a, draft(a, str("type", json_str(event, ".type")), draft_json("object", object)));
    return bytes_of(str_format(a, "%s\n", json_write(a, event).data));
}

static HallNext next(HallStream *port, Bytes *ret)
{
    Watch *w = (Watch *)port;
    bool has_ended;

    arena_reset(w->arena);
    if (!server_next_event(w->watch, w->arena, ret, &has_ended))
        return has_ended ? HALL_END : HALL_NOTHING;
    *ret = shaped(w, *ret);
    return HALL_PIECE;
}

static void close_watch(HallStream *port)
{
    Watch *w = (Watch *)port;

    server_close_watch(w->watch);
    arena_close(w->arena);
}

HallStream *watch_open(
    World *world, Arena *a, const Request *request, const Shape *shape, Answer *ret)
{
    ServerWatch *watch = server_open_watch(world_server(world), a, request, ret);

    if (!watch)
        return NULL;
    Watch *w = arena_new(a, Watch);
    *w = (Watch){.port = {.next = next, .close = close_watch},
        .world = world,
        .watch = watch,
        .shape = *shape,
        .arena = arena_open(EVENT_MAX)};
    return &w->port;
}
