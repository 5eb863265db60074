/* Gather: one list after the other, each once, the most telling first: whoever has little time has
 * those at least. Nodes and fleets are always asked for everywhere, because a consensus key must
 * not be used twice anywhere; where that is not allowed, the namespace of the context has to do. */
#include "cli/doctor/gather.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/version.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

enum { SKEW_NOTICED_S = 3, REASON_MAX = 160 };

static const char operator_labels[] = "app.kubernetes.io/name in (sei-operator,sei-k8s-controller)";

void gather_note(Chart *c, ChartList list, const Err *err, Objects objects)
{
    if (!err) {
        chart_put(c, list, objects);
        return;
    }
    ChartState state = err->status == 404 ? CHART_UNSERVED
        : err->status == 403              ? CHART_FORBIDDEN
                                          : CHART_UNREAD;
    chart_miss(c, list, state, str_cut(c->arena, err_text(c->arena, err), REASON_MAX));
}

/* --- whole lists */

typedef struct Ask {
    ChartList list;
    const char *namespace, *labels, *fields;
} Ask;

static Err *ask(Cli *cli, const Ask *what, Objects *ret)
{
    Request list = {
        .kind = chart_list_kind(what->list),
        .key.namespace = what->namespace,
        .labels = what->labels,
        .fields = what->fields,
    };

    return connection_list_by(cli, list, ret);
}

static void gather(Cli *cli, Chart *c, Ask what)
{
    Objects objects = {0};
    const Err *err = ask(cli, &what, &objects);

    gather_note(c, what.list, err, objects);
}

/* --- single objects */

/* The objects of these keys that exist. */
static void gather_named(Cli *cli, Chart *c, ChartList list, const Key *keys, size_t count)
{
    Objects objects = {.items = arena_array(c->arena, const Json *, count)};
    Err *err = OK;

    for (size_t i = 0; i < count && !err; i++) {
        const Json *object = NULL;
        err = connection_find(cli, chart_list_kind(list), keys[i], &object);
        if (object)
            objects.items[objects.count++] = object;
    }
    gather_note(c, list, err, objects);
}

static void gather_definitions(Cli *cli, Chart *c)
{
    static const Key keys[] = {
        {NULL, "seinodes.sei.io"},
        {NULL, "seinodedeployments.sei.io"},
    };

    gather_named(cli, c, CHART_DEFINITIONS, keys, sizeof keys / sizeof keys[0]);
}

static const Json *settings_of(const Json *deployment)
{
    return json_find(deployment, ".spec.template.spec.containers[0].envFrom");
}

static void gather_settings(Cli *cli, Chart *c)
{
    const Objects operators = chart_operators(c);
    size_t most = 0, count = 0;

    for (size_t i = 0; i < operators.count; i++)
        most += json_count(settings_of(operators.items[i]));
    Key *keys = arena_array(c->arena, Key, most);
    for (size_t i = 0; i < operators.count; i++) {
        const Json *d = operators.items[i], *entry;
        json_each(entry, settings_of(d)) {
            const char *name = json_str(entry, ".configMapRef.name");
            if (name)
                keys[count++] = (Key){meta_namespace(d), name};
        }
    }
    gather_named(cli, c, CHART_SETTINGS, keys, count);
}

/* Adds objects to a list that was read. */
static void add(Chart *c, ChartList list, const Objects *more)
{
    const Objects *found = chart_list(c, list);
    Objects both = {.items = arena_array(c->arena, const Json *, found->count + more->count)};

    for (size_t i = 0; i < found->count; i++)
        both.items[both.count++] = found->items[i];
    for (size_t i = 0; i < more->count; i++)
        both.items[both.count++] = more->items[i];
    chart_put(c, list, both);
}

/* The pods of an operator's nodes run as accounts of one name, wherever there are such. */
static Err *find_accounts_of_pods(Cli *cli, const Chart *c, const char *name, Objects *ret)
{
    Ask pods = {.list = CHART_ACCOUNTS,
        .namespace = c->namespace,
        .fields = str_format(c->arena, "metadata.name=%s", name)};

    return ask(cli, &pods, ret);
}

