/* get: lines for people, objects for machines, and how it ends. */
#include "tests/cli/cast.h"

static void given_town(Terminal *t)
{
    given_fleet(t, "rpc", "{}");
    given_node(t, "archive", "{metadata: {labels: {tier: 'cold'}}}");
    given_node(t,
        "sick",
        "{status: {conditions: [{type: 'Ready', status: 'False', reason: 'Stalled', message: '', "
        "lastTransitionTime: '2026-01-01T00:00:00Z'}, {type: 'Stalled', status: 'True', reason: "
        "'DataVolumeMissing', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
}

static const struct {
    const char *name, *line, *want;
} tables[] = {
    {"everything",
        "get",
        "NAME       READY  UPDATED  STATE             CHAIN      IMAGE  AGE\n"
        "fleet/rpc  3/3    3        AllReplicasReady  pacific-1  v1     0s\n"
        "\n"
        "NAME          READY  STATE              MODE  CHAIN      IMAGE  AGE\n"
        "node/archive  True   Available          full  pacific-1  v1     0s\n"
        "node/sick     False  DataVolumeMissing  full  pacific-1  v1     0s\n"},
    {"a kind",
        "get fleets",
        "NAME  READY  UPDATED  STATE             CHAIN      IMAGE  AGE\n"
        "rpc   3/3    3        AllReplicasReady  pacific-1  v1     0s\n"},
    {"a name",
        "get node archive",
        "NAME     READY  STATE      MODE  CHAIN      IMAGE  AGE\n"
        "archive  True   Available  full  pacific-1  v1     0s\n"},
    {"a name of any kind",
        "get archive",
        "NAME     READY  STATE      MODE  CHAIN      IMAGE  AGE\n"
        "archive  True   Available  full  pacific-1  v1     0s\n"},
    {"a label",
        "get -l tier=cold --no-headers",
        "node/archive  True  Available  full  pacific-1  v1  0s\n"},
    {"all namespaces",
        "get nodes -A --no-headers -l tier",
        "default  archive  True  Available  full  pacific-1  v1  0s\n"},
    {"names",
        "get -o name",
        "seinodedeployment.sei.io/rpc\nseinode.sei.io/archive\nseinode.sei.io/sick\n"},
    {"a path", "get nodes -o jsonpath={.items[*].metadata.name}", "archive sick"},
    {"a path of one", "get nodes archive -o jsonpath={.metadata.name}", "archive"},
    {"another namespace", "get -n other", ""},
};

TEST(get_prints_one_object_per_line)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);

    each_case(i, tables) {
        then_int(type(t, tables[i].line), EXIT_FINE);
        then_str(said(t), tables[i].want);
    }
}

TEST(get_shows_the_mode_as_it_is_named_in_the_spec)
{
    static const struct {
        const char *name, *patch;
    } modes[] = {
        {"full", "{}"},
        {"archive", "{spec: {fullNode: null, archive: {}}}"},
        {"replayer",
            "{spec: {fullNode: null, replayer: {snapshot: {s3: {targetHeight: 1}}}, peers: "
            "[{static: {addresses: ['a@b:1']}}]}}"},
        {"validator", "{spec: {fullNode: null, validator: {}}}"},
    };
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, modes) {
        given_node(t, modes[i].name, modes[i].patch);
        then_int(type(t, str_format(t->arena, "get node %s", modes[i].name)), EXIT_FINE);
        then_said(t, str_format(t->arena, "Available  %s ", modes[i].name));
    }
}

#define HELD "{spec: {updateStrategy: {type: 'InPlace', hold: true}}, status: {conditions: ["
#define CONDITION(type, status, reason)                                                            \
    "{type: '" type "', status: '" status "', reason: '" reason                                    \
    "', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}"

TEST(the_state_column_of_a_held_fleet_begins_with_held)
{
    static const struct {
        const char *name, *conditions, *state;
    } states[] = {
        {"ready", CONDITION("Ready", "True", "AllReplicasReady"), " Held "},
        {"behind", CONDITION("Ready", "False", "Held"), " Held "},
        {"down", CONDITION("Ready", "False", "NodesNotAvailable"), " Held,NodesNotAvailable "},
        {"stuck",
            CONDITION("Ready", "False", "Stalled") "," CONDITION("Stalled", "True", "InvalidSpec"),
            " Held,InvalidSpec "},
    };
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, states) {
        given_fleet(t, states[i].name, str_format(t->arena, HELD "%s]}}", states[i].conditions));
        then_int(type(t, str_format(t->arena, "get fleet %s", states[i].name)), EXIT_FINE);
        then_said(t, states[i].state);
    }
}

/* As `status` and `watch` name it. */
TEST(the_state_column_of_a_fleet_in_a_rollout_shows_the_rollout)
{
    SCOPED_TERMINAL t = terminal_open();

    given_fleet(t,
        "rolls",
        "{status: {conditions: [" CONDITION("Ready", "False", "NodesNotAvailable") "," CONDITION(
            "RolloutInProgress", "True", "RolloutStarted") "]}}");
    then_int(type(t, "get fleet rolls"), EXIT_FINE);
    then_said(t, " RollingOut ");
}

TEST(wide_output_has_the_additional_columns)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);

    then_int(type(t, "get nodes archive -o wide"), EXIT_FINE);
    then_said(t, "FULL IMAGE");
    then_said(t, OLD_IMAGE);
    then_int(type(t, "get fleets -owide"), EXIT_FINE);
    then_said(t, "PARTITION");
}

