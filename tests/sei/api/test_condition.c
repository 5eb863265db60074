/* Conditions: reasons are words that alerts name, told apart by the condition they stand on. */
#include "sei/api/condition.h"
#include "tests/test.h"

TEST(every_reason_is_found_by_its_condition_and_spelling){
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

TEST(nodes_and_fleets_have_reasons_of_their_own)
{
    then_int(reason_parse(COND_STALLED, "InvalidSpec"), REASON_INVALID_SPEC);
    then_int(fleet_reason_parse(COND_STALLED, "InvalidSpec"), FLEET_REASON_INVALID_SPEC);
    then_int(fleet_reason_parse(COND_READY, "PodNotReady"), REASON_COUNT);
    then_int(reason_parse(COND_ROLLOUT, "TemplateChanged"), REASON_COUNT);
    then_true(!reason_is_of_fleet(REASON_INVALID_SPEC) && !reason_is_of_fleet(REASON_COUNT));
    then_true(reason_is_of_fleet(FLEET_REASON_INVALID_SPEC));
}

/* What the API server demands of a reason. */
TEST(every_reason_is_one_word)
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

TEST(one_spelling_may_stand_on_two_conditions)
{
    then_int(reason_parse(COND_READY, "Stalled"), REASON_STALLED);
    then_int(reason_parse(COND_STALLED, "Stalled"), REASON_COUNT);
    then_int(reason_parse(COND_SIDECAR_READY, "Ready"), REASON_SIDECAR_READY);
}

TEST(a_word_of_nobody_is_no_reason)
{
    then_int(reason_parse(COND_READY, "Bored"), REASON_COUNT);
    then_int(reason_parse(COND_READY, NULL), REASON_COUNT);
    then_int(reason_parse(NULL, "Available"), REASON_COUNT);
    then_bug("a reason out of its range", reason_text(REASON_COUNT));
}
