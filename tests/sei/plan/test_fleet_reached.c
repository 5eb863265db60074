/* What every node of a fleet has reached, and what each is kept on: known also when an edit of the
 * template comes before anybody has written it down. Stories as in test_fleet_plan.c. */
#include "sei/plan/fleet_plan.h"

#include "tests/sei/plan/land.h"

/* Asks, and stores. */
static void when(Land *l, char image, const char *words)
{
    land_ask(l, image, words);
    l->status = fleet_status_encode(l->a, &l->d->status);
}

static void then_stored(const Land *l, const char *path, const char *want)
{
    then_str(json_str(l->status, path), want);
}

/* What is seen is written down now and then, and an edit comes when it likes. */
TEST(a_revision_that_every_node_has_reached_is_complete_although_an_edit_comes_first)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    when(&l, 'B', "Bs Ba Ba");
    const char *old_hash = json_str(l.status, ".rollout.targetHash");
    when(&l, 'C', "Ba Ba Ba");
    then_true(l.d->news.completed && l.d->news.started && !l.d->news.superseded);
    then_stored(&l, ".completeRevision", revision_of(a, 'B'));
    then_stored(&l, ".templateHash", old_hash);
    then_stored(&l, ".history[0].result", "Complete");
    then_stored(&l, ".plan.targetHash", revision_of(a, 'C'));
}

TEST(the_first_revision_of_a_fleet_is_complete_although_an_edit_comes_first)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "An Aa Aa");
    then_stored(&l, ".completeRevision", NULL);
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->news.started && !l.d->news.completed);
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
}

static const struct {
    const char *name, *words;
} incomplete[] = {
    {"one is not available", "Ba Bs Ba"},
    {"one is on another", "Aa Ba Ba"},
    {"one is missing", "Ba -- Ba"},
    {"one refuses it", "Ba Bi Ba"},
    {"one is going", "Ba Bd Ba"},
};

TEST(a_revision_that_not_every_node_has_reached_is_not_complete)
{
    each_case(i, incomplete) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, 'A', "Aa Aa Aa");
        when(&l, 'B', "Aa Aa Aa");
        when(&l, 'C', incomplete[i].words);
        then_true(l.d->news.superseded && !l.d->news.completed);
        then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    }
}

/* It was written with the last one, and the next template leaves it as it is. */
TEST(a_node_below_the_partition_keeps_the_revision_that_it_was_written_with)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Ba Ba");
    then_stored(&l, ".nodes[0].revision", revision_of(a, 'A'));
    l.patch = "{spec: {updateStrategy: {partition: 1}}}";
    when(&l, 'C', "Bs Ba Ba");
    then_stored(&l, ".nodes[0].revision", revision_of(a, 'B'));
    when(&l, 'C', "Bs Ba Ba");
    then_stored(&l, ".nodes[0].revision", revision_of(a, 'B'));
    then_str(plan_fleet_made_from(l.d, "rpc-0"), revision_of(a, 'B'));
}
