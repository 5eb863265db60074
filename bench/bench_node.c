/* What a node costs the API server, and how soon something is done: the operator as it is deployed,
 * on a real control plane, by the server's own audit log.
 *
 * Requests are counted on a node whose pod takes as long as a real one: 5 s until the sidecar is
 * asked, 30 s until seid is. Delays are measured on pods that are 15 times faster, because only
 * what comes before the pod is measured: from the answer to the person's request to the answer to
 * the operator's, by the server's clock. Nobody asks the server anything meanwhile: the log is a
 * file.
 */
#include "bench/cost.h"

#include <inttypes.h>

enum { ROLLOUTS = 2, ROUNDS = 15, REST_RENEWALS = 10 };

#define NAME "rpc"
#define POD  NAME "-0"

static Controlplane *plane(void)
{
    return controlplane_shared_with(&(ControlplaneOptions){.audit_level = "RequestResponse"});
}

/* --- counting */

static void tell_cost(const char *what, Cost cost)
{
    print_message("node_%s_requests %d\n", what, cost_bare(cost));
    print_message("node_%s_requests_in_all %d\n", what, cost.all);
    print_message("node_%s_reads %d\n", what, cost.reads);
    print_message("node_%s_empty_writes %zu\n", what, cost.empty);
}

TEST(requests_of_a_birth_of_rollouts_and_of_rest)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, plane(), "counts");
    static const char *const tags[ROLLOUTS] = {"v2", "v3"};

    nodes_play(&n, "1");
    int64_t mark = scene_mark(n.cp);
    nodes_create(&n, NAME, "{}");
    eventually(nodes_settled(&n, NAME));
    tell_cost("birth", cost_since(&n, mark));

    Cost worst = {0};
    for (int i = 0; i < ROLLOUTS; i++) {
        mark = scene_mark(n.cp);
        nodes_set_image(&n, NAME, tags[i]);
        eventually(nodes_settled(&n, NAME));
        Cost cost = cost_since(&n, mark);
        worst = i == 0 || cost_bare(cost) > cost_bare(worst) ? cost : worst;
    }
    tell_cost("rollout", worst);

    mark = scene_mark(n.cp);
    eventually(nodes_requests(&n, mark, "update", "leases") >= REST_RENEWALS);
    print_message("node_rest_requests %zu\n", nodes_requests(&n, mark, NULL, NULL));
    nodes_close(&n);
}

/* --- delays */

/* From the answer to what a person did to the answer to what the operator did about it. */
static CostDelay measure(const Nodes *n, int64_t mark, AuditLine cause, AuditLine effect)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    const AuditLine *began = audit_find(&log, &cause), *ended = audit_find(&log, &effect);

    then_true(began && ended);
    return cost_delay(&log, began->stage_us, ended->stage_us);
}

static CostDelay repair(const Nodes *n)
{
    int64_t mark = scene_mark(n->cp);
    const char *pod = nodes_uid(n, "pods", POD);
    AuditLine deleted = {.user = "admin", .verb = "delete", .resource = "statefulsets"};
    AuditLine made = {.user = NODES_OPERATOR, .verb = "patch", .resource = "statefulsets"};

    nodes_delete(n, "statefulsets", NAME, "background");
    eventually(nodes_requests(n, mark, "patch", "statefulsets") > 0);
    CostDelay took = measure(n, mark, deleted, made);
    eventually(nodes_is_new(n, "pods", POD, pod));
    eventually(nodes_settled(n, NAME));
    return took;
}

static CostDelay replacement(const Nodes *n, int round)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    int64_t mark = scene_mark(n->cp);
    AuditLine changed = {.user = "admin", .verb = "patch", .resource = "seinodes"};
    AuditLine deleted = {.user = NODES_OPERATOR, .verb = "delete", .resource = "pods"};

    nodes_set_image(n, NAME, str_format(a, "r%d", round));
    eventually(nodes_requests(n, mark, "delete", "pods") > 0);
    CostDelay took = measure(n, mark, changed, deleted);
    eventually(nodes_settled(n, NAME));
    return took;
}

TEST(delays_until_a_statefulset_is_back_and_a_pod_is_replaced)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, plane(), "delays");
    CostDelay repairs[ROUNDS], replacements[ROUNDS];

    nodes_play(&n, "15");
    nodes_create(&n, NAME, "{}");
    eventually(nodes_settled(&n, NAME));
    for (int i = 0; i < ROUNDS; i++) {
        repairs[i] = repair(&n);
        replacements[i] = replacement(&n, i);
    }
    cost_tell_delays("node_repair", repairs, ROUNDS);
    cost_tell_delays("node_replacement", replacements, ROUNDS);
    nodes_close(&n);
}
