/* Conditions: one setter, and a transition time that moves with the status alone. */
#include "kube/cond.h"
#include "tests/test.h"

#define THEN "2026-01-01T00:00:00Z"
#define NOW  "2026-06-01T00:00:00Z"

/* A Ready condition that has been False for a while. */
static const char ready[] = "[{type: 'Ready', status: 'False', observedGeneration: 1,"
                            " lastTransitionTime: '" THEN "', reason: 'Starting', message: 'm'}]";

static const struct {
    const char *name;
    Cond cond;
    const char *want; /* what differs afterwards, as a merge patch; NULL: nothing does */
} settings[] = {
    {"the same again",
        {.type = "Ready",
            .status = "False",
            .reason = "Starting",
            .message = "m",
            .observed_generation = 1}},
    {"another status moves the time",
        {.type = "Ready",
            .status = "True",
            .reason = "Starting",
            .message = "m",
            .observed_generation = 1},
        "{status: 'True', lastTransitionTime: '" NOW "'}"},
    {"another reason leaves the time",
        {.type = "Ready",
            .status = "False",
            .reason = "Broken",
            .message = "m",
            .observed_generation = 1},
        "{reason: 'Broken'}"},
    {"another message leaves the time",
        {.type = "Ready",
            .status = "False",
            .reason = "Starting",
            .message = "n",
            .observed_generation = 1},
        "{message: 'n'}"},
    {"another generation leaves the time",
        {.type = "Ready",
            .status = "False",
            .reason = "Starting",
            .message = "m",
            .observed_generation = 2},
        "{observedGeneration: 2}"},
    {"the caller's idea of the time does not matter",
        {.type = "Ready",
            .status = "False",
            .reason = "Starting",
            .message = "m",
            .observed_generation = 1,
            .last_transition_time = NOW}},
    {"no message is an empty one",
        {.type = "Ready", .status = "False", .reason = "Starting", .observed_generation = 1},
        "{message: ''}"},
};

TEST(setting_a_condition_changes_only_what_differs)
{
    each_case(i, settings) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *before = json_fixture(a, ready);
        Conds conds;
        conds_decode(before, &conds);

        bool changed = conds_set(a, &conds, &settings[i].cond, NOW);

        const Json *want = json_first(before);
        if (settings[i].want)
            want = json_merge(a, want, json_fixture(a, settings[i].want));
        then_true(changed == (settings[i].want != NULL));
        then_int(conds.count, 1);
        then_json(json_first(json_seal(a, conds_encode(a, &conds))), json_write(a, want).data);
    }
}

TEST(a_new_condition_is_added_after_the_others)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Cond stalled = {.type = "Stalled", .status = "True", .reason = "Why", .message = ""};
    Conds conds;
    conds_decode(json_fixture(a, ready), &conds);

    then_true(conds_set(a, &conds, &stalled, NOW));

    const Json *encoded = json_seal(a, conds_encode(a, &conds));
    then_str(json_str(encoded, "[0].type"), "Ready");
    then_json(json_find(encoded, "[1]"),
        "{type: 'Stalled', status: 'True', lastTransitionTime: '" NOW
        "', reason: 'Why', message: ''}");
}

TEST(conditions_are_found_by_their_type)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Conds conds;
    conds_decode(
        json_fixture(a, "[{type: 'Ready', status: 'True'}, {type: 'Odd', status: 'true'}]"),
        &conds);

    then_str(conds_find(&conds, "Ready")->status, "True");
    then_true(!conds_find(&conds, "Stalled"));
    then_true(conds_is_true(&conds, "Ready"));
    then_true(!conds_is_true(&conds, "Odd"));
    then_true(!conds_is_true(&conds, "Stalled"));
}

TEST(a_condition_is_found_in_an_object_without_decoding)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *pod = json_fixture(a,
        "{status: {conditions: [{type: 'PodScheduled', status: 'True'},"
        " {type: 'Ready', status: 'False'}, {type: 'Ready', status: 'True'}]}}");

    then_str(json_str(cond_in(pod, "Ready"), ".status"), "False");
    then_true(cond_in(pod, "Initialized") == NULL);
    then_true(cond_in(json_fixture(a, "{}"), "Ready") == NULL);
    then_true(cond_in(NULL, "Ready") == NULL);
}

TEST(removing_a_condition_keeps_the_order_of_the_others)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Conds conds;
    conds_decode(json_fixture(a, "[{type: 'A'}, {type: 'B'}, {type: 'C'}]"), &conds);

    then_true(conds_remove(&conds, "B"));
    then_true(!conds_remove(&conds, "B"));
    then_int(conds.count, 2);
    then_str(conds.items[0].type, "A");
    then_str(conds.items[1].type, "C");
}

TEST(a_malformed_condition_is_skipped_when_conditions_are_decoded)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Conds conds;

    conds_decode(json_fixture(a,
                     "[{status: 'True'}, 5, {type: ''}, {type: 'A', status: 'True'},"
                     " {type: 'A', status: 'False'}]"),
        &conds);
    then_int(conds.count, 1);
    then_true(conds_is_true(&conds, "A"));
    then_str(conds.items[0].reason, "");

    conds_decode(NULL, &conds);
    then_int(conds.count, 0);
    then_json(json_seal(a, conds_encode(a, &conds)), "[]");
}

TEST(our_conditions_fit_although_an_object_has_too_many)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Draft *many = draft_array(a);
    Conds conds;
    for (int i = 0; i < CONDS_MAX + 5; i++)
        draft_push(many, draft(a, str("type", str_format(a, "T%d", i)), str("status", "True")));

    conds_decode(json_seal(a, many), &conds);
    then_int(conds.count, CONDS_MAX);

    then_true(conds_set(a, &conds, &(Cond){.type = "Ready", .status = "True", .reason = "R"}, NOW));
    then_int(conds.count, CONDS_MAX);
    then_true(conds_is_true(&conds, "Ready") && conds_is_true(&conds, "T0"));
}

TEST(an_overlong_condition_message_is_cut_to_the_same_text_each_time)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char *message = arena_array(a, char, COND_MESSAGE_MAX + 100);
    Conds conds = {0};
    memset(message, 'm', COND_MESSAGE_MAX + 99);
    Cond cond = {.type = "Ready", .status = "True", .reason = "R", .message = message};

    then_true(conds_set(a, &conds, &cond, NOW));
    then_true(strlen(conds.items[0].message) <= COND_MESSAGE_MAX);
    then_true(!conds_set(a, &conds, &cond, NOW));
}

TEST(a_condition_without_a_transition_time_gets_one)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Conds conds;
    conds_decode(
        json_fixture(a, "[{type: 'A', status: 'True', reason: 'R', message: ''}]"), &conds);

    then_true(conds_set(
        a, &conds, &(Cond){.type = "A", .status = "True", .reason = "R", .message = ""}, NOW));
    then_str(conds.items[0].last_transition_time, NOW);
}

TEST(a_condition_that_is_kept_gets_the_new_observed_generation)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Conds conds;
    conds_decode(json_fixture(a,
                     "[{type: 'A', status: 'True', reason: 'R', message: 'm',"
                     " observedGeneration: 1, lastTransitionTime: '2020-01-01T00:00:00Z'}]"),
        &conds);

    conds_keep(a, &conds, "A", 7, NOW);
    conds_keep(a, &conds, "B", 7, NOW);
    then_int(conds.count, 1);
    then_int(conds.items[0].observed_generation, 7);
    then_str(conds.items[0].message, "m");
    then_str(conds.items[0].last_transition_time, "2020-01-01T00:00:00Z");
}
