/* Runs the tests of a program and prints TAP. Each file has a process of its own, so that a crash
 * or a leftover in one file leaves the others alone. */
#include "tests/test.h"

#include <sys/mman.h>
#include <time.h>

static const char usage[] =
    "usage: %s [--campaign] [--list] [--together] [--filter=TEXT]...\n"
    "  --campaign     the long cases, which are left out otherwise\n"
    "  --list         print the names of the cases and run none\n"
    "  --together     run all files in one process\n"
    "  --filter=TEXT  run the cases whose name contains TEXT; several add up\n";

enum { FILTERS_MAX = 64, NAME_MAX_BYTES = 512 };

typedef struct Options {
    bool campaign, list, together;
    const char *filters[FILTERS_MAX];
    size_t filters_count;
} Options;

/* What the process of a file has reported so far; its parent reads it after a crash. */
typedef struct Report {
    int run, failed;
} Report;

/* "sei/plan/batch: a node that was never ready is not down" */
static const char *case_name(const TestCase *one, char name[NAME_MAX_BYTES])
{
    const char *place = strstr(one->file, "tests/");
    place = place ? place + strlen("tests/") : one->file;
    const char *base = strrchr(place, '/') ? strrchr(place, '/') + 1 : place;
    const char *stem = str_has_prefix(base, "test_") ? base + strlen("test_") : base;
    snprintf(name,
        NAME_MAX_BYTES,
        "%.*s%.*s: %s",
        (int)(base - place),
        place,
        (int)(strlen(stem) - strlen(".c")),
        stem,
        one->title);
    for (char *c = strchr(name, ':'); *c; c++)
        if (*c == '_')
            *c = ' ';
    return name;
}

static bool is_wanted(const Options *o, const TestCase *one)
{
    char name[NAME_MAX_BYTES];
    if (one->is_campaign != o->campaign)
        return false;
    for (size_t i = 0; i < o->filters_count; i++)
        if (strstr(case_name(one, name), o->filters[i]))
            return true;
    return o->filters_count == 0;
}

static const TestCase *next_wanted(const Options *o, const TestCase *one)
{
    while (one && !is_wanted(o, one))
        one = one->next;
    return one;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool in_one_process(const Options *o, const TestCase *one, const TestCase *other)
{
    return other && (o->together || str_eq(one->file, other->file));
}

/* Runs `one` and the cases behind it that share its process. */
static void run_cases(const Options *o, const TestCase *one, Report *report)
{
    const TestCase *first = one;
    for (; in_one_process(o, first, one); one = next_wanted(o, one->next)) {
        char name[NAME_MAX_BYTES];
        int64_t began = now_ms();
        bool passed = test_run(one->body);
        printf("%s %d - %s (%d ms)\n",
            passed ? "ok" : "not ok",
            report->run + 1,
            case_name(one, name),
            (int)(now_ms() - began));
        fflush(stdout);
        report->failed += !passed;
        report->run++;
    }
}

/* Reports the cases that the ended process owes, and an exit code that no case explains. */
static const TestCase *account(
    const Options *o, const TestCase *one, Report *report, Report before, int status)
{
    const TestCase *first = one;
    bool clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    int owed = report->run - before.run;
    const char *why = "the process ended here";
    char name[NAME_MAX_BYTES];
    for (; in_one_process(o, first, one); one = next_wanted(o, one->next)) {
        if (owed-- > 0)
            continue;
        printf("not ok %d - %s\n# %s\n", ++report->run, case_name(one, name), why);
        report->failed++;
        why = "not run: the process had ended";
    }
    if (!clean && report->failed == before.failed) {
        printf("not ok %d - %s\n", ++report->run, case_name(first, name));
        printf("# its process failed after its last case: a leak, or a crash at exit\n");
        report->failed++;
    }
    return one;
}

/* Runs one file, or all; returns the first case behind it. */
static const TestCase *run_process(const Options *o, const TestCase *one, Report *report)
{
    Report before = *report;
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    if (pid == 0) {
        run_cases(o, one, report);
        exit(report->failed > before.failed);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return account(o, one, report, before, status);
}

static bool parse(Options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--campaign"))
            o->campaign = true;
        else if (str_eq(argv[i], "--list"))
            o->list = true;
        else if (str_eq(argv[i], "--together"))
            o->together = true;
        else if (str_has_prefix(argv[i], "--filter=") && o->filters_count < FILTERS_MAX)
            o->filters[o->filters_count++] = argv[i] + strlen("--filter=");
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    Options options = {0};
    if (!parse(&options, argc, argv)) {
        fprintf(stderr, usage, argv[0]);
        return 2;
    }
    const TestCase *one = next_wanted(&options, test_cases());
    if (options.list) {
        char name[NAME_MAX_BYTES];
        for (; one; one = next_wanted(&options, one->next))
            puts(case_name(one, name));
        return 0;
    }
    if (!one) {
        fprintf(stderr, "%s: no case has such a name; --list shows them\n", argv[0]);
        return 2;
    }

    Report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    while (one)
        one = run_process(&options, one, report);
    printf("1..%d\n", report->run);
    return report->failed ? 1 : 0;
}
