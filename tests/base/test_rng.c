/* Rng: repeatable when seeded, uniform, never out of bounds. */
#include "base/rng.h"

#include "tests/test.h"

TEST(the_same_random_seed_gives_the_same_numbers)
{
    SeededRng left, right, other;
    rng_seed(&left, 1);
    rng_seed(&right, 1);
    rng_seed(&other, 2);

    int same_as_other = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t number = left.port.next(&left.port);
        then_true(number == right.port.next(&right.port));
        same_as_other += number == other.port.next(&other.port);
    }
    then_int(same_as_other, 0);
}

TEST(seeded_random_numbers_equal_those_of_xoshiro256)
{
    /* Of the reference implementations: what splitmix64 makes of the seed 0, and the first outputs
     * from the state {1, 2, 3, 4}. */
    static const uint64_t known[] = {11520, 0, 1509978240, 1215971899390074240};
    SeededRng r;
    rng_seed(&r, 0);
    then_true(r.state[0] == 0xE220A8397B1DCDAFU && r.state[1] == 0x6E789E6AA1B965F4U);
    then_true(r.state[2] == 0x06C45D188009454FU && r.state[3] == 0xF88BB8A8724C81ECU);
    for (size_t i = 0; i < 4; i++)
        r.state[i] = i + 1;

    for (size_t i = 0; i < array_count(known); i++)
        then_true(r.port.next(&r.port) == known[i]);
}

TEST(the_system_random_generator_gives_different_numbers)
{
    Rng *r = rng_system();
    then_true(r->next(r) != r->next(r));
}

TEST(random_numbers_below_a_bound_are_uniformly_distributed)
{
    SeededRng r;
    rng_seed(&r, 7);
    int counts[6] = {0};

    for (int i = 0; i < 60000; i++)
        counts[rng_below(&r.port, 6)]++;

    for (int i = 0; i < 6; i++)
        then_true(counts[i] > 9500 && counts[i] < 10500);
    then_int(rng_below(&r.port, 1), 0);
    then_bug("bound > 0", rng_below(&r.port, 0));
}

/* Gives what it is told, to see which numbers are drawn again. */
typedef struct ScriptedRng {
    Rng port;
    const uint64_t *next;
} ScriptedRng;

static uint64_t scripted_next(Rng *self)
{
    return *((ScriptedRng *)self)->next++;
}

TEST(random_numbers_that_would_bias_the_result_are_drawn_again)
{
    /* 2^64 mod (2^63 + 1) is 2^63 - 1: what is less would favour results. */
    uint64_t bound = (UINT64_C(1) << 63) + 1, fair = (UINT64_C(1) << 63) - 1;
    uint64_t numbers[] = {0, fair - 1, fair, UINT64_MAX};
    ScriptedRng r = {{scripted_next}, numbers};

    then_true(rng_below(&r.port, bound) == fair);
    then_true(r.next == numbers + 3);
    then_true(rng_below(&r.port, bound) == UINT64_MAX % bound);
}

TEST(random_jitter_stays_within_its_percentage)
{
    SeededRng r;
    rng_seed(&r, 3);
    int64_t least = INT64_MAX, most = 0;

    for (int i = 0; i < 10000; i++) {
        int64_t value = rng_jitter(&r.port, 1000, 20);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    then_int(least, 800);
    then_int(most, 1200);
    then_int(rng_jitter(&r.port, 1000, 0), 1000);
    then_int(rng_jitter(&r.port, 0, 50), 0);
    then_bug("percent", rng_jitter(&r.port, 1, 101));
}
