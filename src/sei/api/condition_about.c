/* Sentences about conditions. Each is a macro named after its row, so that the compiler misses the
 * ones that are not there. */
#include "sei/api/condition_about.h"

#include "base/err.h"

/* --- conditions --------------------------------------------------------------------------------
 */

#define ABOUT_COND_READY                                                                           \
    "Whether the node does its work: its pod is Ready and its sidecar lets seid run. The one "     \
    "condition to wait for: `kubectl wait --for=condition=Ready seinode/NAME`."
#define ABOUT_COND_RECONCILING                                                                     \
    "True while the operator has something to do or to wait for; the message says what. False "    \
    "when it is done, or when only a person can go on (see Stalled)."
#define ABOUT_COND_STALLED                                                                         \
    "True when only a person can go on. Nothing is deleted meanwhile, and seid runs on where it "  \
    "runs. A Warning event with the same reason tells of it once."
#define ABOUT_COND_UP_TO_DATE                                                                      \
    "Whether the running pod is made from what the spec and the operator's settings want. The "    \
    "reason names the class of the difference, `status.drift` its fields."
#define ABOUT_COND_PAUSED "Whether `spec.paused` holds the node: no pod, and no plans."
#define ABOUT_COND_NODE_UPDATE                                                                     \
    "True while an update replaces the pod; afterwards how the last update ended. The message "    \
    "names what had drifted, or the task that failed and why."
#define ABOUT_COND_SIDECAR_READY                                                                   \
    "What the sidecar's health probe says, every 30 seconds while the node is Running."
#define ABOUT_COND_IMPORT_READY                                                                    \
    "Whether the claim that `spec.dataVolume.import` names can be used. Only nodes with an "       \
    "import "                                                                                      \
    "have it."
#define ABOUT_COND_SIGNING_KEY                                                                     \
    "Whether the Secret with the consensus key holds one. Only validators that name it have this." \
    " No value of a Secret is ever logged or stored."
#define ABOUT_COND_NODE_KEY                                                                        \
    "Whether the Secret with the key of the node's identity holds one. Only validators that name " \
    "it have this."
#define ABOUT_COND_OPERATOR_KEYRING                                                                \
    "Whether the Secrets with the operator's keyring and its passphrase hold them. Only "          \
    "validators that name them have this."

/* --- conditions of fleets ----------------------------------------------------------------------
 */

#define ABOUT_FLEET_COND_READY                                                                     \
    "Whether the fleet is as asked for: all replicas exist, are available and have what the "      \
    "template asks for (those below `updateStrategy.partition` are asked to stay as they are). "   \
    "The condition to wait for: `kubectl wait --for=condition=Ready snd/NAME`."
#define ABOUT_FLEET_COND_RECONCILING                                                               \
    "True while the operator has something to do or waits for nodes; the message names them, and " \
    "quotes those that have been down for a while. False when it is done, or when only a person "  \
    "can go on (see Stalled)."
#define ABOUT_FLEET_COND_STALLED                                                                   \
    "True when only a person can go on. Nothing is deleted meanwhile, and nodes that run do so. "  \
    "A Warning event tells of it once."
#define ABOUT_FLEET_COND_UP_TO_DATE                                                                \
    "Whether every node has what the template asks for. The reason names the class of the "        \
    "difference, the message the nodes."
#define ABOUT_FLEET_COND_AVAILABLE                                                                 \
    "Whether enough nodes are available: the replicas less `updateStrategy.maxUnavailable`, and "  \
    "at least one. A node is available when its pod is Ready and its sidecar is not unready, for " \
    "`minReadySeconds`."
#define ABOUT_FLEET_COND_PAUSED                                                                    \
    "Whether `spec.paused` stops the fleet: all its nodes are paused, and their pods stop. To "    \
    "stop only a rollout, set `updateStrategy.hold`."
#define ABOUT_FLEET_COND_NODES_READY                                                               \
    "Whether every node is in the phase Running. It says nothing about pods: see Available."
