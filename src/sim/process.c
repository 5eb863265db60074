/* Process: each strand is a coroutine with one turn on the agenda. */
#include "sim/process.h"

#include "base/err.h"

#include <assert.h>
#include <stdio.h>

void process_init(Process *p, World *w, const char *name)
{
    *p = (Process){.world = w, .name = name};
}

void process_close(Process *p)
{
    for (int i = 0; i < p->strand_count; i++) {
        agenda_cancel(world_agenda(p->world), &p->strands[i].turn);
        coroutine_close(p->strands[i].coroutine);
    }
    p->strand_count = 0;
}

static void run(Strand *s)
{
    Process *p = s->process;

    p->running = s;
    coroutine_resume(s->coroutine);
    p->running = NULL;
}

/* Lets every strand of a killed process come to its end. */
static void unwind(Process *p)
{
    for (int i = 0; i < p->strand_count; i++) {
        Strand *s = &p->strands[i];
        agenda_cancel(world_agenda(p->world), &s->turn);
        if (!coroutine_has_ended(s->coroutine))
            run(s);
        if (!coroutine_has_ended(s->coroutine))
            BUG("a strand of a killed process waits");
    }
}

static void conclude(Process *p)
{
    if (p->killed)
        unwind(p);
    for (int i = 0; i < p->strand_count; i++)
        if (!coroutine_has_ended(p->strands[i].coroutine))
            return;
    if (p->is_over)
        return;
    p->is_over = true;
    if (p->over)
        p->over(p->self);
}

static void take_turn(void *self, int64_t now_ms)
{
    Strand *s = self;

    (void)now_ms;
    if (s->process->stopped) {
        s->missed = true;
        return;
    }
    run(s);
    conclude(s->process);
}

Strand *process_spawn(Process *p, const char *name, void (*body)(void *self), void *self)
{
    if (p->strand_count == PROCESS_STRANDS_MAX)
        BUG("too many strands in one process");
    Strand *s = &p->strands[p->strand_count++];
    *s = (Strand){
        .process = p,
        .body = body,
        .self = self,
        .coroutine = coroutine_open(body, self),
        .turn = {.take = take_turn, .self = s},
    };
    snprintf(s->name, sizeof s->name, "%s/%s", p->name, name);
    agenda_plan(world_agenda(p->world), &s->turn, world_now_ms(p->world));
    return s;
}

void process_stop(Process *p)
{
    p->stopped = true;
}

void process_continue(Process *p)
{
    p->stopped = false;
    for (int i = 0; i < p->strand_count; i++) {
        Strand *s = &p->strands[i];
        if (s->missed)
            agenda_plan(world_agenda(p->world), &s->turn, world_now_ms(p->world));
        s->missed = false;
    }
}

void process_kill(Process *p)
{
    if (p->killed || p->is_over)
        return;
    p->killed = true;
    if (!p->running)
        conclude(p);
}

void strand_wait(Strand *s, int64_t until_ms)
{
    Process *p = s->process;

    assert(p->running == s);
    if (p->killed)
        return;
    if (until_ms != INT64_MAX)
        agenda_plan(world_agenda(p->world), &s->turn, until_ms);
    coroutine_yield(s->coroutine);
}

void strand_wake(Strand *s)
{
    Process *p = s->process;

    if (p->running == s || p->is_over || coroutine_has_ended(s->coroutine))
        return;
    agenda_hasten(world_agenda(p->world), &s->turn, world_now_ms(p->world));
}
