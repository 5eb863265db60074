/* Buckets of three tokens, one coming back in ten milliseconds. */
#include "kube/runtime/budget.h"
#include "tests/test.h"

static Budget *three_tokens(size_t keys_max)
{
    return budget_open(&(BudgetOptions){.keys_max = keys_max, .burst = 3, .refill_ms = 10});
}

static unsigned take_all(Budget *b, const char *key, int64_t now_ms)
{
    unsigned taken = 0;
    while (budget_take(b, key, now_ms))
        taken++;
    return taken;
}

TEST(a_token_bucket_gives_a_burst_and_then_one_token_per_interval)
{
    static const struct {
        const char *name;
        int64_t later_ms;
        unsigned want;
    } cases[] = {
        {"at once", 0, 0},
        {"not yet a token", 9, 0},
        {"the rest of a token, and half the next", 6, 1},
        {"the other half", 5, 1},
        {"two and a half", 25, 2},
        {"never more than the burst", 1000, 3},
    };
    Budget *b = three_tokens(10);
    int64_t now = 500;
    then_int(take_all(b, "a", now), 3);
    each_case(i, cases) {
        now += cases[i].later_ms;
        then_int(take_all(b, "a", now), cases[i].want);
    }
    budget_close(b);
}

TEST(each_key_has_its_own_token_bucket)
{
    Budget *b = three_tokens(10);
    then_int(take_all(b, "a", 0), 3);
    then_int(take_all(b, "b", 0), 3);
    then_int(take_all(b, "a", 0), 0);
    budget_close(b);
    budget_close(NULL);
}

TEST(the_least_recently_used_token_bucket_is_evicted)
{
    Budget *b = three_tokens(2);
    then_int(take_all(b, "a", 0), 3);
    then_int(take_all(b, "b", 0), 3);
    then_true(!budget_take(b, "a", 0));
    then_int(take_all(b, "c", 0), 3); /* in the place of b */
    then_int(take_all(b, "a", 0), 0);
    then_int(take_all(b, "b", 0), 3);
    budget_close(b);
}