#define ABOUT_FLEET_COND_PLAN                                                                      \
    "True while there is a plan: a rollout, or the founding of a chain; afterwards how the last "  \
    "one ended."
#define ABOUT_FLEET_COND_ROLLOUT                                                                   \
    "True while an edit of the template is being rolled out; afterwards how the last rollout "     \
    "ended. The message names the hashes."
#define ABOUT_FLEET_COND_GENESIS_COMPLETE                                                          \
    "Whether the nodes have founded the chain that `spec.genesis` describes. Once True it stays "  \
    "so."
#define ABOUT_FLEET_COND_NETWORKING                                                                \
    "Whether what `spec.networking` asks for is there. It holds up nothing else."

/* --- what to do --------------------------------------------------------------------------------
 */

#define NOTHING NULL

#define ADVICE_AVAILABLE     NOTHING
#define ADVICE_INITIALIZING  "Wait; `status.plan.waiting` says for what."
#define ADVICE_UPDATING      "Wait; `status.plan.waiting` says for what."
#define ADVICE_POD_NOT_READY "Do what the message says: it names the cause and the next step."
#define ADVICE_SIDECAR_NOT_READY                                                                   \
    "Wait: mark-ready is handed over again. If it stays, look at the log of the container "        \
    "sei-sidecar."
#define ADVICE_CHAIN_UNVERIFIED                                                                    \
    "Do what the message says. The operator needs a connection to port 26657 of the pod, once, "   \
    "before a new node counts as Ready."
#define ADVICE_PAUSED "Set `spec.paused` to false when the node is to run again."
#define ADVICE_SCALED_BY_HAND                                                                      \
    "Pause and unpause the node: it starts when nobody has the volume. Scaling the StatefulSet "   \
    "back yourself does not wait for that."
#define ADVICE_VOLUME_IN_USE                                                                       \
    "Wait for the pod that the message names, or delete it. Of two nodes with one volume, pause "  \
    "or delete the one that the message names."
#define ADVICE_FAILED  "See the condition Stalled."
#define ADVICE_STALLED "See the condition Stalled."

#define ADVICE_PROGRESSING NOTHING
#define ADVICE_TASK_OVERDUE                                                                        \
    "Look at the log of the container sei-sidecar. If the task hangs, delete the pod: a new "      \
    "sidecar starts the task again."
#define ADVICE_SETTLED NOTHING

#define ADVICE_NOT_STALLED  NOTHING
#define ADVICE_INVALID_SPEC "Correct the field that the message names; the node heals by itself."
#define ADVICE_UNKNOWN_PLAN                                                                        \
    "Another operator left a plan that this one does not know. Let that one finish it, or remove " \
    "`status.plan`."
#define ADVICE_FOREIGN_OBJECT                                                                      \
    "Delete or rename the object that the message names; it is never touched. It is looked at "    \
    "again every 30 seconds."
#define ADVICE_DATA_VOLUME_MISSING                                                                 \
    "Restore the claim with the label `sei.io/node=<node>` and name it with "                      \
    "`sei.io/adopt-volume=<its uid>`, or set `spec.dataVolume.import`, or begin empty with "       \
    "`sei.io/allow-new-volume=<uid in status.dataVolume>`."
#define ADVICE_DATA_VOLUME_TERMINATING                                                             \
    "See to it before anything else that the reclaim policy of the PersistentVolume is Retain: "   \
    "with another one the data is lost when the pod ends. Then let the claim go and import the "   \
    "volume under a new one."
#define ADVICE_DATA_VOLUME_LOST                                                                    \
    "Create the PersistentVolume that the message names again, for the same disk and with the "    \
    "claim as `spec.claimRef`. Do not restart the pod before that: its next pod cannot start."
#define ADVICE_DATA_VOLUME_OF_OTHER_NODE                                                           \
    "Set the annotation `sei.io/volume-policy: Retain` on the SeiNode that the message names. "    \
    "Before that, do not delete that SeiNode with `--cascade=foreground`: the garbage collector "  \
    "would delete the claim under this node."
