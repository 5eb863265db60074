/* The founding of a chain, as it is decided. A moment is a letter per node: - missing, i being set
 * up, r Running, f Failed, d being deleted; I and R are the same on a volume that was made anew. */
#include "sei/plan/fleet_plan.h"

#include "kube/timestamp.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/fleet_status.h"
#include "tests/sei/fleets.h"

#include <ctype.h>

#define ALICE "sei1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5jwagqa"
#define BOB   "sei1z5tpwxqergd3c8g7ruszzg3rysjjvfeg9tfxgt"

enum { ARENA_MAX = 32 << 20, START_S = 1767323045, NODES_MAX = 8, MINUTE_S = 60 };

static const char founders[] =
    "{metadata: {name: 'v'}, spec: {replicas: 4, genesis: {chainId: 'arctic-1'},"
    " template: {spec: {chainId: 'arctic-1', image: 'seid:A', fullNode: null, validator: {}}}}}";

typedef struct Land {
    Arena *a;
    const char *patch;            /* of the fleet, or NULL */
    const Json *status;           /* as stored */
    const char *made, *made_last; /* when nodes were made, and the fifth; NULL: not said */
    const char *given;            /* the annotation sei.io/adopt-volume of all nodes, or NULL */
    int64_t now_s;
    int plans;
    Fleet *fleet;
    SeiNode nodes[NODES_MAX];
    FleetChild children[NODES_MAX];
    FleetDecision *d;
} Land;

static Land land(Arena *a, const char *patch)
{
    return (Land){.a = a, .patch = patch, .now_s = START_S, .status = json_fixture(a, "{}")};
}

static void read_fleet(Land *l)
{
    const Json *object = sample_fleet_object(l->a, founders);
    Draft *stored = draft(l->a, draft_json("status", l->status));

    if (l->patch)
        object = json_merge(l->a, object, json_fixture(l->a, l->patch));
    l->fleet = arena_new(l->a, Fleet);
    then_ok(fleet_decode(l->a, json_merge(l->a, object, json_seal(l->a, stored)), l->fleet));
}

static NodePhase phase_of(char letter)
{
    return letter == 'r' ? PHASE_RUNNING : letter == 'f' ? PHASE_FAILED : PHASE_INITIALIZING;
}

static NodeVolume volume_of(Land *l, size_t ordinal, char letter)
{
    return (NodeVolume){
        .name = str_format(l->a, "data-v-%zu", ordinal),
        .uid = str_format(l->a, "%s-%zu", isupper(letter) ? "new" : "old", ordinal),
    };
}

static void read_child(Land *l, size_t ordinal, char letter, size_t place)
{
    SeiNode *node = &l->nodes[place];
    const char *made = ordinal == 4 ? l->made_last : l->made;
    const char *text = str_format(l->a,
        "{metadata: {name: 'v-%zu', namespace: 'sei', creationTimestamp: '%s'},"
        " spec: {chainId: 'arctic-1', image: 'seid:A', validator: {}}}",
        ordinal,
        made ? made : "");

    then_ok(node_decode(l->a, json_fixture(l->a, text), node));
    node->status.phase = phase_of((char)tolower(letter));
    node->status.volume = volume_of(l, ordinal, letter);
    node->wishes.adopt_volume = l->given;
    l->children[place] = (FleetChild){
        .node = node,
        .revision = fleet_child_revision(l->a, node, l->fleet->spec.template),
        .health = {.ordinal = (int64_t)ordinal,
            .serves = tolower(letter) == 'r',
            .once_ready = tolower(letter) == 'r',
            .failed = letter == 'f',
            .leaving = letter == 'd'},
    };
}

/* Asks, and stores. */
static void when(Land *l, const char *letters)
{
    const char *revision = NULL;
    char now[TIMESTAMP_SIZE];
    size_t count = 0;

    read_fleet(l);
    for (size_t i = 0; letters[i]; i++)
        if (letters[i] != '-')
            read_child(l, i, letters[i], count++);
    then_ok(fleet_revision(l->a, l->fleet->spec.template, &revision));
    l->d = arena_new(l->a, FleetDecision);
    plan_fleet(l->a,
        &(FleetSnapshot){.fleet = l->fleet,
            .revision = revision,
            .children = l->children,
            .count = count,
            .plan_id = str_format(l->a, "00000000-0000-4000-8000-%012d", ++l->plans),
            .now = str_copy(l->a, timestamp_format(l->now_s * 1000000000, now)),
            .now_ms = l->now_s * 1000,
            .genesis_bucket = "bucket"},
        l->d);
    l->status = fleet_status_encode(l->a, &l->d->status);
}

