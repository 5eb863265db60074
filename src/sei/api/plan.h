/* Plan: status.plan as C. A list of small idempotent tasks that is stored before anything is done,
 * so that whoever is interrupted goes on where it stopped.
 *
 *     (stored) Active ──► every task Complete ──► Complete
 *                    └──► a task failed for good ──► Failed
 *
 * A plan of a kind that is not known (another operator wrote it) is kept as it is and never run. */
#ifndef SEI_API_PLAN_H
#define SEI_API_PLAN_H

#include "base/draft.h"
#include "base/json.h"
#include "sei/api/plan_history.h"
#include "sei/api/task_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PLAN_TASKS_MAX = 40,
    PLAN_MESSAGE_MAX = 1024,
    DRIFT_FIELDS_MAX = 32,
    DRIFT_VALUE_MAX = 256,
};

/* X(name, spelling): status.plan.kind, and plan_type in metrics */
#define PLAN_KINDS(X)                                                                              \
    X(INIT, "init")                                                                                \
    X(NODE_UPDATE, "node-update")                                                                  \
    X(REPAIR, "repair")                                                                            \
    X(MARK_READY, "mark-ready-reapply")                                                            \
    X(ROLLOUT, "rollout")                                                                          \
    X(GENESIS, "genesis")

typedef enum PlanKind {
    PLAN_UNKNOWN, /* no kind and no tasks by which to tell it, or a word that is not ours */
#define X(name, spelling) PLAN_##name,
    PLAN_KINDS(X)
#undef X
        PLAN_KIND_COUNT,
} PlanKind;

typedef enum PlanPhase { PLAN_ACTIVE, PLAN_COMPLETE, PLAN_FAILED } PlanPhase;
typedef enum TaskStatus { TASK_PENDING, TASK_COMPLETE, TASK_FAILED } TaskStatus;

typedef struct PlannedTask {
    TaskType type;
    const char *spelling; /* as stored, also for TASK_UNKNOWN */
    const char *id;
    TaskStatus status;
    const Json *params;       /* as stored; NULL: absent */
    const char *submitted_at; /* RFC 3339, or NULL */
    const char *error;
    const char *failing_since; /* of the first failure in a row, RFC 3339; NULL: none */
    int64_t retries_max, retry_count;
    const char *done_for; /* what it prepares the volume for, in words; NULL: not recorded */
    bool superseded; /* of an earlier plan, only awaited; Complete with an error: without success */
} PlannedTask;

typedef struct Plan {
    const char *id; /* "" when the stored one has none */
    PlanKind kind;
    bool kind_is_told;  /* by its tasks: not stored before the plan has a target hash */
    const Json *stored; /* of PLAN_UNKNOWN: encoded as it is; NULL for all others */
    const char *cause;  /* "spec", "platform", what was missing, ... */
    const char *started_at;
    int64_t generation;
    const char *target_hash;  /* NULL: a plan of the reference, to be stamped and continued */
    const char *applied_hash; /* of the template that its apply-statefulset sent, or NULL */
    const char *waiting;      /* for people, or NULL */
    const char *retry;        /* value of sei.io/retry that this plan has answered, or NULL */
    PlanPhase phase;
    const char *target_phase, *failed_phase; /* as spelt, or NULL */
    int64_t failed_index;                    /* -1: none */
    PlannedTask tasks[PLAN_TASKS_MAX];
    size_t task_count;
} Plan;

/* status.drift: how the running pod differs from what is wanted. */
typedef struct DriftField {
    const char *path, *have, *want; /* have or want NULL: not there */
} DriftField;

typedef struct Drift {
    const char *cause; /* "spec" or "platform"; NULL: no drift */
    DriftField fields[DRIFT_FIELDS_MAX];
    size_t count;
} Drift;

/* Reads a stored plan, the reference's too (without kind: told by its tasks, as its metrics do).
 * ERR_TERMINAL names what makes no sense: too many tasks, a task without type or id, a wrong type
 * of value. Strings are borrowed. */
Err *plan_decode(Arena *a, const Json *plan, Plan *ret) MUST_CHECK;

/* The object for status.plan. */
Draft *plan_encode(Arena *a, const Plan *plan);

/* The first task that is not Complete, or NULL. */
PlannedTask *plan_next_task(Plan *plan);

/* The task of a type that comes first, or NULL. */
PlannedTask *plan_find_task(Plan *plan, TaskType type);

/* The plan sets a node up in two stages: the first in the pod of a bootstrap Job. */
bool plan_has_bootstrap(const Plan *plan);

/* The plan has a bootstrap Job that is not known to be gone: no other pod may be on the volume. */
bool plan_is_bootstrapping(const Plan *plan);

/* The task belongs to the first stage: the Job is torn down after it. */
bool plan_is_bootstrap_task(const Plan *plan, const PlannedTask *task);

/* The task of a type in the first stage, or NULL; one that is only awaited is none. */
PlannedTask *plan_find_bootstrap_task(Plan *plan, TaskType type);

/* Some task has a type that this operator does not know, or that is not for the plan of a node. */
bool plan_has_unknown_task(const Plan *plan);

/* It failed at a task of that type; by what a Secret holds, which no edit of the spec cures. */
bool plan_failed_at(const Plan *plan, TaskType type);
bool plan_failed_by_secret(const Plan *plan);

/* The same of the plan of a fleet. */
bool plan_has_task_unknown_to_fleets(const Plan *plan);

/* Adds a task at the end, Pending, with its id (UUID v5 of plan id, type and place) and its budget;
 * `params` NULL stays absent. BUG past PLAN_TASKS_MAX. */
void plan_add_task(Arena *a, Plan *plan, TaskType type, const Json *params);

/* Gives a task of the plan an id made from `seed` in the place of the plan's id: whoever names the
 * same seed in another plan means the same task, and a sidecar knows it again. */
void plan_share_task(Arena *a, const Plan *plan, PlannedTask *task, const char *seed);

/* Gives a task an id made from `seed` alone, wherever it stands in whatever plan. */
void plan_fix_task(Arena *a, PlannedTask *task, const char *seed);

/* Makes a task of the plan Pending again, under an id that no sidecar knows: one made from `seed`,
 * a fresh UUID, in the place of the plan's id. */
void plan_renew_task(Arena *a, const Plan *plan, PlannedTask *task, const char *seed);

/* The words for a plan that ends now; `message` is cut at PLAN_MESSAGE_MAX. */
PlanEnded plan_ended(
    Arena *a, const Plan *plan, const char *result, const char *message, const char *now);

/* "node-update"; NULL for PLAN_UNKNOWN. */
const char *plan_kind_text(PlanKind kind);

#endif
