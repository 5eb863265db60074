/* Late: the head of the answer goes out at once, because the library sends it before it asks for
 * the first byte; whoever waits for an answer waits for its end. */
#include "sandbox/late.h"

#include "base/link.h"

typedef struct Late {
    HallStream port;
    Clock *clock;
    int64_t due_ms;
    Bytes body;
    HallStream *stream; /* instead of a body */
    bool is_said;
} Late;

static HallNext next(HallStream *self, Bytes *ret)
{
    Late *late = link_owner(Late, port, self);

    if (clock_mono_ms(late->clock) < late->due_ms)
        return HALL_NOTHING;
    if (late->stream)
        return late->stream->next(late->stream, ret);
    if (late->is_said || late->body.len == 0)
        return HALL_END;
    late->is_said = true;
    *ret = late->body;
    return HALL_PIECE;
}

static void close_late(HallStream *self)
{
    Late *late = link_owner(Late, port, self);

    if (late->stream)
        late->stream->close(late->stream);
}

void late_make(Arena *a, HallAnswer *answer, Clock *clock, int64_t due_ms)
{
    Late *late = arena_new(a, Late);

    *late = (Late){
        .port = {next, close_late},
        .clock = clock,
        .due_ms = due_ms,
        .body = answer->body,
        .stream = answer->stream,
    };
    answer->body = (Bytes){0};
    answer->stream = &late->port;
}
