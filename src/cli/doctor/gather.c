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

enum { SKEW_NOTICED_S = 3, REASON_MAX = 160, GETS_MAX = 64 };

static const char operators[] = "app.kubernetes.io/name in (sei-operator,sei-k8s-controller)";

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

static void gather_settings(Cli *cli, Chart *c)
{
    const Json *d = chart_operator(c), *entry;
    Key keys[GETS_MAX];
    size_t count = 0;

    json_each(entry, json_find(d, ".spec.template.spec.containers[0].envFrom")) {
        const char *name = json_str(entry, ".configMapRef.name");
        if (name && count < GETS_MAX)
            keys[count++] = (Key){meta_namespace(d), name};
    }
    gather_named(cli, c, CHART_SETTINGS, keys, count);
}

/* Those of the operator by their names, those of pods wherever there are such. */
static void gather_accounts(Cli *cli, Chart *c)
{
    const Key keys[] = {chart_operator_account(c), chart_sidecar_account(c)};
    bool has_operator = chart_operator(c) != NULL;
    Settings settings;
    Objects of_pods = {0};

    gather_named(cli, c, CHART_ACCOUNTS, keys, has_operator ? 2 : 0);
    if (!chart_knows(c, CHART_ACCOUNTS) || chart_settings(c, &settings))
        return;
    Ask pods = {.list = CHART_ACCOUNTS,
        .namespace = c->namespace,
        .fields = str_format(c->arena, "metadata.name=%s", settings.service_account)};
    const Err *err = ask(cli, &pods, &of_pods);
    const Objects *found = chart_list(c, CHART_ACCOUNTS);
    Objects both = {.items = arena_array(c->arena, const Json *, found->count + of_pods.count)};
    for (size_t i = 0; i < found->count; i++)
        both.items[both.count++] = found->items[i];
    for (size_t i = 0; i < of_pods.count; i++)
        both.items[both.count++] = of_pods.items[i];
    gather_note(c, CHART_ACCOUNTS, err, both);
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
    gather(cli, c, (Ask){.list = CHART_DEPLOYMENTS, .labels = operators});
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
