/* Who may be stopped by a change of the platform, who waits, and who is woken. */
#include "sei/reconcile/permits.h"

#include "kube/kube.h"
#include "kube/meta.h"
#include "tests/sei/fleets.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

#include <string.h>

#define READY(status) "conditions: [{type: 'Ready', status: '" status "', reason: 'R'}]"
#define PLAN(kind, cause, phase)                                                                   \
    "plan: {id: 'p', kind: '" kind "', cause: '" cause "', phase: '" phase "', tasks: []}"
#define ENDED(kind, cause) "{id: 'p', kind: '" kind "', cause: '" cause "', result: 'Complete'}"

static const struct {
    const char *name, *node;
    bool holds;
} cases[] = {
    {"a node that the platform updates",
        "{status: {phase: 'Running', " PLAN("node-update", "platform", "Active") "}}",
        true},
    {"not one that its own spec updates",
        "{status: {phase: 'Running', " PLAN("node-update", "spec", "Active") "}}",
        false},
    {"one that was updated and is not ready yet",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("node-update", "platform",
            "Complete") ", history: [" ENDED("node-update", "platform") "]}}",
        true},
    {"also when another plan has come after it",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("mark-ready-reapply",
            "the sidecar is not ready", "Active") ", history: [" ENDED("node-update",
            "platform") ", " ENDED("repair", "Service is missing") "]}}",
        true},
    {"not one that is ready again",
        "{status: {phase: 'Running', " READY("True") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
    {"not one whose last update was its own",
        "{status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") ", " ENDED("node-update", "spec") "]}}",
        false},
    {"not one that is paused",
        "{spec: {paused: true}, status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
    {"not one that was paused in its update",
        "{spec: {paused: true}, status: {phase: 'Running', " PLAN(
            "node-update", "platform", "Active") "}}",
        false},
};

TEST(a_permit_is_held_until_the_node_is_ready_again)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = sample_node(a, cases[i].node);

        then_int(permits_is_holder(&node), cases[i].holds);
    }
}

/* --- a city of nodes --- */

enum { CITY_MAX = 200 };

/* How a citizen is:
 *   a available   s sick   p paused   n never Running   u being updated by its own spec */
typedef struct Citizen {
    const char *name, *patch;
    char how;
} Citizen;

typedef struct City City;
struct City {
    Waker waker; /* first, so that the port is this */
    Kube kube;
    Clock clock;
    Ctx ctx;
    Arena *arena;
    Permits *permits;
    Citizen nodes[CITY_MAX];
    size_t count;
    const Json *fleet;
    int64_t now_ms;
    int reads;                     /* of a whole domain */
    const char *woken;             /* names, in order */
    void (*meanwhile)(City *city); /* while a domain is being read */
};

static const Json *object_of(Arena *a, const Citizen *n)
{
    const char *node = str_format(a,
        "{metadata: {name: '%s', uid: 'uid-%s'}, spec: {paused: %s},"
        " status: {phase: '%s', observedGeneration: 1%s}}",
        n->name,
        n->name,
        n->how == 'p' ? "true" : "false",
        n->how == 'n' ? "Initializing" : "Running",
        n->how == 'u' ? ", " PLAN("node-update", "spec", "Active") : "");

    return json_merge(a, sample_object(a, node), n->patch ? json_fixture(a, n->patch) : NULL);
}

static const Json *pod_of(Arena *a, const Citizen *n)
{
    return json_fixture(a,
        str_format(a,
            "{metadata: {name: '%s-0', namespace: 'sei'},"
            " status: {conditions: [{type: 'Ready', status: '%s'}]}}",
            n->name,
            n->how == 'a' || n->how == 'u' ? "True" : "False"));
}

static Citizen *citizen(City *city, const char *name)
{
    for (size_t i = 0; i < city->count; i++)
        if (str_eq(city->nodes[i].name, name))
            return &city->nodes[i];
    return NULL;
}

/* --- the ports --- */

static void note_wake(Waker *self, Key key)
{
    City *city = (City *)self;

    then_str(key.namespace, "sei");
    city->woken = str_format(city->arena, "%s%s ", city->woken, key.name);
}

static int64_t now_ns(Clock *self)
{
    return ((City *)((char *)self - offsetof(City, clock)))->now_ms * 1000000;
}

