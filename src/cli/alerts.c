/* Alerts: written down here because the plugin has no other way to know them where there is neither
 * a browser nor Prometheus. tests/docs/test_alerts.c holds every row to its rule and its runbook.
 */
#include "cli/alerts.h"

#include <stddef.h>

const char *const alert_runbooks =
    "https://github.com/sei-protocol/sei-operator/blob/main/docs/runbooks/";

const AlertRow alert_rows[] = {
    {"SeiNodeStalled",
        .severity = "warning",
        .after = "5m",
        .says = ("SeiNode NAMESPACE/NAME waits for a person (REASON). The operator cannot go "
                 "on by itself. kubectl sei status NAME -n NAMESPACE says what to do."),
        .look = "kubectl sei status NAME -n NAMESPACE"},
    {"SeiNodeVolumeAtRisk",
        .severity = "critical",
        .says = ("The data volume of SeiNode NAMESPACE/NAME is gone or going (REASON). "
                 "Its PersistentVolumeClaim or its PersistentVolume was deleted. The operator "
                 "makes no empty one and waits; while the pod lives, the data can be saved."),
        .look = "kubectl sei status NAME -n NAMESPACE"},
    {"SeiSigningKeyShared",
        .severity = "critical",
        .says = ("SeiNode NAMESPACE/NAME runs with a signing key that another node runs with, "
                 "too. Two that sign with one key are slashed and jailed for good. Pause one of "
                 "them now. The operator stops neither by itself."),
        .look = "kubectl sei status NAME -n NAMESPACE"},
    {"SeiNodeNotReady",
        .severity = "warning",
        .after = "15m",
        .says = ("SeiNode NAMESPACE/NAME does not serve. It was set up, is not paused, and has"
                 " not been Ready for 15 minutes."),
        .look = "kubectl sei status NAME -n NAMESPACE"},
    {"SeiNodeSidecarUnreachable",
        .severity = "warning",
        .after = "5m",
        .says = ("The sidecar of SeiNode NAMESPACE/NODE does not answer. N calls in 15 minutes"
                 " got no answer of use. seid may run on; nothing that needs the sidecar does."),
        .look = "kubectl sei status NAME -n NAMESPACE"},
    {"SeiNodePausedLong",
        .severity = "warning",
        .says = ("NAMESPACE/NAME has been paused for so long (REASON). A paused node, or a "
                 "paused fleet, has no pods. Perhaps a maintenance was forgotten. Start no "
                 "validator before you know that its key signs nowhere else."),
        .look = "kubectl sei get -n NAMESPACE"},
    {"SeiNodeDriftNotRolled",
        .severity = "warning",
        .says = ("SeiNode NAMESPACE/NAME runs what is no longer wanted (REASON). Its pod has "
                 "differed from what is wanted for so long, and was not replaced."),
        .look = "kubectl sei drift NAME -n NAMESPACE"},
    {"SeiPlanSlow",
        .severity = "warning",
        .says = ("Plan PLAN_TYPE of CONTROLLER NAMESPACE/NAME has been running for so long. An"
                 " update or a repair takes minutes, setting a node up or rolling a fleet out "
                 "hours. status.plan.waiting says what it waits for."),
        .look = "kubectl sei plan show NAME -n NAMESPACE"},
    {"SeiFleetStalled",
        .severity = "warning",
        .after = "5m",
        .says = ("SeiNodeDeployment NAMESPACE/NAME waits for a person (REASON). A rollout "
                 "passed its deadline, or the spec cannot be carried out. kubectl sei status "
                 "NAME -n NAMESPACE says what to do."),
        .look = "kubectl sei status FLEET -n NAMESPACE"},
    {"SeiFleetUnavailable",
        .severity = "critical",
        .after = "5m",
        .says = ("SeiNodeDeployment NAMESPACE/NAME has too few nodes that serve. Fewer nodes "
                 "are available than its replicas less maxUnavailable."),
        .look = "kubectl sei status FLEET -n NAMESPACE"},
    {"SeiOperatorDown",
        .severity = "critical",
        .after = "3m",
        .says = ("No sei-operator leads[ in namespace NAMESPACE]. It does not run, does not "
                 "get its Lease, or is not scraped. Nodes run on, but nothing is repaired, "
                 "updated or rolled out."),
        .look = "kubectl sei doctor"},
    {"SeiOperatorErrors",
        .severity = "warning",
        .after = "10m",
        .says = ("sei-operator fails again and again. N reconciles ended in an error in the "
                 "last 10 minutes. Each is tried again; the log says why it failed."),
        .look = "kubectl sei doctor"},
    {"SeiOperatorStuck",
        .severity = "warning",
        .after = "10m",
        .says = ("sei-operator does not see its objects, does not get to them, or cannot show "
                 "them all (KIND or NAME or POD). A watch has been closed for 10 minutes, a "
                 "reconcile has been running for 5, the queue has not been empty for 15, or "
                 "figures found no room on the page of metrics."),
        .look = "kubectl sei doctor"},
    {"SeiOperatorFilesShort",
        .severity = "warning",
        .after = "5m",
        .says = ("sei-operator runs short of file descriptors (NAMESPACE/POD). Fewer than 8 were "
                 "free at N looks in the last 10 minutes, five seconds apart. Connections to the "
                 "API server and to sidecars fail."),
        .look = "kubectl sei doctor"},
    {0},
};
