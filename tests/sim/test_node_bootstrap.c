/* A node that is set up in two stages: a Job runs another image up to a height, and then the node
 * gets its StatefulSet. Whatever happens on the way, the two are never on the volume together, what
 * the sidecar has done is not done again, and the node comes up. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/test.h"

#define NODE   "rpc-0"
#define JOB    "rpc-0-bootstrap"
#define VOLUME "data-rpc-0"
#define BOOTSTRAP                                                                                  \
    "{spec: {peers: [{static: {addresses: "                                                        \
    "['0123456789abcdef0123456789abcdef01234567@peer:26656']}}],"                                  \
    " fullNode: {snapshot: {s3: {targetHeight: 950},"                                              \
    " bootstrapImage: 'ghcr.io/example/seid:v0'}}}}"

/* --- birth -------------------------------------------------------------------------------------
 */

static const char *const tasks[] = {
    "ensure-data-pvc",
    "apply-rbac-proxy-config",
    "deploy-bootstrap-service",
    "deploy-bootstrap-job",
    "snapshot-restore",
    "configure-genesis",
    "config-apply",
    "discover-peers",
    "configure-state-sync",
    "config-validate",
    "mark-ready",
    "await-bootstrap-complete",
    "teardown-bootstrap",
    "apply-statefulset",
    "apply-service",
    "configure-genesis",
    "config-apply",
    "discover-peers",
    "config-validate",
    "mark-ready",
};

TEST(a_node_comes_up_after_its_job)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_create_node(p, NODE, BOOTSTRAP);
    const char *wrong = play_settle(p);
    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);

    const SeiNode *node = play_node(p, NODE);
    then_int(node->status.phase, PHASE_RUNNING);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_int(node->status.plan.task_count, array_count(tasks));
    for (size_t i = 0; i < array_count(tasks); i++)
        then_str(node->status.plan.tasks[i].spelling, tasks[i]);
    then_int((int)node->status.history.count, 1);
    then_true(!play_find(p, kind_job, JOB));
    then_str(play_crowd(p), NULL);
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
    then_int(play_tasks_posted(p, NULL), 12);
    then_str(play_wrote_beside(p, NODE), NULL);
}
