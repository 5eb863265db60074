/* Story: what the stories of nodes and of fleets have in common. */
#include "tests/sim/story.h"

#include "base/str.h"
#include "tests/test.h"

#include <stdio.h>

enum { PAUSE_MAX_MS = 25000, TELLING_MAX = 256, LENGTH = 14, STORM_LENGTH = 30 };

/* How slow things are, and how many do them. */
static PlayOptions stormy(Rng *rng)
{
    static const int64_t lags_ms[] = {50, 300, 1500}, latencies_ms[] = {5, 50, 250};
    static const int lingers[] = {0, 5, 20}, workers[] = {1, 2, 4};

    return (PlayOptions){
        .sim =
            {
                .lag_max_ms = lags_ms[rng_below(rng, array_count(lags_ms))],
                .latency_max_ms = latencies_ms[rng_below(rng, array_count(latencies_ms))],
                .linger_percent = lingers[rng_below(rng, array_count(lingers))],
            },
        .replicas = 1 + (int)rng_below(rng, 2),
        .workers = workers[rng_below(rng, array_count(workers))],
    };
}

void story_open(Story *s, const StoryOptions *how)
{
    SeededRng weather;
    rng_seed(&weather, how->seed + 1);
    PlayOptions options = how->is_storm ? stormy(&weather.port) : (PlayOptions){.replicas = 1};

    options.sim.seed = how->seed;
    options.sim.print = how->print;
    options.sim.judge = rough_judge;
    options.sim.judge_self = &s->network;
    s->is_storm = how->is_storm;
    s->replicas = options.replicas;
    s->length = how->is_storm ? STORM_LENGTH : LENGTH;
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

int story_deed(Story *s, size_t count)
{
    return story_chance(s, (int)count - !s->is_storm);
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

static int any_operator(Story *s)
{
    return s->replicas > 1 ? story_chance(s, s->replicas) : 0;
}

void story_crash_operator(Story *s)
{
    replica_crash(play_replica(s->play, any_operator(s)));
}

void story_freeze_operator(Story *s)
{
    int number = any_operator(s);

    play_freeze(s->play, number, story_chance(s, PAUSE_MAX_MS));
}

void story_order(Story *s, const KubeletOrder *order)
{
    World *w = sim_world(play_sim(s->play));

    kubelet_order(play_kubelet(s->play), order, world_now_ms(w));
    world_wake(w, kubelet_actor(play_kubelet(s->play)));
}