/* What the executor leaves behind: so many tasks are Complete. */
static void given_done(Land *l, size_t count)
{
    for (size_t i = 0; i < count; i++)
        l->d->status.plan.tasks[i].status = TASK_COMPLETE;
    l->status = fleet_status_encode(l->a, &l->d->status);
}

static void given_handed_over(Land *l, const char *at)
{
    l->d->status.plan.tasks[0].submitted_at = at;
    l->status = fleet_status_encode(l->a, &l->d->status);
}

static void then_stored(const Land *l, const char *path, const char *want)
{
    then_str(json_str(l->status, path), want);
}

static void then_stalled(const Land *l, Reason reason, const char *phrase)
{
    then_true(l->d->stall != NULL);
    then_str(reason_text(l->d->stall_reason), reason_text(reason));
    if (!strstr(l->d->stall, phrase))
        then_str(l->d->stall, phrase);
}

static bool is_founded(const Land *l)
{
    return conds_is_true(&l->d->status.conds, "GenesisCeremonyComplete");
}

/* --- the course of it --- */

TEST(the_genesis_ceremony_begins_when_all_nodes_exist)
{
    static const struct {
        const char *name;
        bool begins;
    } cases[] = {
        {"----", false},
        {"iii-", false},
        {"-iii", false},
        {"iiid", false},
        {"iiii", true},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, cases[i].name);
        then_true(l.d->frozen && !l.d->stall);
        then_int(l.d->status.has_plan, cases[i].begins);
    }
}

/* The assembler is ordinal 0, and the nodes stand in the order of their ordinals (O-27, O-30). */
TEST(the_genesis_plan_equals_that_of_the_go_operator)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a,
        "{spec: {genesis: {accounts: [{address: '" ALICE "', balance: '5usei'}],"
        " overrides: {'staking.params.max_validators': 7}}}}");

    when(&l, "iiii");
    then_stored(&l, ".plan.kind", "genesis");
    then_stored(&l, ".plan.phase", "Active");
    then_stored(&l, ".plan.tasks[0].type", "assemble-and-upload-genesis");
    then_int(json_int(l.status, ".plan.tasks[0].maxRetries", 0), 180);
    then_json(json_find(l.status, ".plan.tasks[0].params"),
        "{AccountBalance: '1000000000000000000000usei,1000000000000000000000uusdc,"
        "1000000000000000000000uatom', Namespace: 'sei',"
        " Nodes: [{name: 'v-0'}, {name: 'v-1'}, {name: 'v-2'}, {name: 'v-3'}],"
        " Accounts: [{address: '" ALICE "', balance: '5usei'}],"
        " Overrides: {'staking.params.max_validators': 7}}");
    then_stored(&l, ".plan.tasks[1].type", "collect-and-set-peers");
    then_json(json_find(l.status, ".plan.tasks[1].params"),
        "{groupName: 'v', namespace: 'sei', nodeNames: ['v-0', 'v-1', 'v-2', 'v-3']}");
    then_stored(&l, ".plan.tasks[2].type", "await-nodes-running");
    then_json(json_find(l.status, ".plan.tasks[2].params"),
        "{groupName: 'v', namespace: 'sei', nodeNames: ['v-0', 'v-1', 'v-2', 'v-3'],"
        " expected: 4}");
}

TEST(the_genesis_ceremony_ends_when_every_node_runs)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    when(&l, "iiii");
    then_true(l.d->status.has_plan && l.plans == 2);
    then_stored(&l, ".plan.id", "00000000-0000-4000-8000-000000000001");
    then_stored(&l, ".genesisS3URI", NULL);
    given_done(&l, 1);
    when(&l, "iiii");
    then_stored(&l, ".genesisS3URI", "s3://bucket/arctic-1/genesis.json");
    given_done(&l, 2);
    when(&l, "riir");
    then_stored(&l, ".plan.waiting", "await-nodes-running: v-1, v-2 are not Running yet");
    then_true(!is_founded(&l));
    when(&l, "rrrr");
    then_true(is_founded(&l) && !l.d->status.has_plan);
    then_stored(&l, ".history[0].result", "Complete");
    then_stored(&l, ".history[0].kind", "genesis");
    when(&l, "rrrr");
    then_true(!l.d->frozen && !l.d->status.has_plan);
}

