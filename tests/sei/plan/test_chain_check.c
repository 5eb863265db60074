/* A new node counts as Ready only when seid itself reports the chain that it was initialized for.
 */
#include "sei/plan/batch.h"
#include "tests/sei/plan/given.h"

#define UNVERIFIED "identity: {chainUnverified: true}"
#define NEW_NODE   "{status: {" UNVERIFIED "}}"
#define COND_WAS(type, status, reason)                                                             \
    "{type: '" type "', status: '" status "', reason: '" reason "', message: 'stored before',"     \
    " lastTransitionTime: '2026-11-15T11:00:00Z'}"
#define NOT_READY_POD "{status: {conditions: [{type: 'Ready', status: 'False'}]}}"
#define WRONG_CHAIN_STORED                                                                         \
    "{status: {" UNVERIFIED ", conditions: [" COND_WAS("Stalled", "True", "WrongChain") "]}}"

typedef struct Expected {
    const char *ready, *ready_phrase, *stalled, *stalled_phrase;
    bool is_verified;
} Expected;

static const struct {
    const char *name;
    Given given;
    Expected want;
} cases[] = {
    {"seid reports the chain of the node",
        {.node = NEW_NODE, .seid_chain = "sei"},
        {"True/Available", .is_verified = true}},
    {"seid reports the chain before its pod is Ready",
        {.node = NEW_NODE, .pod = NOT_READY_POD, .seid_chain = "sei"},
        {"False/PodNotReady"}},
    {"seid reports another chain",
        {.node = NEW_NODE, .seid_chain = "atlantic-2"},
        {"False/Stalled",
            .stalled = "True/WrongChain",
            .stalled_phrase = "seid in pod a-0 runs chain atlantic-2, but the node was initialized "
                              "for chain sei: genesis.json on its data volume is of another chain; "
                              "if its data is not needed, delete SeiNode a and "
                              "PersistentVolumeClaim data-a, then create the SeiNode again"}},
    {"seid of a pod that is not Ready reports another chain",
        {.node = NEW_NODE, .pod = NOT_READY_POD, .seid_chain = "atlantic-2"},
        {"False/Stalled", .stalled = "True/WrongChain"}},
    {"seid on an imported volume reports another chain",
        {.node = "{spec: {dataVolume: {import: {pvcName: 'data-a'}}},"
                 " status: {" UNVERIFIED ", dataVolume: {imported: true}}}",
            .seid_chain = "atlantic-2"},
        {"False/Stalled",
            .stalled = "True/WrongChain",
            .stalled_phrase = "the imported PersistentVolumeClaim data-a stays"}},
    {"a wrong chain was reported, and the restarted operator has no answer yet",
        {.node = WRONG_CHAIN_STORED},
        {"False/Stalled", .stalled = "True/WrongChain", .stalled_phrase = "stored before"}},
    {"a wrong chain was reported, and seid does not answer any more",
        {.node = WRONG_CHAIN_STORED, .seid_trouble = "connection refused"},
        {"False/Stalled", .stalled = "True/WrongChain", .stalled_phrase = "stored before"}},
    {"a wrong chain was reported of an earlier pod",
        {.node = WRONG_CHAIN_STORED,
            .pod = "{metadata: {creationTimestamp: '2026-11-15T11:30:00Z'}}",
            .seid_trouble = "connection refused"},
        {"False/ChainUnverified"}},
    {"a wrong chain was reported, and the data was replaced since",
        {.node = WRONG_CHAIN_STORED, .seid_chain = "sei"},
        {"True/Available", .is_verified = true}},
    {"a wrong chain was reported, and the node is paused",
        {.node = "{spec: {paused: true}, status: {" UNVERIFIED
                 ", conditions: [" COND_WAS("Stalled", "True", "WrongChain") "]}}"},
        {"False/Paused"}},
    {"seid of a Ready pod does not answer",
        {.node = NEW_NODE, .seid_trouble = "connection refused"},
        {"False/ChainUnverified",
            "pod a-0 is Ready, but the operator does not know yet which chain its seid runs: GET "
            "/status on port 26657: connection refused. Allow the operator to connect to that port "
            "(see NetworkPolicies), or start it with --chain-facts=false"}},
    {"seid of a Ready pod has just been asked: the stored reason stays, which costs no write",
        {.node = "{status: {" UNVERIFIED
                 ", conditions: [" COND_WAS("Ready", "False", "PodNotReady") "]}}"},
        {"False/PodNotReady", "stored before"}},
    {"seid of a Ready pod has just been asked, and the stored reason is wrong by now",
        {.node = "{status: {" UNVERIFIED
                 ", conditions: [" COND_WAS("Ready", "False", "Paused") "]}}"},
        {"False/ChainUnverified", "no answer yet"}},
    {"the operator restarted while seid of a Ready pod did not answer: no write",
        {.node = "{status: {" UNVERIFIED
                 ", conditions: [" COND_WAS("Ready", "False", "ChainUnverified") "]}}"},
        {"False/ChainUnverified", "stored before"}},
    {"the operator runs with --chain-facts=false",
        {.node = NEW_NODE, .seid_trouble = "connection refused", .no_chain_facts = true},
        {"True/Available", .is_verified = true}},
    {"a node that was Running before the operator could check is not checked",
        {.seid_trouble = "connection refused"},
        {"True/Available", .is_verified = true}},
};

