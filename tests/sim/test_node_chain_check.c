/* At the end of an init the operator asks seid itself which chain it runs, over the pod network. */
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/play_modes.h"
#include "tests/test.h"

#define NODE "rpc-0"

/* Calls to the RPC port of seid; it drops them while `is_closed`. */
typedef struct RpcNetwork {
    bool is_closed;
    int calls;
} RpcNetwork;

static PortFault rpc_judge(void *self, const PortCall *call)
{
    RpcNetwork *network = self;

    if (!call->http || !strstr(call->http->url, ":26657/"))
        return (PortFault){.kind = PORT_FINE};
    network->calls++;
    return (PortFault){.kind = network->is_closed ? PORT_UNSENT : PORT_FINE};
}

static Play *play_on(RpcNetwork *network, uint64_t seed)
{
    return play_open(&(PlayOptions){
        .sim = {.seed = seed, .judge = rpc_judge, .judge_self = network}, .replicas = 1});
}

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

static void then_says(Play *p, const char *type, const char *phrase)
{
    const char *message = play_message(p, NODE, type);

    if (!message || !strstr(message, phrase))
        then_str(message, phrase);
}

TEST(a_new_node_is_ready_once_seid_has_reported_its_chain)
{
    RpcNetwork network = {0};
    SCOPED_PLAY p = play_on(&network, 401);

    play_create_node(p, NODE, "{}");
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_true(!play_node(p, NODE)->status.identity.chain_unverified);
    then_true(network.calls > 0);
}

TEST(the_seid_of_a_node_with_a_verified_chain_is_not_asked_again)
{
    RpcNetwork network = {0};
    SCOPED_PLAY p = play_on(&network, 402);

    play_create_node(p, NODE, "{}");
    then_settled(p);
    int calls = network.calls;
    play_delete(p, kind_pod, NODE "-0");
    play_run(p, 3600000);
    then_settled(p);
    then_int(network.calls, calls);
}

TEST(a_new_node_whose_rpc_cannot_be_reached_is_not_ready_and_reports_the_cause)
{
    RpcNetwork network = {.is_closed = true};
    SCOPED_PLAY p = play_on(&network, 403);

    play_create_node(p, NODE, "{}");
    play_run(p, 300000);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    then_str(play_reason(p, NODE, COND_READY), "ChainUnverified");
    then_says(p, COND_READY, "--chain-facts=false");
    play_mark(p);
    play_run(p, 3600000);
    then_int(play_writes(p, -1, NULL), 0); /* the same trouble is written once */

    network.is_closed = false;
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
}

TEST(without_chain_facts_no_seid_is_asked_and_a_new_node_is_ready)
{
    RpcNetwork network = {.is_closed = true};
    SCOPED_PLAY p = play_on(&network, 404);

    play_settings(p)->chain_facts = false;
    replica_crash(play_replica(p, 0));
    play_create_node(p, NODE, "{}");
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_int(network.calls, 0);
}

TEST(a_restart_without_chain_facts_makes_a_node_ready_that_waited_for_its_chain)
{
    RpcNetwork network = {.is_closed = true};
    SCOPED_PLAY p = play_on(&network, 405);

    play_create_node(p, NODE, "{}");
    play_run(p, 300000);
    then_str(play_reason(p, NODE, COND_READY), "ChainUnverified");
    play_settings(p)->chain_facts = false;
    replica_crash(play_replica(p, 0));
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
    then_true(!play_node(p, NODE)->status.identity.chain_unverified);
}

TEST(a_node_on_the_genesis_of_another_chain_is_stalled_and_never_ready)
{
    RpcNetwork network = {0};
    SCOPED_PLAY p = play_on(&network, 406);

    /* The marker file of the sidecar makes configure-genesis complete without a change. */
    play_create_claim_of_chain(p, "mine", "atlantic-2");
    play_create_node(
        p, NODE, "{spec: {chainId: 'pacific-1', dataVolume: {import: {pvcName: 'mine'}}}}");
    play_run(p, 600000);
    then_str(play_reason(p, NODE, COND_STALLED), "WrongChain");
    then_says(p, COND_STALLED, "runs chain atlantic-2");
    then_str(play_reason(p, NODE, COND_READY), "Stalled");
    then_int(play_events(p, NODE, "WrongChain", NULL), 1);

    const char *pod = meta_uid(play_find(p, kind_pod, NODE "-0"));
    play_mark(p);
    replica_crash(play_replica(p, 0));
    play_run(p, 3600000);
    then_str(play_reason(p, NODE, COND_STALLED), "WrongChain");
    then_int(play_writes(p, -1, kind_seinode), 0);
    then_str(meta_uid(play_find(p, kind_pod, NODE "-0")), pod);
}

static bool is_released(Play *p, const char *name)
{
    (void)name;
    return play_tasks_posted(p, "mark-ready") > 0;
}

TEST(a_node_whose_pod_became_ready_without_an_operator_is_asked_for_its_chain_at_once)
{
    RpcNetwork network = {0};
    SCOPED_PLAY p = play_on(&network, 407);

    play_create_node(p, NODE, "{}");
    then_true(play_until(p, is_released, NODE));
    replica_end(play_replica(p, 0));
    play_run(p, 300000);
    then_str(json_str(cond_in(play_find(p, kind_pod, NODE "-0"), "Ready"), ".status"), "True");
    then_int(play_node(p, NODE)->status.phase, PHASE_INITIALIZING);

    replica_start(play_replica(p, 0));
    play_run(p, 5000);
    then_str(play_condition(p, NODE, COND_READY), "True");
}
