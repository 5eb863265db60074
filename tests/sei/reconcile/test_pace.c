/* An object that was written rests for a while; others do not rest with it. */
#include "sei/reconcile/pace.h"
#include "tests/test.h"

static const Key anna = {.namespace = "sei", .name = "anna"};
static const Key bert = {.namespace = "sei", .name = "bert"};

TEST(who_was_never_written_need_not_rest)
{
    Pace *p = pace_open();

    then_int((int)pace_left(p, anna, 10000), 0);
    pace_close(p);
}

TEST(who_was_written_rests_until_his_time)
{
    Pace *p = pace_open();

    pace_note(p, anna, 10000, 500);
    then_int((int)pace_left(p, anna, 10000), 500);
    then_int((int)pace_left(p, anna, 10499), 1);
    then_int((int)pace_left(p, anna, 10500), 0);
    then_int((int)pace_left(p, bert, 10000), 0);
    pace_note(p, anna, 10500, 500);
    then_int((int)pace_left(p, anna, 10500), 500);
    pace_close(p);
}

TEST(who_was_written_before_his_time_rests_for_that_as_well)
{
    Pace *p = pace_open();

    pace_note(p, anna, 10000, 500);
    pace_note(p, anna, 10100, 500);
    then_int((int)pace_left(p, anna, 10100), 900);
    pace_note(p, anna, 10100, 500);
    then_int((int)pace_left(p, anna, 10100), 1000);
    then_int((int)pace_left(p, anna, 11099), 1);
    pace_close(p);
}

TEST(who_is_gone_is_forgotten)
{
    Pace *p = pace_open();

    pace_note(p, anna, 10000, 500);
    pace_forget(p, anna);
    pace_forget(p, bert);
    then_int((int)pace_left(p, anna, 10000), 0);
    pace_close(p);
}
