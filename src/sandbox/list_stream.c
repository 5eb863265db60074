/* ListStream: objects are read when the client has room for them, so that a list of everything
 * costs no more than the one that is on its way. */
#include "sandbox/list_stream.h"

enum { ITEM_MAX = 64 << 20 };

typedef struct ListStream {
    HallStream port; /* first, so that the port is this */
    ServerList *list;
    Arena *arena; /* of one piece */
} ListStream;

static HallNext next(HallStream *port, Bytes *ret)
{
    ListStream *l = (ListStream *)port;

    arena_reset(l->arena);
    return server_next_listed(l->list, l->arena, ret) ? HALL_PIECE : HALL_END;
}

static void close_stream(HallStream *port)
{
    ListStream *l = (ListStream *)port;

    server_close_list(l->list);
    arena_close(l->arena);
}

HallStream *list_stream_open(Server *s, Arena *a, const Request *request, Answer *ret)
{
    ServerList *list = server_open_list(s, a, request, ret);

    if (!list)
        return NULL;
    ListStream *l = arena_new(a, ListStream);
    *l = (ListStream){
        .port = {.next = next, .close = close_stream}, .list = list, .arena = arena_open(ITEM_MAX)};
    return &l->port;
}
