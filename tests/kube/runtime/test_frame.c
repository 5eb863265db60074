/* Frame: the same lines come out wherever the bytes were cut. */
#include "base/rng.h"
#include "kube/runtime/frame.h"
#include "tests/test.h"

/* Feeds one chunk; appends each line and a '|' to `lines`. */
static FrameResult feed(Frame *f, const char *data, size_t len, Buf *lines)
{
    Bytes line;
    FrameResult result;
    frame_feed(f, (Bytes){data, len});
    while ((result = frame_next(f, &line)) == FRAME_LINE) {
        then_true(buf_append(lines, line.data, line.len));
        then_true(buf_append(lines, "|", 1));
    }
    return result;
}

static const struct {
    const char *name, *stream, *lines;
    bool unfinished;
} cases[] = {
    {"nothing", "", ""},
    {"one line", "abc\n", "abc|"},
    {"several lines", "a\nbc\ndef\n", "a|bc|def|"},
    {"empty lines are left out", "\n\na\n\r\n\nb\r\n", "a|b\r|"},
    {"a line without an end", "a\nbc", "a|", .unfinished = true},
    {"no end at all", "abc", "", .unfinished = true},
    {"a line of just the ceiling", "0123456789\n0123456789\n", "0123456789|0123456789|"},
};

TEST(the_line_framing_does_not_depend_on_where_the_stream_is_split)
{
    each_case(i, cases) {
        size_t len = strlen(cases[i].stream);
        for (size_t first = 0; first <= len; first++)
            for (size_t second = first; second <= len; second++) {
                Frame f;
                Buf lines = {.ceiling = 1024};
                frame_open(&f, 10);
                const char *s = cases[i].stream;
                then_int(feed(&f, s, first, &lines), FRAME_MORE);
                then_int(feed(&f, s + first, second - first, &lines), FRAME_MORE);
                then_int(feed(&f, s + second, len - second, &lines), FRAME_MORE);
                then_str(buf_bytes(&lines).data, cases[i].lines);
                then_true(frame_is_inside_line(&f) == cases[i].unfinished);
                frame_close(&f);
                buf_close(&lines);
            }
    }
}

TEST(an_overlong_line_ends_the_stream_wherever_it_is_split)
{
    static const char stream[] = "a\n0123456789X\nb\n";
    size_t len = strlen(stream);
    for (size_t at = 0; at <= len; at++) {
        Frame f;
        Buf lines = {.ceiling = 1024};
        frame_open(&f, 10);
        feed(&f, stream, at, &lines);
        then_int(feed(&f, stream + at, len - at, &lines), FRAME_OVERLONG);
        then_int(feed(&f, "c\n", 2, &lines), FRAME_OVERLONG);
        then_str(buf_bytes(&lines).data, "a|");
        then_true(frame_is_inside_line(&f));

        frame_reset(&f);
        then_true(!frame_is_inside_line(&f));
        then_int(feed(&f, "c\n", 2, &lines), FRAME_MORE);
        then_str(buf_bytes(&lines).data, "a|c|");
        frame_close(&f);
        buf_close(&lines);
    }
}

TEST(a_complete_line_within_a_chunk_is_not_copied)
{
    static const char chunk[] = "begun\nwithin\nend";
    Frame f;
    Bytes line;
    frame_open(&f, 100);
    frame_feed(&f, bytes_of(chunk));
    then_int(frame_next(&f, &line), FRAME_LINE);
    then_true(line.data == chunk);
    then_int(frame_next(&f, &line), FRAME_LINE);
    then_true(line.data == chunk + 6);
    then_int(frame_next(&f, &line), FRAME_MORE);
    frame_close(&f);
}

TEST(a_reset_drops_an_incomplete_line)
{
    Frame f;
    Buf lines = {.ceiling = 100};
    frame_open(&f, 100);
    feed(&f, "half a l", 8, &lines);
    then_true(frame_is_inside_line(&f));
    frame_reset(&f);
    feed(&f, "new\n", 4, &lines);
    then_str(buf_bytes(&lines).data, "new|");
    frame_close(&f);
    buf_close(&lines);
}

TEST(the_memory_of_a_giant_line_is_released_after_it)
{
    enum { GIANT = 4 << 20 };
    Frame f;
    Bytes line;
    frame_open(&f, 8 << 20);
    SCOPED_ARENA a = arena_open(2 * GIANT);
    char *giant = arena_alloc(a, GIANT);
    memset(giant, 'x', GIANT);
    frame_feed(&f, (Bytes){giant, GIANT});
    then_int(frame_next(&f, &line), FRAME_MORE);
    then_true(f.begun.capacity >= GIANT);
    frame_feed(&f, bytes_of("\n"));
    then_int(frame_next(&f, &line), FRAME_LINE);
    then_int(line.len, GIANT);
    then_int(frame_next(&f, &line), FRAME_MORE);
    then_true(f.begun.capacity <= 256 << 10);
    frame_close(&f);
}

/* Quadratic work on 8 MB one byte at a time would be 32 terabytes touched: it would not end. */
TEST(a_line_of_eight_megabytes_that_arrives_byte_by_byte_is_returned_complete)
{
    enum { TOTAL = 8 << 20 };
    Frame f;
    Bytes line;
    frame_open(&f, TOTAL);
    for (size_t i = 0; i < TOTAL; i++) {
        frame_feed(&f, (Bytes){"x", 1});
        then_int(frame_next(&f, &line), FRAME_MORE);
    }
    frame_feed(&f, (Bytes){"\n", 1});
    then_int(frame_next(&f, &line), FRAME_LINE);
    then_int(line.len, TOTAL);
    frame_close(&f);
}

TEST(random_streams_split_at_random_give_the_lines_of_a_naive_splitter)
{
    SeededRng rng;
    rng_seed(&rng, 4);
    for (int round = 0; round < 3000; round++) {
        char stream[400];
        size_t len = rng_below(&rng.port, sizeof stream);
        Buf naive = {.ceiling = 4096}, lines = {.ceiling = 4096};
        size_t begun = 0;
        for (size_t i = 0; i < len; i++) {
            stream[i] = "ab\n"[rng_below(&rng.port, 3)];
            if (stream[i] != '\n')
                continue;
            if (i > begun) {
                then_true(buf_append(&naive, stream + begun, i - begun));
                then_true(buf_append(&naive, "|", 1));
            }
            begun = i + 1;
        }
        Frame f;
        frame_open(&f, sizeof stream);
        for (size_t at = 0, taken; at < len; at += taken) {
            taken = 1 + rng_below(&rng.port, 40);
            taken = taken < len - at ? taken : len - at;
            then_int(feed(&f, stream + at, taken, &lines), FRAME_MORE);
        }
        then_str(buf_bytes(&lines).data, buf_bytes(&naive).data);
        then_true(frame_is_inside_line(&f) == (begun < len));
        frame_close(&f);
        buf_close(&naive);
        buf_close(&lines);
    }
}
