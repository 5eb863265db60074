/* Kinds: the tasks that there are, for the registry, and what several of them share. */
#ifndef SEI_TASK_KINDS_H
#define SEI_TASK_KINDS_H

#include "kube/kube.h"
#include "sei/api/condition.h"
#include "sei/task/owner.h"
#include "sei/task/task.h"

#include <stdbool.h>

extern const TaskKind task_ensure_data_pvc;
extern const TaskKind task_validate_signing_key;
extern const TaskKind task_validate_node_key;
extern const TaskKind task_validate_operator_keyring;
extern const TaskKind task_apply_rbac_proxy_config;
extern const TaskKind task_apply_statefulset;
extern const TaskKind task_apply_service;
extern const TaskKind task_replace_pod;
extern const TaskKind task_observe_image;
extern const TaskKind task_deploy_bootstrap_service;
extern const TaskKind task_deploy_bootstrap_job;
extern const TaskKind task_await_bootstrap_complete;
extern const TaskKind task_teardown_bootstrap;
extern const TaskKind task_collect_and_set_peers;

/* The tasks of sidecars, which differ in data alone; NULL for a type that is none. */
const TaskKind *task_find_sidecar(TaskType type);

/* --- whose an object is --- */

Standing task_standing(const Json *object, const SeiNode *node);

/* --- applying --- */

/* It is ours, there to stay, and what we own of it is what we want. */
bool task_is_right(Arena *a, const TaskRun *run, const Json *there, const char *owned_hash);

/* Applies it, when it may. */
Err *task_apply_over(Ctx *c, const TaskRun *run, const Applying *what, const Json **ret) MUST_CHECK;

/* Applies the StatefulSet over what is there, whether or not it is right. */
Err *task_apply_statefulset_over(
    Ctx *c, TaskRun *run, const Json *there, const Json **ret) MUST_CHECK;

/* --- signing; see signer_start.c --- */

/* The Secret with the key with which pods of the wanted StatefulSet sign; NULL: they do not. */
const char *task_signing_secret(const TaskRun *run);

/* Nobody else may sign with that key: no other node, by the caches and live, and no pod of the
 * namespace; and, for a pod that is to start now, the volume is free. One live LIST, and a GET for
 * each node with the same key. From here on until its next pass no other node is let through.
 * ERR_WAIT, reason SigningKeyInUse, names who has the key, and what to do. */
Err *task_start_signer(Ctx *c, TaskRun *run, bool starts_now) MUST_CHECK;

/* The same of a node that runs, by the caches alone: its pod is not replaced beside another. */
Err *task_signs_alone(Ctx *c, TaskRun *run) MUST_CHECK;

/* --- replacing the pod --- */

/* A StatefulSet that is up to date with our own last write, and the pods that its selector names.
 */
typedef struct Rollout {
    const Json *statefulset;
    Objects pods;
} Rollout;

/* Looks; ERR_WAIT while there is nothing that could be trusted. */
Err *rollout_look(Ctx *c, TaskRun *run, Rollout *ret) MUST_CHECK;

/* A pod of this StatefulSet that is there to stay. */
bool rollout_has(const Rollout *rollout, const Json *pod);

/* Such a pod was made from another template than the one that the plan applied. */
bool rollout_is_stale(const Rollout *rollout, const TaskRun *run, const Json *pod);

/* Deletes the pods that are stale. */
Err *rollout_replace(Ctx *c, TaskRun *run, const Rollout *rollout) MUST_CHECK;

/* --- the first stage of a set-up, in the pod of a Job --- */

/* OK for what is ours; ERR_WAIT for an earlier SeiNode's, ERR_TERMINAL, reason ForeignObject, for
 * anybody else's. */
Err *bootstrap_check_standing(
    Arena *a, const TaskRun *run, const Kind *kind, const Json *there) MUST_CHECK;

/* The node's Job as the cache shows it, or NULL; an error for one that is not ours. */
Err *bootstrap_find_job(Ctx *c, const TaskRun *run, const Json **ret) MUST_CHECK;

/* The pod of a Job (NULL: none) that is there to stay and has not ended, or NULL. */
Err *bootstrap_find_pod(Ctx *c, const Json *job, const Json **ret) MUST_CHECK;

/* The Job was made from what is wanted now; the Service leads to the pods of the Job alone. */
bool bootstrap_is_as_wanted(const Json *job, const Wanted *wanted);
bool bootstrap_selects_job(const Json *service, const Wanted *wanted);

/* ERR_TERMINAL with what a failed Job and its pods say. */
Err *bootstrap_err_failed(Ctx *c, const Json *job) MUST_CHECK;

/* --- sidecars --- */

/* One step of any task that a sidecar does. */
Err *task_sidecar_step(Ctx *c, TaskRun *run) MUST_CHECK;

/* The same, once the chain that the node helps to found has a genesis; once all founders have given
 * their part to it. */
Err *task_configure_genesis(Ctx *c, TaskRun *run) MUST_CHECK;
Err *task_assemble_genesis(Ctx *c, TaskRun *run) MUST_CHECK;

/* discover_peers.c: the same, once there is somebody to tell of. */
Err *task_discover_peers(Ctx *c, TaskRun *run) MUST_CHECK;

/* The pod whose sidecar does the task: the Job's in the first stage of a set-up that has two, else
 * the node's own. ERR_WAIT while there is none that could be asked. */
Err *task_sidecar_pod(Ctx *c, const TaskRun *run, const Json **ret) MUST_CHECK;

/* The target with another token: the one that it has was refused. */
Err *task_sidecar_retarget(Ctx *c, const TaskRun *run, SidecarTarget *target) MUST_CHECK;

/* The node id by which peers know the node, and the pod of which that is true; "" while it is not
 * known. The sidecar says it, unless the key is in a Secret: see task_node_key_id. */
Err *task_sidecar_name(
    Ctx *c, TaskRun *run, SidecarTarget *ret_target, SidecarName *ret) MUST_CHECK;

/* --- telling --- */

/* The error with the word of condition.h that says what kind of trouble it is. */
Err *task_trouble(Err *err, Reason reason) NEVER_NULL;

/* OK when the pod (NULL: there is none) has started seid; else ERR_WAIT with its trouble, if any.
 */
Err *task_await_seid(Arena *a, const TaskRun *run, const Json *pod) MUST_CHECK;

/* Records what a live pod with a started seid was made from: image, template, spec, restart. */
void task_stamp_pod(Arena *a, const TaskRun *run, const Json *pod);

#endif
