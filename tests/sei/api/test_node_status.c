/* Statuses: whatever is stored is read and, when nothing changed, written as it was. So every
 * fixture here is one more case of the same property. */
#include "base/rng.h"
#include "sei/api/node.h"
#include "sei/api/node_status.h"
#include "tests/test.h"

#define COND(type, status)                                                                         \
    "{type: '" type "', status: '" status "', observedGeneration: 4, reason: 'R', message: 'm',"   \
    " lastTransitionTime: '2026-01-02T03:04:05Z'}"

static const struct {
    const char *name, *status;
} stored[] = {
    {"a node that was not reconciled yet", "{observedGeneration: -1}"},
    {"an empty status", "{}"},
    {"the Go operator: just begun",
        "{phase: 'Initializing', phaseTransitionTime: '2026-01-02T03:04:05Z',"
        " conditions: [" COND("Paused",
            "False") "],"
                     " plan: {id: 'p', phase: 'Active', targetPhase: 'Running', failedPhase: "
                     "'Failed', tasks: ["
                     "   {type: 'ensure-data-pvc', id: 'a', status: 'Pending',"
                     "    params: {nodeName: 'n', namespace: 's'}},"
                     "   {type: 'configure-genesis', id: 'b', status: 'Pending', params: {}, "
                     "maxRetries: 180},"
                     "   {type: 'config-apply', id: 'c', status: 'Pending',"
                     "    params: {mode: 'full', overrides: {'a.b': 'c'}}},"
                     "   {type: 'discover-peers', id: 'd', status: 'Pending', maxRetries: 20, "
                     "retryCount: 3,"
                     "    params: {Sources: [{type: 'ec2Tags', region: 'r', tags: {a: 'b'}}]}},"
                     "   {type: 'configure-state-sync', id: 'e', status: 'Pending',"
                     "    params: {UseLocalSnapshot: true, TrustPeriod: '2h', BackfillBlocks: "
                     "0}}]}}"},
    {"the Go operator: at rest",
        "{phase: 'Running', phaseTransitionTime: '2026-01-02T03:04:05Z', currentImage: 'seid:v1',"
        " conditions: [" COND("Paused", "False") ", " COND(
            "NodeUpdateInProgress", "False") ", " COND("SidecarReady",
            "True") "],"
                    " resolvedPeers: ['a@b:1', 'c@d:2'], statefulSet: {name: 'n', uid: 'u'}}"},
    {"the Go operator: an update is done",
        "{phase: 'Running', currentImage: 'seid:v1', plan: {id: 'p', phase: 'Complete',"
        " targetPhase: 'Running', tasks: [{type: 'apply-statefulset', id: 'a', status: 'Complete',"
        "   submittedAt: '2026-01-02T03:04:05Z', params: {nodeName: 'n', namespace: 's'}},"
        "  {type: 'observe-image', id: 'b', status: 'Complete'}]}}"},
    {"the Go operator: failed",
        "{phase: 'Failed', plan: {id: 'p', phase: 'Failed', targetPhase: 'Running',"
        " failedPhase: 'Failed', failedTaskIndex: 1,"
        " failedTaskDetail: {type: 'config-apply', id: 'b', error: 'bad key', retryCount: 0,"
        "   maxRetries: 0},"
        " tasks: [{type: 'ensure-data-pvc', id: 'a', status: 'Complete'},"
        "   {type: 'config-apply', id: 'b', status: 'Failed', error: 'bad key', params: {}}]}}"},
    {"the Go operator: failed with an empty text",
        "{phase: 'Failed', plan: {id: 'p', phase: 'Failed', failedTaskIndex: 0,"
        " failedTaskDetail: {type: 'ensure-data-pvc', id: 'a', error: '', retryCount: 2,"
        "   maxRetries: 3},"
        " tasks: [{type: 'ensure-data-pvc', id: 'a', status: 'Failed', retryCount: 2,"
        "   maxRetries: 3}]}}"},
    {"the Go operator: a mode that comes later",
        "{phase: 'Initializing', plan: {id: 'p', phase: 'Active', tasks: ["
        "   {type: 'ensure-data-pvc', id: 'a', status: 'Complete'},"
        "   {type: 'deploy-bootstrap-job', id: 'b', status: 'Pending',"
        "    params: {jobName: 'n-bootstrap', namespace: 's'}}]}}"},
    {"ours: everything there is",
        "{observedGeneration: 4, phase: 'Running', phaseTransitionTime: '2026-01-02T03:04:05Z',"
        " currentImage: 'seid:v1', podTemplateHash: 'h', specHash: 'g', setupHash: 's', "
        "restartedAt: 'r',"
        " statefulSet: {name: 'n', uid: 'u'}, identity: {chainId: 'c', mode: 'replayer'},"
        " dataVolume: {name: 'data-n', uid: 'v', imported: true},"
        " adopted: {podUID: 'q', templateHash: 'h', specHash: 'g'},"
        " drift: {cause: 'platform', fields: [{path: 'spec.x', have: 'a', want: 'b'},"
        "   {path: 'spec.y', want: ''}, {path: 'spec.z', have: ''}]},"
        " plan: {id: 'p', kind: 'repair', cause: 'Service', startedAt: '2026-01-02T03:04:05Z',"
        "   generation: 4, targetHash: 't', appliedHash: 'h', waiting: 'w', retry: '1',"
        "   phase: 'Active', tasks: []},"
        " history: [{id: 'o', kind: 'init', cause: 'spec', result: 'Complete',"
        "   startedAt: '2026-01-02T03:04:05Z', finishedAt: '2026-01-02T03:04:05Z', message: ''},"
        "   {id: 'x', result: 'Superseded'}],"
        " resolvedPeers: [],"
        " conditions: [" COND("Ready", "True") ", " COND("UpToDate", "Unknown") "]}"},
    {"ours: drift without fields", "{drift: {cause: 'spec'}}"},
    {"ours: a volume of its own", "{dataVolume: {name: 'd', uid: 'v', imported: false}}"},
    {"a plan of another operator",
        "{plan: {id: 'p', kind: 'ceremony', phase: 'Active', tasks: [], colour: 'red'}}"},
    {"members of a later version",
        "{phase: 'Running', phaseReason: 'x', workflows: [{a: 1}], conditions: [" COND(
            "Ready", "True") "]}"},
};

