/* Fuzzes the way of a request into the sandbox: "METHOD target\ntype\nbody". Whatever comes in is
 * refused with the Status of its own code, or is carried out on a server, which answers; and the
 * next request finds it whole. */
#include "base/str.h"
#include "sandbox/desk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS_PER_WORLD = 500 };

static void must(bool law)
{
    if (!law)
        abort();
}

/* The bytes up to a delimiter, which is left behind. */
static Bytes take(Bytes *rest, char end)
{
    const char *at = rest->len ? memchr(rest->data, end, rest->len) : NULL;
    Bytes taken = {rest->data, at ? (size_t)(at - rest->data) : rest->len};

    rest->data += taken.len + (at != NULL);
    rest->len -= taken.len + (at != NULL);
    return taken;
}

static const char *take_text(Arena *a, Bytes *rest, char end)
{
    Bytes taken = take(rest, end);

    return str_slice(a, taken.data, taken.len);
}

static void drain(HallStream *stream)
{
    Bytes piece;

    for (int i = 0; i < 100 && stream->next(stream, &piece) == HALL_PIECE; i++)
        must(piece.len > 0);
    stream->close(stream);
}

/* An answer with a JSON body says its own status in it, when it is a refusal. */
static void check(Arena *a, const HallAnswer *answer)
{
    const Json *body = NULL;

    must(answer->stream || (answer->status >= 200 && answer->status < 600));
    if (answer->stream || !str_eq(answer->content_type, "application/json"))
        return;
    must(!json_parse(a, answer->body, &body));
    if (str_eq(json_str(body, ".status"), "Failure"))
        must(json_int(body, ".code", 0) == answer->status);
}

/* A server and a kubelet, without the controllers, which take longer to open than a request does.
 */
static void open_cast(Cast *ret)
{
    ret->world = world_open(&(WorldOptions){.seed = 1, .keeps_events = true});
    ret->kubelet = kubelet_open(
        &(KubeletOptions){.clock = world_clock(ret->world), .rng = world_rng(ret->world)});
    world_add(ret->world, kubelet_actor(ret->kubelet));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    Bytes rest = {(const char *)data, size};
    Tempo tempo = {.speed = 1};
    Cast cast;
    open_cast(&cast);
    Desk *desk =
        desk_new(a, &(DeskOptions){.cast = &cast, .admin_token = "secret", .tempo = &tempo});

    while (rest.len > 0) {
        HallAnswer answer = {0};
        HallRequest request = {.bearer = "secret",
            .accept = "",
            .user_agent = "fuzz/1",
            .if_none_match = "",
            .as_user = ""};
        request.method = take_text(a, &rest, ' ');
        request.target = take_text(a, &rest, '\n');
        request.content_type = take_text(a, &rest, '\n');
        request.body = take(&rest, '\x01'); /* which ends a request */
        desk_handle(desk, a, &request, &answer);
        check(a, &answer);
        if (answer.stream)
            drain(answer.stream);
    }
    world_close(cast.world);
    return 0;
}
