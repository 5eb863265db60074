/* Hazard: a ring of sentences. It never fails and never grows. */
#include "world/hazard.h"

#include <stdarg.h>
#include <stdio.h>

void hazards_note(Hazards *h, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(h->last[h->count % HAZARDS_KEPT], HAZARD_SIZE, format, args);
    va_end(args);
    h->count++;
}

const char *hazards_newest(const Hazards *h)
{
    return h->count ? h->last[(h->count - 1) % HAZARDS_KEPT] : NULL;
}
