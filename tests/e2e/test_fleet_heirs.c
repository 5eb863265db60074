/* Fleets on a real control plane that come into other hands, at rest and in the middle of a
 * rollout: of a second operator when the first dies or freezes, and of ours from the operator that
 * came before. Whoever takes over replaces what is left to be replaced, and no pod twice. */
#include "base/draft.h"
#include "base/sha256.h"
#include "tests/e2e/fleets.h"

#include <signal.h>

#define NAME "rpc"

enum { THREE = FLEETS_GIVEN };

/* --- two operators, one lease */

/* The rollout has taken its first pod, and stands: that pod does not come up. */
static int64_t begin_rollout(const Nodes *n, const char *image)
{
    int64_t mark = scene_mark(n->cp);

    nodes_order(n, "freeze", NAME "-2", "");
    fleets_change(n, NAME, image);
    eventually(fleets_story(n, NAME, THREE, mark).all_deleted == 1);
    return mark;
}

static void end_rollout(const Nodes *n, int64_t mark, const char *tag)
{
    nodes_order(n, "thaw", NAME "-2", "");
    eventually(fleets_settled(n, NAME));
    fleets_then_rolled(n, NAME, mark);
    then_int(fleets_on(n, NAME, THREE, tag), THREE);
}

TEST(a_rollout_is_continued_by_another_operator_replica)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "heirs", "{}");

    /* The leader dies. */
    Operator second = nodes_start_standby(&n, "second");
    int64_t mark = begin_rollout(&n, FLEETS_IMAGE("v2"));
    nodes_kill_operator(&n);
    eventually(operator_said(&second, "work begins"));
    nodes_hand_over(&n, second);
    end_rollout(&n, mark, "v2");

    /* The leader freezes, and wakes up when all is done. */
    Operator third = nodes_start_standby(&n, "third");
    mark = begin_rollout(&n, FLEETS_IMAGE("v3"));
    then_int(kill(second.pid, SIGSTOP), 0);
    eventually(operator_said(&third, "work begins"));
    nodes_hand_over(&n, third);
    end_rollout(&n, mark, "v3");
    then_int(kill(second.pid, SIGCONT), 0);
    then_int(operator_wait(&second), 1);
    then_true(fleets_settled(&n, NAME));
    fleets_then_rolled(&n, NAME, mark);
    nodes_close(&n);
}

/* --- from the reference */

#define REFERENCE "manager" /* the field manager of the Go operator */
#define LONG_AGO  "2026-01-02T03:04:05Z"

/* The child as the Go operator leaves it: written by an update, not by an apply. */
static void make_like_the_references(const Nodes *n, const char *name, const char *tag)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *node = nodes_find(n, a, "seinodes", name), *entry, *change;
    Draft *entries = draft_array(a);

    json_each(entry, json_find(node, ".metadata.managedFields")) {
        bool is_ours = str_eq(json_str(entry, ".manager"), "seinodedeployment-controller");
        const Json *as_theirs =
            json_seal(a, draft(a, str("manager", REFERENCE), str("operation", "Update")));
        draft_push_json(entries, is_ours ? json_merge(a, entry, as_theirs) : entry);
    }
    then_ok(json_parse(a,
        bytes_of(str_format(a,
            "{\"metadata\": {\"managedFields\": %s, \"annotations\": null},"
            " \"spec\": {\"image\": \"ghcr.io/example/seid:%s\"}}",
            json_write(a, json_seal(a, entries)).data,
            tag)),
        &change));
    scene_kubectl(n->cp,
        a,
        json_write(a, json_merge(a, node, change)).data,
        PROCESS_ARGS("replace", ("--field-manager=" REFERENCE), "-f", "-"));
}

static void replace_status(const Nodes *n, const char *plural, const char *name, const char *status)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *object = nodes_find(n, a, plural, name), *change, *blank;

    then_ok(json_parse(a, bytes_of("{\"status\": null}"), &blank));
    then_ok(json_parse(a, bytes_of(str_format(a, "{\"status\": %s}", status)), &change));
    scene_kubectl(n->cp,
        a,
        json_write(a, json_merge(a, json_merge(a, object, blank), change)).data,
        PROCESS_ARGS("replace", "--subresource=status", "-f", "-"));
}

/* As the Go operator computes it. */
static const char *template_hash(Arena *a, const char *tag)
{
    char hex[SHA256_HEX_SIZE];

    sha256_hex(bytes_of(str_format(a, "pacific-1ghcr.io/example/seid:%s", tag)), hex);
    return str_slice(a, hex, 16);
}

/* What the Go operator stores of a fleet whose last complete template has this tag. */
static void store_fleet_of_the_reference(const Nodes *n, const char *tag, const char *rest)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *status = str_format(a,
        "{\"observedGeneration\": 1, \"phase\": \"Ready\", \"replicas\": 3,"
        " \"readyReplicas\": 3, \"templateHash\": \"%s\", \"nodes\": ["
        "  {\"name\": \"rpc-0\", \"phase\": \"Running\"},"
        "  {\"name\": \"rpc-1\", \"phase\": \"Running\"},"
        "  {\"name\": \"rpc-2\", \"phase\": \"Running\"}],"
        " \"conditions\": [{\"type\": \"NodesReady\", \"status\": \"True\","
        "  \"reason\": \"AllNodesReady\", \"message\": \"3/3 nodes ready\","
        "  \"lastTransitionTime\": \"" LONG_AGO "\", \"observedGeneration\": 1}]%s}",
        template_hash(a, tag),
        rest);

    replace_status(n, FLEETS_PLURAL, NAME, status);
}

