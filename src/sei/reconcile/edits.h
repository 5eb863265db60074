/* Edits: what was found out about pods of another revision, so that it is read once and not at
 * every look: a node that was relabelled keeps such a pod for as long as it lives. In memory only.
 */
#ifndef SEI_RECONCILE_EDITS_H
#define SEI_RECONCILE_EDITS_H

#include "base/arena.h"
#include "kube/key.h"
#include "sei/plan/node_plan.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Edits Edits;

enum { EDITS_MAX = 20000 };

/* What was found out, and of what: another pod, revision, StatefulSet or rendering is asked about
 * anew. */
typedef struct EditFinding {
    const char *pod_uid, *revision, *template_hash;
    int64_t generation; /* of the StatefulSet */
    HandEdit edit;
    const char *foreign_fields; /* or NULL */
} EditFinding;

/* Nothing is known. */
Edits *edits_open(void);
void edits_close(Edits *e);

/* Fills in edit and foreign_fields (in the arena) of what is asked about; false when it is not
 * known. The guard is held, here and below. */
bool edits_find(const Edits *e, Arena *a, Key node, EditFinding *ask);

/* Remembers; what does not fit is asked about again. */
void edits_note(Edits *e, Key node, const EditFinding *found);

/* The node is gone. */
void edits_forget(Edits *e, Key node);

#endif
