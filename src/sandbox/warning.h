/* Warning: what a server says beside its answer, as kubectl reads it: "Warning: 299 - \"...\"". */
#ifndef SANDBOX_WARNING_H
#define SANDBOX_WARNING_H

#include "base/arena.h"

/* The value of the header for texts ended by NULL: each in quotes. One that could not stand in a
 * header is left out, and so is what is too much for one. NULL when nothing is left. */
const char *warning_header(Arena *a, const char *const *texts);

#endif
