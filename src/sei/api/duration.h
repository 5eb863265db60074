/* Duration: a length of time as Go writes it: "15m", "1h30m", "1.5h". */
#ifndef SEI_API_DURATION_H
#define SEI_API_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* Reads what time.ParseDuration reads, in milliseconds, fractions of one cut off. False for
 * anything else, and for what does not fit. */
bool duration_parse(const char *text, int64_t *ret_ms);

#endif
