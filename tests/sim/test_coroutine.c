/* Coroutines: code that stops in the middle and goes on later. */
#include "sim/coroutine.h"

#include "tests/test.h"

typedef struct Walker {
    Coroutine *coroutine;
    Coroutine *friend; /* resumed from within, or NULL */
    char steps[64];
    int count;
    int rounds;
} Walker;

static void walk(void *self)
{
    Walker *w = self;
    char local[256]; /* lives on the coroutine's stack over every yield */

    memset(local, 'a', sizeof local);
    for (int i = 0; i < w->rounds; i++) {
        w->steps[w->count++] = local[i % 256];
        if (w->friend)
            coroutine_resume(w->friend);
        coroutine_yield(w->coroutine);
        local[(i + 1) % 256] = (char)('a' + i + 1);
    }
}

TEST(a_coroutine_continues_where_it_stopped)
{
    Walker w = {.rounds = 4};

    w.coroutine = coroutine_open(walk, &w);
    for (int i = 1; i <= 4; i++) {
        coroutine_resume(w.coroutine);
        then_int(w.count, i);
        then_true(!coroutine_has_ended(w.coroutine));
    }
    coroutine_resume(w.coroutine);
    then_true(coroutine_has_ended(w.coroutine));
    then_str(w.steps, "abcd");
    coroutine_close(w.coroutine);
}

TEST(coroutines_take_turns_without_changing_the_stacks_of_others)
{
    Walker walkers[20] = {{0}};

    for (int i = 0; i < 20; i++) {
        walkers[i].rounds = 1 + i;
        walkers[i].coroutine = coroutine_open(walk, &walkers[i]);
    }
    for (int round = 0; round <= 20; round++)
        for (int i = 0; i < 20; i++)
            if (!coroutine_has_ended(walkers[i].coroutine))
                coroutine_resume(walkers[i].coroutine);
    for (int i = 0; i < 20; i++) {
        then_true(coroutine_has_ended(walkers[i].coroutine));
        then_int(walkers[i].count, 1 + i);
        for (int k = 0; k <= i; k++)
            then_int(walkers[i].steps[k], 'a' + k);
        coroutine_close(walkers[i].coroutine);
    }
}

TEST(a_coroutine_may_resume_another)
{
    Walker inner = {.rounds = 3}, outer = {.rounds = 3};

    inner.coroutine = coroutine_open(walk, &inner);
    outer.coroutine = coroutine_open(walk, &outer);
    outer.friend = inner.coroutine;
    for (int i = 0; i < 3; i++)
        coroutine_resume(outer.coroutine);
    then_str(inner.steps, "abc");
    outer.friend = NULL;
    coroutine_resume(outer.coroutine);
    coroutine_resume(inner.coroutine);
    coroutine_close(inner.coroutine);
    coroutine_close(outer.coroutine);
}

TEST(a_coroutine_that_never_started_can_be_closed)
{
    Walker w = {0};

    coroutine_close(coroutine_open(walk, &w));
    coroutine_close(NULL);
    then_int(w.count, 0);
}

TEST(closing_a_coroutine_that_has_not_ended_is_a_bug)
{
    then_bug("before it has ended", {
        Walker w = {.rounds = 1};
        w.coroutine = coroutine_open(walk, &w);
        coroutine_resume(w.coroutine);
        coroutine_close(w.coroutine);
    });
}

/* Touches its whole stack, and a little more. */
static void dive(void *self)
{
    volatile char *here = (volatile char *)__builtin_frame_address(0);

    (void)self;
    for (size_t down = 0; down <= COROUTINE_STACK_BYTES; down += 1024)
        *(here - down) = 1;
}

TEST(a_coroutine_stack_overflow_stops_the_process)
{
    TestChild child = test_fork();
    int status = 0;

    if (child.pid == 0) {
        signal(SIGSEGV, SIG_DFL); /* sanitizers would turn it into a report */
        coroutine_resume(coroutine_open(dive, NULL));
        _exit(0);
    }
    close(child.said);
    waitpid(child.pid, &status, 0);
    then_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
