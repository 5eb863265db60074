/* Nodes find each other by their labels: as they come, go, move and are renamed; and what that
 * costs. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <string.h>

#define FLEET                                                                                      \
    "{metadata: {labels: {fleet: 'rpc'}}, spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}"

enum { BODIES_MAX = 16 };

/* What went to sidecars about peers. */
typedef struct Wire {
    Arena *arena;
    int names_asked, peers_written;
    const char *bodies[BODIES_MAX]; /* of discover-peers, each id once */
    int body_count;
    const char *dead; /* address of a pod that nobody reaches, or NULL */
} Wire;

static PortFault listen(void *self, const PortCall *call)
{
    Wire *w = self;
    const HttpCall *http = call->http;

    if (!http) {
        w->peers_written +=
            !call->is_stream && json_find(call->request->body, ".status.resolvedPeers") != NULL;
        return (PortFault){0};
    }
    w->names_asked += str_has_suffix(http->url, "/node-id");
    if (str_eq(http->method, "POST")) {
        const char *body = str_slice(w->arena, http->body.data, http->body.len);
        if (strstr(body, "discover-peers") && w->body_count < BODIES_MAX)
            w->bodies[w->body_count++] = body;
    }
    return (PortFault){.kind = w->dead && strstr(http->url, w->dead) ? PORT_UNSENT : PORT_FINE};
}

static Play *open_play(Wire *w, uint64_t seed)
{
    *w = (Wire){.arena = arena_open(64 << 20)};
    return play_open(&(PlayOptions){.sim = {.seed = seed, .judge = listen, .judge_self = w}});
}

static void close_wire(Wire *w)
{
    arena_close(w->arena);
}
#define SCOPED_WIRE __attribute__((cleanup(close_wire))) Wire

static const char *name_of(Play *p, int i)
{
    return str_format(play_arena(p), "rpc-%d", i);
}

static void given_fleet(Play *p, int count)
{
    for (int i = 0; i < count; i++)
        play_create_node(p, name_of(p, i), FLEET);
}

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

/* From here on it is counted what is asked. */
static void given_settled_fleet(Play *p, int count)
{
    given_fleet(p, count);
    then_settled(p);
    play_mark(p);
}

/* How often a node has an entry that ends so. */
static int entries(Play *p, const char *node, const char *address)
{
    const Json *entry, *resolved = play_node(p, node)->status.resolved_peers;
    int count = 0;

    json_each(entry, resolved)
        count += str_has_suffix(json_text(entry), str_format(play_arena(p), "@%s", address));
    return count;
}

static const char *address_of(Play *p, const char *node)
{
    return str_format(play_arena(p), "%s-0.%s.sei.svc.cluster.local:26656", node, node);
}

static size_t peer_count(Play *p, const char *node)
{
    return json_count(play_node(p, node)->status.resolved_peers);
}

static void then_sorted(Play *p, const char *node)
{
    const Json *entry, *resolved = play_node(p, node)->status.resolved_peers;
    const char *last = "";

    json_each(entry, resolved) {
        then_true(strcmp(last, json_text(entry)) < 0);
        then_int((int)strcspn(json_text(entry), "@"), 40);
        last = json_text(entry);
    }
}

static void then_all_know_all(Play *p, int count)
{
    for (int i = 0; i < count; i++) {
        then_int((int)peer_count(p, name_of(p, i)), count - 1);
        then_sorted(p, name_of(p, i));
        for (int j = 0; j < count; j++)
            then_int(entries(p, name_of(p, i), address_of(p, name_of(p, j))), i != j);
    }
}

/* --- finding each other ------------------------------------------------------------------------
 */

TEST(the_nodes_of_a_fleet_find_each_other_and_each_sidecar_is_asked_for_all)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 1);

    given_fleet(p, 5);
    then_settled(p);
    then_all_know_all(p, 5);
    then_true(w.names_asked < 5 * 4); /* not one for each pair, though some sidecars come up late */
    then_int(play_tasks_posted(p, "discover-peers"), 5);
    for (int i = 0; i < w.body_count; i++)
        then_true(strstr(w.bodies[i], ":26656") != NULL);
    for (int i = 0; i < 5; i++)
        then_str(play_reason(p, name_of(p, i), COND_UP_TO_DATE), "UpToDate");
}