TEST(a_narrow_terminal_drops_columns_that_rarely_change)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);
    t->out.is_terminal = true;
    t->out.columns = 40;

    then_int(type(t, "get nodes sick"), EXIT_FINE);
    then_str(said(t),
        "NAME  READY  STATE              AGE\n"
        "sick  False  DataVolumeMissing  0s\n");
}

TEST(colours_do_not_shift_a_column)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);

    then_int(type(t, "get nodes --color=always"), EXIT_FINE);
    then_said(t, "\033[32mTrue\033[0m   Available");
    then_said(t, "\033[31mFalse\033[0m  DataVolumeMissing");
}

TEST(text_from_the_cluster_cannot_control_the_terminal)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t,
        "n",
        "{status: {currentImage: 'x:\\u001b[2Jv1\\nfalse line', plan: {phase: 'Active', tasks: [], "
        "waiting: "
        "'for\\u0007 you'}}}");

    then_int(type(t, "get nodes -o wide --no-headers"), EXIT_FINE);
    then_true(!strchr(said(t), '\033') && !strchr(said(t), '\a'));
    then_true(strchr(said(t), '\n') == said(t) + strlen(said(t)) - 1);
    then_said(t, "for you");
}

TEST(get_prints_a_kubernetes_list_as_json_or_yaml)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);

    then_int(type(t, "get -o json"), EXIT_FINE);
    const Json *list = json_fixture(t->arena, said(t));
    then_str(json_str(list, ".kind"), "List");
    then_int(json_count(json_find(list, ".items")), 3);
    then_true(!json_find(list, ".items[0].metadata.managedFields"));
    then_int(type(t, "get fleet rpc -o yaml"), EXIT_FINE);
    then_said(t, "kind: SeiNodeDeployment\n");
    then_said(t, "\n  name: rpc\n");
}

static const struct {
    const char *name, *line;
    int code;
    const char *talked;
} ends[] = {
    {"nothing there", "get -n other", EXIT_FINE, "nothing found in namespace other"},
    {"no such name", "get nope", EXIT_NOT_FOUND, "there is no fleet and no node \"nope\""},
    {"no such node", "get node rpc", EXIT_NOT_FOUND, "there is no node \"rpc\""},
    {"one of two", "get archive nope", EXIT_NOT_FOUND, "\"nope\""},
    {"a kind that there is not", "get pod/x", EXIT_MISUSED, "\"pod/x\" names nothing"},
    {"a name and a selector", "get rpc -l a=b", EXIT_MISUSED, "names or --selector"},
    {"a name in all namespaces", "get rpc -A", EXIT_MISUSED, "of one namespace"},
    {"both kinds watched", "get -w", EXIT_MISUSED, "--watch follows one kind"},
    {"a wrong selector", "get -l a=b=c", EXIT_MISUSED, "error: "},
    {"a wrong path", "get -o jsonpath={..x}", EXIT_MISUSED, ".. is not supported"},
};

TEST(get_exits_with_the_codes_that_scripts_expect)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);

    each_case(i, ends) {
        then_int(type(t, ends[i].line), ends[i].code);
        then_talked(t, ends[i].talked);
    }
}

static const struct {
    const char *name;
    int status;
    ErrClass class;
    int code;
} faults[] = {
    {"not logged in", 401, ERR_RETRY, EXIT_FORBIDDEN},
    {"not allowed", 403, ERR_RETRY, EXIT_FORBIDDEN},
    {"a busy server", 429, ERR_RETRY, EXIT_UNREACHABLE},
    {"a broken server", 500, ERR_RETRY, EXIT_UNREACHABLE},
    {"a gateway without its server", 504, ERR_RETRY, EXIT_TIMED_OUT},
    {"no server", 0, ERR_RETRY, EXIT_UNREACHABLE},
    {"a refusal", 422, ERR_TERMINAL, EXIT_MISUSED},
    {"an answer that is too large", 0, ERR_TERMINAL, EXIT_MISUSED},
};

TEST(every_api_error_has_its_exit_code)
{
    each_case(i, faults) {
        SCOPED_TERMINAL t = terminal_open();
        t->fault = err_retry(t->arena, "no luck");
        t->fault->class = faults[i].class;
        t->fault->status = faults[i].status;

        then_int(type(t, "get"), faults[i].code);
        then_talked(t, "error: no luck");
        then_str(said(t), "");
    }
}

/* Fleets are answered; then time stands still for the nodes. */
static Err *answer_slowly(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (kind_eq(request->kind, kind_seinodedeployment))
        return t->api->call(t->api, a, request, ret);
    world_run_until(t->world, world_now_ms(t->world) + request->deadline_ms);
    return err_retry(a, "timed out after %lld ms", (long long)request->deadline_ms);
}

TEST(get_shows_what_arrived_before_the_timeout)
{
    SCOPED_TERMINAL t = terminal_open();
    given_town(t);
    t->faulty.call = answer_slowly;
    int64_t began_ms = world_now_ms(t->world);

    then_int(type(t, "get"), EXIT_TIMED_OUT);
    then_said(t, "rpc");
    then_talked(t, "timed out after 5000 ms");
    then_talked(t, "--request-timeout");
    then_int(world_now_ms(t->world) - began_ms, 5000);
    then_int(type(t, "get --request-timeout 200ms"), EXIT_TIMED_OUT);
    then_talked(t, "timed out after 200 ms");
}