TEST(a_fleet_of_the_go_operator_at_rest_is_taken_over_without_a_restart)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(
        a, "takeover", "{\"template\": {\"metadata\": {\"labels\": {\"team\": \"blue\"}}}}");

    nodes_close(&n);
    for (int i = 0; i < THREE; i++)
        make_like_the_references(&n, fleets_node(&n, NAME, i), "v1");
    store_fleet_of_the_reference(&n, "v1", "");
    int64_t mark = scene_mark(n.cp);
    nodes_start_operator(&n, NULL);
    eventually(fleets_settled(&n, NAME));
    fleets_then_nothing_stopped(&n, NAME, mark);
    const char *events = kubectl(n.cp, a, "get", "events", "-n", n.namespace, "-o", "json");
    then_true(!strstr(events, "RolloutStarted"));

    /* From now on it is ours: what the template drops, the nodes drop. */
    fleets_change(&n, NAME, "{\"template\": {\"metadata\": {\"labels\": null}}}");
    for (int i = 0; i < THREE; i++)
        eventually(
            nodes_say(&n, "seinodes", fleets_node(&n, NAME, i), ".metadata.labels.team", NULL));
    mark = scene_mark(n.cp);
    fleets_change(&n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_settled(&n, NAME));
    fleets_then_rolled(&n, NAME, mark);
    nodes_close(&n);
}

/* All nodes have been asked for v2. One runs it. One has lost its pod, and none comes. The last one
 * is about to lose it: its plan says so. */
static void leave_in_mid_rollout(Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    fleets_change(n, NAME, FLEETS_STRATEGY("{\"partition\": 2}"));
    fleets_change(n, NAME, FLEETS_IMAGE("v2"));
    eventually(fleets_on(n, NAME, THREE, "v2") == 1 && nodes_settled(n, NAME "-2")
        && fleets_condition(n, NAME, "Ready", "True", NULL));
    nodes_close(n);
    fleets_change(n, NAME, FLEETS_STRATEGY("{\"partition\": 0}"));
    for (int i = 0; i < THREE; i++)
        make_like_the_references(n, fleets_node(n, NAME, i), "v2");
    replace_status(n,
        "seinodes",
        NAME "-0",
        "{\"phase\": \"Running\", \"currentImage\": \"ghcr.io/example/seid:v1\","
        " \"plan\": {\"id\": \"11111111-2222-4333-8444-555555555555\", \"phase\": \"Active\","
        "  \"tasks\": [{\"type\": \"apply-statefulset\", \"id\": \"a\", \"status\": \"Complete\"},"
        "   {\"type\": \"apply-service\", \"id\": \"b\", \"status\": \"Complete\"},"
        "   {\"type\": \"replace-pod\", \"id\": \"c\", \"status\": \"Pending\"},"
        "   {\"type\": \"observe-image\", \"id\": \"d\", \"status\": \"Pending\"},"
        "   {\"type\": \"mark-ready\", \"id\": \"e\", \"status\": \"Pending\"}]}}");
    store_fleet_of_the_reference(n,
        "v1",
        str_format(a,
            ", \"rollout\": {\"targetHash\": \"%s\", \"startedAt\": \"" LONG_AGO "\"}",
            template_hash(a, "v2")));
    nodes_order(n, "freeze", NAME "-1", "");
    nodes_delete(n, "pods", NAME "-1-0", "background");
}

/* The reference would have stopped all of them by now. */
TEST(a_rollout_of_the_go_operator_is_continued_under_the_budget)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "midway", "{}");

    leave_in_mid_rollout(&n);
    int64_t mark = scene_mark(n.cp);
    nodes_start_operator(&n, NULL);
    eventually(nodes_condition(&n, NAME "-0", "UpToDate", "False", "AwaitsFleet"));
    eventually(nodes_say(&n,
        "statefulsets",
        NAME "-1",
        ".spec.template.spec.containers[0].image",
        "ghcr.io/example/seid:v2"));
    then_int(fleets_story(&n, NAME, THREE, mark).all_deleted, 0);
    nodes_order(&n, "thaw", NAME "-1", "");
    eventually(fleets_settled(&n, NAME));

    FleetStory story = fleets_story(&n, NAME, THREE, mark);
    then_int(story.deleted[0], 1);
    then_int(story.all_deleted, 1);
    then_int(story.down_max, 1);
    then_int(story.claims, 0);
    then_int(fleets_on(&n, NAME, THREE, "v2"), THREE);
    nodes_close(&n);
}

/* --- by hand */

/* A person's edit of all nodes is the template's to decide, and stops nobody. */
TEST(a_manual_edit_of_all_children_is_reverted_and_stops_none)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = fleets_given(a, "edited", "{\"updateStrategy\": {\"hold\": true}}");
    int64_t mark = scene_mark(n.cp);

    for (int i = 0; i < THREE; i++)
        nodes_set_image(&n, fleets_node(&n, NAME, i), "v2");
    nodes_patch(&n, "seinodes", NAME "-1", "{\"spec\": {\"sidecar\": {\"image\": \"x:1\"}}}");
    for (int i = 0; i < THREE; i++)
        eventually(
            nodes_condition(&n, fleets_node(&n, NAME, i), "UpToDate", "False", "AwaitsFleet"));
    fleets_change(&n, NAME, FLEETS_STRATEGY("{\"hold\": false}"));
    eventually(fleets_settled(&n, NAME));
    fleets_then_nothing_stopped(&n, NAME, mark);
    then_int(fleets_on(&n, NAME, THREE, "v1"), THREE);
    then_true(!json_find(nodes_find(&n, a, "seinodes", NAME "-1"), ".spec.sidecar"));
    nodes_close(&n);
}
