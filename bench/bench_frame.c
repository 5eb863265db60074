/* Framing of watch streams: speed, and whether the work is linear in bytes.
 *
 * Method: lines of 20 KB (a Pod event) in chunks of 16 KiB (what curl hands over), the whole stream
 * through one Frame; the best of 3,000 runs (30 where chunks are single bytes), because a busy
 * machine only ever makes it slower. Linear means that eight times the bytes take about eight times
 * as long; the eight megabytes are one and the same, again and again, so that both streams come
 * from equally near memory, as they do from curl's buffer. */
#include "base/clock.h"
#include "base/err.h"
#include "kube/runtime/frame.h"

#include <stdio.h>
#include <string.h>

enum { MB = 1000000, CHUNK = 16 << 10, LINE = 20000, RUNS = 3000 };

static size_t run_megabyte(Frame *f, const char *stream, size_t chunk)
{
    size_t lines = 0;
    Bytes line;
    for (size_t at = 0, taken; at < MB; at += taken) {
        taken = chunk < MB - at ? chunk : MB - at;
        frame_feed(f, (Bytes){.data = stream + at, .len = taken});
        while (frame_next(f, &line) == FRAME_LINE)
            lines++;
    }
    return lines;
}

static void run(Frame *f, const char *stream, size_t megabytes, size_t chunk)
{
    size_t lines = 0;
    for (size_t i = 0; i < megabytes; i++)
        lines += run_megabyte(f, stream, chunk);
    if (lines != megabytes * MB / LINE)
        BUG("the lines that came out are not those that went in");
}

/* Nanoseconds of the best of some runs. */
static int64_t measure(const char *stream, size_t megabytes, size_t chunk, int runs)
{
    int64_t best = INT64_MAX;
    Clock *clock = clock_system();
    Frame f;

    frame_open(&f, 8 << 20);
    for (int i = 0; i < runs; i++) {
        int64_t began = clock->mono_ns(clock);
        run(&f, stream, megabytes, chunk);
        int64_t took = clock->mono_ns(clock) - began;
        best = took < best ? took : best;
    }
    frame_close(&f);
    return best;
}

int main(void)
{
    SCOPED_ARENA a = arena_open((size_t)4 << 20);
    char *stream = arena_alloc(a, MB);
    memset(stream, 'x', MB);
    for (size_t at = LINE - 1; at < MB; at += LINE)
        stream[at] = '\n';

    int64_t one = measure(stream, 1, CHUNK, RUNS);
    int64_t eight = measure(stream, 8, CHUNK, RUNS);
    int64_t bytewise = measure(stream, 1, 1, RUNS / 100);
    printf("frame_speed %.0f MB/s\n", 8e9 / (double)eight);
    printf("frame_8mb_over_1mb %.2f times\n", (double)eight / (double)one);
    printf("frame_speed_one_byte_chunks %.0f MB/s\n", 1e9 / (double)bytewise);
    return 0;
}
