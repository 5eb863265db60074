/* Fuzzes framing: whatever the bytes and the cuts, the lines are those of a naive splitter, and a
 * line beyond the limit ends the stream at the same place.
 *
 * The first byte is the limit of a line, the second seeds the cuts, the rest is the stream. */
#include "kube/runtime/frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

/* What is left of the stream, cut by a newline at a time. */
typedef struct Naive {
    const char *at, *end;
    size_t line_max;
    bool overlong;
} Naive;

static bool naive_next(Naive *n, Bytes *line)
{
    while (n->at < n->end && !n->overlong) {
        const char *newline = memchr(n->at, '\n', (size_t)(n->end - n->at));
        const char *end = newline ? newline : n->end;
        *line = (Bytes){.data = n->at, .len = (size_t)(end - n->at)};
        n->overlong = line->len > n->line_max;
        if (!newline || n->overlong)
            return false;
        n->at = newline + 1;
        if (line->len > 0 && !(line->len == 1 && line->data[0] == '\r'))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *stream = (const char *)data + 2;
    size_t len = size - 2;
    uint32_t cuts = data[1];
    Naive naive = {.at = stream, .end = stream + len, .line_max = data[0]};
    Bytes line, wanted;
    Frame f;

    frame_open(&f, naive.line_max);
    FrameResult result = FRAME_MORE;
    for (size_t at = 0, taken; at < len && result != FRAME_OVERLONG; at += taken) {
        cuts = cuts * 1103515245U + 12345U;
        taken = 1 + (cuts >> 16) % 64;
        taken = taken < len - at ? taken : len - at;
        frame_feed(&f, (Bytes){.data = stream + at, .len = taken});
        while ((result = frame_next(&f, &line)) == FRAME_LINE)
            must(naive_next(&naive, &wanted) && bytes_equal(line, wanted));
    }
    must(!naive_next(&naive, &wanted));
    must(naive.overlong == (result == FRAME_OVERLONG));
    must(frame_is_inside_line(&f) == (naive.at < naive.end));
    frame_close(&f);
    return 0;
}
