/* MaintainLook: what stands in the cluster of a maintenance run, read anew each time. */
#ifndef CLI_MAINTAIN_LOOK_H
#define CLI_MAINTAIN_LOOK_H

#include "cli/maintain_step.h"
#include "cli/target.h"
#include "kube/kube.h"
#include "sei/api/maintenance.h"

enum {
    MAINTAIN_FAILURE_SIZE = 256,
    MAINTAIN_RELEASE_MS = 30000, /* how long a node that is given back is looked after */
};

/* What a process remembers of its run; all else is in the cluster. */
typedef struct MaintainRun {
    MaintainWish wish;
    Key node;
    const char *node_uid;
    char id[MAINTENANCE_RUN_SIZE]; /* "": none is known */
    bool had_mark;
    bool may_have_mark;         /* it was sent, and nobody has looked since */
    bool stays_paused, signs;   /* what giving the run up would mean, by the last look */
    int64_t unstarted_since_ms; /* a Job that may run was seen not to; 0: none was */
    int64_t returned_since_ms;  /* the node was first seen to be given back; 0: it was not */
    bool is_returned;           /* the node, as is known for sure: all that matters is done */
    char failure[MAINTAIN_FAILURE_SIZE]; /* of the command of a run that is; "": none */
    bool leaves_untidy;                  /* it may not clear away, or could not */
} MaintainRun;

typedef struct MaintainLook {
    MaintainSeen seen;
    const Json *node, *statefulset;
    bool has_mark;
    bool is_noted; /* by the operator: that it is not to hold the node */
    Maintenance mark;
    Objects jobs;         /* of all runs of the node */
    const Json *job;      /* of the run of the mark, else of ours; or NULL */
    const Json *job_pod;  /* its pod, or NULL */
    const char *news;     /* the newest warning about a Job that does not start; or NULL */
    const char *claim;    /* the volume, or NULL */
    const char *defect;   /* why no Job can ever have it, in words; NULL: one can */
    const char *twin;     /* who signs with its key, in words; NULL: nobody, or not looked for */
    const char *obstacle; /* the same, or who has the volume now; NULL: it is free */
} MaintainLook;

/* Reads it all. A run that was not known is taken to be that of the mark or, to resume where there
 * is no mark, the last that has ended and was not cleared away. 404 when the node is gone. */
Err *maintain_look(Cli *cli, MaintainRun *run, MaintainLook *ret) MUST_CHECK;

/* The mark of the node. A pause that was the fleet's, which has taken it back, is none that is to
 * outlast the run; anybody else's is, whatever has become of spec.paused under the mark. */
bool maintain_read_mark(Arena *a, const Json *node, Maintenance *ret);

/* Nothing is started when such a run ends. Who applies spec.paused means what it says: he may have
 * taken the pause back. */
bool maintain_stays_paused(const Json *node, const Maintenance *mark);

/* A Job of a run that is over: it was never let run, or nobody has set an end to it yet. */
bool maintain_is_left_over(const MaintainLook *look, const Json *job);

#endif
