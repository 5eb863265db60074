/* Maintenance: the mark that a SeiNode carries while a person's command works on its volume.
 *
 * `kubectl sei maintain` writes it together with spec.paused, and takes it off when the node is to
 * run again. It is all that a run knows about itself, beside its Job: whoever finds it can go on
 * from there, or give up. A node that carries it is held by the operator as a paused one is, also
 * when somebody takes spec.paused back meanwhile: two programs would write to one volume. So does a
 * mark that cannot be read: it may be of another version, and a person behind it. */
#ifndef SEI_API_MAINTENANCE_H
#define SEI_API_MAINTENANCE_H

#include "base/json.h"

#include <stdbool.h>

#define ANNOTATION_MAINTENANCE "sei.io/maintenance"

/* Labels of the Job and its pod. None of them is one by which a Service finds the node. */
#define LABEL_MAINTENANCE_OF  "sei.io/maintenance-of"
#define LABEL_MAINTENANCE_RUN "sei.io/maintenance-run"
#define COMPONENT_MAINTENANCE "maintenance"

enum {
    MAINTENANCE_RUN_SIZE = 12 + 1, /* hexadecimal digits */
    MAINTENANCE_BY_MAX = 256,
    MAINTENANCE_COMMAND_MAX = 32 << 10, /* bytes of it as JSON */
};

typedef struct Maintenance {
    const char *run;      /* its id */
    const char *by;       /* who began it */
    const char *since;    /* when, as the API writes times */
    const char *image;    /* what runs on the volume */
    const Json *command;  /* texts; NULL: what the image runs by itself */
    const char *job;      /* the uid of its Job, from before it may run; NULL: it may not yet */
    bool was_paused;      /* before: it stays so afterwards */
    bool unpauses_always; /* also when the command fails */
} Maintenance;

/* A SeiNode carries a mark, of whatever content. */
bool maintenance_is_marked(const Json *node);

/* The mark of a SeiNode. False when it has none, or one that makes no sense: *ret is then empty. */
bool maintenance_decode(Arena *a, const Json *node, Maintenance *ret);

/* The value of the annotation. */
const char *maintenance_encode(Arena *a, const Maintenance *m);

/* What the condition Paused says while the operator holds the node for this very run: "maintenance
 * run 0123456789ab by alice since ...". No other run has the same. Of a mark that cannot be read:
 * that, and what to do. */
const char *maintenance_message(Arena *a, const Maintenance *m);

/* What is to be said of a mark that cannot be read. */
#define MAINTENANCE_UNREADABLE                                                                     \
    "the annotation " ANNOTATION_MAINTENANCE " cannot be read, and holds the node: use the "       \
    "kubectl-sei that wrote it or, when nobody works on the volume, take the annotation off, and " \
    "spec.paused back"

/* "<node>-maintain-<run>", with as much of the node's name as leaves room for the names of pods. */
const char *maintenance_job_name(Arena *a, const char *node, const char *run);

#endif
