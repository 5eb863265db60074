/* Frame: cuts a stream of bytes into lines, wherever the chunks were cut.
 *
 * A line that lies within one chunk is given as it stands there. Only what begins in one chunk and
 * ends in another is put together in a buffer that is used again and again. Every byte is looked at
 * once and copied at most once, so the work is linear in bytes however small the chunks are.
 *
 *     frame_feed(f, chunk);
 *     while (frame_next(f, &line) == FRAME_LINE)
 *         take(line); */
#ifndef KUBE_RUNTIME_FRAME_H
#define KUBE_RUNTIME_FRAME_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* What a caller need not touch is filled by frame_open. */
typedef struct Frame {
    Bytes chunk;   /* what is left of the chunk */
    Buf begun;     /* the beginning of a line that goes on in the next chunk */
    bool complete; /* `begun` was given as a line */
    bool overlong; /* nothing more comes out */
} Frame;

typedef enum FrameResult {
    FRAME_LINE,     /* a line without its newline; borrowed until the next call */
    FRAME_MORE,     /* the chunk is used up */
    FRAME_OVERLONG, /* a line passes the ceiling: the stream cannot be understood any more */
} FrameResult;

/* A frame for lines of at most `line_max` bytes. */
void frame_open(Frame *f, size_t line_max);
void frame_close(Frame *f);

/* The next chunk, after the one before was used up. Borrowed until frame_next says FRAME_MORE. */
void frame_feed(Frame *f, Bytes chunk);

/* The next line. Empty ones are left out. */
FrameResult frame_next(Frame *f, Bytes *line);

/* True when the stream, should it end here, would leave a line unfinished. */
bool frame_is_inside_line(const Frame *f);

/* Forgets what was begun, for another stream. */
void frame_reset(Frame *f);

#endif