TEST(a_fleet_with_peers_at_rest_sends_no_requests)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 2);

    given_settled_fleet(p, 3);
    w.names_asked = 0;
    play_run(p, 3600000);
    then_int(play_requests(p), 0);
    then_int(w.names_asked, 0);
}

/* --- whoever comes, goes and moves -------------------------------------------------------------
 */

TEST(a_node_that_joins_later_is_found_as_a_peer_and_no_node_restarts)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 3);

    given_settled_fleet(p, 3);
    play_create_node(p, "rpc-3", FLEET);
    then_settled(p);
    then_all_know_all(p, 4);
    then_int(play_pods_deleted(p), 0);
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "UpToDate");
    then_int(play_tasks_posted(p, "discover-peers"), 1);
}

TEST(a_deleted_node_is_removed_from_the_peers_of_others)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 4);

    given_fleet(p, 4);
    then_settled(p);
    play_delete(p, kind_seinode, "rpc-3");
    then_settled(p);
    then_all_know_all(p, 3);
}

TEST(a_node_with_a_new_external_address_is_found_there_without_another_id_request)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 5);

    given_fleet(p, 3);
    then_settled(p);
    w.names_asked = 0;
    play_patch(p, kind_seinode, "rpc-2", "{spec: {externalAddress: 'p2p.example.io:30000'}}");
    then_settled(p);
    then_int(entries(p, "rpc-0", "p2p.example.io:30000"), 1);
    then_int(entries(p, "rpc-0", address_of(p, "rpc-2")), 0);
    then_int((int)peer_count(p, "rpc-0"), 2);
    then_int(w.names_asked, 0);
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "UpToDate");
}

TEST(an_external_address_that_contains_two_peers_is_ignored)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 6);

    given_fleet(p, 3);
    then_settled(p);
    play_patch(p, kind_seinode, "rpc-2", "{spec: {externalAddress: 'a:1,evil@b:2'}}");
    then_settled(p);
    then_int((int)peer_count(p, "rpc-0"), 1);
    then_int(entries(p, "rpc-0", address_of(p, "rpc-1")), 1);
}

TEST(a_relabelled_node_moves_to_the_peers_of_its_new_label)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 7);

    given_fleet(p, 3);
    play_create_node(p, "archive", "{metadata: {labels: {fleet: 'other'}}}");
    then_settled(p);
    play_mark(p);
    play_patch(p, kind_seinode, "rpc-2", "{metadata: {labels: {fleet: 'gone'}}}");
    play_patch(p, kind_seinode, "archive", "{metadata: {labels: {fleet: 'rpc'}}}");
    then_settled(p);
    then_int(entries(p, "rpc-0", address_of(p, "rpc-2")), 0);
    then_int(entries(p, "rpc-0", address_of(p, "archive")), 1);
    then_int((int)peer_count(p, "rpc-2"), 3); /* it still asks for them */
    then_int((int)peer_count(p, "archive"), 0);
    then_int(play_pods_deleted(p), 0);
}

TEST(two_label_sources_give_one_list_with_each_peer_once)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 8);

    given_fleet(p, 3);
    then_settled(p);
    w.body_count = 0;
    play_create_node(p,
        "two",
        "{metadata: {labels: {a: '1'}}, spec: {peers: [{label: {selector: {fleet: 'rpc'}}},"
        " {static: {addresses: ['x@y:1']}}, {label: {selector: {fleet: 'rpc'}}},"
        " {ec2Tags: {region: 'eu-1', tags: {Chain: 'sei'}}}]}}");
    then_settled(p);
    then_int((int)peer_count(p, "two"), 3);
    then_sorted(p, "two");
    then_int(w.body_count, 1);
    const Json *body = json_fixture(play_arena(p), w.bodies[0]);
    then_int((int)json_count(json_find(body, ".params.sources")), 3);
    then_json(json_find(body, ".params.sources[0].addresses"),
        json_write(play_arena(p), play_node(p, "two")->status.resolved_peers).data);
    then_json(json_find(body, ".params.sources[1]"), "{type: 'static', addresses: ['x@y:1']}");
    then_json(json_find(body, ".params.sources[2]"),
        "{type: 'ec2Tags', region: 'eu-1', tags: {Chain: 'sei'}}");
}

