/* What an operator weighs that has nothing to do: the example's controller with leader election, a
 * page of metrics and its watches open on an empty cluster, after ten seconds.
 *
 * By /proc/<pid>/smaps_rollup. Resident counts shared libraries in full; private is what no other
 * process maps (Private_Clean + Private_Dirty); written is the part of it that never can be shared
 * (Private_Dirty). */
#include "tests/e2e/scene.h"

#include <time.h>

enum { IDLE_SECONDS = 10 };

static const struct {
    const char *name;
    const char *watches;
} cases[] = {
    {"idle_2_watches", "2"},
    {"idle_8_watches", "8"},
};

static long kib_of(const char *rollup, const char *row)
{
    const char *at = strstr(rollup, row);

    return at ? strtol(at + strlen(row), NULL, 10) : 0;
}

static double mib(long kib)
{
    return (double)kib / 1024;
}

static void weigh(const char *name, pid_t pid)
{
    char path[64], rollup[4096];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    file = fopen(path, "re");
    then_true(file != NULL);
    size_t len = fread(rollup, 1, sizeof rollup - 1, file);
    fclose(file);
    rollup[len] = '\0';
    long rss = kib_of(rollup, "\nRss:");
    long private_clean = kib_of(rollup, "\nPrivate_Clean:");
    long private_dirty = kib_of(rollup, "\nPrivate_Dirty:");
    then_true(rss > 0);
    print_message("%s_resident %.1f MiB\n", name, mib(rss));
    print_message("%s_private %.1f MiB\n", name, mib(private_clean + private_dirty));
    print_message("%s_written %.1f MiB\n", name, mib(private_dirty));
}

TEST(memory_of_an_idle_operator)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Controlplane *cp = scene_begin(controlplane_shared());
        Operator op = operator_start(cp,
            a,
            &(OperatorOptions){
                .kubeconfig = controlplane_admin(cp),
                .args = PROCESS_ARGS("--identity", "me", "--watches", cases[i].watches),
            });

        eventually(operator_is_ready(&op));
        struct timespec idle = {.tv_sec = IDLE_SECONDS};
        nanosleep(&idle, NULL);
        weigh(cases[i].name, op.pid);
        then_int(operator_end(&op), 0);
    }
}
