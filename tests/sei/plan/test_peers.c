/* What discover-peers is told, until when it is told anew, and which peers are refused. */
#include "sei/plan/peers.h"

#include "tests/sei/plan/given.h"

/* An init that has come to discover-peers, or to the task before it. */
#define INIT(apply, peers)                                                                         \
    "{spec: {peers: [{label: {selector: {x: 'y'}}}]}, status: {phase: 'Initializing',"             \
    " identity: null, statefulSet: null, dataVolume: null, currentImage: null, specHash: null,"    \
    " podTemplateHash: null, resolvedPeers: ['new@q:1'],"                                          \
    " plan: {id: 'old', kind: 'init', phase: 'Active', targetHash: 'now', targetPhase: 'Running'," \
    " failedPhase: 'Failed', appliedHash: 'hash-now', tasks: ["                                    \
    "{type: 'apply-statefulset', id: '1', status: 'Complete'},"                                    \
    "{type: 'config-apply', id: '2', status: '" apply "', params: {mode: 'full'}},"                \
    "{type: 'discover-peers', id: '3', " peers "},"                                                \
    "{type: 'mark-ready', id: '4', status: 'Pending', params: {}}]}}}"

#define OLD  "{Sources: [{type: 'static', addresses: ['old@q:1']}]}"
#define NEW  "{Sources: [{type: 'static', addresses: ['new@q:1']}]}"
#define NONE "{Sources: [{type: 'static', addresses: []}]}"

static const struct {
    const char *name, *node, *told;
    bool is_stored_first;
} cases[] = {
    {"while another task is at work", INIT("Pending", "status: 'Pending', params: " OLD), NEW},
    {"not once the task may have been submitted",
        INIT("Complete", "status: 'Pending', params: " OLD),
        OLD},
    {"unless the source names no peer",
        INIT("Complete", "status: 'Pending', params: {Sources: []}"),
        NEW,
        true},
    {"without params, as the Go operator stores them",
        INIT("Complete", "status: 'Pending', params: {Sources: null}"),
        NEW,
        true},
    {"with an empty source, as the Go operator stores it",
        INIT("Complete", "status: 'Pending', params: " NONE),
        NEW,
        true},
    {"not when the task was submitted",
        INIT("Complete", "status: 'Pending', submittedAt: '" NOW "', params: " NONE),
        NONE},
    {"not when the task was tried before",
        INIT("Complete", "status: 'Pending', retryCount: 1, maxRetries: 20, params: " NONE),
        NONE},
    {"not when the task is only awaited",
        INIT("Complete", "status: 'Pending', superseded: true, params: " NONE),
        NONE},
    {"not when the task is done", INIT("Complete", "status: 'Complete', params: " OLD), OLD},
};

TEST(peer_sources_are_refreshed_until_discover_peers_may_have_been_submitted)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.node = cases[i].node});

        then_str(p->d.status.plan.id, "old");
        then_json(plan_find_task(&p->d.status.plan, TASK_DISCOVER_PEERS)->params, cases[i].told);
        then_true(p->d.plan_is_new == cases[i].is_stored_first);
    }
}

static const char *const watched[] = {"n", "other", NULL};

static const struct {
    const char *name, *peers;
    const char *const *namespaces;
    const char *refusal; /* NULL: none */
} checks[] = {
    {"all namespaces are watched", "[{label: {namespace: 'far', selector: {x: 'y'}}}]", NULL, NULL},
    {"the namespace of the source is watched",
        "[{label: {namespace: 'other', selector: {x: 'y'}}}]",
        watched,
        NULL},
    {"the namespace of the node", "[{label: {selector: {x: 'y'}}}]", watched, NULL},
    {"the namespace of the node, as an empty text",
        "[{label: {namespace: '', selector: {x: 'y'}}}]",
        watched,
        NULL},
    {"another namespace",
        "[{static: {addresses: ['x@y:1']}}, {label: {namespace: 'far', selector: {x: 'y'}}}]",
        watched,
        "spec.peers[1].label.namespace: this operator does not watch namespace far"},
};

TEST(peers_in_a_namespace_that_is_not_watched_are_refused)
{
    each_case(i, checks) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const char *node = str_format(a, "{spec: {peers: %s}}", checks[i].peers);
        Planned *p = given(a, &(Given){.fresh = true, .node = node});
        p->s.namespaces = checks[i].namespaces;

        then_ok(plan_node(a, &p->s, &p->d));
        then_str(stall_text(&p->d), checks[i].refusal ? "InvalidSpec" : "");
        if (checks[i].refusal)
            then_true(str_has_prefix(p->d.stall.message, checks[i].refusal));
        then_true(has_active_plan(&p->d.status) == !checks[i].refusal);
    }
}

TEST(a_spec_with_too_many_peer_sources_or_labels_is_refused)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const char *sources = "", *labels = "";
    SeiNode many, wide;

    for (int i = 0; i <= PEER_SOURCES_MAX; i++)
        sources = str_format(a, "%s{label: {selector: {x: '%d'}}},", sources, i);
    for (int i = 0; i <= PEER_SELECTOR_MAX; i++)
        labels = str_format(a, "%sl%d: 'x',", labels, i);
    many = given(a, &(Given){.node = str_format(a, "{spec: {peers: [%s]}}", sources)})->node;
    wide = given(
        a, &(Given){.node = str_format(a, "{spec: {peers: [{label: {selector: {%s}}}]}}", labels)})
               ->node;
    then_err(plan_check_peers(a, &many, NULL), TERMINAL("has 65 sources of kind label"));
    then_err(plan_check_peers(a, &wide, NULL), TERMINAL("peers[0].label.selector: has 33 labels"));
}

TEST(a_running_node_is_repaired_although_its_peers_are_refused)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a,
        &(Given){.node = "{spec: {peers: [{label: {namespace: 'far', selector: {x: 'y'}}}]}}",
            .service = GONE});
    p->s.namespaces = watched;

    then_ok(plan_node(a, &p->s, &p->d));
    then_str(stall_text(&p->d), "InvalidSpec");
    then_str(plan_text(a, &p->d.status),
        "repair: apply-rbac-proxy-config apply-statefulset apply-service");
}
