/* An object that was written rests for a while; others do not rest with it. */
#include "sei/reconcile/pace.h"
#include "tests/test.h"

static const Key anna = {.namespace = "sei", .name = "anna"};
static const Key bert = {.namespace = "sei", .name = "bert"};

TEST(an_object_that_was_never_written_may_be_written_at_once)
{
    Pace *p = pace_open();

    then_int((int)pace_left(p, anna, 10000), 0);
    pace_close(p);
}

TEST(a_written_object_is_not_written_again_before_its_pause_ends)
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

TEST(an_object_that_was_written_early_waits_for_both_pauses)
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

TEST(the_write_pause_of_a_deleted_object_is_removed)
{
    Pace *p = pace_open();

    pace_note(p, anna, 10000, 500);
    pace_forget(p, anna);
    pace_forget(p, bert);
    then_int((int)pace_left(p, anna, 10000), 0);
    pace_close(p);
}
