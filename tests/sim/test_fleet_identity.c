/* A template that asks for another chain or mode than the nodes are of: they run on as they are,
 * nothing of it reaches them, nobody new comes beside them, and the fleet says so. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <string.h>

#define TO_CHAIN(chain) "{spec: {template: {spec: {chainId: '" chain "'}}}}"
#define TO_ARCHIVE      "{spec: {template: {spec: {fullNode: null, archive: {}}}}}"
#define TO_FULL         "{spec: {template: {spec: {fullNode: {}, archive: null}}}}"

enum { A_MINUTE_MS = 60000 };

/* What the server has of the nodes, version by version. */
static const char *versions(Play *p)
{
    const char *text = "";

    for (int i = 0; i < 3; i++) {
        const Json *node = play_find(p, kind_seinode, play_child(p, "rpc", i));
        text = str_format(play_arena(p), "%s%s ", text, node ? meta_resource_version(node) : "-");
    }
    return text;
}

static void then_message_has(Play *p, const char *type, const char *words)
{
    const char *message = play_fleet_message(p, "rpc", type);

    if (!message || !strstr(message, words))
        then_str(message, words);
}

static void then_held(Play *p)
{
    then_str(play_fleet_condition(p, "rpc", COND_STALLED), "True");
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "IdentityChanged");
    then_str(play_fleet_condition(p, "rpc", COND_RECONCILING), "False");
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_str(play_fleet_condition(p, "rpc", COND_UP_TO_DATE), "False");
    then_str(play_fleet_reason(p, "rpc", COND_UP_TO_DATE), "IdentityChanged");
}

