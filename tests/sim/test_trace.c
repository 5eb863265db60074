/* The trace: readable lines, and one hash of all of them. */
#include "sim/trace.h"

#include "tests/test.h"

typedef struct Paper {
    LogSink sink;
    char text[4 * TRACE_LINE_MAX];
    size_t len;
} Paper;

static void write_down(LogSink *self, const char *line, size_t len)
{
    Paper *p = (Paper *)self;

    then_true(p->len + len < sizeof p->text);
    memcpy(p->text + p->len, line, len);
    p->len += len;
    p->text[p->len] = '\0';
}

TEST(a_trace_line_contains_the_time_and_the_process_and_the_action)
{
    ManualClock clock;
    Paper paper = {.sink = {.write = write_down}};
    Trace t;

    clock_manual_init(&clock, 12345 * (int64_t)1000000, 0);
    trace_init(&t, &clock.port, &paper.sink);
    trace_line(&t, "r0/worker-1", "#%d get pods ns/%s", 17, "x");
    then_str(paper.text, "    12.345 r0/worker-1    #17 get pods ns/x\n");
    then_int(t.lines, 1);
}

TEST(a_trace_line_that_is_too_long_is_cut)
{
    ManualClock clock;
    Paper paper = {.sink = {.write = write_down}};
    Trace t;
    char word[3 * TRACE_LINE_MAX];

    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    clock_manual_init(&clock, 0, 0);
    trace_init(&t, &clock.port, &paper.sink);
    trace_line(&t, "r0", "%s", word);
    then_true(paper.len <= TRACE_LINE_MAX);
    then_int(paper.text[paper.len - 1], '\n');
}

static uint64_t hash_of(const char *const *lines, int64_t ms)
{
    ManualClock clock;
    Trace t;

    clock_manual_init(&clock, ms * 1000000, 0);
    trace_init(&t, &clock.port, NULL);
    for (; *lines; lines++)
        trace_line(&t, "r0", "%s", *lines);
    return t.hash;
}

TEST(trace_hashes_are_equal_only_for_equal_traces)
{
    static const char *const some[] = {"one", "two", NULL};
    static const char *const same[] = {"one", "two", NULL};
    static const char *const turned[] = {"two", "one", NULL};
    static const char *const fewer[] = {"one", NULL};
    static const char *const other[] = {"one", "twp", NULL};

    then_true(hash_of(some, 1) == hash_of(same, 1));
    then_true(hash_of(some, 1) != hash_of(some, 2));
    then_true(hash_of(some, 1) != hash_of(turned, 1));
    then_true(hash_of(some, 1) != hash_of(fewer, 1));
    then_true(hash_of(some, 1) != hash_of(other, 1));
}

/* Each single bit of what is added counts, wherever it stands. */
TEST(every_single_bit_changes_the_trace_hash)
{
    Trace plain, bent;
    char bytes[41] = {0};

    trace_init(&plain, NULL, NULL);
    trace_add(&plain, (Bytes){bytes, sizeof bytes});
    for (size_t i = 0; i < sizeof bytes * 8; i++) {
        bytes[i / 8] = (char)(1U << (i % 8));
        trace_init(&bent, NULL, NULL);
        trace_add(&bent, (Bytes){bytes, sizeof bytes});
        bytes[i / 8] = 0;
        then_true(bent.hash != plain.hash);
    }
}
