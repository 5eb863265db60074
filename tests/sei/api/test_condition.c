/* Conditions: reasons are words that alerts name, told apart by the condition they stand on. */
#include "sei/api/condition.h"
#include "tests/test.h"

TEST(every_condition_reason_is_parsed_from_its_condition_and_its_spelling){
#define X(name, spelling, condition, when)                                                         \
    then_str(reason_text(REASON_##name), spelling);                                                \
    then_str(reason_condition(REASON_##name), condition);                                          \
    then_int(reason_parse(condition, spelling), REASON_##name);
    REASONS(X)
#undef X
#define X(name, spelling, condition, when)                                                         \
    then_str(reason_text(FLEET_REASON_##name), spelling);                                          \
    then_str(reason_condition(FLEET_REASON_##name), condition);                                    \
    then_int(fleet_reason_parse(condition, spelling), FLEET_REASON_##name);
        FLEET_REASONS(X)
#undef X
}

TEST(reasons_of_seinodes_and_of_seinodedeployments_are_separate_sets)
{
    then_int(reason_parse(COND_STALLED, "InvalidSpec"), REASON_INVALID_SPEC);
    then_int(fleet_reason_parse(COND_STALLED, "InvalidSpec"), FLEET_REASON_INVALID_SPEC);
    then_int(fleet_reason_parse(COND_READY, "PodNotReady"), REASON_COUNT);
    then_int(reason_parse(COND_ROLLOUT, "TemplateChanged"), REASON_COUNT);
    then_true(!reason_is_of_fleet(REASON_INVALID_SPEC) && !reason_is_of_fleet(REASON_COUNT));
    then_true(reason_is_of_fleet(FLEET_REASON_INVALID_SPEC));
}

/* What the API server demands of a reason. */
TEST(every_condition_reason_is_one_camel_case_word_as_the_api_server_requires)
{
    for (int reason = 0; reason < REASON_ALL_COUNT; reason++) {
        if (reason == REASON_COUNT)
            continue;
        const char *text = reason_text((Reason)reason);
        then_true(*text >= 'A' && *text <= 'Z');
        for (; *text; text++)
            then_true((*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z')
                || (*text >= '0' && *text <= '9'));
    }
}

TEST(the_same_reason_spelling_may_belong_to_two_condition_types)
{
    then_int(reason_parse(COND_READY, "Stalled"), REASON_STALLED);
    then_int(reason_parse(COND_STALLED, "Stalled"), REASON_COUNT);
    then_int(reason_parse(COND_SIDECAR_READY, "Ready"), REASON_SIDECAR_READY);
}

TEST(an_unknown_condition_reason_is_not_parsed)
{
    then_int(reason_parse(COND_READY, "Bored"), REASON_COUNT);
    then_int(reason_parse(COND_READY, NULL), REASON_COUNT);
    then_int(reason_parse(NULL, "Available"), REASON_COUNT);
    then_bug("a reason out of its range", reason_text(REASON_COUNT));
}