static const Json *object_of(Arena *a, const Json *status)
{
    return json_seal(a, draft(a, draft_json("status", status)));
}

static NodeStatus decode(Arena *a, const char *status)
{
    NodeStatus read = {0};
    then_ok(node_status_decode(a, object_of(a, json_fixture(a, status)), &read));
    return read;
}

TEST(an_unchanged_node_status_is_encoded_as_it_was_stored)
{
    each_case(i, stored) {
        SCOPED_ARENA a = arena_open(4 << 20);
        NodeStatus status = decode(a, stored[i].status);
        then_json(node_status_encode(a, &status), stored[i].status);
        then_true(
            !json_merge_diff(a, json_fixture(a, stored[i].status), node_status_encode(a, &status)));
    }
}

/* The same of every part of every fixture: members are told apart one by one. */
TEST(each_node_status_field_alone_is_encoded_as_it_was_stored)
{
    each_case(i, stored) {
        SCOPED_ARENA a = arena_open(16 << 20);
        const Json *member, *whole = json_fixture(a, stored[i].status);
        json_each(member, whole) {
            const Json *part = json_seal(a, draft(a, draft_json(json_key(member), member)));
            const char *text = json_write(a, part).data;
            NodeStatus status = decode(a, text);
            then_json(node_status_encode(a, &status), text);
        }
    }
}

/* One of the values that some fixture has for each member, or none. */
static const Json *some_status(Arena *a, Rng *rng)
{
    Draft *status = draft_object(a);
    const Json *member;

    for (size_t i = 0; i < array_count(stored); i++) {
        const Json *fixture = json_fixture(a, stored[i].status);
        json_each(member, fixture)
            if (rng_below(rng, 2) && !json_member(json_seal(a, status), json_key(member)))
                draft_add(status, draft_json(json_key(member), member));
    }
    return json_seal(a, status);
}

