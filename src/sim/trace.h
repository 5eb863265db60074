/* Trace: what happened in a run, line by line, and one hash of all of it.
 *
 * Two runs of one seed have the same hash, so lines never carry what differs between two runs of a
 * process: no addresses, no time but the world's. */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"

#include <stdint.h>

enum { TRACE_LINE_MAX = 2048 };

typedef struct Trace {
    Clock *clock;
    LogSink *print; /* where lines go; NULL: only the hash is kept */
    uint64_t hash;
    uint64_t lines;
} Trace;

/* An empty trace of a world's clock. */
void trace_init(Trace *t, Clock *clock, LogSink *print);

/* Adds bytes to the hash alone. */
void trace_add(Trace *t, Bytes bytes);

/* Adds "seconds.ms who text". What is longer than TRACE_LINE_MAX is cut. */
void trace_line(Trace *t, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