static City *city_of(Kube *kube)
{
    return (City *)((char *)kube - offsetof(City, kube));
}

static void note_read(City *city)
{
    city->reads++;
    if (city->meanwhile)
        city->meanwhile(city);
}

static Err *walk(Kube *self, Ctx *c, const Kind *kind, Walker *walker)
{
    City *city = city_of(self);

    (void)c;
    for (size_t i = 0; i < city->count; i++) {
        SCOPED_ARENA one = arena_open(1 << 20);
        const Citizen *n = &city->nodes[i];
        walker->see(walker, kind == kind_pod ? pod_of(one, n) : object_of(one, n));
    }
    if (kind == kind_seinode && walker->namespace)
        note_read(city);
    return OK;
}

static Err *find(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    City *city = city_of(self);
    const char *node = str_slice(c->arena, key.name, strlen(key.name) - 2);

    *ret = kind == kind_seinodedeployment ? city->fleet : NULL;
    if (kind == kind_pod && citizen(city, node))
        *ret = pod_of(c->arena, citizen(city, node));
    return OK;
}

static Err *owned(Kube *self, Ctx *c, const Selection *selection, Objects *ret)
{
    City *city = city_of(self);

    *ret = (Objects){.items = arena_array(c->arena, const Json *, CITY_MAX)};
    for (size_t i = 0; i < city->count; i++) {
        const Json *object = object_of(c->arena, &city->nodes[i]);
        if (str_eq(json_str(meta_controller(object), ".uid"), selection->owner_uid))
            ret->items[ret->count++] = object;
    }
    note_read(city);
    return OK;
}

/* Names that say how each is: "a-1" is available. */
static City *city_open(Arena *a, int64_t platform_max, const char *const *names)
{
    City *city = arena_new(a, City);

    *city = (City){
        .waker = {note_wake},
        .kube = {.find = find, .select = owned, .walk = walk},
        .clock = {.mono_ns = now_ns, .wall_ns = now_ns},
        .arena = a,
        .permits = permits_open(platform_max),
        .woken = "",
    };
    city->ctx = (Ctx){.arena = a, .kube = &city->kube, .clock = &city->clock};
    permits_bind(city->permits, &city->waker);
    for (; *names; names++)
        city->nodes[city->count++] = (Citizen){.name = *names, .how = **names};
    return city;
}

static void city_close_scoped(City **city)
{
    permits_close((*city)->permits);
}

#define CITY(platform_max, ...)                                                                    \
    SCOPED_ARENA a = arena_open(64 << 20);                                                         \
    __attribute__((cleanup(city_close_scoped))) City *city =                                       \
        city_open(a, platform_max, (const char *const[]){__VA_ARGS__, NULL})

/* --- what nodes do --- */

/* What it is told; NULL when it gets a permit. */
static const char *asks(City *city, const char *name)
{
    const Json *object = object_of(city->arena, citizen(city, name));
    PermitAnswer answer;
    SeiNode node;

    then_ok(node_decode(city->arena, object, &node));
    PermitAsk ask = {.node = &node, .pod = pod_of(city->arena, citizen(city, name))};
    then_ok(permits_take(&city->ctx, city->permits, guard_none(), &ask, &answer));
    then_true(answer.granted || (answer.sentence && answer.look_again_ms > 0));
    return answer.granted ? NULL : answer.sentence;
}

static bool takes(City *city, const char *name)
{
    return asks(city, name) == NULL;
}

typedef enum Standing { IDLE, HOLDS, WAITS } Standing;

/* Who is woken when the reconcile of a node ends so. */
static const char *settles(City *city, const char *name, Standing standing)
{
    const Json *object = object_of(city->arena, citizen(city, name));
    SeiNode node;

    then_ok(node_decode(city->arena, object, &node));
    city->woken = "";
    permits_settle(city->permits,
        guard_none(),
        &(PermitStanding){.node = &node,
            .pod = pod_of(city->arena, citizen(city, name)),
            .holds = standing == HOLDS,
            .waits = standing == WAITS});
    return city->woken;
}

static const char *forgets(City *city, const char *name)
{
    city->woken = "";
    permits_forget(city->permits, guard_none(), (Key){"sei", name});
    return city->woken;
}

/* --- the line --- */

