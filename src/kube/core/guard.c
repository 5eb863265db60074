/* The caller's side of the Guard port, and the guard of those who are alone. */
#include "kube/guard.h"

void guard_enter(Guard *g)
{
    g->enter(g);
}

void guard_leave(Guard *g)
{
    g->leave(g);
}

static void do_nothing(Guard *self)
{
    (void)self;
}

Guard *guard_none(void)
{
    /* Never written to: the port has no state of its own. */
    static const Guard none = {.enter = do_nothing, .leave = do_nothing};

    return (Guard *)&none;
}
