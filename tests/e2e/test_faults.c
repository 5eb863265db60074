/* The k-th call of the example's controller is broken, for every k: before it reaches the server,
 * and after the server carried it out. Each time it converges, and nothing happens twice.
 *
 * Many copiers run side by side on one server, each with a source of its own and one broken call.
 * That nothing happened twice is seen in the audit log: the objects went through as many versions
 * as with no fault at all. */
#include "tests/e2e/copies.h"

#define ME "faulty"

enum { CALLS_PER_ROUND = 6, RUNS = 1 + 2 * CALLS_PER_ROUND, CALLS_MAX = 200 };

typedef struct Run {
    const char *name; /* of the source, and the copier's label */
    int64_t call;     /* that breaks; 0: none */
    const char *how;
    Operator op;
    int64_t calls; /* that it made in all */
    size_t effects;
} Run;

typedef bool Predicate(Controlplane *cp, const Run *run);

static void put_sources(
    Controlplane *cp, Arena *a, const Run *runs, const char *to, const char *value)
{
    const char *objects = "";

    for (int i = 0; i < RUNS; i++)
        objects = str_format(a,
            "%s---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: '%s', namespace: home,"
            " labels: {copy.example.io/source: '%s'}, annotations: {copy.example.io/to: '%s'}},"
            " data: {key: '%s'}}\n",
            objects,
            runs[i].name,
            runs[i].name,
            to,
            value);
    scene_apply(cp, a, objects);
}

static void delete_sources(Controlplane *cp, Arena *a, const Run *runs)
{
    const char *args[RUNS + 6] = {"delete", "configmap", "-n", "home", "--wait=false"};

    for (int i = 0; i < RUNS; i++)
        args[5 + i] = runs[i].name;
    scene_kubectl(cp, a, NULL, args);
}

static void all_eventually(Controlplane *cp, const Run *runs, Predicate *holds, const char *what)
{
    Deadline soon = deadline_in_ms(SCENE_SOON_MS);

    for (int i = 0; i < RUNS; i++) {
        bool held = holds(cp, &runs[i]);
        while (!held && scene_goes_on() && deadline_wait(&soon))
            held = holds(cp, &runs[i]);
        if (!held)
            print_error("call %d of %s broken %s: never %s\n",
                (int)runs[i].call,
                runs[i].name,
                runs[i].how,
                what);
        scene_check(held, what, __FILE__, __LINE__);
    }
}

static bool is_copied(Controlplane *cp, const Run *run)
{
    return copies_hold(cp, "red", run->name, "one") && copies_hold(cp, "green", run->name, "one")
        && copies_status_says(cp, run->name, "True");
}

static bool is_copied_again(Controlplane *cp, const Run *run)
{
    return copies_hold(cp, "red", run->name, "two") && copies_hold(cp, "green", run->name, "two");
}

static bool is_gone(Controlplane *cp, const Run *run)
{
    return copies_lack(cp, "home", run->name) && copies_lack(cp, "red", run->name)
        && copies_lack(cp, "green", run->name);
}

/* Writes that the server carried out for a run: each version of an object once, and deletes. */
static size_t count_effects(const AuditLog *log, Arena *a, const Run *run)
{
    const char *seen = " ";
    size_t count = 0;

    for (size_t i = 0; i < log->count; i++) {
        const AuditLine *line = &log->lines[i];
        if (!str_eq(line->user, ME) || !str_eq(line->name, run->name) || line->code > 299)
            continue;
        if (str_eq(line->verb, "delete"))
            count++;
        if (!str_eq(line->verb, "patch"))
            continue;
        const char *version = str_format(
            a, " %s ", json_str(line->event, ".responseObject.metadata.resourceVersion"));
        if (strstr(seen, version))
            continue;
        seen = str_format(a, "%s%s", seen, version);
        count++;
    }
    return count;
}

static int64_t read_calls(Arena *a, const Run *run)
{
    const char *counted = strstr(operator_log(&run->op, a), "\"calls\":");

    then_true(counted != NULL);
    return strtoll(counted + strlen("\"calls\":"), NULL, 10);
}

static void tell_story(Controlplane *cp, Arena *a, Run *runs, const char *config)
{
    int64_t mark = scene_mark(cp);

    put_sources(cp, a, runs, "red,green", "one");
    for (int i = 0; i < RUNS; i++)
        runs[i].op = operator_start(cp,
            a,
            &(OperatorOptions){
                .kubeconfig = config,
                .args = PROCESS_ARGS("--source",
                    runs[i].name,
                    "--fail-call",
                    str_format(a, "%lld", (long long)runs[i].call),
                    "--fail-how",
                    runs[i].how),
            });
    all_eventually(cp, runs, is_copied, "copied");
    put_sources(cp, a, runs, "red,green", "two");
    all_eventually(cp, runs, is_copied_again, "copied again");
    delete_sources(cp, a, runs);
    all_eventually(cp, runs, is_gone, "gone");
    for (int i = 0; i < RUNS; i++)
        then_int(operator_end(&runs[i].op), 0);

    AuditLog log = scene_audit(cp, a, mark);
    for (int i = 0; i < RUNS; i++) {
        runs[i].calls = read_calls(a, &runs[i]);
        runs[i].effects = count_effects(&log, a, &runs[i]);
    }
}

static void plan_runs(Arena *a, Run *runs, int64_t first)
{
    runs[0] = (Run){.name = str_format(a, "calm-%lld", (long long)first), .how = "never"};
    for (int i = 1; i < RUNS; i++) {
        int64_t call = first + (i - 1) / 2;
        const char *how = i % 2 ? "before" : "after";
        runs[i] =
            (Run){.name = str_format(a, "%s-%lld", how, (long long)call), .call = call, .how = how};
    }
}

TEST(the_example_converges_to_the_same_result_whatever_single_call_fails)
{
    ControlplaneOptions options = {.audit_level = "RequestResponse"};
    SCOPED_ARENA home = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = NULL;
    int64_t broken = 0, reached = 1;

    then_ok(controlplane_open(home, &options, &cp));
    scene_begin(cp);
    copies_prepare(cp, home);
    const char *config = scene_user(cp, home, ME, NULL);
    for (int64_t first = 1; reached; first += CALLS_PER_ROUND) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Run runs[RUNS];

        then_true(first < CALLS_MAX);
        plan_runs(a, runs, first);
        tell_story(cp, a, runs, config);
        reached = 0;
        for (int i = 1; i < RUNS; i++) {
            if (runs[i].effects != runs[0].effects)
                print_error("call %d broken %s\n", (int)runs[i].call, runs[i].how);
            then_int(runs[i].effects, runs[0].effects);
            reached += runs[i].calls >= runs[i].call;
        }
        broken += reached;
    }
    print_message("# %lld single faults, each converged\n", (long long)broken);
    then_true(broken > 0);
    controlplane_close(cp);
}
