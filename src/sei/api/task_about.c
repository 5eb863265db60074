/* Sentences about tasks. Each row is a macro named after its type, so that the compiler misses the
 * ones that are not there. */
#include "sei/api/task_about.h"

#include "base/err.h"

/* --- by the operator ---------------------------------------------------------------------------
 */

#define ABOUT_ENSURE_DATA_PVC                                                                      \
    {.does =                                                                                       \
            "Creates the claim of the data volume, takes back one that was kept for this node, "   \
            "or checks the one that is to be imported. Nothing else of a node is created before.", \
        .waits = "a claim of this name is being deleted or is yet to be collected; a claim to be " \
                 "imported is missing or not Bound",                                               \
        .fails = "the claim is somebody else's, holds another chain's data, or can never be used"}
#define ABOUT_APPLY_RBAC_PROXY_CONFIG                                                              \
    {.does = "Applies the ConfigMap of kube-rbac-proxy.",                                          \
        .waits = "an object of this name is being deleted, or is somebody else's",                 \
        .fails = NULL}
#define ABOUT_APPLY_STATEFULSET                                                                    \
    {.does =                                                                                       \
            "Applies the StatefulSet from the spec and the settings as they are, and records its " \
            "UID.",                                                                                \
        .waits = "another pod has the volume; an object of this name is being deleted, or is "     \
                 "somebody else's; the node is held (see Stalled)",                                \
        .fails = NULL}
#define ABOUT_APPLY_SERVICE                                                                        \
    {.does = "Applies the headless Service.",                                                      \
        .waits = "an object of this name is being deleted, or is somebody else's",                 \
        .fails = NULL}
#define ABOUT_REPLACE_POD                                                                          \
    {.does = "Deletes the pod that was made from another template, by its UID, so that the "       \
             "StatefulSet makes a new one. A pod that is right is left alone, and it need not be " \
             "Ready.",                                                                             \
        .waits = "the StatefulSet controller has not seen the template; the claim is being "       \
                 "deleted (see Stalled); a Secret that the next pod mounts is missing",            \
        .fails = "the StatefulSet has more than one replica right after it was applied with one"}
#define ABOUT_OBSERVE_IMAGE                                                                        \
    {.does = "Sees seid start in a pod of the applied template, and records `currentImage` and "   \
             "`podTemplateHash`.",                                                                 \
        .waits = "the pod is terminating, not made yet, cannot be scheduled, pulled or started",   \
        .fails = "the StatefulSet has more than one replica right after it was applied with one"}

#define KEY_FAILS "the Secret is there and does not hold what it should"

#define ABOUT_VALIDATE_SIGNING_KEY                                                                 \
    {.does = "Reads the Secret of the consensus key, by name, and checks that it holds one.",      \
        .waits = "the Secret is missing, is being deleted or cannot be read",                      \
        .fails = KEY_FAILS}
#define ABOUT_VALIDATE_NODE_KEY                                                                    \
    {.does = "Reads the Secret of the node's key, by name, and checks that it holds one.",         \
        .waits = "the Secret is missing, is being deleted or cannot be read",                      \
        .fails = KEY_FAILS}
#define ABOUT_VALIDATE_OPERATOR_KEYRING                                                            \
    {.does = "Reads the Secrets of the operator's keyring and of its passphrase, by name, and "    \
             "checks that they hold them.",                                                        \
        .waits = "a Secret is missing, is being deleted or cannot be read",                        \
        .fails = KEY_FAILS}

#define ABOUT_DEPLOY_BOOTSTRAP_SERVICE                                                             \
    {.does = "Creates the Service under which the bootstrap pod is reached.",                      \
        .waits = "a Service of this name is being deleted, or is somebody else's",                 \
        .fails = "the spec has no bootstrap image with a height any more"}
#define ABOUT_DEPLOY_BOOTSTRAP_JOB                                                                 \
    {.does = "Creates the Job that brings the data to its height with the bootstrap image.",       \
        .waits = "another pod has the volume; a Job of another template is being deleted",         \
        .fails = "the spec has no bootstrap image with a height any more"}
#define ABOUT_AWAIT_BOOTSTRAP_COMPLETE                                                             \
    {.does =                                                                                       \
            "Waits for the bootstrap Job to succeed; that it did is stored before it is deleted.", \
        .waits = "the Job runs",                                                                   \
        .fails = "the Job has failed"}
#define ABOUT_TEARDOWN_BOOTSTRAP                                                                   \
    {.does = "Deletes the bootstrap Job and its Service, and sees the pod gone, so that no two "   \
             "pods ever have the volume.",                                                         \
        .waits = "the Job or its pod is being deleted",                                            \
        .fails = NULL}

/* --- by the sidecar ----------------------------------------------------------------------------
 */

#define SIDECAR_WAITS "the pod has no address, the sidecar does not answer, or it is at work"
#define SIDECAR_FAILS "the sidecar refuses it (400), or it fails once more than it may"
#define REMOTE_FAILS                                                                               \
    SIDECAR_FAILS ", or at once when no retry can help (no such bucket, no access, no snapshot)"
