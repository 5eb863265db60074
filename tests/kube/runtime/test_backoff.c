/* Backoff: waits double up to their ceiling, spread downwards only. */
#include "kube/runtime/backoff.h"
#include "tests/test.h"

static const BackoffPolicy doubling = {.first_ms = 50, .max_ms = 1000};
static const BackoffPolicy patient = {.first_ms = 500, .max_ms = 10000, .hold = 3};
static const BackoffPolicy endless = {.first_ms = 1, .max_ms = INT64_MAX / 4};

static const struct {
    const char *name;
    const BackoffPolicy *policy;
    unsigned failures;
    int64_t most;
} cases[] = {
    {"the first failure", &doubling, 1, 50},
    {"the second waits twice as long", &doubling, 2, 100},
    {"the fifth", &doubling, 5, 800},
    {"the sixth meets the ceiling", &doubling, 6, 1000},
    {"the millionth waits no longer", &doubling, 1000000, 1000},
    {"no failure counts as the first", &doubling, 0, 50},
    {"a patient policy holds", &patient, 3, 500},
    {"and then doubles", &patient, 4, 1000},
    {"up to its ceiling", &patient, 9, 10000},
    {"a large ceiling does not overflow", &endless, UINT32_MAX, INT64_MAX / 4},
};

TEST(a_backoff_is_at_most_its_policy_value_and_at_least_four_fifths_of_it)
{
    SeededRng rng;
    rng_seed(&rng, 1);
    each_case(i, cases) {
        int64_t least = INT64_MAX, most = 0;
        for (int round = 0; round < 1000; round++) {
            int64_t wait = backoff_ms(cases[i].policy, cases[i].failures, &rng.port);
            least = wait < least ? wait : least;
            most = wait > most ? wait : most;
        }
        then_true(most <= cases[i].most);
        then_true(least >= cases[i].most - cases[i].most / 5);
        then_true(most - least >= cases[i].most / 10);
    }
}

TEST(the_same_random_seed_gives_the_same_backoffs)
{
    SeededRng left, right;
    rng_seed(&left, 9);
    rng_seed(&right, 9);
    for (unsigned failures = 1; failures < 20; failures++)
        then_int(backoff_ms(&doubling, failures, &left.port),
            backoff_ms(&doubling, failures, &right.port));
}
