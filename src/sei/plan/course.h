/* Course: how a node is set up. One course out of three, made of common steps; one row for what a
 * mode does its own way. */
#ifndef SEI_PLAN_COURSE_H
#define SEI_PLAN_COURSE_H

#include "sei/plan/parts.h"

/* The longest init has so many tasks: validator keys, a bootstrap Job, peers, a stale pod, uploads.
 * An init that follows another one also remembers at most one task of each once-per-volume type. */
enum { PLAN_INIT_TASKS_MAX = 25, PLAN_REMEMBERED_MAX = 6 };

/* The tasks of an init, in their order, each course in its file: all in the node's own pod; the
 * data in the pod of a Job, the rest in the node's; a validator of a chain that is being founded.
 */
void plan_base_init(Planning *p, Plan *plan);
void plan_bootstrap_init(Planning *p, Plan *plan);
void plan_ceremony_init(Planning *p, Plan *plan);

/* bootstrap.c: the end of a bootstrap Job that an earlier plan has left, if there is one. */
void plan_add_teardown(Planning *p, Plan *plan);

/* What a mode does its own way: full_node.c, archive.c, replayer.c, validator.c. */
typedef struct ModeRow {
    Err *(*check)(Arena *a, const SeiNode *node);        /* of what the schema cannot check */
    Draft *(*overrides)(Arena *a, const NodeSpec *spec); /* of config-apply; NULL: none */
} ModeRow;
extern const ModeRow plan_full_node, plan_archive, plan_replayer, plan_validator;

/* The row of a mode; BUG for none. */
const ModeRow *plan_mode_row(NodeMode mode);

/* steps.c: what courses have in common. The validate- tasks of the keys that the spec names. */
void plan_add_key_checks(Planning *p, Plan *plan);

/* StatefulSet, Service, and what makes an old pod go between them. */
void plan_add_pod(Planning *p, Plan *plan);

/* Where sidecar tasks are done. */
typedef enum Stage {
    STAGE_WHOLE,       /* all of them in the node's pod */
    STAGE_BOOTSTRAP,   /* in the pod of the Job, which publishes nothing */
    STAGE_BOOTSTRAPPED /* in the node's pod, after the Job: its data are there */
} Stage;

/* The tasks of a stage, from snapshot-restore to mark-ready. */
void plan_add_stage(Planning *p, Plan *plan, Stage stage);

/* A sidecar task that is told nothing. */
void plan_add_plain_task(Planning *p, Plan *plan, TaskType type);

/* reapprove.c: lets seid of a new or restarted sidecar run, and has it upload snapshots again. */
void plan_add_approval(Planning *p, Plan *plan);

/* reapprove.c: the upload of snapshots, if the node publishes any. It never ends, so it has one id
 * for as long as the SeiNode lives: submitted again, it starts only if it is unknown or failed. */
void plan_add_upload(Planning *p, Plan *plan);

/* check.c: for the checks of modes. `mode` is its name in messages. */
Err *plan_check_generation(
    Arena *a, const char *mode, const SnapshotGeneration *generates) MUST_CHECK;
Err *plan_check_bootstrap(Arena *a, const char *mode, const SnapshotSource *snapshot) MUST_CHECK;

/* The key by which gRPC is turned on, in both families of sidecars. */
#define OVERRIDE_GRPC "api.grpc.enable"

/* config.c, peers.c: params of config-apply and discover-peers. */
const Json *plan_config_intent(Arena *a, const SeiNode *node);
const Json *plan_peer_sources(Arena *a, const SeiNode *node);

/* config.c: a config-apply with the stored params has done what one with the wanted params would.
 * An earlier version of the operator did not say that gRPC is on: that alone is no reason to repeat
 * a set-up. */
bool plan_config_is_done(Arena *a, const Json *stored, const Json *wanted);

#endif
