/* The world's API server judges each case of the tables as the real one does. */
#include "tests/test.h"
#include "tests/validity/validity.h"
#include "tests/world/desk.h"

enum { TABLES_MAX = 256 << 20, CASE_MAX = 64 << 20, CASES_LEAST = 400 };

static Answer call(void *self, Arena *a, const Request *request)
{
    Desk *d = self;
    Answer answer;

    server_call(d->server, a, "tester", request, &answer);
    return answer;
}

static bool agrees(Judge world, const ValidityCase *one)
{
    SCOPED_ARENA a = arena_open(CASE_MAX);
    const char *message, *got = validity_verdict(world, a, one, &message);
    const char *want = validity_wanted(a, one);

    if (!str_eq(got, want))
        print_error("%s\ngot:  %s\nwant: %s\n", one->name, got, want);
    return str_eq(got, want);
}

TEST(the_simulated_api_server_accepts_and_refuses_what_the_real_one_does)
{
    SCOPED_DESK d = desk_open();
    SCOPED_ARENA tables = arena_open(TABLES_MAX);
    ValidityCases cases = validity_cases(tables);
    Judge world = {call, d};
    size_t differ = 0;

    validity_begin(world);
    then_true(cases.count >= CASES_LEAST);
    for (size_t i = 0; test_case(i < cases.count, cases.items[i % cases.count].name); i++)
        differ += !agrees(world, &cases.items[i]);
    then_int(differ, 0);
}
