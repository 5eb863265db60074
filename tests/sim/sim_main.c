/* sim: runs one seed of a scenario and says what became of it.
 *
 *     sim [--scenario example|nodes|fleet|nodes-storm|fleet-storm] [--seed N] [--trace]
 *
 * The example may have `--replicas 1|2` and `--sources N`. What it says is a function of the flags,
 * so a seed that failed fails again, and --trace shows every step of it. Exit code 1: something was
 * wrong in the end. `make soak` plays many seeds. */
#include "base/str.h"
#include "tests/sim/example.h"
#include "tests/sim/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Flags {
    const char *scenario;
    ExampleOptions example;
} Flags;

static void print_line(LogSink *self, const char *line, size_t len)
{
    (void)self;
    fwrite(line, 1, len, stdout);
}

static LogSink paper = {.write = print_line};

static bool take_number(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    return text && str_to_int(text, ret) && *ret >= min && *ret <= max;
}

static StoryEnd example_story(Arena *a, const ExampleOptions *options)
{
    Example *e = example_open(options);
    const char *wrong = example_run(e, a, 600000);
    const Trace *trace = sim_trace(example_sim(e));
    StoryEnd end = {
        .wrong = wrong,
        .calls = sim_calls(example_sim(e)),
        .lines = trace->lines,
        .hash = trace->hash,
        .lasted_ms = world_now_ms(sim_world(example_sim(e))),
    };

    example_close(e);
    return end;
}

static bool take_flag(Flags *flags, const char *flag, const char *value)
{
    int64_t number = 0;

    if (str_eq(flag, "--scenario") && value)
        flags->scenario = value;
    else if (str_eq(flag, "--seed") && take_number(value, 0, INT64_MAX, &number))
        flags->example.sim.seed = (uint64_t)number;
    else if (str_eq(flag, "--replicas") && take_number(value, 1, 2, &number))
        flags->example.replicas = (int)number;
    else if (str_eq(flag, "--sources") && take_number(value, 1, 100000, &number))
        flags->example.sources = (int)number;
    else
        return false;
    return true;
}

static const struct {
    const char *name;
    StoryEnd (*tell)(Arena *a, const StoryOptions *how);
    bool is_storm;
} stories[] = {
    {"nodes", node_story, false},
    {"fleet", fleet_story, false},
    {"nodes-storm", node_story, true},
    {"fleet-storm", fleet_story, true},
};

static bool take_flags(Flags *flags, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--trace"))
            flags->example.sim.print = &paper;
        else if (!take_flag(flags, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

/* False: there is no such scenario. */
static bool play(Arena *a, const Flags *flags, StoryEnd *ret)
{
    const SimOptions *sim = &flags->example.sim;

    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        if (str_eq(flags->scenario, stories[i].name)) {
            *ret = stories[i].tell(a,
                &(StoryOptions){
                    .seed = sim->seed, .is_storm = stories[i].is_storm, .print = sim->print});
            return true;
        }
    if (!str_eq(flags->scenario, "example"))
        return false;
    *ret = example_story(a, &flags->example);
    return true;
}

int main(int argc, char **argv)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Flags flags = {.scenario = "example", .example = {.sim = {.seed = 1}}};

    StoryEnd end;

    if (!take_flags(&flags, argc, argv) || !play(a, &flags, &end)) {
        fprintf(stderr,
            "usage: sim [--scenario example|nodes|fleet|nodes-storm|fleet-storm] [--seed N]"
            " [--trace] [--replicas 1|2] [--sources N]\n");
        return 2;
    }
    printf("seed %llu: %s; %llu calls, %llu lines, hash %016llx, %.3f s of virtual time\n",
        (unsigned long long)flags.example.sim.seed,
        end.wrong ? end.wrong : "converged",
        (unsigned long long)end.calls,
        (unsigned long long)end.lines,
        (unsigned long long)end.hash,
        (double)end.lasted_ms / 1e3);
    return end.wrong ? 1 : 0;
}
