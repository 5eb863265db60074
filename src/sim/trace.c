/* Trace: the hash is FNV-1a over words: it must be quick and equal for equal traces, nothing more.
 */
#include "sim/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint64_t fnv_basis = 0xCBF29CE484222325U;
static const uint64_t fnv_prime = 0x100000001B3U;

void trace_init(Trace *t, Clock *clock, LogSink *print)
{
    *t = (Trace){.clock = clock, .print = print, .hash = fnv_basis};
}

/* The length goes in, too: a line is not its words padded with zeroes. */
static uint64_t mix(uint64_t hash, const char *text, size_t len)
{
    hash = (hash ^ len) * fnv_prime;
    for (size_t at = 0; at < len; at += sizeof hash) {
        uint64_t word = 0;
        size_t left = len - at;
        memcpy(&word, text + at, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * fnv_prime;
        hash ^= hash >> 29; /* FNV alone carries nothing down from the high bytes of a word */
    }
    return hash;
}

void trace_add(Trace *t, Bytes bytes)
{
    t->hash = mix(t->hash, bytes.data, bytes.len);
}

static size_t bounded(int written, size_t room)
{
    return written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

void trace_line(Trace *t, const char *who, const char *format, ...)
{
    char line[TRACE_LINE_MAX];
    int64_t now = clock_mono_ms(t->clock);
    size_t room = sizeof line - 1; /* for the newline */
    va_list args;

    size_t len = bounded(
        snprintf(line, room, "%6lld.%03d %-14s ", (long long)(now / 1000), (int)(now % 1000), who),
        room);
    va_start(args, format);
    len += bounded(vsnprintf(line + len, room - len, format, args), room - len);
    va_end(args);
    line[len++] = '\n';
    t->hash = mix(t->hash, line, len);
    t->lines++;
    if (t->print)
        t->print->write(t->print, line, len);
}
