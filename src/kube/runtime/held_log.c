/* HeldLog: a buffer under the guard, which changes hands before it is written. */
#include "kube/runtime/held_log.h"

#include <string.h>

static void keep_line(LogSink *self, const char *line, size_t len)
{
    HeldLog *h = (HeldLog *)self;

    if (!buf_append(&h->lines, line, len))
        h->lost++;
}

void held_log_open(HeldLog *h, const Log *to)
{
    *h = (HeldLog){
        .sink = {.write = keep_line}, .log = *to, .to = *to, .lines = {.ceiling = HELD_LOG_MAX}};
    h->log.sink = to->sink ? &h->sink : NULL;
}

void held_log_close(HeldLog *h)
{
    buf_close(&h->lines);
}

static void write_lines(const Log *to, Bytes lines)
{
    const char *end;

    for (; lines.len > 0; lines.len -= (size_t)(end - lines.data), lines.data = end) {
        end = memchr(lines.data, '\n', lines.len);
        end = end ? end + 1 : lines.data + lines.len;
        to->sink->write(to->sink, lines.data, (size_t)(end - lines.data));
    }
}

void held_log_write(HeldLog *h, Guard *guard)
{
    guard_enter(guard);
    Buf lines = h->lines;
    int64_t lost = h->lost;
    h->lines = (Buf){.ceiling = HELD_LOG_MAX};
    h->lost = 0;
    guard_leave(guard);

    write_lines(&h->to, buf_bytes(&lines));
    buf_close(&lines);
    if (lost)
        log_warn(&h->to, "log lines were lost: too many at once", log_num("lines", lost));
}
