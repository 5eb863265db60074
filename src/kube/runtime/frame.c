/* Frame: memchr over each chunk, and one buffer for what crosses its end. */
#include "kube/runtime/frame.h"

#include <assert.h>
#include <string.h>

enum { KEEP_BYTES = 256 << 10 }; /* an event beyond it gives its memory back */

void frame_open(Frame *f, size_t line_max)
{
    *f = (Frame){.begun = {.ceiling = line_max}};
}

void frame_close(Frame *f)
{
    buf_close(&f->begun);
}

void frame_feed(Frame *f, Bytes chunk)
{
    assert(f->chunk.len == 0 || f->overlong);
    f->chunk = chunk;
}

static FrameResult give_up(Frame *f)
{
    f->overlong = true;
    buf_clear(&f->begun, KEEP_BYTES);
    return FRAME_OVERLONG;
}

static bool is_empty(Bytes line)
{
    return line.len == 0 || (line.len == 1 && line.data[0] == '\r');
}

/* What the chunk has up to its next newline, or all of it; true when there is a newline. */
static bool cut(Frame *f, Bytes *ret)
{
    const char *newline = f->chunk.len ? memchr(f->chunk.data, '\n', f->chunk.len) : NULL;
    size_t len = newline ? (size_t)(newline - f->chunk.data) : f->chunk.len;
    size_t taken = newline ? len + 1 : len;

    *ret = (Bytes){.data = f->chunk.data, .len = len};
    f->chunk.data += taken;
    f->chunk.len -= taken;
    return newline != NULL;
}

FrameResult frame_next(Frame *f, Bytes *line)
{
    if (f->overlong)
        return FRAME_OVERLONG;
    if (f->complete) {
        buf_clear(&f->begun, KEEP_BYTES);
        f->complete = false;
    }
    while (f->chunk.len > 0) {
        Bytes piece;
        bool ended = cut(f, &piece);
        bool whole = ended && f->begun.len == 0;

        if (whole ? piece.len > f->begun.ceiling : !buf_append(&f->begun, piece.data, piece.len))
            return give_up(f);
        if (!ended)
            break;
        *line = whole ? piece : buf_bytes(&f->begun);
        f->complete = !whole;
        if (!is_empty(*line))
            return FRAME_LINE;
        buf_clear(&f->begun, KEEP_BYTES);
        f->complete = false;
    }
    return FRAME_MORE;
}

bool frame_is_inside_line(const Frame *f)
{
    return f->overlong || (f->begun.len > 0 && !f->complete);
}

void frame_reset(Frame *f)
{
    buf_clear(&f->begun, KEEP_BYTES);
    f->chunk = (Bytes){0};
    f->complete = false;
    f->overlong = false;
}