/* Neither a node that stops nor one that fails undoes it. */
TEST(the_genesis_of_a_chain_is_performed_only_once)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_done(&l, 2);
    when(&l, "rrrr");
    then_true(is_founded(&l));
    when(&l, "rrfi");
    then_true(is_founded(&l) && !l.d->status.has_plan && !l.d->stall);
}

/* Whoever assembled it a second time would give a running chain another genesis. */
TEST(a_published_genesis_is_not_assembled_again)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land after_failure = land(a, NULL), status_lost = land(a, NULL);

    when(&after_failure, "iiii");
    given_done(&after_failure, 1);
    when(&after_failure, "iiif");
    then_true(!after_failure.d->status.has_plan);
    then_stalled(&after_failure, FLEET_REASON_CEREMONY_FAILED, "do not delete it");
    after_failure.now_s += MINUTE_S;
    when(&after_failure, "iiii");
    then_stored(&after_failure, ".plan.tasks[0].status", "Complete");
    then_stored(&after_failure, ".plan.tasks[1].status", "Pending");

    when(&status_lost, "iiri");
    then_stored(&status_lost, ".plan.tasks[0].status", "Complete");
}

TEST(an_edit_during_the_genesis_ceremony_is_rolled_out_afterwards)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    l.patch = "{spec: {template: {spec: {image: 'seid:B'}}}}";
    when(&l, "iiii");
    then_true(!l.d->news.started && l.d->frozen && l.d->batch.write_count == 0);
    given_done(&l, 2);
    when(&l, "rrrr");
    then_true(is_founded(&l) && l.d->batch.write_count == 0);
    when(&l, "rrrr");
    then_true(l.d->news.started);
    then_int(l.d->batch.write_count, 1);
    then_stored(&l, ".plan.kind", "rollout");
}

TEST(a_paused_fleet_starts_no_genesis_ceremony)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {paused: true}}");

    when(&l, "iiii");
    then_true(!l.d->status.has_plan);
}

TEST(a_genesis_ceremony_of_the_go_operator_is_continued)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    l.status = json_fixture(a,
        "{plan: {id: 'p', phase: 'Active', tasks: ["
        "{type: 'assemble-and-upload-genesis', id: 'a', status: 'Complete'},"
        "{type: 'collect-and-set-peers', id: 'b', status: 'Pending'},"
        "{type: 'await-nodes-running', id: 'c', status: 'Pending'}]}}");
    when(&l, "iiii");
    then_stored(&l, ".plan.id", "p");
    then_stored(&l, ".plan.startedAt", "2026-01-02T03:04:05Z");
    then_stored(&l, ".genesisS3URI", "s3://bucket/arctic-1/genesis.json");
    given_done(&l, 2);
    when(&l, "rrrr");
    then_true(is_founded(&l));
}

/* --- what goes wrong --- */

/* O-27: the reference does not read it. */
TEST(a_genesis_ceremony_ends_at_its_deadline)
{
    static const struct {
        const char *name, *patch;
        int64_t minutes;
    } cases[] = {
        {"by default", NULL, 15},
        {"an hour and a half", "{spec: {genesis: {maxCeremonyDuration: '1h30m0s'}}}", 90},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, cases[i].patch);
        when(&l, "iiii");
        then_int(l.d->look_again_ms, 0); /* it is carried out at once */
        l.now_s += cases[i].minutes * MINUTE_S - 1;
        when(&l, "iiii");
        then_true(l.d->status.has_plan);
        then_int(l.d->look_again_ms, 1000);
        l.now_s += 1;
        when(&l, "iiii");
        then_true(!l.d->status.has_plan);
        then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "it was not over after");
        then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "assemble-and-upload-genesis");
        then_stored(&l, ".history[0].result", "Failed");
    }
}

