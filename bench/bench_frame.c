/* Framing of watch streams: speed, and whether the work is linear in bytes.
 *
 * Method: lines of 20 KB (a Pod event) in chunks of 16 KiB (what curl hands over), the whole stream
 * through one Frame; the best of 20 runs, because a busy machine only ever makes it slower. Linear
 * means that eight times the bytes take about eight times as long. */
#include "base/clock.h"
#include "base/err.h"
#include "kube/runtime/frame.h"

#include <stdio.h>
#include <string.h>

enum { MB = 1000000, CHUNK = 16 << 10, LINE = 20000, RUNS = 20 };

static void run(Frame *f, const char *stream, size_t len, size_t chunk)
{
    size_t lines = 0;
    Bytes line;
    for (size_t at = 0, taken; at < len; at += taken) {
        taken = chunk < len - at ? chunk : len - at;
        frame_feed(f, (Bytes){.data = stream + at, .len = taken});
        while (frame_next(f, &line) == FRAME_LINE)
            lines++;
    }
    if (lines != len / LINE)
        BUG("the lines that came out are not those that went in");
}

/* Nanoseconds of the best run. */
static int64_t measure(const char *stream, size_t len, size_t chunk)
{
    int64_t best = INT64_MAX;
    Clock *clock = clock_system();
    Frame f;

    frame_open(&f, 8 << 20);
    for (int i = 0; i < RUNS; i++) {
        int64_t began = clock->mono_ns(clock);
        run(&f, stream, len, chunk);
        int64_t took = clock->mono_ns(clock) - began;
        best = took < best ? took : best;
    }
    frame_close(&f);
    return best;
}

int main(void)
{
    SCOPED_ARENA a = arena_open((size_t)64 << 20);
    char *stream = arena_alloc(a, 8 * (size_t)MB);
    memset(stream, 'x', 8 * (size_t)MB);
    for (size_t at = LINE - 1; at < 8 * (size_t)MB; at += LINE)
        stream[at] = '\n';

    int64_t one = measure(stream, MB, CHUNK), eight = measure(stream, 8 * (size_t)MB, CHUNK);
    int64_t bytewise = measure(stream, MB, 1);
    printf("frame_speed %.0f MB/s\n", 8e9 / (double)eight);
    printf("frame_8mb_over_1mb %.2f times\n", (double)eight / (double)one);
    printf("frame_speed_one_byte_chunks %.0f MB/s\n", 1e9 / (double)bytewise);
    return 0;
}
