/* Answers that keep their clients waiting. */
#include "sandbox/late.h"

#include "base/link.h"
#include "tests/test.h"

typedef struct Inner {
    HallStream port;
    int asked;
    bool closed;
} Inner;

static HallNext next(HallStream *self, Bytes *ret)
{
    *ret = bytes_of("event");
    return link_owner(Inner, port, self)->asked++ == 0 ? HALL_PIECE : HALL_NOTHING;
}

static void close_inner(HallStream *self)
{
    link_owner(Inner, port, self)->closed = true;
}

TEST(a_delayed_answer_arrives_complete_at_its_time)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ManualClock clock;
    HallAnswer answer = {.status = 201, .body = bytes_of("body")};
    Bytes piece;

    clock_manual_init(&clock, 0, 0);
    late_make(a, &answer, &clock.port, 50);
    then_int(answer.status, 201);
    then_int(answer.stream->next(answer.stream, &piece), HALL_NOTHING);
    clock_manual_advance_ms(&clock, 49);
    then_int(answer.stream->next(answer.stream, &piece), HALL_NOTHING);
    clock_manual_advance_ms(&clock, 1);
    then_int(answer.stream->next(answer.stream, &piece), HALL_PIECE);
    then_int(piece.len, 4);
    then_int(answer.stream->next(answer.stream, &piece), HALL_END);
    answer.stream->close(answer.stream);
}

TEST(a_delayed_answer_without_a_body_ends_at_its_time)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ManualClock clock;
    HallAnswer answer = {0};
    Bytes piece;

    clock_manual_init(&clock, 0, 0);
    late_make(a, &answer, &clock.port, 50);
    then_int(answer.stream->next(answer.stream, &piece), HALL_NOTHING);
    clock_manual_advance_ms(&clock, 50);
    then_int(answer.stream->next(answer.stream, &piece), HALL_END);
}

TEST(a_delayed_stream_starts_late_and_is_closed_with_its_client)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    ManualClock clock;
    Inner inner = {.port = {next, close_inner}};
    HallAnswer answer = {.stream = &inner.port};
    Bytes piece;

    clock_manual_init(&clock, 0, 0);
    late_make(a, &answer, &clock.port, 50);
    then_int(answer.stream->next(answer.stream, &piece), HALL_NOTHING);
    then_int(inner.asked, 0);
    clock_manual_advance_ms(&clock, 60);
    then_int(answer.stream->next(answer.stream, &piece), HALL_PIECE);
    then_int(answer.stream->next(answer.stream, &piece), HALL_NOTHING);
    answer.stream->close(answer.stream);
    then_true(inner.closed);
}