/* Its nodes stand still, too. */
TEST(the_time_of_a_pause_does_not_count_towards_the_genesis_deadline)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    l.now_s += 3600;
    l.status = json_merge(a,
        l.status,
        json_fixture(a,
            "{conditions: [{type: 'Paused', status: 'True', reason: 'Paused',"
            " lastTransitionTime: '2026-01-02T03:04:06Z'}]}"));
    when(&l, "iiii");
    then_true(l.d->status.has_plan);
    l.status = json_merge(a,
        l.status,
        json_fixture(a,
            "{conditions: [{type: 'Paused', status: 'False', reason: 'NotPaused',"
            " lastTransitionTime: '2026-01-02T04:04:05Z'}]}"));
    l.now_s += 15 * MINUTE_S - 1;
    when(&l, "iiii");
    then_true(l.d->status.has_plan);
    l.now_s += 1;
    when(&l, "iiii");
    then_true(!l.d->status.has_plan);
}

/* O-27: 10 s, doubled, up to 5 minutes; the reference begins anew every 30 s for ever. */
TEST(a_failed_genesis_ceremony_is_retried_with_growing_delays)
{
    static const int64_t pauses_s[] = {10, 20, 40, 80, 160, 300, 300};
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    for (size_t i = 0; i < array_count(pauses_s); i++) {
        l.now_s += 15 * MINUTE_S;
        when(&l, "iiii");
        then_true(!l.d->status.has_plan && l.d->stall);
        then_int(l.d->look_again_ms, pauses_s[i] * 1000);
        const char *told = l.d->stall;
        l.now_s += pauses_s[i] - 1;
        when(&l, "iiii");
        then_str(l.d->stall, told); /* said once */
        l.now_s += 1;
        when(&l, "iiii");
        then_true(l.d->status.has_plan && !l.d->stall);
    }
}

/* The assembly of before may still be at work. */
TEST(every_genesis_ceremony_of_a_fleet_uses_the_same_assembly_task_id)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL), other = land(a, "{metadata: {uid: 'other'}}");

    when(&l, "iiii");
    const char *plan = l.d->status.plan.id, *assembly = l.d->status.plan.tasks[0].id;
    l.now_s += 15 * MINUTE_S;
    when(&l, "iiii");
    l.now_s += MINUTE_S;
    when(&l, "iiii");
    then_true(l.d->status.has_plan && !str_eq(l.d->status.plan.id, plan));
    then_str(l.d->status.plan.tasks[0].id, assembly);
    when(&other, "iiii");
    then_true(!str_eq(other.d->status.plan.tasks[0].id, assembly));
}

TEST(a_new_retry_annotation_restarts_a_failed_ceremony_without_delay)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    l.now_s += 15 * MINUTE_S;
    when(&l, "iiii");
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "sei.io/retry");
    l.patch = "{metadata: {annotations: {'sei.io/retry': '1'}}}";
    when(&l, "iiii");
    then_true(l.d->status.has_plan);
    l.now_s += 15 * MINUTE_S;
    when(&l, "iiii");
    then_true(!l.d->status.has_plan); /* the same word is no new wish */
}

/* O-27: hopeless until somebody helps that node. */
TEST(a_genesis_ceremony_reports_and_awaits_a_node_that_failed)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    when(&l, "iifi");
    then_true(!l.d->status.has_plan);
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "SeiNode v-2 is Failed");
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "or delete it, and it begins anew");
    then_stored(&l, ".history[0].message", "SeiNode v-2 has failed");
    l.now_s += 3600;
    when(&l, "iifi");
    then_true(!l.d->status.has_plan && l.d->status.history.count == 1);
    when(&l, "iiii");
    then_true(l.d->status.has_plan && !l.d->stall);
}

/* Its key is in the hands of the assembler, whose plan must not forget when it got it. */
TEST(the_message_says_not_to_delete_a_node_that_fails_while_the_genesis_is_assembled)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_handed_over(&l, "2026-01-02T03:04:06Z");
    l.now_s += 3600;
    when(&l, "iifi");
    then_true(l.d->status.has_plan);
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "SeiNode v-2 is Failed");
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "do not delete it");
}

