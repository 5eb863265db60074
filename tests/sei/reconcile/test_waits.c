/* A wait is told when its reason has lasted two seconds. */
#include "sei/reconcile/waits.h"
#include "tests/test.h"

static const Key anna = {.namespace = "sei", .name = "anna"};
static const Key bert = {.namespace = "sei", .name = "bert"};

TEST(a_wait_is_told_after_two_seconds)
{
    Waits *w = waits_open();

    then_int((int)waits_note(w, anna, "the pod", 10000), 2000);
    then_int((int)waits_note(w, anna, "the pod", 11500), 500);
    then_int((int)waits_note(w, anna, "the pod", 12000), 0);
    then_int((int)waits_note(w, anna, "the pod", 99000), 0);
    waits_close(w);
}

TEST(another_reason_begins_anew)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, anna, "the sidecar", 13000), 2000);
    then_int((int)waits_note(w, anna, "the sidecar", 15000), 0);
    waits_close(w);
}

TEST(a_wait_that_ended_begins_anew)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, anna, NULL, 11000), 0);
    then_int((int)waits_note(w, anna, "the pod", 12000), 2000);
    waits_close(w);
}

TEST(nodes_wait_for_themselves)
{
    Waits *w = waits_open();

    waits_note(w, anna, "the pod", 10000);
    then_int((int)waits_note(w, bert, "the pod", 12000), 2000);
    then_int((int)waits_note(w, anna, "the pod", 12000), 0);
    waits_close(w);
}
