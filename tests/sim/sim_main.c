/* sim: runs one seed and says what became of it.
 *
 *     sim --seed N [--scenario example] [--replicas N] [--sources N] [--trace]
 */
#include "base/str.h"
#include "tests/sim/example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_line(LogSink *self, const char *line, size_t len)
{
    (void)self;
    fwrite(line, 1, len, stdout);
}

static int usage(void)
{
    fprintf(stderr,
        "usage: sim [--seed N] [--scenario example] [--replicas 1|2] [--sources N] [--trace]\n");
    return 2;
}

static bool take_number(const char *text, int64_t min, int64_t max, int64_t *ret)
{
    return text && str_to_int(text, ret) && *ret >= min && *ret <= max;
}

int main(int argc, char **argv)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    LogSink paper = {.write = print_line};
    ExampleOptions options = {.sim = {.seed = 1}};
    int64_t number = 0;

    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i], *value = argv[i + 1];
        if (str_eq(flag, "--trace")) {
            options.sim.print = &paper;
            continue;
        }
        i++;
        if (str_eq(flag, "--seed") && take_number(value, 0, INT64_MAX, &number))
            options.sim.seed = (uint64_t)number;
        else if (str_eq(flag, "--replicas") && take_number(value, 1, 2, &number))
            options.replicas = (int)number;
        else if (str_eq(flag, "--sources") && take_number(value, 1, 100000, &number))
            options.sources = (int)number;
        else if (!str_eq(flag, "--scenario") || !str_eq(value, "example"))
            return usage();
    }

    Example *e = example_open(&options);
    const char *complaint = example_run(e, a, 600000);
    const Trace *trace = sim_trace(example_sim(e));
    printf("seed %llu: %s; %llu calls, %llu lines, hash %016llx, %.3f s of virtual time\n",
        (unsigned long long)options.sim.seed,
        complaint ? complaint : "converged",
        (unsigned long long)sim_calls(example_sim(e)),
        (unsigned long long)trace->lines,
        (unsigned long long)trace->hash,
        (double)world_now_ms(sim_world(example_sim(e))) / 1e3);
    example_close(e);
    return complaint ? 1 : 0;
}