#define ADVICE_SIGNING_KEY_IN_USE                                                                  \
    "Pause or delete the other one: this one starts when that one's pod is gone. For a key of "    \
    "its own, take `signingKey` and `nodeKey` out of the spec together, and put others in."
#define ADVICE_SIGNING_KEY_SHARED                                                                  \
    "Pause one of the two at once. The operator stops neither by itself, for it cannot know "      \
    "which is meant, and replaces the pod of neither until the other is gone."
#define ADVICE_IDENTITY_CHANGED                                                                    \
    "Put back what was edited, or delete the node and create one that is meant so. It runs on as " \
    "what it was."
#define ADVICE_NEEDS_RESET                                                                         \
    "Take the edit back. Or empty the data directory, with the `.sei-sidecar-*` files in it, "     \
    "delete the pod, and then set the annotation `sei.io/retry` to a new value."
#define ADVICE_IMPORT_NOT_READY                                                                    \
    "Correct the claim that the message names, or put the import back as it was; the node runs "   \
    "on with the volume that it has."
#define ADVICE_WRONG_CHAIN                                                                         \
    "Create the SeiNode again with a data volume and a `chainId` that belong together; the "       \
    "message says what to delete. First make sure that no data of the other chain is needed. The " \
    "operator never restarts the node for this reason."
#define ADVICE_PLAN_FAILED                                                                         \
    "Correct what the message names: the spec or, of a key, its Secret. An edit of the spec is "   \
    "tried at once, all else when the annotation `sei.io/retry` gets a new value; what was done "  \
    "already is kept."

#define ADVICE_IMAGE_PULL_FAILED                                                                   \
    "Correct the image that the message names, or let the machines pull it. The kubelet tries "    \
    "again by itself, and an edit of the spec is carried out at once."
#define ADVICE_CRASH_LOOP                                                                          \
    "Read the last lines of the container that the message names: `kubectl logs POD -c CONTAINER " \
    "--previous`. The kubelet starts it again by itself, and an edit of the spec is carried out "  \
    "at once."
#define ADVICE_SECRET_MISSING                                                                      \
    "Create the object or the key that the message names; the node goes on by itself."
#define ADVICE_POD_UNSCHEDULABLE                                                                   \
    "Free or add a machine that can take the pod; the message has the scheduler's words."
#define ADVICE_MACHINE_LOST                                                                        \
    "Repair the machine that the message names. Only when it is off for good: delete its Node "    \
    "object, and the pod starts on another machine."

#define ADVICE_UP_TO_DATE  NOTHING
#define ADVICE_UNKNOWN_YET NOTHING
#define ADVICE_SPEC_DRIFT  NOTHING
#define ADVICE_AWAITS_FLEET                                                                        \
    "Nothing: somebody else than its fleet wrote the spec of the node, and the fleet brings it "   \
    "to its own template in its turn, by its `maxUnavailable`. Edit the template of the fleet "    \
    "instead; `updateStrategy.partition` tries it on some nodes first."
#define ADVICE_PLATFORM_DRIFT                                                                      \
    "Nothing: nodes are rolled in turn, those of a fleet by its `maxUnavailable`, others by "      \
    "`--platform-max-unavailable`. The message says which nodes are waited for: one that is down " \
    "holds the others up."
#define ADVICE_ADOPTED_DRIFT                                                                       \
    "Nothing, until a restart suits: the next one picks the fields up. Ask for it with the "       \
    "annotation `kubectl.kubernetes.io/restartedAt`."
#define ADVICE_FOREIGN_FIELDS                                                                      \
    "Decide whether what somebody added to the StatefulSet's template should be there; it is "     \
    "kept and causes no restart."
#define ADVICE_CONFIG_DRIFT "Nothing: the fields take effect when the node is set up anew."

#define ADVICE_IS_PAUSED "Set `spec.paused` to false when the node is to run again."
#define ADVICE_MAINTENANCE                                                                         \
    "Wait for the run that the message names. When nobody follows it any more, "                   \
    "`kubectl sei maintain NAME --resume` goes on with it and `--abort` gives it up; by hand: "    \
    "delete its Job, then the annotation `sei.io/maintenance`, and take `spec.paused` back. An "   \
    "annotation that cannot be read holds the node, too: it is for a person to take off."