static bool is_among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(names[i], name))
            return true;
    return false;
}

/* Each name is asked for once, for all namespaces with nodes. */
static void gather_accounts_of_pods(Cli *cli, Chart *c)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    const char **names = arena_array(c->arena, const char *, nodes->count);
    size_t count = 0;

    for (size_t i = 0; i < nodes->count && chart_knows(c, CHART_ACCOUNTS); i++) {
        const char *namespace = meta_namespace(nodes->items[i]);
        bool matters = chart_is_asked_about(c, namespace) && chart_is_first_of_namespace(c, i);
        const char *name = matters ? chart_account_of_pods(c, namespace) : NULL;
        Objects found = {0};
        if (!name || is_among(names, count, name))
            continue;
        names[count++] = name;
        const Err *err = find_accounts_of_pods(cli, c, name, &found);
        if (err)
            gather_note(c, CHART_ACCOUNTS, err, found);
        else
            add(c, CHART_ACCOUNTS, &found);
    }
}

/* Those of operators by their names, those of pods wherever there are such. */
static void gather_accounts(Cli *cli, Chart *c)
{
    const Objects operators = chart_operators(c);
    Key *keys = arena_array(c->arena, Key, 2 * operators.count);
    size_t count = 0;

    for (size_t i = 0; i < operators.count; i++) {
        keys[count++] = chart_operator_account(operators.items[i]);
        keys[count++] = chart_sidecar_account(c, operators.items[i]);
    }
    gather_named(cli, c, CHART_ACCOUNTS, keys, count);
    gather_accounts_of_pods(cli, c);
}

/* Those by which metrics are found, where the namespace that was asked about is another. */
static void gather_metrics_services(Cli *cli, Chart *c)
{
    const Objects operators = chart_operators(c);

    for (size_t i = 0; i < operators.count && chart_knows(c, CHART_SERVICES); i++) {
        Key key = {meta_namespace(operators.items[i]), METRICS_SERVICE};
        const Json *service = NULL;
        if (!c->namespace || str_eq(key.namespace, c->namespace))
            continue;
        const Err *err = connection_find(cli, kind_service, key, &service);
        if (err)
            gather_note(c, CHART_SERVICES, err, (Objects){0});
        else if (service)
            add(c, CHART_SERVICES, &(Objects){.items = &service, .count = 1});
    }
}

/* --- nodes */

static bool is_refused(const Chart *c)
{
    return c->parts[CHART_NODES].state == CHART_FORBIDDEN;
}

static void gather_nodes(Cli *cli, Chart *c)
{
    gather(cli, c, (Ask){.list = CHART_NODES});
    if (is_refused(c) && !cli->flags.all_namespaces && cli->namespace) {
        c->namespace = cli->namespace;
        gather(cli, c, (Ask){.list = CHART_NODES, .namespace = c->namespace});
        gather(cli, c, (Ask){.list = CHART_FLEETS, .namespace = c->namespace});
        return;
    }
    gather(cli, c, (Ask){.list = CHART_FLEETS});
}

/* --- the server */

static int64_t minor_of(const Json *version)
{
    const char *text = json_str(version, ".gitVersion");
    char *end = NULL;

    if (!str_has_prefix(text, "v1."))
        return -1;
    long minor = strtol(text + strlen("v1."), &end, 10);
    return end > text + strlen("v1.") && minor >= 0 ? minor : -1;
}

static Err *read_version(Cli *cli, Chart *c)
{
    const Json *version = NULL;
    Err *err =
        connection_call(cli, (Request){.verb = VERB_RAW_GET, .raw_path = "/version"}, &version);

    /* A server that answers with a refusal is there. */
    if (err && err->status != 403 && err->status != 404)
        return err;
    c->server_version = json_str(version, ".gitVersion");
    c->server_minor = minor_of(version);
    return OK;
}

