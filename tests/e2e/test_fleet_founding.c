/* Four validators found a chain on a real control plane: their sidecars meet in a bucket that the
 * player keeps. The operator dies in the middle of it, and one genesis is put together all the
 * same. What they know of each other stays, and they are updated one at a time: with two of four
 * away there would be no more blocks. */
#include "tests/e2e/fleets.h"

#define NAME  "founders"
#define CHAIN "founders-1"

enum { FOUR = 4 };

#define FOUNDERS                                                                                   \
    "{\"genesis\": {\"chainId\": \"" CHAIN "\", \"stakingAmount\": \"10000000usei\","              \
    "  \"accountBalance\": \"1000000000usei\", \"maxCeremonyDuration\": \"15m\"},"                 \
    " \"updateStrategy\": {\"maxUnavailable\": \"100%\"},"                                         \
    " \"template\": {\"spec\": {\"chainId\": \"" CHAIN "\", \"fullNode\": null,"                   \
    "  \"validator\": {}, \"sidecar\": {\"image\": \"ghcr.io/example/seictl:v0.0.68\"}}}}"

/* The first task of the ceremony was handed over. */
static bool is_assembling(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *fleet = nodes_find(n, a, FLEETS_PLURAL, NAME);

    return json_str(fleet, ".status.plan.tasks[0].submittedAt") != NULL;
}

static void then_all_know_each_other(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    for (int i = 0; i < FOUR; i++) {
        const Json *node = nodes_find(n, a, "seinodes", fleets_node(n, NAME, i));
        then_int(json_count(json_find(node, ".spec.peers[0].static.addresses")), FOUR);
    }
}

TEST(four_validators_complete_a_genesis_ceremony_although_the_operator_is_killed)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_open(a, "founding");
    int64_t mark = scene_mark(n.cp);

    fleets_create(&n, NAME, FOUR, FOUNDERS);
    eventually(is_assembling(&n));
    nodes_kill_operator(&n);
    nodes_start_operator(&n, NULL);
    eventually(fleets_settled(&n, NAME));

    then_true(fleets_condition(&n, NAME, "GenesisCeremonyComplete", "True", "Complete"));
    const Json *fleet = nodes_find(&n, a, FLEETS_PLURAL, NAME);
    then_int(strlen(json_str(fleet, ".status.genesisHash")), 64);
    then_str(json_str(fleet, ".status.genesisS3URI"), "s3://genesis/" CHAIN "/genesis.json");
    then_int(nodes_tasks(&n, NAME "-0", "assemble-and-upload-genesis"), 1);
    then_all_know_each_other(&n);
    FleetStory story = fleets_story(&n, NAME, FOUR, mark);
    then_int(story.all_deleted, 0);
    then_int(story.empty_writes, 0);

    mark = scene_mark(n.cp);
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_settled(&n, NAME));
    then_all_know_each_other(&n);
    story = fleets_story(&n, NAME, FOUR, mark);
    for (int i = 0; i < FOUR; i++)
        then_int(story.deleted[i], 1);
    then_int(story.down_max, 1);
    then_int(story.claims, 0);
    then_int(fleets_on(&n, NAME, FOUR, "v2"), FOUR);
    nodes_close(&n);
}
