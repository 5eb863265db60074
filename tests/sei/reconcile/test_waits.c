/* A wait is told when its reason has lasted two seconds. */
#include "sei/reconcile/waits.h"
#include "tests/test.h"

static const Key anna = {.namespace = "sei", .name = "anna"};
static const Key bert = {.namespace = "sei", .name = "bert"};

TEST(a_wait_is_reported_after_two_seconds)
{
    Waits *w = waits_open();

    then_int((int)waits_note(w, anna, "the pod", 10000), 2000);
    then_int((int)waits_note(w, anna, "the pod", 11500), 500);
    then_int((int)waits_note(w, anna, "the pod", 12000), 0);
    then_int((int)waits_note(w, anna, "the pod", 99000), 0);
    waits_close(w);
}

TEST(a_wait_with_another_reason_starts_its_time_again)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, anna, "the sidecar", 13000), 2000);
    then_int((int)waits_note(w, anna, "the sidecar", 15000), 0);
    waits_close(w);
}

TEST(a_wait_that_ended_and_begins_again_starts_its_time_again)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, anna, NULL, 11000), 0);
    then_int((int)waits_note(w, anna, "the pod", 12000), 2000);
    waits_close(w);
}

TEST(each_node_has_its_own_wait_time)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, bert, "the pod", 12000), 2000);
    then_int((int)waits_note(w, anna, "the pod", 12000), 0);
    waits_close(w);
}
