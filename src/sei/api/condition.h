/* Conditions: the closed vocabulary of what is said about a SeiNode and about a SeiNodeDeployment.
 * Types and reasons are API: alerts and `kubectl wait` name them. A fleet's conditions have the
 * types of a node's where they answer the same question, and reasons of their own. */
#ifndef SEI_API_CONDITION_H
#define SEI_API_CONDITION_H

#include "kube/cond.h"
#include "sei/api/fleet_reason.h"

#include <stdbool.h>

#define COND_READY            "Ready"
#define COND_RECONCILING      "Reconciling"
#define COND_STALLED          "Stalled"
#define COND_UP_TO_DATE       "UpToDate"
#define COND_PAUSED           "Paused"
#define COND_NODE_UPDATE      "NodeUpdateInProgress"
#define COND_SIDECAR_READY    "SidecarReady"
#define COND_IMPORT_READY     "ImportPVCReady"
#define COND_SIGNING_KEY      "SigningKeyReady"
#define COND_NODE_KEY         "NodeKeyReady"
#define COND_OPERATOR_KEYRING "OperatorKeyringReady"

/* X(name, spelling, on which condition, when); condition_about.c says what to do about each */
#define REASONS(X)                                                                                 \
    X(AVAILABLE, "Available", COND_READY, "the pod is Ready and its sidecar is not unready")       \
    X(INITIALIZING, "Initializing", COND_READY, "the node is being set up")                        \
    X(UPDATING, "Updating", COND_READY, "an update is replacing the pod")                          \
    X(POD_NOT_READY, "PodNotReady", COND_READY, "the pod is missing, terminating or not Ready")    \
    X(SIDECAR_NOT_READY, "SidecarNotReady", COND_READY, "the sidecar holds seid back")             \
    X(CHAIN_UNVERIFIED, "ChainUnverified", COND_READY, "seid has not reported its chain yet")      \
    X(PAUSED, "Paused", COND_READY, "spec.paused is true")                                         \
    X(SCALED_BY_HAND, "ScaledByHand", COND_READY, "somebody scaled the StatefulSet to 0")          \
    X(VOLUME_IN_USE, "VolumeInUse", COND_READY, "another pod has the data volume")                 \
    X(FAILED, "Failed", COND_READY, "setting the node up failed")                                  \
    X(STALLED, "Stalled", COND_READY, "only a person can go on")                                   \
    X(PROGRESSING, "Progressing", COND_RECONCILING, "a plan is being carried out")                 \
    X(TASK_OVERDUE, "TaskOverdue", COND_RECONCILING, "a sidecar task runs longer than it should")  \
    X(SETTLED, "Settled", COND_RECONCILING, "nothing is left to do")                               \
    X(NOT_STALLED, "NotStalled", COND_STALLED, "nothing needs a person")                           \
    X(INVALID_SPEC, "InvalidSpec", COND_STALLED, "the spec cannot be carried out")                 \
    X(UNKNOWN_PLAN, "UnknownPlan", COND_STALLED, "status.plan is not ours to run")                 \
    X(FOREIGN_OBJECT, "ForeignObject", COND_STALLED, "an object of our name is somebody else's")   \
    X(DATA_VOLUME_MISSING, "DataVolumeMissing", COND_STALLED, "the claim with the data is gone")   \
    X(DATA_VOLUME_TERMINATING,                                                                     \
        "DataVolumeTerminating",                                                                   \
        COND_STALLED,                                                                              \
        "the claim is being deleted")                                                              \
    X(DATA_VOLUME_LOST, "DataVolumeLost", COND_STALLED, "the PersistentVolume is gone")            \
    X(DATA_VOLUME_OF_OTHER_NODE,                                                                   \
        "DataVolumeOfOtherNode",                                                                   \
        COND_STALLED,                                                                              \
        "the node runs on a claim that another SeiNode controls")                                  \
    X(IMPORT_NOT_READY,                                                                            \
        "ImportNotReady",                                                                          \
        COND_STALLED,                                                                              \
        "the claim to be imported cannot be used, and another one is in use")                      \
    X(SIGNING_KEY_IN_USE,                                                                          \
        "SigningKeyInUse",                                                                         \
        COND_STALLED,                                                                              \
        "somebody else may sign with the same key: no pod is started")                             \
    X(SIGNING_KEY_SHARED, "SigningKeyShared", COND_STALLED, "two nodes run with one signing key")  \
    X(IDENTITY_CHANGED, "IdentityChanged", COND_STALLED, "chain, mode or volume was edited")       \
    X(NEEDS_RESET, "NeedsReset", COND_STALLED, "the data must be reset before setting up again")   \
    X(WRONG_CHAIN, "WrongChain", COND_STALLED, "seid runs another chain than spec.chainId")        \
    X(PLAN_FAILED, "PlanFailed", COND_STALLED, "setting the node up failed")                       \
    X(IMAGE_PULL_FAILED,                                                                           \
        "ImagePullFailed",                                                                         \
        COND_STALLED,                                                                              \
        "an image cannot be pulled for 5 minutes")                                                 \
    X(CRASH_LOOP, "CrashLoop", COND_STALLED, "a container crashes again and again for 5 minutes")  \
    X(SECRET_MISSING,                                                                              \
        "SecretMissing",                                                                           \
        COND_STALLED,                                                                              \
        "a Secret or ConfigMap, or a key in it, is missing for 1 minute")                          \
    X(POD_UNSCHEDULABLE,                                                                           \
        "PodUnschedulable",                                                                        \
        COND_STALLED,                                                                              \
        "no machine takes the pod for 10 minutes")                                                 \
    X(MACHINE_LOST, "MachineLost", COND_STALLED, "the machine of the pod is lost for 5 minutes")   \
    X(UP_TO_DATE, "UpToDate", COND_UP_TO_DATE, "the pod is made from what is wanted")              \
    X(UNKNOWN_YET, "NotObserved", COND_UP_TO_DATE, "no pod has been made yet")                     \
    X(SPEC_DRIFT, "SpecDrift", COND_UP_TO_DATE, "the spec has moved away from the pod")            \
    X(AWAITS_FLEET, "AwaitsFleet", COND_UP_TO_DATE, "its fleet did not write its spec")            \
    X(PLATFORM_DRIFT, "PlatformDrift", COND_UP_TO_DATE, "the operator's settings have moved")      \
    X(ADOPTED_DRIFT, "AdoptedDrift", COND_UP_TO_DATE, "a pod of another operator differs")         \
    X(FOREIGN_FIELDS, "ForeignFields", COND_UP_TO_DATE, "others have added to the template")       \
    X(CONFIG_DRIFT, "ConfigDrift", COND_UP_TO_DATE, "fields that only a new set-up reads moved")   \
    X(IS_PAUSED, "Paused", COND_PAUSED, "spec.paused is true")                                     \
    X(MAINTENANCE, "Maintenance", COND_PAUSED, "a command of a person works on the volume")        \
    X(NOT_HELD, "NotHeld", COND_PAUSED, "it is to be paused, and its pod could not be stopped")    \
    X(NOT_PAUSED, "NotPaused", COND_PAUSED, "spec.paused is not set")                              \
    X(NOT_STARTED, "NotStarted", COND_NODE_UPDATE, "no update has been needed yet")                \
    X(UPDATE_STARTED, "UpdateStarted", COND_NODE_UPDATE, "an update is being carried out")         \
    X(UPDATE_COMPLETE, "UpdateComplete", COND_NODE_UPDATE, "the last update succeeded")            \
    X(UPDATE_FAILED, "UpdateFailed", COND_NODE_UPDATE, "the last update failed")                   \
    X(SIDECAR_READY, "Ready", COND_SIDECAR_READY, "the sidecar lets seid run")                     \
    X(SIDECAR_UNREADY, "NotReady", COND_SIDECAR_READY, "the sidecar waits for mark-ready")         \
    X(SIDECAR_UNREACHABLE, "Unreachable", COND_SIDECAR_READY, "the sidecar does not answer")       \
    X(SIDECAR_UNASKED, "NotAsked", COND_SIDECAR_READY, "the sidecar has not been asked yet")       \
    X(PVC_VALIDATED, "PVCValidated", COND_IMPORT_READY, "the claim will do")                       \
    X(PVC_NOT_READY, "PVCNotReady", COND_IMPORT_READY, "the claim is not there or not Bound yet")  \
    X(PVC_INVALID, "PVCInvalid", COND_IMPORT_READY, "the claim can never be used")                 \
    X(SIGNING_KEY_VALIDATED, "SigningKeyValidated", COND_SIGNING_KEY, "the Secret will do")        \
    X(SIGNING_KEY_NOT_READY, "SigningKeyNotReady", COND_SIGNING_KEY, "the Secret is waited for")   \
    X(SIGNING_KEY_INVALID, "SigningKeyInvalid", COND_SIGNING_KEY, "the Secret holds no such key")  \
    X(NODE_KEY_VALIDATED, "NodeKeyValidated", COND_NODE_KEY, "the Secret will do")                 \
    X(NODE_KEY_NOT_READY, "NodeKeyNotReady", COND_NODE_KEY, "the Secret is waited for")            \
    X(NODE_KEY_INVALID, "NodeKeyInvalid", COND_NODE_KEY, "the Secret holds no such key")           \
    X(OPERATOR_KEYRING_VALIDATED,                                                                  \
        "OperatorKeyringValidated",                                                                \
        COND_OPERATOR_KEYRING,                                                                     \
        "both Secrets will do")                                                                    \
    X(OPERATOR_KEYRING_NOT_READY,                                                                  \
        "OperatorKeyringNotReady",                                                                 \
        COND_OPERATOR_KEYRING,                                                                     \
        "a Secret is waited for")                                                                  \
    X(OPERATOR_KEYRING_INVALID,                                                                    \
        "OperatorKeyringInvalid",                                                                  \
        COND_OPERATOR_KEYRING,                                                                     \
        "a Secret does not hold what it should")

typedef enum Reason {
#define X(name, spelling, condition, when) REASON_##name,
    REASONS(X) REASON_COUNT, /* ends those of nodes; is no reason itself */
#undef X
#define X(name, spelling, condition, when) FLEET_REASON_##name,
    FLEET_REASONS(X) REASON_ALL_COUNT,
#undef X
} Reason;

/* It is said of fleets. */
bool reason_is_of_fleet(Reason reason);

/* The spelling of a reason: "ForeignObject". */
const char *reason_text(Reason reason);

/* The condition that it stands on: "Stalled". */
const char *reason_condition(Reason reason);

/* The reason of a spelling on a condition of a node, or of a fleet; REASON_COUNT for none. */
Reason reason_parse(const char *condition, const char *text);
Reason fleet_reason_parse(const char *condition, const char *text);

/* The word that `kubectl get` shows of a node or a fleet: the reason of Stalled while that is True,
 * "Maintenance" during a maintenance, else the reason of Ready. NULL without these conditions. */
const char *condition_state(const Conds *conds);

#endif
