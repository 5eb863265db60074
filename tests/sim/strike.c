/* Strike: every call of the operator is counted, and one of them fails. */
#include "tests/sim/strike.h"

#include "base/str.h"
#include "tests/sim/branch.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 120000 };

static bool is_write(const PortCall *call)
{
    Verb verb = call->request ? call->request->verb : VERB_GET;

    return call->request && !call->is_stream && !kind_eq(call->request->kind, kind_lease)
        && verb != VERB_GET && verb != VERB_LIST && verb != VERB_WATCH;
}

PortFault strike_judge(void *self, const PortCall *call)
{
    Strike *s = self;

    if (!s->armed || (s->writes_only && !is_write(call)) || ++s->seen != s->number)
        return (PortFault){0};
    SCOPED_ARENA a = arena_open(1 << 16);
    snprintf(s->what,
        sizeof s->what,
        "%s %s",
        call->strand,
        call->http ? call->http->url : request_text(a, call->request));
    return s->fault;
}

bool strike_await(Play *p, const Strike *s)
{
    for (int64_t ms = 0; ms < PATIENCE_MS && s->seen < s->number; ms++)
        play_run(p, 1);
    return s->seen >= s->number;
}

typedef struct Course {
    const StrikeScene *scene;
    Strike *strike;
} Course;

#define NOT_STRUCK "there is no such call"

static const char *play_course(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    c->scene->act(p);
    const char *wrong = c->scene->find_wrong(p, c->scene->who);
    if (!wrong)
        return c->strike->seen < c->strike->number ? NOT_STRUCK : NULL;
    return str_format(play_arena(p),
        "%s: call %d, %s: %s",
        c->scene->name,
        (int)c->strike->number,
        c->strike->what,
        wrong);
}

int strike_each_call(const StrikeScene *scene, PortFault fault, bool writes_only)
{
    Strike strike = {.fault = fault, .writes_only = writes_only};
    Course course = {scene, &strike};
    SCOPED_PLAY p = play_open(&(PlayOptions){
        .sim = {.seed = 22, .judge = strike_judge, .judge_self = &strike}, .workers = 4});

    scene->given(p);
    for (strike.number = 1;; strike.number++) {
        const char *wrong = branch(p, play_course, &course);
        if (str_eq(wrong, NOT_STRUCK))
            return (int)strike.number - 1;
        then_str(wrong, NULL);
    }
}

PortFault refusal_judge(void *self, const PortCall *call)
{
    const Refusal *refusal = self;
    const Request *request = call->request;
    bool is_meant = refusal->armed && request && request->verb == VERB_APPLY
        && kind_eq(request->kind, kind_seinode) && str_eq(request->key.name, refusal->node);

    return is_meant ? (PortFault){.kind = PORT_REFUSED, .status = refusal->status} : (PortFault){0};
}

bool strike_wants_all(void)
{
    return str_eq(getenv("SEI_FAULTS"), "all"); /* NOLINT(concurrency-mt-unsafe) */
}
