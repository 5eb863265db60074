/* Hazard: what no test of the API would ever see: two tasks at work on one volume, two seids on one
 * chain database. The machines go on, as the real ones would; the log remembers. */
#ifndef WORLD_HAZARD_H
#define WORLD_HAZARD_H

#include <stddef.h>

enum { HAZARDS_KEPT = 16, HAZARD_SIZE = 240 };

typedef struct Hazards {
    size_t count;                         /* all that ever happened */
    char last[HAZARDS_KEPT][HAZARD_SIZE]; /* a ring: hazard n stands at n % HAZARDS_KEPT */
} Hazards;

/* Notes one; too long a text is cut. */
void hazards_note(Hazards *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of the newest, or NULL. */
const char *hazards_newest(const Hazards *h);

#endif