TEST(static_and_ec2_sources_are_passed_on_without_requests_to_sidecars)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 9);

    play_create_node(p, "rpc-0", "{spec: {peers: [{static: {addresses: ['x@y:1', 'z@y:2']}}]}}");
    then_settled(p);
    then_int(w.body_count, 1);
    then_json(json_find(json_fixture(play_arena(p), w.bodies[0]), ".params"),
        "{sources: [{type: 'static', addresses: ['x@y:1', 'z@y:2']}]}");
    then_int(w.names_asked, 0);
    then_true(play_node(p, "rpc-0")->status.resolved_peers == NULL);
}

TEST(resolved_peers_are_removed_with_the_source_that_selected_them)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 10);

    given_fleet(p, 2);
    then_settled(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {peers: [{static: {addresses: ['x@y:1']}}]}}");
    then_settled(p);
    then_true(play_node(p, "rpc-0")->status.resolved_peers == NULL);
    then_int((int)peer_count(p, "rpc-1"), 1);
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "ConfigDrift");
}

/* --- those who do not answer -------------------------------------------------------------------
 */

TEST(a_peer_that_does_not_answer_delays_no_node_and_keeps_its_entry)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 11);

    given_fleet(p, 3);
    then_settled(p);
    play_order(p, "temper sei/rpc-2-0 hanging 0");
    replica_crash(play_replica(p, 0));
    play_create_node(p, "rpc-3", FLEET);
    play_run(p, 120000);
    then_str(play_condition(p, "rpc-3", COND_READY), "True");
    then_int((int)peer_count(p, "rpc-0"), 3);
    then_int(entries(p, "rpc-0", address_of(p, "rpc-2")), 1); /* kept from before the crash */
    then_int(entries(p, "rpc-0", address_of(p, "rpc-3")), 1);
    then_int(entries(p, "rpc-3", address_of(p, "rpc-2")), 0); /* never told */
    then_int((int)peer_count(p, "rpc-3"), 2);
}

TEST(a_crash_of_the_operator_keeps_every_peer_entry_and_writes_nothing)
{
    for (uint64_t seed = 12; seed < 16; seed++) {
        SCOPED_WIRE w;
        SCOPED_PLAY p = open_play(&w, seed);

        given_settled_fleet(p, 4);
        w.names_asked = 0;
        replica_crash(play_replica(p, 0));
        then_settled(p);
        then_all_know_all(p, 4);
        then_int(play_writes(p, VERB_MERGE_PATCH, kind_seinode), 0);
        then_int(w.names_asked, 4);
    }
}

TEST(a_peer_that_is_recreated_with_another_key_gets_its_new_id)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 20);

    given_fleet(p, 2);
    then_settled(p);
    const char *before = json_str(play_node(p, "rpc-0")->status.resolved_peers, "[0]");
    play_delete(p, kind_seinode, "rpc-1");
    then_settled(p);
    then_int((int)peer_count(p, "rpc-0"), 0);
    play_create_node(p, "rpc-1", FLEET);
    then_settled(p);
    then_int((int)peer_count(p, "rpc-0"), 1);
    then_true(!str_eq(json_str(play_node(p, "rpc-0")->status.resolved_peers, "[0]"), before));
}

/* --- while nobody is known ---------------------------------------------------------------------
 */

static bool is_at_peers(Play *p, const char *name)
{
    const SeiNode *node = play_node(p, name);

    return node->status.has_plan && node->status.plan.waiting
        && strstr(node->status.plan.waiting, "discover-peers: no peer of");
}

TEST(a_node_waits_until_the_first_peer_is_known_and_reports_it)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 21);

    play_order(p, "bad-image ghcr.io/example/seid:v9");
    play_create_node(p,
        "late",
        "{metadata: {labels: {fleet: 'rpc'}}, spec: {image: 'ghcr.io/example/seid:v9'}}");
    play_create_node(p, "rpc-0", "{spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_true(play_until(p, is_at_peers, "rpc-0"));
    const SeiNode *node = play_node(p, "rpc-0");
    then_str(node->status.plan.waiting,
        "discover-peers: no peer of fleet=rpc in namespace sei is known yet: sei/late has not said "
        "its node id");
    play_run(p, 100000);
    node = play_node(p, "rpc-0");
    then_int((int)plan_find_task((Plan *)&node->status.plan, TASK_DISCOVER_PEERS)->retry_count, 0);
    then_int(node->status.phase, PHASE_INITIALIZING);
    then_int(w.body_count, 0);
    play_order(p, "good-image ghcr.io/example/seid:v9");
    then_settled(p);
    then_int((int)peer_count(p, "rpc-0"), 1);
    then_true(w.body_count == 1 && strstr(w.bodies[0], address_of(p, "late")));
}

