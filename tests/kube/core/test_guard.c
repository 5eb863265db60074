/* The Guard port, and the guard of those who are alone. */
#include "kube/guard.h"
#include "tests/test.h"

typedef struct CountingGuard {
    Guard port;
    int entered, left;
} CountingGuard;

static void count_enter(Guard *self)
{
    ((CountingGuard *)self)->entered++;
}

static void count_leave(Guard *self)
{
    ((CountingGuard *)self)->left++;
}

TEST(entering_and_leaving_reach_the_lock)
{
    CountingGuard guard = {.port = {.enter = count_enter, .leave = count_leave}};

    guard_enter(&guard.port);
    then_int(guard.entered, 1);
    then_int(guard.left, 0);

    guard_leave(&guard.port);
    then_int(guard.left, 1);
}

TEST(the_empty_lock_never_blocks)
{
    then_true(guard_none() != NULL);
    then_true(guard_none() == guard_none());
    guard_enter(guard_none());
    guard_enter(guard_none());
    guard_leave(guard_none());
}