TEST(an_edit_of_the_chain_id_is_reported_and_changes_no_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    const char *pods = play_pods(p, "rpc"), *before = versions(p);
    play_edit_fleet(p, "rpc", TO_CHAIN("atlantic-2"));
    play_run(p, 10 * A_MINUTE_MS);
    then_held(p);
    then_message_has(p, COND_STALLED, "rpc-0, rpc-1, rpc-2 are of chain pacific-1");
    then_message_has(p, COND_STALLED, "asks for chain atlantic-2");
    then_message_has(p, COND_STALLED, "no node is made");
    then_message_has(p, COND_STALLED, "take the edit back, or create another SeiNodeDeployment");
    then_message_has(p, COND_UP_TO_DATE, "rpc-0, rpc-1, rpc-2 are of chain pacific-1");
    then_int((int)play_fleet(p, "rpc")->status.counts.updated, 0);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 3);
    then_int(play_events(p, "rpc", "IdentityChanged", NULL), 1);
    then_str(versions(p), before);
    then_str(play_pods(p, "rpc"), pods);
    play_edit_fleet(p, "rpc", TO_CHAIN("pacific-1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "NotStalled");
    then_str(versions(p), before);
}

/* What is asked of nodes of the one chain is not for nodes of the other. */
TEST(an_edit_that_changes_the_chain_id_and_other_fields_changes_no_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    const char *before = versions(p);
    play_edit_fleet(p,
        "rpc",
        "{spec: {template: {metadata: {labels: {team: 'b'}}, spec: {chainId: 'atlantic-2',"
        " image: '" PLAY_IMAGE("v2") "', overrides: {'evm.http_port': '1'}}}}}");
    play_run(p, 10 * A_MINUTE_MS);
    then_held(p);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    then_str(versions(p), before);
    play_edit_fleet(p, "rpc", TO_CHAIN("pacific-1"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

TEST(a_fleet_whose_template_names_another_chain_creates_no_nodes_beside_the_old_ones)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", TO_CHAIN("atlantic-2"));
    play_edit_fleet(p, "rpc", "{spec: {replicas: 5}}");
    play_delete(p, kind_seinode, "rpc-1");
    play_run(p, 10 * A_MINUTE_MS);
    then_held(p);
    then_message_has(p, COND_STALLED, "rpc-0, rpc-2 are of chain pacific-1");
    for (int i = 0; i < 5; i++)
        then_true(
            (play_find(p, kind_seinode, play_child(p, "rpc", i)) != NULL) == (i == 0 || i == 2));
    play_edit_fleet(p, "rpc", TO_CHAIN("pacific-1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    for (int i = 0; i < 5; i++)
        then_str(play_node(p, play_child(p, "rpc", i))->spec.chain_id, "pacific-1");
}

/* The nodes that a fleet let go come back as they are, and nobody comes beside them. */
TEST(a_fleet_that_finds_nodes_of_another_chain_creates_no_nodes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_given_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    play_delete(p, kind_seinodedeployment, "rpc");
    play_run(p, A_MINUTE_MS);
    play_create_fleet(p, "rpc", "{spec: {replicas: 5, template: {spec: {chainId: 'atlantic-2'}}}}");
    play_run(p, A_MINUTE_MS);
    then_held(p);
    for (int i = 0; i < 3; i++) {
        then_str(play_node(p, play_child(p, "rpc", i))->spec.chain_id, "pacific-1");
        then_str(play_condition(p, play_child(p, "rpc", i), COND_READY), "True");
    }
    then_true(play_find(p, kind_seinode, "rpc-3") == NULL);
}

/* It is no node's fault, and none is asked to become what it cannot be. */
TEST(an_edit_of_the_mode_is_reported_and_changes_no_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", "{}");
    const char *before = versions(p);
    const char *complete = play_fleet(p, "rpc")->status.complete_revision;
    play_edit_fleet(p, "rpc", TO_ARCHIVE);
    play_edit_fleet(p, "rpc", "{spec: {replicas: 4}}");
    play_run(p, 10 * A_MINUTE_MS);
    then_held(p);
    then_message_has(p, COND_STALLED, "asks for mode archive");
    then_message_has(p, COND_STALLED, "rpc-0, rpc-1, rpc-2 are of mode fullNode");
    then_str(versions(p), before);
    then_true(play_find(p, kind_seinode, "rpc-3") == NULL);
    then_str(play_fleet(p, "rpc")->status.complete_revision, complete);
    play_edit_fleet(p, "rpc", TO_FULL);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 0);
    then_str(play_fleet(p, "rpc")->status.complete_revision, complete);
}

static bool is_paused(Play *p, const char *name)
{
    return play_fleet(p, name)->status.phase == FLEET_PAUSED;
}

/* Whoever stalls can still be stopped, and its volumes still be saved. */
TEST(a_pause_and_a_deletion_policy_reach_nodes_of_another_chain)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p,
        "rpc",
        "{spec: {deletionPolicy: 'Retain', paused: true, template: {spec: {chainId: 'atlantic-2',"
        " overrides: {'evm.http_port': '1'}}}}}");
    then_true(play_until(p, is_paused, "rpc"));
    play_run(p, A_MINUTE_MS);
    for (int i = 0; i < 3; i++) {
        const SeiNode *node = play_node(p, play_child(p, "rpc", i));
        then_true(node->spec.paused);
        then_str(node->spec.chain_id, "pacific-1");
        then_str(meta_annotation(node->object, ANNOTATION_VOLUME_POLICY), "Retain");
        then_true(json_find(node->object, ".spec.overrides") == NULL);
        then_true(!play_find(p, kind_pod, play_child_pod(p, "rpc", i)));
    }
    play_edit_fleet(p, "rpc", "{spec: {paused: false}}");
    play_run(p, 5 * A_MINUTE_MS);
    then_held(p);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 3);
    play_edit_fleet(p, "rpc", TO_CHAIN("pacific-1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
}

/* Somebody's edit in the middle stops the rollout where it is. */
TEST(a_rollout_stops_until_the_chain_id_is_reverted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 1000);
    play_edit_fleet(p, "rpc", TO_CHAIN("atlantic-2"));
    play_run(p, 60 * A_MINUTE_MS);
    then_held(p);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    play_edit_fleet(p, "rpc", TO_CHAIN("pacific-1"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}