TEST(returning_a_permit_enqueues_the_first_waiting_node)
{
    CITY(1, "a-1", "a-2", "a-3");

    then_true(takes(city, "a-1"));
    then_true(takes(city, "a-1")); /* keeps the one it has */
    then_true(!takes(city, "a-2"));
    then_true(!takes(city, "a-3"));
    then_true(!takes(city, "a-2")); /* stands there once, and where it stood */
    then_str(settles(city, "a-2", WAITS), "");
    then_str(settles(city, "a-1", HOLDS), ""); /* its plan is stored */
    then_str(settles(city, "a-1", IDLE), "a-2 ");
    then_true(takes(city, "a-2"));
    then_str(settles(city, "a-2", IDLE), "a-3 ");
}

TEST(an_enqueued_node_that_needs_no_permit_leaves_it_to_the_next_node)
{
    CITY(1, "a-1", "a-2", "a-3");

    then_true(takes(city, "a-1"));
    then_true(!takes(city, "a-2"));
    then_true(!takes(city, "a-3"));
    then_str(settles(city, "a-1", IDLE), "a-2 ");
    then_str(settles(city, "a-2", IDLE), "a-3 "); /* its pass ended without a plan */
    then_true(takes(city, "a-3"));
    then_str(settles(city, "a-3", IDLE), "");
}

TEST(a_deleted_node_returns_its_permit)
{
    CITY(1, "a-1", "a-2");

    then_true(takes(city, "a-1"));
    then_true(!takes(city, "a-2"));
    then_str(forgets(city, "a-1"), "a-2 ");
    then_true(takes(city, "a-2"));
}

TEST(each_granted_permit_enqueues_the_next_node_while_permits_are_left)
{
    CITY(2, "a-1", "a-2", "a-3", "a-4", "a-5");

    then_true(takes(city, "a-1") && takes(city, "a-2"));
    then_true(!takes(city, "a-3") && !takes(city, "a-4") && !takes(city, "a-5"));
    then_str(settles(city, "a-1", IDLE), "a-3 ");
    then_str(settles(city, "a-2", IDLE), "a-3 "); /* it has not come yet */
    city->woken = "";
    then_true(takes(city, "a-3"));
    then_str(city->woken, "a-4 ");
    city->woken = "";
    then_true(takes(city, "a-4"));
    then_str(city->woken, "");
    then_true(!takes(city, "a-5"));
}

TEST(unavailable_nodes_are_queued_before_available_ones)
{
    CITY(1, "u-1", "a-2", "s-3", "a-4");

    settles(city, "u-1", IDLE);
    then_true(!takes(city, "a-2") && !takes(city, "s-3") && !takes(city, "a-4"));
    citizen(city, "u-1")->how = 'a';
    then_str(settles(city, "u-1", IDLE), "s-3 ");
    then_true(!takes(city, "a-2")); /* the sick one counts */
    then_true(takes(city, "s-3"));
}

TEST(a_node_that_recovers_enqueues_the_node_that_waited_for_it)
{
    CITY(1, "a-1", "s-2");

    then_true(strstr(asks(city, "a-1"),
        "may be down at once (--platform-max-unavailable), and "
        "s-2 is"));
    then_str(settles(city, "s-2", IDLE), "");
    citizen(city, "s-2")->how = 'a';
    then_str(settles(city, "s-2", IDLE), "a-1 ");
    then_true(takes(city, "a-1"));
}

TEST(a_node_that_is_paused_enqueues_the_node_that_waited_for_it)
{
    CITY(1, "a-1", "s-2");

    settles(city, "s-2", IDLE);
    then_true(!takes(city, "a-1"));
    citizen(city, "s-2")->how = 'p';
    then_str(settles(city, "s-2", IDLE), "a-1 ");
    then_true(takes(city, "a-1"));
}

TEST(nodes_that_are_paused_or_never_ran_do_not_count)
{
    CITY(1, "a-1", "p-2", "n-3");

    then_true(takes(city, "a-1"));
}

TEST(the_permit_queue_is_bounded_and_a_node_beyond_it_is_requeued)
{
    CITY(1, "a-0");

    for (int i = 1; i < CITY_MAX; i++)
        city->nodes[city->count++] = (Citizen){.name = str_format(a, "a-%d", i), .how = 'a'};
    then_true(takes(city, "a-0"));
    for (int i = 1; i < CITY_MAX;
        i++) /* so many are told no names, which would change and change */
        then_true(strstr(asks(city, str_format(a, "a-%d", i)), "and others are before it"));
    int woken = 0;
    const char *next = settles(city, "a-0", IDLE);
    for (; *next; woken++)
        next = settles(city, str_slice(a, next, strlen(next) - 1), IDLE);
    then_int(woken, PERMITS_LINE_MAX);
}