TEST(a_node_that_was_recreated_after_its_key_was_submitted_is_reported)
{
    static const struct {
        const char *name, *handed_over, *error;
        size_t done;
        bool is_too_late;
    } cases[] = {
        {"before", "2026-01-02T03:04:06Z", NULL, 0, false},
        {"after", "2026-01-02T03:04:04Z", NULL, 0, true},
        {"after, and published", "2026-01-02T03:04:04Z", NULL, 1, true},
        {"after, and peers are set", "2026-01-02T03:04:04Z", NULL, 2, true},
        {"after an assembly that failed", "2026-01-02T03:04:04Z", "no bucket", 0, false},
        {"not submitted", NULL, NULL, 0, false},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, "iiii");
        l.d->status.plan.tasks[0].error = cases[i].error;
        given_handed_over(&l, cases[i].handed_over);
        given_done(&l, cases[i].done);
        l.made = "2026-01-02T03:04:05Z";
        when(&l, "rrrr");
        then_int(l.d->stall != NULL, cases[i].is_too_late);
        if (!cases[i].is_too_late)
            continue;
        then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "SeiNode v-0 was deleted and made again");
        then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "another spec.genesis.chainId");
        then_true(l.d->status.has_plan && !is_founded(&l));
    }
}

/* The genesis knows nothing of it. */
TEST(a_node_that_joins_after_the_ceremony_is_not_reported_as_a_recreated_validator)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_handed_over(&l, "2026-01-02T03:04:06Z");
    l.patch = "{spec: {replicas: 5}}";
    l.made_last = "2026-01-02T03:04:07Z";
    when(&l, "iiiii");
    then_true(!l.d->stall);
}

/* --- keys that are lost, whatever has become of the plan that handed them over --- */

static const struct Counted {
    const char *name;
    size_t done;
} counted[] = {{"being assembled", 0}, {"published", 1}, {"published, and peers are set", 2}};

/* The ceremony takes too long after all keys were handed over. */
static Land given_overdue(Arena *a, const struct Counted *c)
{
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_handed_over(&l, "2026-01-02T03:04:06Z");
    given_done(&l, c->done);
    when(&l, "iiii");
    l.now_s += 15 * MINUTE_S;
    when(&l, "iiii");
    then_true(!l.d->status.has_plan);
    then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "it was not over after");
    return l;
}

static void then_lost(Land *l, const char *letters)
{
    when(l, letters);
    then_stalled(l, FLEET_REASON_CEREMONY_FAILED, "SeiNode v-3 was deleted and made again");
    then_true(!is_founded(l));
}

TEST(a_genesis_key_that_is_lost_between_two_ceremonies_is_reported)
{
    each_case(i, counted) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = given_overdue(a, &counted[i]);
        then_stalled(&l, FLEET_REASON_CEREMONY_FAILED, "delete none of its SeiNodes");
        then_lost(&l, "iiiI");
        l.now_s += 3600;
        then_lost(&l, "iiiI");
        then_lost(&l, "rrrR");
        then_true(!l.d->status.has_plan);
    }
}

TEST(a_genesis_key_that_is_lost_during_a_later_ceremony_is_reported)
{
    each_case(i, counted) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = given_overdue(a, &counted[i]);
        l.now_s += MINUTE_S;
        when(&l, "iiii");
        then_true(l.d->status.has_plan && !l.d->stall);
        when(&l, "iii-");
        then_true(l.d->status.has_plan && !l.d->stall);
        then_lost(&l, "iiiI");
        l.now_s += 3600;
        then_lost(&l, "rrrR");
        then_true(l.d->status.has_plan);
    }
}

/* It is on the volume, which was kept, or given back by a person. */
TEST(a_recreated_node_that_still_has_its_genesis_key_does_not_stop_the_ceremony)
{
    each_case(i, counted) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land kept = given_overdue(a, &counted[i]), given = given_overdue(a, &counted[i]);
        kept.now_s += MINUTE_S;
        kept.made = "2026-01-02T03:19:05Z";
        when(&kept, "iiii");
        then_true(kept.d->status.has_plan && !kept.d->stall);
        given.now_s += MINUTE_S;
        given.given = "new-3";
        when(&given, "iiiI");
        then_true(given.d->status.has_plan && !given.d->stall);
        given.given = NULL; /* it was the volume from then on */
        when(&given, "iiiI");
        then_true(!given.d->stall);
    }
}

