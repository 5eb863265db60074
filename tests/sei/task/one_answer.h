/* OneAnswer: a cluster that gives the same answer to every live read, whatever it is: for what no
 * API server would say, and for the fuzzer. */
#ifndef TESTS_SEI_TASK_ONE_ANSWER_H
#define TESTS_SEI_TASK_ONE_ANSWER_H

#include "kube/kube.h"
#include "sei/task/task.h"

#include <stdlib.h>

typedef struct OneAnswer {
    Kube kube; /* first, so that the port is this */
    const Json *answer;
    ManualClock clock;
    Ctx ctx;
    SeiNode node;
    NodeStatus status;
    PlannedTask task;
    TaskRun run;
} OneAnswer;

static inline Err *one_answer_call(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    (void)request;
    *ret = json_copy(c->arena, ((OneAnswer *)(void *)self)->answer);
    return OK;
}

/* Ready to run tasks with these params. */
static inline OneAnswer *one_answer_of(Arena *a, const Json *answer, const char *params)
{
    OneAnswer *o = arena_new(a, OneAnswer);

    o->kube.call = one_answer_call;
    o->answer = answer;
    clock_manual_init(&o->clock, 0, 0);
    o->ctx = (Ctx){.arena = a, .kube = &o->kube, .clock = &o->clock.port};
    o->node.key = (Key){"sei", "val-0"};
    o->task.params = json_fixture(a, params);
    o->run = (TaskRun){.node = &o->node, .status = &o->status, .task = &o->task};
    return o;
}

static inline Err *one_answer_run(OneAnswer *o, TaskType type)
{
    return task_find(type)->step(&o->ctx, &o->run);
}

#endif
