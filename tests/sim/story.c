/* Story: what the stories of nodes and of fleets have in common. */
#include "tests/sim/story.h"

#include "base/str.h"
#include "tests/test.h"

#include <stdio.h>

enum { PAUSE_MAX_MS = 25000, TELLING_MAX = 256 };

void story_open(Story *s, const SimOptions *how)
{
    PlayOptions options = {.sim = *how};

    options.sim.judge = rough_judge;
    options.sim.judge_self = &s->network;
    s->play = play_open(&options);
    rng_seed(&s->person, how->seed);
    rng_seed(&s->network.rng, ~how->seed);
}

StoryEnd story_close(Story *s, Arena *a, const char *wrong)
{
    const Trace *trace = sim_trace(play_sim(s->play));
    StoryEnd end = {
        .wrong = str_copy(a, wrong),
        .calls = sim_calls(play_sim(s->play)),
        .lines = trace->lines,
        .hash = trace->hash,
        .lasted_ms = world_now_ms(sim_world(play_sim(s->play))),
    };

    play_close(s->play);
    return end;
}

int story_chance(Story *s, int below)
{
    return (int)rng_below(&s->person.port, (uint64_t)below);
}

void story_tell(Story *s, const char *format, ...)
{
    char text[TELLING_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    trace_line(sim_trace(play_sim(s->play)), "person", "%s", text);
}

void story_wait(Story *s)
{
    bool is_hasty = story_chance(s, 2);

    play_run(s->play, story_chance(s, is_hasty ? 500 : PAUSE_MAX_MS));
}

void story_try(Story *s, Request request, const char *name, const char *body)
{
    request.key = (Key){.namespace = PLAY_NAMESPACE, .name = name};
    play_try(s->play, request, body);
}

void story_order(Story *s, const KubeletOrder *order)
{
    World *w = sim_world(play_sim(s->play));

    kubelet_order(play_kubelet(s->play), order, world_now_ms(w));
    world_wake(w, kubelet_actor(play_kubelet(s->play)));
}
