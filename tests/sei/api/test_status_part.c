/* A status member by member: what cannot be read hides no other, and is written back. What each
 * kind makes of it is in test_node_status and test_fleet_status. */
#include "sei/api/status_part.h"

#include "kube/cond.h"
#include "sei/api/plan_history.h"
#include "tests/test.h"

typedef struct Sample {
    int64_t count;
    const char *word;
    int64_t twice;
    PlanHistory history;
    Conds conds;
} Sample;

static Err *decode_twice(Arena *a, const Json *value, void *ret)
{
    if (json_type(value) != JSON_NUMBER)
        return err_terminal(a, ": expected a number to double");
    *(int64_t *)ret = 2 * json_int(value, "", 0);
    return OK;
}

static const StatusPart parts[] = {
    {"count", NULL, JSON_FIELD_INT, offsetof(Sample, count)},
    {"word", NULL, JSON_FIELD_STR, offsetof(Sample, word)},
    {"twice", decode_twice, 0, offsetof(Sample, twice)},
    {"history", status_part_history, 0, offsetof(Sample, history)},
    {"conditions", status_part_conditions, 0, offsetof(Sample, conds)},
    {0},
};

static const struct {
    const char *name, *status;
    int64_t count, twice;
    const char *kept; /* NULL: nothing */
    Want want;
} cases[] = {
    {"nothing", "null", 0, 0, NULL, TERMINAL(".status: expected an object")},
    {"everything", "{count: 1, twice: 2}", 1, 4, NULL, NULL},
    {"a member that is null", "{count: null, twice: 2}", 0, 4, NULL, NULL},
    {"a member of another version", "{count: 1, new: {a: 1}}", 1, 0, "{new: {a: 1}}", NULL},
    {"one that cannot be read",
        "{count: 'x', twice: 2}",
        0,
        4,
        "{count: 'x'}",
        TERMINAL(".status.count: expected a whole number")},
    {"one that its function cannot read",
        "{twice: 'x', count: 3}",
        3,
        0,
        "{twice: 'x'}",
        TERMINAL(".status.twice: expected a number to double")},
    {"two that cannot be read",
        "{twice: 'x', count: 'y'}",
        0,
        0,
        "{twice: 'x', count: 'y'}",
        TERMINAL(".status.twice")},
    {"conditions that are no list",
        "{conditions: {}, count: 1}",
        1,
        0,
        "{conditions: {}}",
        TERMINAL(".status.conditions: expected an array")},
};

TEST(each_status_field_is_decoded_even_if_another_one_is_invalid)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Sample *sample = arena_new(a, Sample);
        const Json *kept = NULL;
        const Json *object = json_fixture(a, str_format(a, "{status: %s}", cases[i].status));

        then_err(status_parts_decode(a, object, parts, sample, &kept), cases[i].want);

        then_int(sample->count, cases[i].count);
        then_int(sample->twice, cases[i].twice);
        if (cases[i].kept)
            then_json(kept, cases[i].kept);
        else
            then_true(kept == NULL);
    }
}

TEST(an_object_without_a_status_decodes_to_an_empty_status)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Sample *sample = arena_new(a, Sample);
    const Json *kept;

    then_ok(status_parts_decode(a, json_fixture(a, "{}"), parts, sample, &kept));
    then_true(kept == NULL);
}

TEST(conditions_and_history_are_decoded_for_every_kind)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Sample *sample = arena_new(a, Sample);
    const Json *kept;
    const Json *object = json_fixture(a,
        "{status: {conditions: [{type: 'Ready', status: 'True'}], history: [{id: 'i',"
        " kind: 'Update', result: 'Complete'}]}}");

    then_ok(status_parts_decode(a, object, parts, sample, &kept));

    then_str(conds_find(&sample->conds, "Ready")->status, "True");
    then_int((int64_t)sample->history.count, 1);
}

TEST(an_unreadable_status_field_is_written_back_unless_it_has_a_new_value)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *kept = json_fixture(a, "{count: 'x', new: 1}");

    then_json(status_parts_seal(a, draft(a, num("count", 1)), kept), "{count: 1, new: 1}");
    then_json(
        status_parts_seal(a, draft(a, str("word", "w")), kept), "{word: 'w', count: 'x', new: 1}");
    then_json(status_parts_seal(a, draft(a, num("count", 1)), NULL), "{count: 1}");
}