#define ADVICE_NOT_HELD                                                                            \
    "Do what the message names, most often: correct the spec, as the condition Stalled says. "     \
    "Until then the node runs on, and nothing else may work on its volume."
#define ADVICE_NOT_PAUSED NOTHING

#define ADVICE_NOT_STARTED     NOTHING
#define ADVICE_UPDATE_STARTED  NOTHING
#define ADVICE_UPDATE_COMPLETE NOTHING
#define ADVICE_UPDATE_FAILED                                                                       \
    "Correct what the message names. It is tried again by itself, with pauses of 10 seconds to 5 " \
    "minutes."

#define ADVICE_SIDECAR_READY NOTHING
#define ADVICE_SIDECAR_UNREADY                                                                     \
    "Nothing: mark-ready is handed over again. It happens whenever a sidecar restarts."
#define ADVICE_SIDECAR_UNREACHABLE                                                                 \
    "Look at the pod's containers kube-rbac-proxy and sei-sidecar, and at network policies."
#define ADVICE_SIDECAR_UNASKED NOTHING

#define ADVICE_PVC_VALIDATED NOTHING
#define ADVICE_PVC_NOT_READY "Wait for the claim to be bound, or make it as the message asks."
#define ADVICE_PVC_INVALID                                                                         \
    "Name another claim, or correct this one and set the annotation `sei.io/retry`."

#define ADVICE_SIGNING_KEY_VALIDATED      NOTHING
#define ADVICE_SIGNING_KEY_NOT_READY      "Create the Secret that the message names."
#define ADVICE_SIGNING_KEY_INVALID        "Correct the Secret, then set the annotation `sei.io/retry`."
#define ADVICE_NODE_KEY_VALIDATED         NOTHING
#define ADVICE_NODE_KEY_NOT_READY         "Create the Secret that the message names."
#define ADVICE_NODE_KEY_INVALID           "Correct the Secret, then set the annotation `sei.io/retry`."
#define ADVICE_OPERATOR_KEYRING_VALIDATED NOTHING
#define ADVICE_OPERATOR_KEYRING_NOT_READY "Create the Secret that the message names."
#define ADVICE_OPERATOR_KEYRING_INVALID                                                            \
    "Correct the Secret, then set the annotation `sei.io/retry`."

/* --- what to do about fleets -------------------------------------------------------------------
 */

#define ADVICE_FLEET_ALL_READY NOTHING
#define ADVICE_FLEET_INITIALIZING                                                                  \
    "Wait; the message names the nodes, and `status.plan.waiting` says for what."
#define ADVICE_FLEET_UNAVAILABLE "Look at the nodes that the message names."
#define ADVICE_FLEET_ROLLING_OUT "Wait; `status.rollout.nodes` says how far each is."
#define ADVICE_FLEET_HELD                                                                          \
    "Remove `updateStrategy.hold` when the rollout is to go on, or edit the template back."
#define ADVICE_FLEET_PAUSED      "Set `spec.paused` to false when the fleet is to run again."
#define ADVICE_FLEET_STALLED     "See the condition Stalled."
#define ADVICE_FLEET_DELETING    NOTHING
#define ADVICE_FLEET_PROGRESSING NOTHING
#define ADVICE_FLEET_AWAITS_PERSON                                                                 \
    "Look at the nodes that the message names, or edit the template back."
#define ADVICE_FLEET_SETTLED     NOTHING
#define ADVICE_FLEET_NOT_STALLED NOTHING
#define ADVICE_FLEET_INVALID_SPEC                                                                  \
    "Correct the field that the message names; the fleet heals by itself."
#define ADVICE_FLEET_UNKNOWN_PLAN                                                                  \
    "Another operator left a plan that this one does not know. Let that one finish it, or remove " \
    "`status.plan`."
#define ADVICE_FLEET_FOREIGN_OBJECT                                                                \
    "Delete or rename the object that the message names, or give the fleet another name; it is "   \
    "never touched."