/* --- what it costs --- */

TEST(a_node_that_asks_after_a_denied_one_does_not_read_the_domain_again)
{
    CITY(1, "a-1", "a-2", "a-3", "s-4");

    settles(city, "s-4", IDLE);
    then_true(strstr(asks(city, "a-1"), "and s-4 is"));
    then_int(city->reads, 1);
    then_true(strstr(asks(city, "a-2"), "and s-4 is"));
    then_true(strstr(asks(city, "a-3"), "and s-4 is"));
    then_int(city->reads, 1);
    then_true(takes(city, "s-4")); /* it was not meant: it does not serve */
    then_int(city->reads, 2);
    then_true(!takes(city, "a-1"));
    then_int(city->reads, 2);
    city->now_ms += PERMITS_TRUST_MS;
    then_true(!takes(city, "a-1"));
    then_int(city->reads, 3);
}

/* --- domains --- */

TEST(each_chain_of_a_namespace_has_its_own_disruption_budget)
{
    CITY(1, "a-1", "a-2", "a-3");

    citizen(city, "a-2")->patch = "{spec: {chainId: 'arctic-1'}}";
    citizen(city, "a-3")->patch = "{spec: {chainId: 'arctic-1'}}";
    then_true(takes(city, "a-1"));
    then_true(takes(city, "a-2"));
    then_true(!takes(city, "a-3"));
    then_str(settles(city, "a-1", IDLE), "");
    then_str(settles(city, "a-2", IDLE), "a-3 ");
}

TEST(the_disruption_domain_of_a_node_uses_its_recorded_chain)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *node = sample_object(
        a, "{spec: {chainId: 'new'}, status: {identity: {chainId: 'old', mode: 'fullNode'}}}");

    then_str(permits_domain_of(node).name, "old");
}

TEST(a_disruption_budget_of_0_stops_no_node_and_is_reported)
{
    CITY(0, "a-1");

    then_str(asks(city, "a-1"),
        "--platform-max-unavailable is 0: nothing is stopped for a change of the operator");
}

#define OF_FLEET                                                                                   \
    "{metadata: {labels: {'sei.io/nodedeployment': 'rpc'}, ownerReferences: [{apiVersion: "        \
    "'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'rpc', uid: '" FLEET_UID                  \
    "', controller: true}]}}"

static void given_fleet(City *city, const char *patch)
{
    city->fleet = sample_fleet_object(city->arena, patch);
    for (size_t i = 0; i < city->count; i++)
        city->nodes[i].patch = OF_FLEET;
}

TEST(the_disruption_budget_of_a_fleet_is_the_max_unavailable_of_its_strategy)
{
    CITY(1, "a-0", "a-1", "a-2");

    given_fleet(city, "{spec: {updateStrategy: {type: 'InPlace', maxUnavailable: 2}}}");
    then_true(takes(city, "a-0") && takes(city, "a-1"));
    then_str(asks(city, "a-2"),
        "at most 2 nodes of fleet rpc may be down at once (updateStrategy.maxUnavailable), and "
        "a-0, a-1 are being updated");
}

TEST(fewer_than_a_third_of_the_validators_are_stopped_whatever_the_budget)
{
    CITY(1, "a-0", "a-1", "a-2");

    given_fleet(city,
        "{spec: {updateStrategy: {type: 'InPlace', maxUnavailable: 3},"
        " template: {spec: {fullNode: null, validator: {}}}}}");
    then_true(takes(city, "a-0"));
    then_true(!takes(city, "a-1"));
}

TEST(a_paused_node_of_a_fleet_uses_its_disruption_budget)
{
    CITY(1, "a-0", "p-1");

    given_fleet(city, NULL);
    then_true(strstr(asks(city, "a-0"), "and p-1 is"));
}