TEST(any_combination_of_node_status_fields_is_encoded_as_it_was_stored)
{
    SeededRng rng;

    rng_seed(&rng, 1);
    for (int i = 0; i < 300; i++) {
        SCOPED_ARENA a = arena_open(64 << 20);
        const Json *status = some_status(a, &rng.port);
        NodeStatus read = {0};
        then_ok(node_status_decode(a, object_of(a, status), &read));
        then_json(node_status_encode(a, &read), json_write(a, status).data);
    }
}

TEST(every_field_of_a_node_status_is_decoded)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    NodeStatus status = decode(a, stored[8].status);

    then_int(status.observed_generation, 4);
    then_int(status.phase, PHASE_RUNNING);
    then_str(status.phase_transition_time, "2026-01-02T03:04:05Z");
    then_str(status.current_image, "seid:v1");
    then_str(status.pod_template_hash, "h");
    then_str(status.spec_hash, "g");
    then_str(status.setup_hash, "s");
    then_str(status.restarted_at, "r");
    then_str(status.statefulset_name, "n");
    then_str(status.statefulset_uid, "u");
    then_str(status.identity.chain_id, "c");
    then_int(status.identity.mode, MODE_REPLAYER);
    then_str(status.volume.name, "data-n");
    then_str(status.volume.uid, "v");
    then_true(status.volume.imported);
    then_str(status.adopted.pod_uid, "q");
    then_str(status.adopted.template_hash, "h");
    then_str(status.adopted.spec_hash, "g");
    then_str(status.drift.cause, "platform");
    then_int(status.drift.count, 3);
    then_str(status.drift.fields[1].have, NULL);
    then_str(status.drift.fields[2].have, "");
    then_true(status.has_plan);
    then_int(status.plan.kind, PLAN_REPAIR);
    then_int(status.history.count, 2);
    then_str(status.history.items[1].result, "Superseded");
    then_int(json_count(status.resolved_peers), 0);
    then_int(status.conds.count, 2);
    then_true(!status.kept);
}

/* --- what cannot be read */

static const struct {
    const char *name, *status;
    Want want;
} broken[] = {
    {"an unknown phase", "{phase: 'Upgrading'}", TERMINAL(".status.phase: expected a phase")},
    {"a phase that is a number", "{phase: 1}", TERMINAL(".status.phase: expected a phase")},
    {"an image that is a number",
        "{currentImage: 1}",
        TERMINAL(".status.currentImage: expected a string, found a number")},
    {"a generation that is text",
        "{observedGeneration: '4'}",
        TERMINAL(".status.observedGeneration: expected a whole number")},
    {"a StatefulSet without uid",
        "{statefulSet: {name: 'n'}}",
        TERMINAL(".status.statefulSet.uid is missing")},
    {"an identity of another mode",
        "{identity: {chainId: 'c', mode: 'seed'}}",
        TERMINAL(".status.identity.mode: expected a mode of a node, found seed")},
    {"an identity without chain",
        "{identity: {mode: 'archive'}}",
        TERMINAL(".status.identity.chainId is missing")},
    {"a volume without uid",
        "{dataVolume: {uid: null}}",
        TERMINAL(".status.dataVolume.uid is missing")},
    {"an adopted pod without uid",
        "{adopted: {specHash: 'h'}}",
        TERMINAL(".status.adopted.podUID is missing")},
    {"drift without cause", "{drift: {fields: []}}", TERMINAL(".status.drift.cause is missing")},
    {"drift of no path",
        "{drift: {cause: 'spec', fields: [{path: 'p'}, {have: 'x'}]}}",
        TERMINAL(".status.drift.fields[1].path is missing")},
    {"a plan without phase", "{plan: {tasks: []}}", TERMINAL(".status.plan.phase is missing")},
    {"a plan with a broken task",
        "{plan: {phase: 'Active', tasks: [{type: 't', id: 1}]}}",
        TERMINAL(".status.plan.tasks[0].id: expected a string")},
    {"history without an id",
        "{history: [{result: 'Complete'}]}",
        TERMINAL(".status.history[0].id is missing")},
    {"peers that are a word",
        "{resolvedPeers: 'a@b:1'}",
        TERMINAL(".status.resolvedPeers: expected an array")},
    {"conditions that are a word",
        "{conditions: 'fine'}",
        TERMINAL(".status.conditions: expected an array")},
};