#define ADVICE_FLEET_STALLED_DEADLINE                                                              \
    "Look at the nodes in `status.rollout.nodes` that are Updating. Edit the template (editing "   \
    "it back is an undo), or set the annotation `sei.io/retry` to a new value to try it again."
#define ADVICE_FLEET_REVISION_LOST                                                                 \
    "Restore the ControllerRevision that the message names, or set `updateStrategy.partition` to " \
    "0 and let the template of now be rolled out."
#define ADVICE_FLEET_IDENTITY_CHANGED                                                              \
    "Put the chain or the mode of the template back, with `kubectl sei rollout undo` or by hand; " \
    "for nodes of another one create another SeiNodeDeployment. A single node that does not "      \
    "belong to this one goes when it is deleted, and is made anew."
#define ADVICE_FLEET_CEREMONY_FAILED                                                               \
    "Correct what the message names. It is tried again by itself, ever more rarely, and at once "  \
    "when the annotation `sei.io/retry` of the fleet changes. A founder that was deleted after "   \
    "the genesis was begun cannot be helped: the message says how to found the chain anew."
#define ADVICE_FLEET_NODES_STALLED                                                                 \
    "Look at the nodes that the message names: their own condition Stalled says what to do."
#define ADVICE_FLEET_UP_TO_DATE  NOTHING
#define ADVICE_FLEET_UNKNOWN_YET NOTHING
#define ADVICE_FLEET_ROLLOUT_PENDING                                                               \
    "Nothing: nodes are updated in turn, `updateStrategy.maxUnavailable` at a time."
#define ADVICE_FLEET_HELD_BACK "Remove `updateStrategy.hold` when the rollout is to go on."
#define ADVICE_FLEET_PAUSED_BACK                                                                   \
    "Nothing: the edit is rolled out when the fleet is no longer paused."
#define ADVICE_FLEET_PARTITION     "Lower `updateStrategy.partition` when the others are to follow."
#define ADVICE_FLEET_FAILED_BACK   "See the condition Stalled."
#define ADVICE_FLEET_IDENTITY_BACK "See the condition Stalled."
#define ADVICE_FLEET_NODES_SKIPPED                                                                 \
    "Unpause the nodes that the message names; they are updated then."
#define ADVICE_FLEET_ADOPTED_DRIFT                                                                 \
    "Nothing, until a restart suits: the next edit of the template rolls them."
#define ADVICE_FLEET_NODE_DRIFT  "Nothing: their pods are replaced in turn."
#define ADVICE_FLEET_MINIMUM     NOTHING
#define ADVICE_FLEET_NO_MINIMUM  "Look at the nodes that the condition Ready names."
#define ADVICE_FLEET_NOT_COUNTED "See the condition Stalled."
#define ADVICE_FLEET_IS_PAUSED   "Set `spec.paused` to false when the fleet is to run again."
#define ADVICE_FLEET_NOT_PAUSED  NOTHING
#define ADVICE_FLEET_NODES_READY NOTHING
#define ADVICE_FLEET_NODES_FAILED                                                                  \
    "Look at the condition Stalled of the nodes in `status.nodes` that have failed."