/* Everybody may ask who they are, and the answer is dated by the server. Only what is more than its
 * whole seconds and the way there and back count as a difference. */
static void read_clock(Cli *cli, Chart *c)
{
    const Json *answer = NULL,
               *question = json_fixture(
                   c->arena, "{apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'}");
    Request create = {.verb = VERB_CREATE, .kind = kind_self_review, .body = question};
    int64_t before_ns = cli->clock->wall_ns(cli->clock), server_ns = 0;

    if (connection_call(cli, create, &answer)
        || !timestamp_parse(json_str(answer, ".metadata.creationTimestamp"), &server_ns))
        return;
    int64_t after_ns = cli->clock->wall_ns(cli->clock);
    int64_t ahead_ns = before_ns - server_ns - SECOND_NS;
    if (after_ns < server_ns)
        ahead_ns = after_ns - server_ns;
    else if (ahead_ns < 0)
        ahead_ns = 0;
    bool is_noticed =
        ahead_ns > SKEW_NOTICED_S * SECOND_NS || ahead_ns < -SKEW_NOTICED_S * SECOND_NS;
    c->has_server_time = true;
    c->ahead_ns = is_noticed ? ahead_ns : 0;
}

/* --- all of it */

static void gather_operator(Cli *cli, Chart *c)
{
    gather(cli, c, (Ask){.list = CHART_LEASES, .fields = "metadata.name=" LEASE_NAME});
    gather(cli, c, (Ask){.list = CHART_DEPLOYMENTS, .labels = operator_labels});
}

static void gather_around(Cli *cli, Chart *c)
{
    static const ChartList everything[] = {CHART_CLAIMS,
        CHART_STATEFULSETS,
        CHART_SERVICES,
        CHART_SCALERS,
        CHART_BUDGETS,
        CHART_LIMITS,
        CHART_QUOTAS};
    static const ChartList of_the_cluster[] = {
        CHART_NAMESPACES, CHART_CLASSES, CHART_VOLUMES, CHART_MONITORS, CHART_RULES};

    gather(cli, c, (Ask){CHART_OPERATOR_PODS, NULL, "app.kubernetes.io/name=sei-operator", NULL});
    gather(cli, c, (Ask){CHART_PODS, c->namespace, LABEL_NODE, NULL});
    gather_settings(cli, c);
    gather_secrets(cli, c);
    for (size_t i = 0; i < sizeof of_the_cluster / sizeof of_the_cluster[0]; i++)
        gather(cli, c, (Ask){.list = of_the_cluster[i]});
    for (size_t i = 0; i < sizeof everything / sizeof everything[0]; i++)
        gather(cli, c, (Ask){.list = everything[i], .namespace = c->namespace});
    gather(cli, c, (Ask){CHART_REVISIONS, c->namespace, LABEL_FLEET, NULL});
    gather(cli, c, (Ask){CHART_ROUTES, c->namespace, LABEL_FLEET, NULL});
    gather_accounts(cli, c);
    gather_metrics_services(cli, c);
}

Err *gather_chart(Cli *cli, Chart **ret)
{
    Chart *c = arena_new(cli->arena, Chart);

    *c = (Chart){
        .arena = cli->arena,
        .namespace = str_empty(cli->flags.namespace) || cli->flags.all_namespaces
            ? NULL
            : cli->flags.namespace,
        .program = cli->program,
        .cli_version = CLI_VERSION,
        .server_minor = -1,
        .is_pre = cli->flags.pre,
    };
    TRY(read_version(cli, c));
    read_clock(cli, c);
    c->now_ns = cli->clock->wall_ns(cli->clock);
    gather_definitions(cli, c);
    gather_operator(cli, c);
    if (c->is_pre) {
        gather(cli, c, (Ask){.list = CHART_CLASSES});
    } else {
        gather_nodes(cli, c);
        gather_around(cli, c);
    }
    gather_reviews(cli, c);
    *ret = c;
    return OK;
}
