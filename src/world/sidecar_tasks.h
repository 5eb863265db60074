/* SidecarTask: one type of task as a row of data: who knows it, what it takes, what it does. */
#ifndef WORLD_SIDECAR_TASKS_H
#define WORLD_SIDECAR_TASKS_H

#include "base/draft.h"
#include "base/json.h"
#include "world/sidecar.h"

typedef enum TaskParamType {
    PARAM_STRING,
    PARAM_INTEGER,
    PARAM_BOOL,
    PARAM_OBJECT,
    PARAM_STRINGS, /* an object of strings */
    PARAM_ARRAY,
} TaskParamType;

typedef struct TaskParam {
    const char *name; /* NULL ends the list */
    TaskParamType type;
    bool required; /* absent, "", 0 and empty collections fail the task */
} TaskParam;

/* One turn of a task that runs. */
typedef struct TaskTurn {
    Sidecar *sidecar;
    SidecarRun *run;
    Arena *arena;
    const Json *params; /* NULL when none were sent */
    int64_t now_ms;
    /* What came of it: it ends, well or with an error, unless goes_on. */
    const char *error;
    Draft *result;
    bool goes_on;
    int64_t due_ms; /* of goes_on: when it wants the next turn; it also gets one at every step */
} TaskTurn;

struct SidecarTask {
    const char *type;
    int since, until;  /* of the versions that know it; until 0: all later ones */
    VolumeFile marker; /* a marker file: when it exists the task ends well at once; or 0 */
    int64_t takes_ms;
    bool is_background; /* runs beside others by design */
    bool heeds_stop;    /* SIGTERM interrupts it; else it is too quick, or too deaf */
    const TaskParam *params;
    void (*act)(TaskTurn *turn);
    void (*spoil)(TaskTurn *turn); /* what a scripted failure leaves behind; or NULL */
};

enum { SIDECAR_TASKS_COUNT = 26 }; /* 25 of today, and discover-peers */

/* The table, sorted by type. */
extern const SidecarTask sidecar_tasks[SIDECAR_TASKS_COUNT];

/* The task of a type that a version knows, or NULL. */
const SidecarTask *sidecar_task_find(const char *type, int version);

/* What is wrong with the parameters, as the sidecar words it, or NULL. */
const char *sidecar_task_check(Arena *a, const SidecarTask *task, const Json *params);

/* --- what they do: sidecar_acts.c, sidecar_ceremony.c, sidecar_gov.c */

void act_mark_ready(TaskTurn *t);
void act_mark_not_ready(TaskTurn *t);
void act_stop_seid(TaskTurn *t);
void act_restart_seid(TaskTurn *t);
void act_reset_data(TaskTurn *t);
void act_await_condition(TaskTurn *t);
void act_config_apply(TaskTurn *t);
void act_config_patch(TaskTurn *t);
void act_config_validate(TaskTurn *t);
void act_config_reload(TaskTurn *t);
void act_configure_state_sync(TaskTurn *t);
void act_snapshot_restore(TaskTurn *t);
void act_snapshot_upload(TaskTurn *t);
void act_snapshot_upload_once(TaskTurn *t);
void act_result_export(TaskTurn *t);
void act_succeed(TaskTurn *t);

void act_configure_genesis(TaskTurn *t);
void act_generate_identity(TaskTurn *t);
void act_generate_gentx(TaskTurn *t);
void act_upload_genesis_artifacts(TaskTurn *t);
void act_set_genesis_peers(TaskTurn *t);
void act_assemble_genesis(TaskTurn *t);
void act_discover_peers(TaskTurn *t);
void spoil_gentx(TaskTurn *t);
void spoil_assembly(TaskTurn *t);

void act_gov_vote(TaskTurn *t);
void act_gov_submit(TaskTurn *t);
void spoil_gov(TaskTurn *t);

#endif