#define ADVICE_FLEET_NODES_INITIALIZING NOTHING
#define ADVICE_FLEET_NO_PLAN            NOTHING
#define ADVICE_FLEET_PLAN_STARTED       NOTHING
#define ADVICE_FLEET_PLAN_COMPLETE      NOTHING
#define ADVICE_FLEET_PLAN_FAILED        "See the condition Stalled, and `status.history`."
#define ADVICE_FLEET_NO_ROLLOUT         NOTHING
#define ADVICE_FLEET_TEMPLATE_CHANGED   NOTHING
#define ADVICE_FLEET_ROLLING_BACK       "Correct the template; see the condition Stalled."
#define ADVICE_FLEET_ROLLOUT_COMPLETE   NOTHING
#define ADVICE_FLEET_ROLLOUT_FAILED     "Correct the template; see the condition Stalled."
#define ADVICE_FLEET_DEADLINE_EXCEEDED  "Correct the template; see the condition Stalled."
#define ADVICE_FLEET_NO_CEREMONY        NOTHING
#define ADVICE_FLEET_CEREMONY_AHEAD     NOTHING
#define ADVICE_FLEET_CEREMONY           NOTHING
#define ADVICE_FLEET_CEREMONY_COMPLETE  NOTHING
#define ADVICE_FLEET_FOUNDER_LOST                                                                  \
    "A node that the message names has another volume than when the chain was founded, and so "    \
    "another key: it follows the chain and is no validator, and what the genesis gave it is out "  \
    "of reach. Give it its old volume back (`sei.io/adopt-volume`), or make it a validator anew "  \
    "with a transaction of the chain (create-validator). Do not delete founders of a fleet whose " \
    "`deletionPolicy` is Delete."
#define ADVICE_FLEET_CEREMONY_INVALID                                                              \
    "Delete the fleet, and create it again with the field corrected that the message names: "      \
    "`spec.genesis` cannot be edited."
#define ADVICE_FLEET_CEREMONY_ENDED                                                                \
    "Look at the nodes, and at the log of the container sei-sidecar of the first."
#define ADVICE_FLEET_ROUTES_PUBLISHED NOTHING
#define ADVICE_FLEET_P2P_APPLIED      NOTHING
#define ADVICE_FLEET_NO_NETWORKING    NOTHING
#define ADVICE_FLEET_NO_ROUTES        NOTHING
#define ADVICE_FLEET_NO_ROUTE_KIND                                                                 \
    "Install the Gateway API (gateway.networking.k8s.io/v1), or give the operator the right to "   \
    "list and watch them; routes are made then."
#define ADVICE_FLEET_DNS_PENDING                                                                   \
    "Wait for external-dns, or look at its log; nothing else waits for it."
#define ADVICE_FLEET_NETWORK_ORPHANED                                                              \
    "Remove the annotation when the operator is to keep the objects again."
#define ADVICE_FLEET_NETWORK_FOREIGN                                                               \
    "Delete or rename the object that the message names; it is never touched."
#define ADVICE_FLEET_NETWORK_FAILED  "Correct what the message names; it is tried again by itself."
#define ADVICE_FLEET_NETWORK_UNKNOWN NOTHING

/* --- rows --------------------------------------------------------------------------------------
 */

typedef struct AboutRow {
    const char *about, *when, *advice;
} AboutRow;

static const AboutRow rows[REASON_ALL_COUNT] = {
#define X(name, spelling, condition, when)                                                         \
    [REASON_##name] = {ABOUT_##condition, when, ADVICE_##name},
    REASONS(X)
#undef X
#define X(name, spelling, condition, when)                                                         \
    [FLEET_REASON_##name] = {ABOUT_FLEET_##condition, when, ADVICE_FLEET_##name},
        FLEET_REASONS(X)
#undef X
};

static const AboutRow *row_of(Reason reason)
{
    if ((unsigned)reason >= REASON_ALL_COUNT || reason == REASON_COUNT)
        BUG("a reason out of its range");
    return &rows[reason];
}

const char *condition_about(Reason reason)
{
    return row_of(reason)->about;
}

const char *reason_when(Reason reason)
{
    return row_of(reason)->when;
}

const char *reason_advice(Reason reason)
{
    return row_of(reason)->advice;
}

const char *reason_caution(Reason reason)
{
    switch (reason) {
    case REASON_PAUSED:
    case REASON_IS_PAUSED:
    case REASON_MAINTENANCE:
    case REASON_SCALED_BY_HAND:
        return "Of a validator only when you know that " SIGNS_NOWHERE_ELSE ".";
    case FLEET_REASON_PAUSED:
    case FLEET_REASON_IS_PAUSED:
    case FLEET_REASON_NODES_SKIPPED:
        return "Of validators only when you know that none of their keys signs elsewhere, in no "
               "other cluster either: two that sign are slashed and jailed for good.";
    default:
        return NULL;
    }
}