#define BY_SIDECAR(text) {.does = (text), .waits = SIDECAR_WAITS, .fails = SIDECAR_FAILS}
#define BY_REMOTE(text)  {.does = (text), .waits = SIDECAR_WAITS, .fails = REMOTE_FAILS}

#define ABOUT_SNAPSHOT_RESTORE                                                                     \
    BY_REMOTE("Downloads a snapshot of the chain's data and unpacks it onto the volume.")
#define ABOUT_CONFIGURE_GENESIS                                                                    \
    {.does = "Fetches the genesis file of the chain.",                                             \
        .waits = "the fleet that founds the chain has not published it; " SIDECAR_WAITS,           \
        .fails = REMOTE_FAILS}
#define ABOUT_CONFIG_APPLY                                                                         \
    BY_SIDECAR("Writes the configuration of seid for the node's mode, with `spec.overrides` over " \
               "it.")
#define ABOUT_DISCOVER_PEERS                                                                       \
    {.does = "Writes the peers that `spec.peers` names into the configuration: those that labels " \
             "name as they are known by then, the others as the sidecar finds them. Where labels " \
             "name no node at all, and nothing else is asked for, it is done at once: the first "  \
             "node of a fleet comes up alone.",                                                    \
        .waits = "nobody is known yet: the nodes that labels name have not said their ids, or "    \
                 "there is none and state sync needs one; " SIDECAR_WAITS,                         \
        .fails = SIDECAR_FAILS}
#define ABOUT_CONFIGURE_STATE_SYNC                                                                 \
    BY_REMOTE("Asks peers for a height and hash to trust, and turns state sync on.")
#define ABOUT_CONFIG_VALIDATE BY_SIDECAR("Reads the configuration back and checks it.")
#define ABOUT_SNAPSHOT_UPLOAD                                                                      \
    {.does = "Starts the upload of the snapshots that seid makes. It goes on for as long as the "  \
             "sidecar lives, and is submitted again after each restart of the sidecar.",           \
        .waits = "the pod has no address, or the sidecar does not answer",                         \
        .fails = "the sidecar refuses it (400)"}
#define ABOUT_GENERATE_IDENTITY                                                                    \
    BY_SIDECAR("Makes the keys and the identity of a validator of a new chain.")
#define ABOUT_GENERATE_GENTX                                                                       \
    BY_SIDECAR("Makes the validator's first transaction for the genesis of a new chain.")
#define ABOUT_UPLOAD_GENESIS_ARTIFACTS                                                             \
    BY_REMOTE("Uploads the validator's part of the genesis, for the others.")
#define ABOUT_SET_GENESIS_PEERS                                                                    \
    BY_REMOTE("Writes the other validators of a new chain into the configuration as peers.")
#define ABOUT_MARK_READY                                                                           \
    BY_SIDECAR(                                                                                    \
        "Opens the gate: the sidecar lets seid start, and says that it is ready. A sidecar "       \
        "forgets it when it restarts.")

/* --- of fleets ---------------------------------------------------------------------------------
 */

#define ABOUT_UPDATE_NODE_SPECS                                                                    \
    {.does = "Writes what the template asks for to the nodes in scope, so many at a time as "      \
             "`updateStrategy` allows: those that do not serve first, then the highest ordinal.",  \
        .waits = "as many nodes as the budget are being updated or down; `updateStrategy.hold` "   \
                 "is set",                                                                         \
        .fails = NULL}
#define ABOUT_AWAIT_SPEC_UPDATE                                                                    \
    {.does = "Sees every node in scope on the target and available, paused and failed ones "       \
             "excepted.",                                                                          \
        .waits = "a node is on the target and not available yet",                                  \
        .fails =                                                                                   \
            "no node came further for `progressDeadlineSeconds`, and `onFailure` is Rollback"}
#define ABOUT_ASSEMBLE_GENESIS                                                                     \
    {.does = "Makes the genesis of the chain from the parts of all nodes and uploads it, on the "  \
             "sidecar of ordinal 0.",                                                              \
        .waits = "a node has not handed in its part; " SIDECAR_WAITS,                              \
        .fails = SIDECAR_FAILS "; a node has failed; `maxCeremonyDuration` is over"}
#define ABOUT_COLLECT_AND_SET_PEERS                                                                \
    {.does = "Asks the sidecars of all nodes for their ids, and writes all of them as the peers "  \
             "of each.",                                                                           \
        .waits = "a sidecar has not said its id",                                                  \
        .fails = "a node has failed; `maxCeremonyDuration` is over"}
#define ABOUT_AWAIT_NODES_RUNNING                                                                  \
    {.does = "Sees every node Running.",                                                           \
        .waits = "a node is being set up",                                                         \
        .fails = "a node has failed; `maxCeremonyDuration` is over"}

/* --- rows --------------------------------------------------------------------------------------
 */

static const TaskAbout rows[TASK_ALL_COUNT] = {
#define X(name, spelling, retries, sidecar) [TASK_##name] = ABOUT_##name,
    TASK_TYPES(X) FLEET_TASK_TYPES(X)
#undef X
};

const TaskAbout *task_about(TaskType type)
{
    if ((unsigned)type >= TASK_ALL_COUNT || type == TASK_UNKNOWN || type == TASK_TYPE_COUNT)
        BUG("a task type out of its range");
    return &rows[type];
}