TEST(a_peer_that_never_reports_its_id_delays_a_node_only_for_a_limited_time)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 24);

    play_create_node(p, "late", "{metadata: {labels: {fleet: 'rpc'}}, spec: {paused: true}}");
    play_create_node(p, "rpc-0", "{spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_true(play_until(p, is_at_peers, "rpc-0"));
    play_run(p, 600000);
    then_settled(p);
    then_int(play_node(p, "rpc-0")->status.phase, PHASE_RUNNING);
    then_int(w.body_count, 0);
    play_patch(p, kind_seinode, "late", "{spec: {paused: false}}");
    then_settled(p);
    then_int((int)peer_count(p, "rpc-0"), 1);
}

TEST(a_node_without_matching_peers_becomes_ready_alone_and_finds_peers_later)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 22);

    play_create_node(p, "rpc-0", FLEET);
    then_settled(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_int(play_tasks_posted(p, "discover-peers"), 0);
    then_int(w.names_asked, 0); /* nobody else wants to know */
    play_create_node(p, "rpc-1", FLEET);
    then_settled(p);
    then_all_know_all(p, 2);
    then_int(play_tasks_posted(p, "discover-peers"), 1);
}

TEST(state_sync_waits_until_a_peer_matches)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 23);

    play_create_node(p,
        "rpc-0",
        "{spec: {fullNode: {snapshot: {stateSync: {}}},"
        " peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    play_run(p, 120000);
    then_str(play_node(p, "rpc-0")->status.plan.waiting,
        "discover-peers: no node matches the peers of fleet=rpc in namespace sei, and state sync "
        "needs one");
    play_create_node(p, "rpc-1", "{metadata: {labels: {fleet: 'rpc'}}}");
    then_settled(p);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
}

TEST(a_fleet_with_state_sync_becomes_ready_once_its_first_node_is_known)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 24);

    for (int i = 0; i < 3; i++)
        play_create_node(p,
            name_of(p, i),
            "{metadata: {labels: {fleet: 'rpc'}}, spec: {fullNode: {snapshot: {stateSync: {}}},"
            " peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_settled(p);
    then_all_know_all(p, 3);
}

/* What the reference freezes when nobody was known at plan time. */
TEST(an_empty_source_that_the_go_operator_stored_is_refreshed)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 25);

    play_order(p, "bad-image ghcr.io/example/seid:v9");
    play_create_node(p,
        "late",
        "{metadata: {labels: {fleet: 'rpc'}}, spec: {image: 'ghcr.io/example/seid:v9'}}");
    play_create_node(p, "rpc-0", "{spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_true(play_until(p, is_at_peers, "rpc-0"));
    replica_end(play_replica(p, 0));
    play_run(p, 10000);
    const Json *plan = json_find(play_find(p, kind_seinode, "rpc-0"), ".status.plan");
    const char *text = json_write(play_arena(p), plan).data;
    const char *at = strstr(text, "{\"Sources\":[]}");
    then_true(at != NULL);
    play_patch_status(p,
        kind_seinode,
        "rpc-0",
        str_format(play_arena(p),
            "{status: {plan: %s{\"Sources\":[{\"type\":\"static\",\"addresses\":[]}]}%s}}",
            str_slice(play_arena(p), text, (size_t)(at - text)),
            at + strlen("{\"Sources\":[]}")));
    replica_start(play_replica(p, 0));
    play_run(p, 60000);
    then_int(play_node(p, "rpc-0")->status.phase, PHASE_INITIALIZING);
    play_order(p, "good-image ghcr.io/example/seid:v9");
    then_settled(p);
    then_true(w.body_count == 1 && strstr(w.bodies[0], address_of(p, "late")));
}

/* --- elsewhere, and meanwhile ------------------------------------------------------------------
 */

#define BY_JOB                                                                                     \
    "{metadata: {labels: {fleet: 'rpc'}}, spec: {peers: [{label: {selector: {fleet: 'rpc'}}}],"    \
    " fullNode: {snapshot: {s3: {targetHeight: 1000},"                                             \
    " bootstrapImage: 'ghcr.io/example/seid:v0'}}}}"

