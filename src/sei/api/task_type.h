/* TaskType: what a plan can be made of. The spellings stand in status.plan of stored objects: they
 * are API, and a row is never removed. The planner names tasks by these, sei/task does them. */
#ifndef SEI_API_TASK_TYPE_H
#define SEI_API_TASK_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, spelling, retries, on the sidecar); task_about.c says what each does. The 21 retries of
 * tasks that need S3 or a peer take 10 minutes. */
#define TASK_TYPES(X)                                                                              \
    X(ENSURE_DATA_PVC, "ensure-data-pvc", 0, false)                                                \
    X(VALIDATE_SIGNING_KEY, "validate-signing-key", 0, false)                                      \
    X(VALIDATE_NODE_KEY, "validate-node-key", 0, false)                                            \
    X(VALIDATE_OPERATOR_KEYRING, "validate-operator-keyring", 0, false)                            \
    X(APPLY_RBAC_PROXY_CONFIG, "apply-rbac-proxy-config", 0, false)                                \
    X(APPLY_STATEFULSET, "apply-statefulset", 0, false)                                            \
    X(APPLY_SERVICE, "apply-service", 0, false)                                                    \
    X(REPLACE_POD, "replace-pod", 3, false)                                                        \
    X(OBSERVE_IMAGE, "observe-image", 0, false)                                                    \
    X(DEPLOY_BOOTSTRAP_SERVICE, "deploy-bootstrap-service", 0, false)                              \
    X(DEPLOY_BOOTSTRAP_JOB, "deploy-bootstrap-job", 0, false)                                      \
    X(AWAIT_BOOTSTRAP_COMPLETE, "await-bootstrap-complete", 0, false)                              \
    X(TEARDOWN_BOOTSTRAP, "teardown-bootstrap", 0, false)                                          \
    X(SNAPSHOT_RESTORE, "snapshot-restore", 21, true)                                              \
    X(CONFIGURE_GENESIS, "configure-genesis", 180, true)                                           \
    X(CONFIG_APPLY, "config-apply", 0, true)                                                       \
    X(DISCOVER_PEERS, "discover-peers", 20, true)                                                  \
    X(CONFIGURE_STATE_SYNC, "configure-state-sync", 21, true)                                      \
    X(CONFIG_VALIDATE, "config-validate", 0, true)                                                 \
    X(SNAPSHOT_UPLOAD, "snapshot-upload", 0, true)                                                 \
    X(GENERATE_IDENTITY, "generate-identity", 0, true)                                             \
    X(GENERATE_GENTX, "generate-gentx", 0, true)                                                   \
    X(UPLOAD_GENESIS_ARTIFACTS, "upload-genesis-artifacts", 21, true)                              \
    X(SET_GENESIS_PEERS, "set-genesis-peers", 21, true)                                            \
    X(MARK_READY, "mark-ready", 0, true)

/* The same of the plans of fleets. The sidecar is that of one node. */
#define FLEET_TASK_TYPES(X)                                                                        \
    X(UPDATE_NODE_SPECS, "update-node-specs", 0, false)                                            \
    X(AWAIT_SPEC_UPDATE, "await-spec-update", 0, false)                                            \
    X(ASSEMBLE_GENESIS, "assemble-and-upload-genesis", 180, true)                                  \
    X(COLLECT_AND_SET_PEERS, "collect-and-set-peers", 0, false)                                    \
    X(AWAIT_NODES_RUNNING, "await-nodes-running", 0, false)

typedef enum TaskType {
    TASK_UNKNOWN, /* a spelling of another operator: nothing of such a plan is run */
#define X(name, spelling, retries, sidecar) TASK_##name,
    TASK_TYPES(X) TASK_TYPE_COUNT, /* ends those of nodes; is no type itself */
    FLEET_TASK_TYPES(X) TASK_ALL_COUNT,
#undef X
} TaskType;

/* "replace-pod"; NULL for TASK_UNKNOWN. */
const char *task_type_text(TaskType type);

/* The type of a spelling, or TASK_UNKNOWN. */
TaskType task_type_parse(const char *text);

/* For the plans of fleets. */
bool task_type_is_of_fleet(TaskType type);

/* How many failed attempts are forgiven before the plan fails. */
int task_type_retries(TaskType type);

/* Done by the sidecar, under the task's id. */
bool task_type_is_sidecar(TaskType type);

/* Goes on in the sidecar for as long as that lives: done when handed over, and nobody waits for it.
 */
bool task_type_never_ends(TaskType type);

/* How long a sidecar may work on it before that is reported; the task goes on. 0 for tasks that are
 * not the sidecar's, and for one that never ends. */
int64_t task_type_overdue_ms(TaskType type);

/* Needs S3 or a peer: an outage is retried within the budget, and a failure with a permanent cause
 * ends the plan at once. */
bool task_type_needs_remote(TaskType type);

/* The sidecar does it once per volume: a file on the volume makes every later run, under any id, do
 * nothing and succeed. */
bool task_type_is_once_per_volume(TaskType type);

/* That it is Complete is stored before the next task begins, which destroys what proves it. */
bool task_type_is_stored_first(TaskType type);

#endif