/* Nobody counts on the keys that it had. */
TEST(after_a_failed_assembly_recreated_validators_do_not_stop_the_ceremony)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_handed_over(&l, "2026-01-02T03:04:06Z");
    when(&l, "iiii");
    l.d->status.plan.tasks[0].status = TASK_FAILED;
    l.d->status.plan.tasks[0].error = "the bucket is gone";
    l.status = fleet_status_encode(a, &l.d->status);
    when(&l, "iiii");
    then_true(!l.d->status.has_plan);
    l.now_s += MINUTE_S;
    when(&l, "iiiI");
    then_true(l.d->status.has_plan && !l.d->stall);
}

TEST(a_genesis_validator_that_lost_its_key_is_reported_until_it_has_the_key_again)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    given_done(&l, 2);
    when(&l, "rrrr");
    then_true(is_founded(&l) && !l.d->lost_founders);
    when(&l, "rrr-");
    then_true(!l.d->lost_founders);
    when(&l, "rRrI");
    then_str(l.d->lost_founders, "v-1, v-3");
    then_true(is_founded(&l) && !l.d->stall);
    l.patch = "{spec: {paused: true}}";
    when(&l, "rRrI");
    then_str(l.d->lost_founders, "v-1, v-3");
    when(&l, "rrrr");
    then_str(l.d->lost_founders, NULL);
}

/* It may have been founded by another operator, long ago. */
TEST(the_volumes_that_exist_when_a_finished_ceremony_is_first_seen_are_the_expected_ones)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    l.status = json_fixture(a,
        "{conditions: [{type: 'GenesisCeremonyComplete', status: 'True', reason: 'Complete',"
        " lastTransitionTime: '2026-01-02T03:04:05Z'}]}");
    when(&l, "rrrR");
    then_str(l.d->lost_founders, NULL);
    when(&l, "rrrr");
    then_str(l.d->lost_founders, "v-3");
}

TEST(a_failed_genesis_task_ends_the_plan_with_the_message_of_the_task)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, "iiii");
    l.d->status.plan.tasks[0].status = TASK_FAILED;
    l.d->status.plan.tasks[0].error = "the bucket is gone";
    l.status = fleet_status_encode(a, &l.d->status);
    when(&l, "iiii");
    then_true(!l.d->status.has_plan);
    then_stalled(&l,
        FLEET_REASON_CEREMONY_FAILED,
        "founding the chain failed: assemble-and-upload-genesis: the bucket is gone");
}

/* O-20: the reference says nothing, for ever. */
TEST(a_genesis_that_cannot_be_applied_is_reported_with_its_cause)
{
    static const struct {
        const char *name, *genesis, *phrase;
    } cases[] = {
        {"a mistyped address",
            "accounts: [{address: '" ALICE "', balance: '5usei'},"
            " {address: 'sei1z5tpwxqergd3c8g7ruszzg3rysjjvfeg9tfxgq', balance: '5usei'}]",
            "spec.genesis.accounts[1]: sei1z5tpwxqergd3c8g7ruszzg3rysjjvfeg9tfxgq is no address of "
            "Sei: its checksum is wrong"},
        {"an address of another chain",
            "accounts: [{address: 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu', balance: '1'}]",
            "does not begin with sei1"},
        {"no address", "accounts: [{balance: '5usei'}]", "accounts[0] has no address"},
        {"no balance",
            "accounts: [{address: '" BOB "', balance: ''}]",
            "accounts[0]: " BOB " has no balance"},
        {"no balance of the genesis validators", "accountBalance: ''", "accountBalance is empty"},
        {"a duration that is none", "maxCeremonyDuration: 'soon'", "maxCeremonyDuration is soon"},
        {"no time at all", "maxCeremonyDuration: '0s'", "maxCeremonyDuration is 0s"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, str_format(a, "{spec: {genesis: {%s}}}", cases[i].genesis));
        when(&l, "iiii");
        then_true(!l.d->status.has_plan);
        then_stalled(&l, FLEET_REASON_INVALID_SPEC, cases[i].phrase);
        then_stalled(&l, FLEET_REASON_INVALID_SPEC, "create it again");
        l.patch = NULL;
        when(&l, "iiii");
        then_true(l.d->status.has_plan && !l.d->stall);
    }
}
