/* The scale decision, in a letter per ordinal: c a child, l a child that leaves, o a child of
 * another chain, f somebody else's, of another chain at that, space nobody. */
#include "sei/plan/scale.h"

#include "tests/test.h"

static const struct {
    const char *name, *there;
    int64_t replicas;
    const char *create; /* digits */
    int64_t remove, leaving;
    size_t foreign;
} cases[] = {
    {"all there", "ccc", 3, "", -1, -1},
    {"none there", "", 3, "012", -1, -1},
    {"scaled up", "cc", 5, "234", -1, -1},
    {"one was deleted", "c c", 3, "1", -1, -1},
    {"one is being deleted", "clc", 3, "", -1, -1},
    {"scaled down by one", "cccc", 3, "", 3, -1},
    {"scaled down by many: the highest first", "cccccc", 3, "", 5, -1},
    {"the next one waits until the last is gone", "cccccl", 3, "", -1, 5},
    {"whichever that is", "ccclcc", 3, "", -1, 3},
    {"a hole among the surplus", "ccc  c", 3, "", 5, -1},
    {"a child that leaves does not hinder a surplus one", "lccc", 3, "", 3, -1},
    {"scaled up while one is still leaving", "cccl", 5, "4", -1, -1},
    {"a hole and a surplus", "c cc", 3, "1", 3, -1},
    {"a foreign node of that name", "cfc", 3, "", -1, -1, 1},
    {"a foreign node does not prevent the creation of others", "cf", 3, "2", -1, -1, 1},
    {"a foreign node beyond the replicas", "cccf", 3, "", -1, -1},
    {"to nothing", "cc", 0, "", 1, -1},
    {"none is made beside one of another chain", "co c", 6, "", -1, -1},
    {"nor beside one that is still to go", "c o", 2, "", 2, -1},
    {"one of another chain is one too many like any other", "cccoo", 3, "", 4, -1},
};

static size_t read_children(const char *there, ScaleChild *ret)
{
    size_t count = 0;

    for (int64_t i = 0; there[i]; i++)
        if (there[i] != ' ')
            ret[count++] = (ScaleChild){
                .ordinal = i,
                .leaving = there[i] == 'l',
                .foreign = there[i] == 'f',
                .other = there[i] == 'o' || there[i] == 'f',
            };
    return count;
}

TEST(children_are_created_together_and_deleted_one_at_a_time)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        ScaleChild children[16];
        Scale scale;
        const char *created = "";

        plan_scale(cases[i].replicas, children, read_children(cases[i].there, children), &scale);
        for (size_t c = 0; c < scale.create_count; c++)
            created = str_format(a, "%s%d", created, (int)scale.create[c]);
        then_str(created, cases[i].create);
        then_int(scale.remove, cases[i].remove);
        then_int(scale.leaving, cases[i].leaving);
        then_int(scale.foreign_count, cases[i].foreign);
    }
}

/* From any number to any other, deleting as told: never two at a time, and none that stays. */
TEST(scaling_from_any_size_to_any_other_size_terminates)
{
    for (int64_t from = 0; from <= 20; from++)
        for (int64_t to = 0; to <= 20; to++) {
            ScaleChild children[20];
            Scale scale;
            int64_t there = from;
            for (int64_t i = 0; i < from; i++)
                children[i] = (ScaleChild){.ordinal = i};
            for (plan_scale(to, children, (size_t)there, &scale); scale.remove >= 0;
                plan_scale(to, children, (size_t)there, &scale)) {
                then_int(scale.remove, --there);
                then_true(there >= to);
            }
            then_int(there + (int64_t)scale.create_count, to);
        }
}

TEST(more_replicas_than_the_maximum_of_a_fleet_is_a_bug)
{
    Scale scale;

    then_bug("more replicas", plan_scale(FLEET_REPLICAS_MAX + 1, NULL, 0, &scale));
}
