/* StateLines: what stands on a line of the journal, and by what a later line about the same
 * replaces it. */
#ifndef SANDBOX_STATE_LINES_H
#define SANDBOX_STATE_LINES_H

#include "kube/key.h"
#include "kube/kind.h"
#include "sandbox/state.h"

const Json *state_self_line(Arena *a, const StateSelf *self);
const Json *state_time_line(Arena *a, World *w);

/* NULL: the object is gone. */
const Json *state_object_line(Arena *a, const Kind *kind, Key key, const Json *object);

/* What a disk holds; a task on it (NULL: it is gone); an object in the buckets; what a chain will
 * come to. */
const Json *state_disk_line(Arena *a, const char *uid, const Json *contents);
const Json *state_task_line(Arena *a, const char *uid, const char *id, const Json *row);
const Json *state_bucket_line(Arena *a, const char *key, const char *value);
const Json *state_chain_line(Arena *a, const Chain *chain);

/* What all lines about the same have in common; NULL of a line about the sandbox itself. And
 * whether the line says that it is gone. */
const char *state_line_id(Arena *a, const Json *line);
bool state_line_is_end(const Json *line);

/* Gives a chain what its line says. */
void state_read_chain(const Json *line, Outside *outside);

#endif
