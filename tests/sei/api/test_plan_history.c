/* The history of plans: read, written as it was, and short. */
#include "sei/api/plan_history.h"

#include "tests/test.h"

TEST(the_plan_history_drops_its_oldest_entries)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PlanHistory history = {0};

    for (int i = 0; i < PLAN_HISTORY_MAX + 2; i++)
        plan_history_add(&history, &(PlanEnded){.id = str_format(a, "%d", i)});
    then_int(history.count, PLAN_HISTORY_MAX);
    then_str(history.items[0].id, "2");
    then_str(history.items[PLAN_HISTORY_MAX - 1].id, "11");
}

static const char stored[] =
    "[{id: 'a', kind: 'init', cause: 'spec', result: 'Complete', startedAt: 's', finishedAt: 'f',"
    " message: ''}, {id: 'b', result: 'Superseded'}]";

TEST(an_unchanged_plan_history_is_encoded_as_it_was_stored)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    PlanHistory history;

    then_ok(plan_history_decode(a, json_fixture(a, stored), &history));
    then_int(history.count, 2);
    then_str(history.items[0].cause, "spec");
    then_str(history.items[1].kind, NULL);
    then_json(json_seal(a, plan_history_encode(a, &history)), stored);
    then_true(plan_history_encode(a, &(PlanHistory){0}) == NULL);
}

static const struct {
    const char *name, *text;
    Want want;
} unreadable[] = {
    {"no id", "[{id: 'a', result: 'r'}, {result: 'r'}]", TERMINAL("[1].id is missing")},
    {"no result", "[{id: 'a'}]", TERMINAL("[0].result is missing")},
    {"too many",
        "[{id: '0', result: 'r'}, {id: '1', result: 'r'}, {id: '2', result: 'r'},"
        " {id: '3', result: 'r'}, {id: '4', result: 'r'}, {id: '5', result: 'r'},"
        " {id: '6', result: 'r'}, {id: '7', result: 'r'}, {id: '8', result: 'r'},"
        " {id: '9', result: 'r'}, {id: '10', result: 'r'}]",
        TERMINAL("more than 10 entries")},
};

TEST(an_invalid_plan_history_is_refused_with_its_path)
{
    each_case(i, unreadable) {
        SCOPED_ARENA a = arena_open(1 << 16);
        PlanHistory history = {.count = 7};
        then_err(plan_history_decode(a, json_fixture(a, unreadable[i].text), &history),
            unreadable[i].want);
        then_int(history.count, 7);
    }
}
