/* MaintainStep: what a maintenance run does next, as a function of what stands in the cluster.
 *
 * There is no other memory: the mark on the SeiNode says whose run it is and which Job may run, the
 * Job says how far it has come. So a run goes on from wherever it was left, by whoever asks. The
 * order of its writes:
 *
 *   mark     the mark and spec.paused, in one write; whoever comes second loses by resourceVersion
 *   create   the Job, suspended: it has no pod, and a run that was given up meanwhile harms nobody
 *   record   the Job's uid into the mark, by resourceVersion: from here on giving up means deleting
 *            the Job first
 *   start    the Job may run
 *   return   the mark off and the node unpaused, in one write
 *   tidy     Jobs of runs that are over get a time to live
 *
 * A Job is started only while the operator holds the node for this very run, has scaled its
 * StatefulSet to 0, and nobody has the volume. */
#ifndef CLI_MAINTAIN_STEP_H
#define CLI_MAINTAIN_STEP_H

#include <stdbool.h>

typedef enum MaintainWish { MAINTAIN_RUN, MAINTAIN_RESUME, MAINTAIN_ABORT } MaintainWish;

/* Whose run the mark on the node is of. */
typedef enum MarkSeen { RUN_NONE, RUN_OURS, RUN_OTHERS } MarkSeen;

typedef enum JobSeen {
    JOB_ABSENT,
    JOB_SUSPENDED,
    JOB_RUNNING, /* it may have pods; it has not ended */
    JOB_COMPLETE,
    JOB_FAILED,
    JOB_DELETING,
} JobSeen;

typedef struct MaintainSeen {
    MaintainWish wish;
    MarkSeen mark;
    JobSeen job;          /* of the run of the mark, else of ours; one of another uid is none */
    bool had_mark;        /* this process has seen our mark */
    bool is_recorded;     /* the mark names a Job */
    bool operator_knows;  /* its condition is about this very run */
    bool is_stopped;      /* the StatefulSet is at 0, and has no pod */
    bool is_free;         /* nobody has the volume, and it is there to stay */
    bool has_job_pods;    /* of the run, unfinished; a deleted Job may leave them for a while */
    bool unpauses_always; /* also when the command fails */
    bool stays_paused;    /* when it is given back: it was so before, or is wanted so */
    bool has_twin;        /* another node signs with its key; looked for before it is given back */
    bool fleet_is_paused; /* and would pause it again; looked at before it is given back */
    bool is_deleting;     /* the node: all that is its own goes with it */
    bool is_released;     /* the operator has seen that it is given back, or has had its time */
    bool is_untidy;       /* Jobs are left of runs that are over */
} MaintainSeen;

typedef enum MaintainStep {
    /* writes */
    STEP_MARK,
    STEP_CREATE_JOB,
    STEP_RECORD_JOB,
    STEP_START_JOB,
    STEP_DELETE_JOB,
    STEP_RETURN,
    STEP_TIDY,
    /* waits */
    STEP_AWAIT_OPERATOR,
    STEP_AWAIT_STOP,
    STEP_AWAIT_VOLUME,
    STEP_AWAIT_JOB,
    STEP_AWAIT_JOB_GONE,
    STEP_AWAIT_FLEET,
    STEP_AWAIT_RELEASE,
    /* ends */
    STEP_ENDED,      /* the node is back; the Job tells how the command ended */
    STEP_STAYS,      /* the command failed, and the node stays paused */
    STEP_LOST,       /* somebody deleted the Job: how it ended is unknown, and the node stays */
    STEP_SHARED,     /* another node signs with its key, and the node stays paused */
    STEP_GOING,      /* the node is being deleted */
    STEP_TAKEN_AWAY, /* somebody took our mark off, or put another in its place */
    STEP_BUSY,       /* another run has the node */
    STEP_NOTHING,    /* there is no run to go on with or to give up */
    STEP_COUNT,
} MaintainStep;

MaintainStep maintain_next(const MaintainSeen *seen);

/* What it does next, in words, for --dry-run: "create the Job, suspended". */
const char *maintain_step_text(MaintainStep step);

bool maintain_step_waits(MaintainStep step);
bool maintain_step_ends(MaintainStep step);

#endif