TEST(nodes_with_bootstrap_jobs_know_each_other_before_they_have_pods_of_their_own)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 50);

    play_create_node(p, "rpc-0", BY_JOB);
    play_create_node(p, "rpc-1", BY_JOB);
    for (int i = 0; i < 60 && peer_count(p, "rpc-0") == 0; i++)
        play_run(p, 1000);
    then_int((int)peer_count(p, "rpc-0"), 1);
    then_true(play_find(p, kind_pod, "rpc-0-0") == NULL);
    then_settled(p);
    then_all_know_all(p, 2);
    then_int(play_tasks_posted(p, "discover-peers"), 4); /* in both stages of both */
}

TEST(a_running_node_that_a_job_has_bootstrapped_reports_its_node_id)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 50);

    play_create_node(p,
        "seed",
        "{metadata: {labels: {fleet: 'rpc'}}, spec: {peers: [{static: {addresses: "
        "['0123456789abcdef0123456789abcdef01234567@peer:26656']}}], fullNode: {snapshot: "
        "{s3: {targetHeight: 950}, bootstrapImage: 'ghcr.io/example/seid:v0'}}}}");
    then_settled(p);
    play_create_node(p, "late", "{spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_settled(p);
    then_int((int)peer_count(p, "late"), 1);
    then_int(play_tasks_posted(p, "discover-peers"), 3); /* of the seed in both stages */
}

TEST(a_label_source_can_select_nodes_of_another_namespace)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 26);
    Request create = {.verb = VERB_CREATE, .kind = kind_seinode, .key = {.namespace = "far"}};

    play_create(
        p, kind_namespace, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'far'}}");
    then_int(play_try(p,
                 create,
                 "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
                 " metadata: {name: 'seed', namespace: 'far', labels: {fleet: 'rpc'}},"
                 " spec: {chainId: 'pacific-1', image: 'ghcr.io/example/seid:v1', fullNode: {}}}"),
        200);
    play_create_node(
        p, "rpc-0", "{spec: {peers: [{label: {namespace: 'far', selector: {fleet: 'rpc'}}}]}}");
    play_create_node(p, "rpc-1", "{spec: {peers: [{label: {selector: {fleet: 'rpc'}}}]}}");
    then_settled(p);
    then_int(entries(p, "rpc-0", "seed-0.seed.far.svc.cluster.local:26656"), 1);
    then_int((int)peer_count(p, "rpc-1"), 0);
}

TEST(a_source_in_a_namespace_that_is_not_watched_is_refused_and_known_peers_are_kept)
{
    static const char *const watched[] = {PLAY_NAMESPACE, NULL};
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 60}, .namespaces = watched});

    given_fleet(p, 2);
    then_settled(p);
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{spec: {peers: [{label: {namespace: 'far', selector: {fleet: 'rpc'}}}]}}");
    then_settled(p);
    then_str(play_reason(p, "rpc-0", COND_STALLED), "InvalidSpec");
    then_true(strstr(play_message(p, "rpc-0", COND_STALLED), "does not watch namespace far"));
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_int((int)peer_count(p, "rpc-0"), 1);
    then_int((int)peer_count(p, "rpc-1"), 1);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: 'ghcr.io/example/seid:v2'}}");
    then_settled(p);
    then_str(play_node(p, "rpc-0")->status.current_image, "ghcr.io/example/seid:v2");
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{spec: {peers: [{label: {namespace: 'sei', selector: {fleet: 'rpc'}}}]}}");
    then_settled(p);
    then_str(play_condition(p, "rpc-0", COND_STALLED), "False");
    then_all_know_all(p, 2);
}

TEST(peers_that_change_during_a_repair_are_found)
{
    for (int64_t after_ms = 0; after_ms < 6000; after_ms += 1400) {
        SCOPED_WIRE w;
        SCOPED_PLAY p = open_play(&w, 27 + (uint64_t)after_ms);

        given_fleet(p, 3);
        then_settled(p);
        play_delete(p, kind_statefulset, "rpc-0");
        play_delete(p, kind_service, "rpc-0");
        play_run(p, after_ms);
        play_patch(p, kind_seinode, "rpc-1", "{metadata: {labels: {fleet: 'gone'}}}");
        play_patch(p, kind_seinode, "rpc-2", "{spec: {externalAddress: 'new.example.io:1'}}");
        then_settled(p);
        then_int((int)peer_count(p, "rpc-0"), 1);
        then_int(entries(p, "rpc-0", "new.example.io:1"), 1);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
        then_int(play_tasks_posted(p, "discover-peers"), 3); /* those of the births */
    }
}