TEST(a_node_status_field_that_cannot_be_decoded_is_reported_with_its_path_and_kept)
{
    each_case(i, broken) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *good = json_fixture(a,
            "{specHash: 'g', dataVolume: {name: 'd', uid: 'v',"
            " imported: false}, restartedAt: 'r'}");
        const Json *status = json_merge(a, good, json_fixture(a, broken[i].status));
        NodeStatus read = {0};
        then_err(node_status_decode(a, object_of(a, status), &read), broken[i].want);
        then_str(read.spec_hash, "g");
        then_str(read.restarted_at, "r");
        then_json(node_status_encode(a, &read), json_write(a, status).data);
    }
}

TEST(a_node_status_that_is_not_an_object_is_an_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    NodeStatus read = {0};

    then_err(node_status_decode(a, json_fixture(a, "{status: 'x'}"), &read),
        TERMINAL(".status: expected an object"));
    then_ok(node_status_decode(a, json_fixture(a, "{}"), &read));
    then_ok(node_status_decode(a, json_fixture(a, "{status: {phase: null}}"), &read));
}

TEST(the_first_of_several_node_status_errors_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    NodeStatus read = {0};

    then_err(node_status_decode(
                 a, json_fixture(a, "{status: {later: 1, phase: 1, currentImage: 1}}"), &read),
        TERMINAL(".status.phase"));
    then_int(json_count(read.kept), 3);
}

TEST(a_new_value_replaces_a_node_status_field_that_could_not_be_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    NodeStatus read = {0};

    then_err(
        node_status_decode(a, json_fixture(a, "{status: {currentImage: 1, specHash: 2}}"), &read),
        TERMINAL("currentImage"));
    read.current_image = "seid:v2";
    then_json(node_status_encode(a, &read), "{currentImage: 'seid:v2', specHash: 2}");
}

TEST(a_node_status_list_with_too_many_entries_is_an_error)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Draft *fields = draft_array(a), *entries = draft_array(a);
    NodeStatus read = {0};

    for (int i = 0; i <= DRIFT_FIELDS_MAX; i++)
        draft_push(fields, draft(a, str("path", "p")));
    for (int i = 0; i <= PLAN_HISTORY_MAX; i++)
        draft_push(entries, draft(a, str("id", "i"), str("result", "Complete")));
    const Json *drift =
        json_seal(a, draft(a, obj("drift", str("cause", "spec"), sub("fields", fields))));
    const Json *history = json_seal(a, draft(a, sub("history", entries)));
    then_err(node_status_decode(a, object_of(a, drift), &read), TERMINAL("more than 32"));
    then_err(node_status_decode(a, object_of(a, history), &read), TERMINAL("more than 10"));
}

/* --- phases */

TEST(every_node_phase_has_its_text)
{
    static const char *const words[] = {
        "", "Pending", "Initializing", "Running", "Failed", "Terminating"};

    for (size_t phase = 0; phase < array_count(words); phase++) {
        then_str(node_phase_text((NodePhase)phase), words[phase]);
        then_int(node_phase_parse(words[phase]), phase);
    }
    then_int(node_phase_parse("running"), PHASE_NONE);
    then_int(node_phase_parse(NULL), PHASE_NONE);
    then_bug("a phase out of its range", node_phase_text((NodePhase)array_count(words)));
}

TEST(the_phase_transition_time_changes_only_with_the_phase)
{
    NodeStatus status = {0};

    node_set_phase(&status, PHASE_RUNNING, "1");
    then_int(status.phase, PHASE_RUNNING);
    then_str(status.phase_transition_time, "1");
    node_set_phase(&status, PHASE_RUNNING, "2");
    then_str(status.phase_transition_time, "1");
    node_set_phase(&status, PHASE_FAILED, "3");
    then_int(status.phase, PHASE_FAILED);
    then_str(status.phase_transition_time, "3");
}
