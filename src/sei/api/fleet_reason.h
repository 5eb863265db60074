/* FleetReason: the rows of condition.h that are about fleets. */
#ifndef SEI_API_FLEET_REASON_H
#define SEI_API_FLEET_REASON_H

/* Of fleets only. */
#define COND_AVAILABLE        "Available"
#define COND_NODES_READY      "NodesReady"
#define COND_PLAN             "PlanInProgress"
#define COND_ROLLOUT          "RolloutInProgress"
#define COND_GENESIS_COMPLETE "GenesisCeremonyComplete"
#define COND_NETWORKING       "NetworkingReady"

/* X(name, spelling, on which condition, when); condition_about.c says what to do about each */
#define FLEET_REASONS(X)                                                                           \
    X(ALL_READY, "AllReplicasReady", COND_READY, "every replica is available and on the target")   \
    X(INITIALIZING, "Initializing", COND_READY, "nodes are missing, or have never been available") \
    X(UNAVAILABLE, "NodesNotAvailable", COND_READY, "nodes are not available")                     \
    X(ROLLING_OUT, "RollingOut", COND_READY, "nodes are yet to be updated")                        \
    X(HELD, "Held", COND_READY, "nodes are yet to be updated, and `updateStrategy.hold` is set")   \
    X(PAUSED, "Paused", COND_READY, "spec.paused is true")                                         \
    X(STALLED, "Stalled", COND_READY, "only a person can go on")                                   \
    X(DELETING, "Deleting", COND_READY, "the fleet is being deleted")                              \
    X(PROGRESSING, "Progressing", COND_RECONCILING, "something is being done or waited for")       \
    X(AWAITS_PERSON,                                                                               \
        "AwaitsPerson",                                                                            \
        COND_RECONCILING,                                                                          \
        "a rollout cannot go on before a person has done something about nodes")                   \
    X(SETTLED, "Settled", COND_RECONCILING, "nothing is left to do")                               \
    X(NOT_STALLED, "NotStalled", COND_STALLED, "nothing needs a person")                           \
    X(INVALID_SPEC, "InvalidSpec", COND_STALLED, "the spec cannot be carried out")                 \
    X(UNKNOWN_PLAN, "UnknownPlan", COND_STALLED, "status.plan is not ours to run")                 \
    X(FOREIGN_OBJECT, "ForeignObject", COND_STALLED, "an object of our name is somebody else's")   \
    X(STALLED_DEADLINE,                                                                            \
        "ProgressDeadlineExceeded",                                                                \
        COND_STALLED,                                                                              \
        "a rollout made no progress for `updateStrategy.progressDeadlineSeconds`")                 \
    X(REVISION_LOST,                                                                               \
        "RevisionLost",                                                                            \
        COND_STALLED,                                                                              \
        "the template of a revision that nodes are to be on is gone")                              \
    X(IDENTITY_CHANGED,                                                                            \
        "IdentityChanged",                                                                         \
        COND_STALLED,                                                                              \
        "the template is of another chain or mode")                                                \
    X(CEREMONY_FAILED, "CeremonyFailed", COND_STALLED, "the chain could not be founded")           \
    X(NODES_STALLED,                                                                               \
        "NodesStalled",                                                                            \
        COND_STALLED,                                                                              \
        "nodes have failed or need a person, and nothing else is left to do")                      \
    X(UP_TO_DATE, "UpToDate", COND_UP_TO_DATE, "every node has what the template asks for")        \
    X(UNKNOWN_YET, "NotObserved", COND_UP_TO_DATE, "there are no nodes to look at")                \
    X(ROLLOUT_PENDING, "RolloutPending", COND_UP_TO_DATE, "nodes are yet to be updated")           \
    X(HELD_BACK,                                                                                   \
        "Held",                                                                                    \
        COND_UP_TO_DATE,                                                                           \
        "nodes are yet to be updated, and `updateStrategy.hold` is set")                           \
    X(PAUSED_BACK,                                                                                 \
        "Paused",                                                                                  \
        COND_UP_TO_DATE,                                                                           \
        "nodes are yet to be updated, and the fleet is paused")                                    \
    X(PARTITION,                                                                                   \
        "Partition",                                                                               \
        COND_UP_TO_DATE,                                                                           \
        "nodes below `updateStrategy.partition` keep what they have")                              \
    X(FAILED_BACK, "RolloutFailed", COND_UP_TO_DATE, "the template was tried and failed")          \
    X(IDENTITY_BACK, "IdentityChanged", COND_UP_TO_DATE, "nodes are of another chain or mode")     \
    X(NODES_SKIPPED, "NodesSkipped", COND_UP_TO_DATE, "paused nodes are left as they are")         \
    X(ADOPTED_DRIFT,                                                                               \
        "AdoptedDrift",                                                                            \
        COND_UP_TO_DATE,                                                                           \
        "nodes taken over from another operator differ")                                           \
    X(NODE_DRIFT,                                                                                  \
        "NodeDrift",                                                                               \
        COND_UP_TO_DATE,                                                                           \
        "pods are yet to be made from what their nodes ask for")                                   \
    X(MINIMUM, "MinimumReplicasAvailable", COND_AVAILABLE, "enough nodes are available")           \
    X(NO_MINIMUM, "MinimumReplicasUnavailable", COND_AVAILABLE, "too few nodes are available")     \
    X(NOT_COUNTED,                                                                                 \
        "NotObserved",                                                                             \
        COND_AVAILABLE,                                                                            \
        "the spec could not be read, so nothing is known")                                         \
    X(IS_PAUSED, "Paused", COND_PAUSED, "spec.paused is true")                                     \
    X(NOT_PAUSED, "NotPaused", COND_PAUSED, "spec.paused is not set")                              \
    X(NODES_READY, "AllNodesReady", COND_NODES_READY, "every node is Running")                     \
    X(NODES_FAILED, "NodesFailed", COND_NODES_READY, "a node has failed")                          \
    X(NODES_INITIALIZING,                                                                          \
        "NodesInitializing",                                                                       \
        COND_NODES_READY,                                                                          \
        "nodes are missing or not Running yet")                                                    \
    X(NO_PLAN, "NotStarted", COND_PLAN, "no plan has been needed yet")                             \
    X(PLAN_STARTED, "PlanStarted", COND_PLAN, "a plan is being carried out")                       \
    X(PLAN_COMPLETE, "PlanComplete", COND_PLAN, "the last plan succeeded")                         \
    X(PLAN_FAILED, "PlanFailed", COND_PLAN, "the last plan failed")                                \
    X(NO_ROLLOUT, "NotStarted", COND_ROLLOUT, "no rollout has been needed yet")                    \
    X(TEMPLATE_CHANGED,                                                                            \
        "TemplateChanged",                                                                         \
        COND_ROLLOUT,                                                                              \
        "an edit of the template is being rolled out")                                             \
    X(ROLLING_BACK,                                                                                \
        "RollingBack",                                                                             \
        COND_ROLLOUT,                                                                              \
        "the template failed, and nodes go back to the last complete one")                         \
    X(ROLLOUT_COMPLETE, "RolloutComplete", COND_ROLLOUT, "the last rollout succeeded")             \
    X(ROLLOUT_FAILED,                                                                              \
        "RolloutFailed",                                                                           \
        COND_ROLLOUT,                                                                              \
        "the last rollout failed and was rolled back")                                             \
    X(DEADLINE_EXCEEDED,                                                                           \
        "ProgressDeadlineExceeded",                                                                \
        COND_ROLLOUT,                                                                              \
        "the rollout made no progress for too long, and is held")                                  \
    X(NO_CEREMONY, "NotApplicable", COND_GENESIS_COMPLETE, "spec.genesis is not set")              \
    X(CEREMONY_AHEAD, "NotStarted", COND_GENESIS_COMPLETE, "the nodes are not there yet")          \
    X(CEREMONY, "InProgress", COND_GENESIS_COMPLETE, "the chain is being founded")                 \
    X(CEREMONY_COMPLETE, "Complete", COND_GENESIS_COMPLETE, "the chain has been founded")          \
    X(FOUNDER_LOST, "FounderLost", COND_GENESIS_COMPLETE, "a founder has lost its key")            \
    X(CEREMONY_INVALID, "InvalidGenesis", COND_GENESIS_COMPLETE, "spec.genesis is not valid")      \
    X(CEREMONY_ENDED,                                                                              \
        "Failed",                                                                                  \
        COND_GENESIS_COMPLETE,                                                                     \
        "the ceremony failed, or took longer than `maxCeremonyDuration`")                          \
    X(ROUTES_PUBLISHED, "HTTPRoutesPublished", COND_NETWORKING, "the HTTPRoutes are applied")      \
    X(P2P_APPLIED, "P2PEndpointsApplied", COND_NETWORKING, "the Services of peers are applied")    \
    X(NO_NETWORKING,                                                                               \
        "NetworkingDisabled",                                                                      \
        COND_NETWORKING,                                                                           \
        "nothing is asked for, or the operator has no domain for it")                              \
    X(NO_ROUTES,                                                                                   \
        "NoEffectiveRoutes",                                                                       \
        COND_NETWORKING,                                                                           \
        "nodes of this mode serve nothing over HTTP")                                              \
    X(NO_ROUTE_KIND,                                                                               \
        "CRDNotInstalled",                                                                         \
        COND_NETWORKING,                                                                           \
        "the cluster does not know HTTPRoutes, or hides them from the operator")                   \
    X(DNS_PENDING, "DNSPending", COND_NETWORKING, "the first hostname does not resolve yet")       \
    X(NETWORK_ORPHANED,                                                                            \
        "NetworkingOrphaned",                                                                      \
        COND_NETWORKING,                                                                           \
        "the annotation `sei.io/networking-orphaned` is set")                                      \
    X(NETWORK_FOREIGN,                                                                             \
        "ForeignObject",                                                                           \
        COND_NETWORKING,                                                                           \
        "a Service or HTTPRoute of our name is somebody else's")                                   \
    X(NETWORK_FAILED, "ApplyFailed", COND_NETWORKING, "the server refuses a Service or HTTPRoute") \
    X(NETWORK_UNKNOWN, "NotObserved", COND_NETWORKING, "nothing has been applied yet")

#endif
