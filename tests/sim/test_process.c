/* Simulated processes: strands that take turns, a process that is stopped, and one that dies. */
#include "sim/process.h"

#include "tests/test.h"

typedef struct Diary {
    World *world;
    Process process;
    Strand *strands[3];
    char text[256];
    int over;
} Diary;

static void note(Diary *d, const char *word)
{
    size_t len = strlen(d->text);

    snprintf(d->text + len, sizeof d->text - len, "%s%s", len ? " " : "", word);
}

static void hear_over(void *self)
{
    ((Diary *)self)->over++;
}

static void open_diary(Diary *d)
{
    *d = (Diary){.world = world_open(&(WorldOptions){.seed = 1})};
    process_init(&d->process, d->world, "p");
    d->process.over = hear_over;
    d->process.self = d;
}

static void close_diary(Diary *d)
{
    process_kill(&d->process);
    process_close(&d->process);
    world_close(d->world);
}

/* Waits for times 100, 200, ... after the beginning, and notes each. */
static void tick(void *self)
{
    Diary *d = self;

    note(d, "begin");
    for (int i = 1; i <= 3; i++) {
        strand_wait(d->process.running, 1000 + i * 100);
        note(d, d->process.killed ? "dead" : "tick");
    }
}

TEST(a_fiber_continues_when_its_wake_up_time_has_come)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", tick, &d);
    then_str(d.process.strands[0].name, "p/a");
    world_run_until(d.world, 1050);
    then_str(d.text, "begin");
    world_run_until(d.world, 1200);
    then_str(d.text, "begin tick tick");
    then_int(d.over, 0);
    world_run_until(d.world, 2000);
    then_str(d.text, "begin tick tick tick");
    then_int(d.over, 1);
    close_diary(&d);
}

static void sleep_for_ever(void *self)
{
    Diary *d = self;

    strand_wait(d->process.running, INT64_MAX);
    note(d, d->process.killed ? "dead" : "woken");
}

TEST(a_fiber_continues_when_it_is_notified)
{
    Diary d;

    open_diary(&d);
    Strand *s = process_spawn(&d.process, "a", sleep_for_ever, &d);
    world_run_until(d.world, 5000);
    then_str(d.text, "");
    strand_wake(s);
    world_run_until(d.world, 5000);
    then_str(d.text, "woken");
    strand_wake(s); /* one that has ended does not mind */
    world_run_until(d.world, 6000);
    then_str(d.text, "woken");
    close_diary(&d);
}

TEST(a_stopped_process_does_nothing_and_then_catches_up)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", tick, &d);
    world_run_until(d.world, 1100);
    process_stop(&d.process);
    world_run_until(d.world, 5000);
    then_str(d.text, "begin tick");
    process_continue(&d.process);
    world_run_until(d.world, 5000);
    then_str(d.text, "begin tick tick tick");
    close_diary(&d);
}

static void tick_twice(void *self)
{
    Diary *d = self;

    strand_wait(d->process.running, 2000);
    note(d, "tick");
    strand_wait(d->process.running, 9000);
    note(d, "tock");
}

TEST(a_process_that_is_continued_twice_runs_no_fiber_early)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", tick_twice, &d);
    world_run_until(d.world, 1500);
    process_stop(&d.process);
    world_run_until(d.world, 3000);
    process_continue(&d.process);
    world_run_until(d.world, 4000);
    process_continue(&d.process);
    world_run_until(d.world, 8999);
    then_str(d.text, "tick");
    world_run_until(d.world, 9000);
    then_str(d.text, "tick tock");
    close_diary(&d);
}

TEST(a_killed_process_ends_at_once)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", tick, &d);
    process_spawn(&d.process, "b", sleep_for_ever, &d);
    world_run_until(d.world, 1100);
    process_kill(&d.process);
    then_str(d.text, "begin tick dead dead dead");
    then_int(d.over, 1);
    process_kill(&d.process);
    then_int(d.over, 1);
    close_diary(&d);
}

TEST(a_stopped_process_can_be_killed)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", sleep_for_ever, &d);
    world_run_until(d.world, 1100);
    process_stop(&d.process);
    process_kill(&d.process);
    then_str(d.text, "dead");
    then_int(d.over, 1);
    close_diary(&d);
}

static void kill_own(void *self)
{
    Diary *d = self;

    strand_wait(d->process.running, 1100);
    process_kill(&d->process);
    note(d, "last words");
    strand_wait(d->process.running, INT64_MAX); /* returns: nobody waits in a dead process */
}

TEST(a_fiber_that_kills_its_process_ends_first)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", sleep_for_ever, &d);
    process_spawn(&d.process, "b", kill_own, &d);
    world_run_until(d.world, 2000);
    then_str(d.text, "last words dead");
    then_int(d.over, 1);
    close_diary(&d);
}

TEST(a_fiber_that_never_ran_ends_with_its_process)
{
    Diary d;

    open_diary(&d);
    process_spawn(&d.process, "a", sleep_for_ever, &d);
    process_kill(&d.process);
    then_str(d.text, "dead");
    close_diary(&d);
}
