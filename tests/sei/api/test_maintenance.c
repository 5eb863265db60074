/* The mark of a node that somebody works on: what is believed of it, and what it becomes. */
#include "base/draft.h"
#include "sei/api/node.h"
#include "tests/test.h"

static const char whole[] =
    "{run: '0123456789ab', by: 'alice', since: '2026-01-01T00:00:00Z', image: 'a:1',"
    " command: ['sh', '-c', 'true'], job: 'u-1', wasPaused: true, unpausesAlways: true}";

static const Json *node_with_mark(Arena *a, const char *value)
{
    return json_seal(
        a, draft(a, obj("metadata", obj("annotations", str(ANNOTATION_MAINTENANCE, value)))));
}

static const Json *node_marked(Arena *a, const char *patch)
{
    const Json *mark = json_merge(a, json_fixture(a, whole), json_fixture(a, patch));

    return node_with_mark(a, json_write(a, mark).data);
}

TEST(an_encoded_maintenance_annotation_is_decoded_to_the_same_values)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Maintenance m, again;

    then_true(maintenance_decode(a, node_marked(a, "{}"), &m));
    then_str(m.run, "0123456789ab");
    then_str(m.by, "alice");
    then_str(m.since, "2026-01-01T00:00:00Z");
    then_str(m.image, "a:1");
    then_json(m.command, "['sh', '-c', 'true']");
    then_str(m.job, "u-1");
    then_true(m.was_paused && m.unpauses_always);
    then_true(maintenance_decode(a, node_with_mark(a, maintenance_encode(a, &m)), &again));
    then_str(maintenance_encode(a, &again), maintenance_encode(a, &m));
}

TEST(the_maintenance_message_names_its_run_and_its_user)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Maintenance m, other;

    then_true(maintenance_decode(a, node_marked(a, "{}"), &m));
    then_true(maintenance_decode(a, node_marked(a, "{run: 'ba9876543210'}"), &other));
    then_str(maintenance_message(a, &m),
        "maintenance run 0123456789ab by alice since 2026-01-01T00:00:00Z");
    then_true(!str_eq(maintenance_message(a, &m), maintenance_message(a, &other)));
}

static const struct {
    const char *name, *patch;
    bool is_believed;
} marks[] = {
    {"the image's own command", "{command: null}", true},
    {"no Job yet", "{job: null}", true},
    {"no run", "{run: null}", false},
    {"a run that could be no name", "{run: '../../secret'}", false},
    {"a run that is too short", "{run: '01'}", false},
    {"nobody", "{by: ''}", false},
    {"since never", "{since: 'yesterday'}", false},
    {"no image", "{image: null}", false},
    {"a command of no words", "{command: []}", false},
    {"a command that is a text", "{command: 'true'}", false},
    {"a command with a number in it", "{command: ['sleep', 5]}", false},
};

TEST(a_maintenance_annotation_with_an_invalid_field_is_not_decoded)
{
    each_case(i, marks) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Maintenance m;

        then_true(
            maintenance_decode(a, node_marked(a, marks[i].patch), &m) == marks[i].is_believed);
        then_true((m.run != NULL) == marks[i].is_believed);
    }
}

TEST(a_maintenance_annotation_that_is_not_json_is_not_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Maintenance m;

    then_true(!maintenance_decode(a, node_with_mark(a, "true story"), &m));
    then_true(!maintenance_decode(a, node_with_mark(a, ""), &m));
    then_true(!maintenance_decode(a, json_fixture(a, "{}"), &m));
    then_true(!maintenance_decode(a, NULL, &m));
}

TEST(the_name_of_a_maintenance_job_is_short_enough_for_its_pods)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *long_name = "a-name-of-a-node-that-goes-on-and-on-and-on-until-the-very-end-of-it";

    then_str(maintenance_job_name(a, "rpc-0", "0123456789ab"), "rpc-0-maintain-0123456789ab");
    then_str(maintenance_job_name(a, long_name, "0123456789ab"),
        "a-name-of-a-node-that-goes-on-and-on-and-maintain-0123456789ab");
}

TEST(a_node_in_maintenance_is_held_like_a_paused_node)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *small =
        json_fixture(a, "{spec: {chainId: 'c', image: 'i:1', fullNode: {}, paused: false}}");
    SeiNode node;

    then_ok(node_decode(a, json_merge(a, small, node_marked(a, "{}")), &node));
    then_true(node.in_maintenance && node.spec.paused);
    then_str(node.maintenance.by, "alice");
    then_ok(node_decode(a, json_merge(a, small, node_with_mark(a, "")), &node));
    then_true(!node.in_maintenance && !node.spec.paused);
}

/* Who set it means it, whatever they use to read it. */
TEST(a_maintenance_annotation_that_cannot_be_read_holds_the_node_and_is_reported)
{
    static const char *const marks_of_others[] = {
        "yes", "{}", "null", "{\"run\": \"a-run-of-a-later-version\"}"};
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *small = json_fixture(a, "{spec: {chainId: 'c', image: 'i:1', fullNode: {}}}");
    SeiNode node;

    for (size_t i = 0; i < sizeof marks_of_others / sizeof marks_of_others[0]; i++) {
        const Json *marked = json_merge(a, small, node_with_mark(a, marks_of_others[i]));
        then_true(maintenance_is_marked(marked));
        then_ok(node_decode(a, marked, &node));
        then_true(node.in_maintenance && node.spec.paused);
        then_str(maintenance_message(a, &node.maintenance), MAINTENANCE_UNREADABLE);
    }
    then_true(!maintenance_is_marked(small));
}