static const char *cond_text(Arena *a, const NodeStatus *status, const char *type)
{
    const Cond *cond = conds_find(&status->conds, type);

    return cond ? str_format(a, "%s/%s", cond->status, cond->reason) : "absent";
}

static void then_says(const NodeStatus *status, const char *type, const char *phrase)
{
    const Cond *cond = conds_find(&status->conds, type);

    if (phrase && !strstr(cond->message, phrase))
        then_str(cond->message, phrase);
}

static Planned *conditions_given(Arena *a, const Given *g)
{
    Planned *p = plan_given(a, g);

    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    return p;
}

TEST(a_new_node_is_ready_only_when_seid_reports_its_chain)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 22);
        const NodeStatus *status = &conditions_given(a, &cases[i].given)->d.status;
        const Expected *want = &cases[i].want;

        then_str(cond_text(a, status, COND_READY), want->ready);
        then_says(status, COND_READY, want->ready_phrase);
        then_str(
            cond_text(a, status, COND_STALLED), want->stalled ? want->stalled : "False/NotStalled");
        then_says(status, COND_STALLED, want->stalled_phrase);
        then_int(status->identity.chain_unverified, !want->is_verified);
    }
}

#define INIT_ENDED                                                                                 \
    "{status: {phase: 'Initializing', identity: null,"                                             \
    " plan: {id: 'p', kind: 'init', targetHash: 'now', phase: 'Active', tasks: []}}}"

/* The planner sees the plan Active; the executor completes it before the conditions. */
static Planned *when_init_completes(Arena *a, const Given *g)
{
    Planned *p = given(a, g);

    p->d.status = p->node.status;
    p->d.status.phase = PHASE_RUNNING;
    p->d.status.plan.phase = PLAN_COMPLETE;
    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    return p;
}

TEST(the_chain_of_a_node_is_unverified_from_the_end_of_its_init_on)
{
    SCOPED_ARENA a = arena_open(1 << 22);
    const NodeIdentity *identity =
        &when_init_completes(a, &(Given){.node = INIT_ENDED})->d.status.identity;

    then_str(identity->chain_id, "sei");
    then_true(identity->chain_unverified);

    Given without_chain_facts = {.node = INIT_ENDED, .no_chain_facts = true};
    then_true(!when_init_completes(a, &without_chain_facts)->d.status.identity.chain_unverified);
}

TEST(a_node_that_is_taken_over_as_running_keeps_its_chain_unchecked)
{
    SCOPED_ARENA a = arena_open(1 << 22);
    Given taken_over = {
        .node = "{status: {phase: null, plan: {id: 'p', kind: 'init', targetHash: 'now',"
                " phase: 'Complete', tasks: []}}}",
        .seid_trouble = "refused"};
    Planned *p = conditions_given(a, &taken_over);

    then_int(p->d.status.phase, PHASE_RUNNING);
    then_true(!p->d.status.identity.chain_unverified);
    then_str(cond_text(a, &p->d.status, COND_READY), "True/Available");
}

TEST(a_node_whose_chain_is_unverified_is_not_available_to_its_fleet)
{
    SCOPED_ARENA a = arena_open(1 << 22);
    BatchNode unverified, verified;
    Planned *p = given(a, &(Given){.node = NEW_NODE});

    batch_node_read(&p->node, p->s.pod, NOW_MS, &unverified);
    p->node.status.identity.chain_unverified = false;
    batch_node_read(&p->node, p->s.pod, NOW_MS, &verified);

    then_true(!unverified.serves);
    then_true(verified.serves);
}