TEST(a_paused_node_learns_of_peer_changes_when_it_resumes)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 28);

    given_fleet(p, 3);
    then_settled(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: true}}");
    then_settled(p);
    play_mark(p);
    play_patch(p, kind_seinode, "rpc-2", "{spec: {externalAddress: 'new.example.io:1'}}");
    then_settled(p);
    then_int(entries(p, "rpc-0", "new.example.io:1"), 0);
    then_int(entries(p, "rpc-1", "new.example.io:1"), 1);
    then_int(entries(p, "rpc-1", address_of(p, "rpc-0")), 1); /* it is still theirs */
    play_patch(p, kind_seinode, "rpc-0", "{spec: {paused: null}}");
    then_settled(p);
    then_int(entries(p, "rpc-0", "new.example.io:1"), 1);
}

/* What was handed over stays what it was, whoever comes meanwhile, and through any crash. */
TEST(a_task_id_is_never_reused_for_other_peers)
{
    for (int64_t after_ms = 500; after_ms < 15000; after_ms += 1500) {
        SCOPED_WIRE w;
        SCOPED_PLAY p = open_play(&w, 29 + (uint64_t)after_ms);

        given_fleet(p, 2);
        play_run(p, after_ms);
        play_create_node(p, "rpc-2", "{metadata: {labels: {fleet: 'rpc'}}}");
        replica_crash(play_replica(p, 0));
        then_settled(p);
        for (int i = 0; i < w.body_count; i++)
            for (int j = 0; j < i; j++) {
                const Json *one = json_fixture(play_arena(p), w.bodies[i]);
                const Json *other = json_fixture(play_arena(p), w.bodies[j]);
                if (str_eq(json_str(one, ".id"), json_str(other, ".id")))
                    then_str(w.bodies[i], w.bodies[j]);
            }
        for (int i = 0; i < 2; i++) {
            const SeiNode *node = play_node(p, name_of(p, i));
            const PlannedTask *task =
                plan_find_task((Plan *)&node->status.plan, TASK_DISCOVER_PEERS);
            then_int(task->status, TASK_COMPLETE);
            then_int((int)peer_count(p, name_of(p, i)), 2);
        }
    }
}

static const struct {
    const char *name;
    PortFault fault;
} faults[] = {
    {"a crash before it is sent", {PORT_CRASH_BEFORE}},
    {"a crash before it is heard", {PORT_CRASH_AFTER}},
    {"an answer that is lost", {PORT_LOST}},
    {"a refusal", {PORT_REFUSED, .status = 503}},
};

CAMPAIGN(two_nodes_find_each_other_whatever_call_fails)
{
    each_case(i, faults)
        for (uint64_t number = 20 + (uint64_t)i; number < 260; number += 37) {
            PortOneFault one = {.number = number, .fault = faults[i].fault};
            SCOPED_PLAY p = play_open(&(PlayOptions){
                .sim = {.seed = number, .judge = port_judge_one, .judge_self = &one}});

            given_fleet(p, 2);
            then_settled(p);
            then_all_know_all(p, 2);
            then_str(play_condition(p, "rpc-0", COND_READY), "True");
            then_str(play_condition(p, "rpc-1", COND_READY), "True");
        }
}

/* --- what it costs -----------------------------------------------------------------------------
 */

static bool all_know_all(Play *p, int all)
{
    for (int i = 0; i < all; i++)
        if ((int)json_count(
                json_find(play_find(p, kind_seinode, name_of(p, i)), ".status.resolvedPeers"))
            != all - 1)
            return false;
    return true;
}

CAMPAIGN(the_creation_of_a_hundred_nodes_does_not_cost_a_write_for_each_pair)
{
    SCOPED_WIRE w;
    SCOPED_PLAY p = open_play(&w, 40);

    given_fleet(p, 100);
    play_run(p, 180000);
    then_true(all_know_all(p, 100));
    print_message("# 100 nodes: peers are written %d times, sidecars asked for names %d times\n",
        w.peers_written,
        w.names_asked);
    then_true(w.peers_written <= 100 * 5);
    then_true(w.names_asked <= 100 * 5);
}
