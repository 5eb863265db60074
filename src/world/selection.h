/* Selection: which objects a list or a watch is about. */
#ifndef WORLD_SELECTION_H
#define WORLD_SELECTION_H

#include "kube/selector.h"
#include "world/call.h"

typedef struct Selection {
    const char *namespace; /* NULL: all */
    const Selector *labels;
    const Selector *fields;
} Selection;

/* Reads the selection of the call's request, in the arena given. 400 for selectors that are none or
 * that ask for fields that cannot be selected by. */
Err *selection_read(Call *c, Arena *a, Selection *ret) MUST_CHECK;

/* Whether a record is selected; NULL never is. The arena is emptied. */
bool selection_picks(const Selection *selection, Arena *scratch, const Record *r);

/* Whether a record is in the namespace of the selection, if it has one. */
bool selection_reaches(const Selection *selection, const Record *r);

/* True when everything of the kind, or of a namespace, is selected. */
bool selection_is_plain(const Selection *selection);

#endif
