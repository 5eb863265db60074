/* Timestamp: RFC 3339, as the API writes it (seconds) and as Leases do (microseconds). */
#ifndef KUBE_TIMESTAMP_H
#define KUBE_TIMESTAMP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { TIMESTAMP_SIZE = 32 };

/* "2026-11-15T15:54:36Z" of nanoseconds since 1970. Fractions are cut off, towards the past. */
const char *timestamp_format(int64_t wall_ns, char ret[TIMESTAMP_SIZE]);

/* The same with microseconds: "2026-11-15T15:54:36.000000Z" (MicroTime). */
const char *timestamp_format_micro(int64_t wall_ns, char ret[TIMESTAMP_SIZE]);

/* Parses any RFC 3339 time (fraction of any length, Z or an offset, leap second read as :59). False
 * for anything else, also a day that the month does not have. A time that int64_t cannot count in
 * nanoseconds (before 1677, after 2262) becomes the first or last one that it can. */
bool timestamp_parse(const char *text, int64_t *ret_wall_ns);

/* How long something took or is ago, in the two or three figures that kubectl and the API server
 * show: "0s", "119s", "5m3s", "47h", "2y30d"; "<invalid>" when it lies more than a second ahead. */
const char *timestamp_elapsed(int64_t elapsed_ns, char ret[TIMESTAMP_SIZE]);

#endif