TEST(a_fleet_on_hold_grants_no_permit_until_the_hold_is_removed)
{
    CITY(1, "a-0", "a-1");
    PermitDomain domain = permits_domain_of_fleet((Key){"sei", "rpc"});

    given_fleet(city, "{spec: {updateStrategy: {type: 'InPlace', hold: true}}}");
    then_str(asks(city, "a-0"), "updateStrategy.hold of fleet rpc is set");
    then_str(asks(city, "a-1"), "updateStrategy.hold of fleet rpc is set");
    given_fleet(city, NULL);
    permits_changed(city->permits, guard_none(), domain);
    then_str(city->woken, "a-0 ");
    then_true(takes(city, "a-0"));
}

TEST(the_nodes_of_a_deleted_fleet_are_stopped_one_by_one)
{
    CITY(5, "a-0", "a-1");

    given_fleet(city, NULL);
    city->fleet = NULL;
    then_true(takes(city, "a-0"));
    then_true(!takes(city, "a-1"));
}

TEST(a_node_that_a_fleet_adopts_waits_with_the_nodes_of_the_fleet)
{
    CITY(1, "a-0", "a-1", "a-2");

    then_true(takes(city, "a-0"));
    then_true(!takes(city, "a-1"));
    city->fleet = sample_fleet_object(a, NULL);
    citizen(city, "a-1")->patch = citizen(city, "a-2")->patch = OF_FLEET;
    then_true(takes(city, "a-2"));
    then_true(!takes(city, "a-1"));
    then_str(settles(city, "a-0", IDLE), "");
    then_str(settles(city, "a-2", IDLE), "a-1 ");
}

/* --- beside the rollout of a fleet --- */

static const Key rpc = {"sei", "rpc"};

TEST(a_node_that_a_rollout_is_about_to_write_counts_against_the_budget)
{
    CITY(1, "a-0", "a-1");

    given_fleet(city, NULL);
    then_true(permits_reserve(city->permits, rpc, (Key){"sei", "a-1"}));
    then_true(!permits_is_held(city->permits, (Key){"sei", "a-1"})); /* it is no permit */
    then_true(strstr(asks(city, "a-0"), "and a-1 is being updated"));
    permits_unreserve(city->permits, guard_none(), rpc);
    then_str(city->woken, "a-0 ");
    then_true(takes(city, "a-0"));
}

TEST(a_rollout_sees_which_nodes_hold_a_permit)
{
    CITY(1, "a-0", "a-1");

    given_fleet(city, NULL);
    then_true(!permits_is_held(city->permits, (Key){"sei", "a-0"}));
    then_true(takes(city, "a-0"));
    then_true(permits_is_held(city->permits, (Key){"sei", "a-0"}));
    settles(city, "a-0", IDLE);
    then_true(!permits_is_held(city->permits, (Key){"sei", "a-0"}));
}

/* A rollout writes a node while another asks: what was read before does not count. */
static void roll_in_between(City *city)
{
    city->meanwhile = NULL;
    then_true(permits_reserve(city->permits, rpc, (Key){"sei", "a-1"}));
    citizen(city, "a-1")->how = 'u';
    permits_unreserve(city->permits, guard_none(), rpc);
}

TEST(a_disruption_domain_that_changed_while_it_was_read_is_read_again)
{
    CITY(1, "a-0", "a-1");

    given_fleet(city, NULL);
    city->meanwhile = roll_in_between;
    then_true(strstr(asks(city, "a-0"), "and a-1 is being updated"));
    then_int(city->reads, 2);
}

/* --- a new life --- */

TEST(after_a_restart_the_holders_of_permits_are_found_in_the_stored_status)
{
    CITY(1, "a-1", "s-2");

    citizen(city, "s-2")->patch =
        "{status: {history: [" ENDED("node-update", "platform") "], " READY("False") "}}";
    then_true(strstr(asks(city, "a-1"), "and s-2 is being updated"));
    citizen(city, "s-2")->how = 'a';
    citizen(city, "s-2")->patch = NULL;
    then_str(settles(city, "s-2", IDLE), "a-1 ");
    then_true(takes(city, "a-1"));
}

TEST(a_cluster_at_rest_leaves_no_permit_state_in_memory)
{
    CITY(1, "a-1", "a-2", "s-3");

    settles(city, "s-3", IDLE);
    then_true(!takes(city, "a-1"));
    citizen(city, "s-3")->how = 'a';
    settles(city, "s-3", IDLE);
    then_true(takes(city, "a-1"));
    settles(city, "a-1", IDLE);
    then_int((int)permits_count(city->permits), 0);
}
