/* Two ways to read a domain. The nodes of a fleet are few and found by their owner. Those of a
 * chain may be ten thousand: they are shown one by one, and only what counts is kept of each. */
#include "sei/reconcile/permit_census.h"

#include "base/map.h"
#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

#include <string.h>

enum { ONE_NODE_MAX = 8 << 20 };

static bool domain_eq(PermitDomain left, PermitDomain right)
{
    return left.is_fleet == right.is_fleet && str_eq(left.namespace, right.namespace)
        && str_eq(left.name, right.name);
}

PermitDomain permits_domain_of_fleet(Key fleet)
{
    return (PermitDomain){.is_fleet = true, .namespace = fleet.namespace, .name = fleet.name};
}

/* A Running node stays on the chain that it has recorded, whatever its spec says. */
PermitDomain permits_domain_of(const Json *node)
{
    const Json *controller = meta_controller(node);
    const char *chain = json_str(node, ".status.identity.chainId");
    const char *name = json_str(controller, ".name");

    if (str_empty(chain))
        chain = json_str(node, ".spec.chainId");
    if (name && str_eq(json_str(controller, ".kind"), kind_seinodedeployment->name))
        return permits_domain_of_fleet((Key){.namespace = meta_namespace(node), .name = name});
    return (PermitDomain){
        .namespace = meta_namespace(node),
        .name = chain ? chain : "",
    };
}

/* --- one by one --- */

typedef struct Counting {
    Walker port; /* first, so that the port is this */
    Arena *a, *one;
    PermitDomain domain;
    int64_t now_ms;
    Map *serving; /* the pods that serve, by name */
    PermitCensus *census;
    size_t room;
    bool is_full;
} Counting;

static void make_room(Counting *t)
{
    PermitCensus *census = t->census;
    size_t room = t->room ? 2 * t->room : 64;
    PermitNode *nodes = arena_array(t->a, PermitNode, room);
    const char **keys = arena_array(t->a, const char *, room);

    if (census->count) {
        memcpy(nodes, census->nodes, census->count * sizeof *nodes);
        memcpy(keys, census->keys, census->count * sizeof *keys);
    }
    census->nodes = nodes;
    census->keys = keys;
    t->room = room;
}

static void add(Counting *t, Key key, const BatchNode *health)
{
    PermitCensus *census = t->census;

    if (census->count > CENSUS_NODES_MAX) /* one more, for the asker */
        return;
    if (census->count == t->room)
        make_room(t);
    const char *text = key_text(t->a, key);
    census->keys[census->count] = text;
    census->nodes[census->count++] =
        (PermitNode){.name = text + strlen(text) - strlen(key.name), .health = *health};
}

/* What cannot be read of a node does not hide how it is. */
static void count_node(Counting *t, const Json *object, BatchPod pod, int64_t ordinal)
{
    SeiNode *node = arena_new(t->one, SeiNode);
    BatchNode health;

    Err *unreadable = node_decode(t->one, object, node);
    (void)unreadable;
    batch_node_read_by(node, pod, t->now_ms, &health);
    health.ordinal = ordinal;
    add(t, node->key, &health);
    arena_reset(t->one);
}

static void see_pod(Walker *self, const Json *pod)
{
    Counting *t = (Counting *)self;
    const char *name = meta_name(pod);

    if (!batch_pod_read(pod).serves || map_find(t->serving, name))
        return;
    char *kept = (char *)str_copy(t->a, name);
    t->is_full = t->is_full || !map_put(t->serving, kept, kept);
}

static void see_node(Walker *self, const Json *object)
{
    Counting *t = (Counting *)self;

    if (!domain_eq(permits_domain_of(object), t->domain))
        return;
    bool serves = map_find(t->serving, name_pod(t->one, meta_name(object))) != NULL;
    count_node(t, object, (BatchPod){.serves = serves}, 0);
}

static Err *walk(Ctx *c, Counting *t)
{
    t->port = (Walker){.see = see_pod, .namespace = t->domain.namespace};
    TRY(kube_walk(c, kind_pod, &t->port));
    t->port.see = see_node;
    TRY(kube_walk(c, kind_seinode, &t->port));
    if (t->is_full || t->census->count > CENSUS_NODES_MAX)
        return err_retry(c->arena,
            "namespace %s has more than %d nodes of one chain, too many to stop one of them for a "
            "change of the operator: put them into fleets",
            t->domain.namespace,
            CENSUS_NODES_MAX);
    return OK;
}

