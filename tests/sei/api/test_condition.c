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
}

/* What the API server demands of a reason. */
TEST(every_reason_is_one_word)
{
    for (int reason = 0; reason < REASON_COUNT; reason++) {
        const char *text = reason_text((Reason)reason);
        then_true(*text >= 'A' && *text <= 'Z');
        for (; *text; text++)
            then_true((*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z'));
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
