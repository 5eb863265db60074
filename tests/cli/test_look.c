/* status, drift and plan, as a person types them. What they show is in test_view.c; here is where
 * it comes from, and how they end. */
#include "cli/look.h"
#include "tests/cli/terminal.h"

#define WELL                                                                                       \
    "{metadata: {name: 'rpc-0'}, spec: {chainId: 'c', image: 'i', fullNode: {}}, status:"          \
    " {observedGeneration: 1, phase: 'Running', conditions: [{type: 'Ready', status: 'True',"      \
    " reason: 'Available', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}], plan: {id:"  \
    " 'aa-1', kind: 'init', phase: 'Complete', tasks: [{type: 'mark-ready', id: 't', status:"      \
    " 'Complete'}]}}}"

#define DRIFTED                                                                                    \
    "{metadata: {name: 'rpc-1'}, spec: {chainId: 'c', image: 'i:2', fullNode: {}}, status: "       \
    "{phase:"                                                                                      \
    " 'Running', conditions: [{type: 'Ready', status: 'False', reason: 'Updating', message: '',"   \
    " lastTransitionTime: '2026-01-01T00:00:00Z'}], drift: {cause: 'spec', fields: [{path:"        \
    " 'spec.x', have: '1', want: '2'}]}}}"

static Terminal *open_with_nodes(void)
{
    Terminal *t = terminal_open();

    given(t, kind_seinode, WELL);
    given(t, kind_seinode, DRIFTED);
    return t;
}

static const struct {
    const char *name, *line;
    int code;
    const char *phrase;
} cases[] = {
    {"the status of a node that is well", "status rpc-0", EXIT_FINE, "✔ Ready"},
    {"of one that is not", "status node/rpc-1", EXIT_UNHEALTHY, "Updating   Ready: no"},
    {"as JSON", "status rpc-0 -o json", EXIT_FINE, "\"kind\": \"NodeStatusView\""},
    {"as YAML", "status rpc-0 -o yaml", EXIT_FINE, "apiVersion: cli.sei.io/v1"},
    {"one value of it", "status rpc-0 -o jsonpath={.state.word}", EXIT_FINE, "Ready"},
    {"no drift", "drift rpc-0", EXIT_FINE, "rpc-0"},
    {"drift", "drift rpc-1", EXIT_UNHEALTHY, "1 → 2"},
    {"drift as JSON", "drift rpc-1 -o json", EXIT_UNHEALTHY, "\"drifted\": true"},
    {"the plan in hand", "plan show rpc-0", EXIT_FINE, "mark-ready"},
    {"a plan by its id", "plan show rpc-0 aa", EXIT_FINE, "init of rpc-0"},
    {"no plan", "plan show rpc-1", EXIT_FINE, "has had no plan yet"},
    {"the history", "plan history rpc-0", EXIT_FINE, "Complete"},
    {"a namespace that was named is named again",
        "status rpc-0 -n default",
        EXIT_FINE,
        "kubectl sei plan history rpc-0 -n default"},
};

TEST(status_and_drift_and_plan_show_one_object_in_each_format)
{
    SCOPED_TERMINAL t = open_with_nodes();

    t->out.is_utf8 = true;
    each_case(i, cases) {
        then_int(type(t, cases[i].line), cases[i].code);
        then_said(t, cases[i].phrase);
        then_str(talked(t), "");
        then_int(t->writes, 0);
    }
}

static const struct {
    const char *name, *line;
    int code;
    const char *phrase;
} refusals[] = {
    {"no object of that name", "status nobody", EXIT_NOT_FOUND, "nobody"},
    {"no plan of that id", "plan show rpc-0 zz", EXIT_NOT_FOUND, "kubectl sei plan history rpc-0"},
    {"no name", "status", EXIT_MISUSED, "NAME"},
};

TEST(an_object_that_cannot_be_shown_is_reported_with_its_exit_code)
{
    SCOPED_TERMINAL t = open_with_nodes();

    each_case(i, refusals) {
        then_int(type(t, refusals[i].line), refusals[i].code);
        then_talked(t, refusals[i].phrase);
        then_str(said(t), "");
    }
}

static const struct {
    const char *name;
    bool is_terminal;
    int columns, lines; /* that the terminal tells */
    const char *asked;  /* $COLUMNS */
    int want_columns, want_lines;
} sizes[] = {
    {"a terminal", true, 120, 50, NULL, 120, 50},
    {"a terminal knows itself best", true, 120, 50, "40", 120, 50},
    {"a terminal without a size", true, 0, 0, NULL, 80, 24},
    {"a terminal without a size, and a given size", true, 0, 0, "100", 100, 24},
    {"a pipe", false, 0, 0, NULL, PAGE_ENDLESS, PAGE_LINES_MAX},
    {"a pipe with a given size", false, 0, 0, "100", 100, PAGE_LINES_MAX},
    {"no number", false, 0, 0, "wide", PAGE_ENDLESS, PAGE_LINES_MAX},
    {"a number that is none of columns", false, 0, 0, "-3", PAGE_ENDLESS, PAGE_LINES_MAX},
    {"nothing", false, 0, 0, "", PAGE_ENDLESS, PAGE_LINES_MAX},
};

TEST(the_output_width_follows_the_terminal_or_the_given_size)
{
    each_case(i, sizes) {
        Output out = {.is_terminal = sizes[i].is_terminal};
        look_measure(&out, sizes[i].columns, sizes[i].lines, sizes[i].asked);
        then_int(out.columns, sizes[i].want_columns);
        then_int(out.lines, sizes[i].want_lines);
    }
}

TEST(without_utf8_status_marks_are_ascii)
{
    SCOPED_TERMINAL t = open_with_nodes();

    then_int(type(t, "status rpc-0"), EXIT_FINE);
    then_said(t, "+ Ready");
}

/* The object comes, and then the server is silent: the clock of a world moves by its calls. */
static Err *slow_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    t->calls++;
    if (kind_eq(request->kind, kind_seinode) || kind_eq(request->kind, kind_seinodedeployment))
        return t->api->call(t->api, a, request, ret);
    then_true(request->deadline_ms > 0 && request->deadline_ms <= 5000);
    world_run_until(t->world, world_now_ms(t->world) + request->deadline_ms);
    return err_retry(a, "no answer in time");
}

TEST(status_ends_after_five_seconds_with_partial_output_if_the_server_stops_answering)
{
    SCOPED_TERMINAL t = open_with_nodes();
    int64_t begin = world_now_ms(t->world);

    t->faulty.call = slow_call;
    then_int(type(t, "status rpc-0"), EXIT_TIMED_OUT);
    then_said(t, "Ready: yes");
    then_said(t, "could not read pods, statefulSet, claim, events: no answer in time");
    then_talked(t, "give it more time with --request-timeout");
    then_true(world_now_ms(t->world) - begin <= 5000);
}

static Err *strict_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (kind_eq(request->kind, kind_seinode) || kind_eq(request->kind, kind_seinodedeployment))
        return t->api->call(t->api, a, request, ret);
    Err *err = err_retry(a, "pods is forbidden");
    err->status = 403;
    return err;
}

TEST(forbidden_related_objects_are_named_and_status_succeeds)
{
    SCOPED_TERMINAL t = open_with_nodes();

    t->faulty.call = strict_call;
    then_int(type(t, "status rpc-0 -o json"), EXIT_FINE);
    then_said(t, "\"what\": \"pods\"");
    then_said(t, "pods is forbidden");
}