static Err *count_chain(Ctx *c, Counting *t)
{
    t->serving = map_open(CENSUS_NODES_MAX);
    Err *err = walk(c, t);
    map_close(t->serving);
    return err;
}

/* --- by owner --- */

/* A pod of which our own write has not come back was just deleted. */
static Err *find_pod(Ctx *c, Key node, const Json **ret)
{
    Key key = {.namespace = node.namespace, .name = name_pod(c->arena, node.name)};
    Err *err = kube_find(c, kind_pod, key, ret);

    if (!err_is(err, ERR_WAIT))
        return err;
    *ret = NULL;
    return OK;
}

static Err *count_fleet(Ctx *c, Counting *t, const char *fleet_uid)
{
    Objects nodes;

    TRY(kube_owned(c, kind_seinode, fleet_uid, &nodes));
    for (size_t i = 0; i < nodes.count; i++) {
        const Json *pod = NULL;
        TRY(find_pod(c, meta_key(nodes.items[i]), &pod));
        const char *name = meta_name(nodes.items[i]);
        int64_t ordinal = fleet_name_ordinal(c->arena, t->domain.name, name);
        count_node(t, nodes.items[i], batch_pod_read(pod), ordinal);
    }
    return OK;
}

/* --- the budget --- */

/* One that is gone leaves its nodes behind, for a moment or for good. */
static Err *ask_of_fleet(Ctx *c, Arena *a, PermitDomain domain, PermitQuestion *ret)
{
    static const FleetStrategy of_one_that_is_gone = {.max_unavailable = {.value = 1}};
    Key key = {.namespace = domain.namespace, .name = domain.name};
    Fleet *fleet = arena_new(a, Fleet);
    const Json *object;

    *ret = (PermitQuestion){
        .domain = str_format(a, "fleet %s", domain.name),
        .limit = "updateStrategy.maxUnavailable",
        .strategy = &of_one_that_is_gone,
        .replicas = INT64_MAX,
        .budget = 1,
    };
    TRY(kube_find(c, kind_seinodedeployment, key, &object));
    if (!object)
        return OK;
    if (fleet_decode(a, object, fleet)) {
        ret->closed = str_format(a, "the spec of fleet %s cannot be read", domain.name);
        return OK;
    }
    ret->strategy = &fleet->spec.strategy;
    ret->replicas = fleet->spec.replicas;
    ret->closed = permit_fleet_closed(a, fleet);
    ret->budget =
        batch_budget(ret->strategy, ret->replicas, fleet->spec.node.mode == MODE_VALIDATOR);
    return OK;
}

static void ask_of_chain(Arena *a, PermitDomain domain, int64_t platform_max, PermitQuestion *ret)
{
    *ret = (PermitQuestion){
        .domain = str_format(a, "chain %s in namespace %s", domain.name, domain.namespace),
        .limit = "--platform-max-unavailable",
        .budget = platform_max,
    };
}

/* The asker stands among the nodes, unless it was made or adopted this very moment. */
static void find_asker(Counting *t, const PermitAsk *ask)
{
    PermitCensus *census = t->census;
    size_t i = 0;

    while (i < census->count && !str_eq(census->nodes[i].name, ask->node->key.name))
        i++;
    if (i == census->count)
        count_node(t, ask->node->object, batch_pod_read(ask->pod), 0);
    census->question.nodes = census->nodes;
    census->question.count = census->count;
    census->question.asker = &census->nodes[i];
}

Err *permit_census_read(
    Ctx *c, Arena *a, const PermitAsk *ask, int64_t platform_max, PermitCensus *ret)
{
    SCOPED_ARENA one = arena_open(ONE_NODE_MAX);
    const Json *controller = meta_controller(ask->node->object);
    Counting t = {
        .a = a,
        .one = one,
        .domain = permits_domain_of(ask->node->object),
        .now_ms = clock_wall_ms(c->clock),
        .census = ret,
    };

    *ret = (PermitCensus){0};
    if (t.domain.is_fleet) {
        TRY(ask_of_fleet(c, a, t.domain, &ret->question));
        TRY(count_fleet(c, &t, json_str(controller, ".uid")));
    } else {
        ask_of_chain(a, t.domain, platform_max, &ret->question);
        TRY(count_chain(c, &t));
    }
    find_asker(&t, ask);
    return arena_err(a);
}
