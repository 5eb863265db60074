/* Rng: getrandom for the machine, xoshiro256** for what must be repeatable. */
#include "base/rng.h"

#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <sys/random.h>

static uint64_t system_next(Rng *self)
{
    (void)self;
    uint64_t number;
    ssize_t got;
    do
        got = getrandom(&number, sizeof number, 0);
    while (got < 0 && errno == EINTR);
    if (got != sizeof number)
        BUG("the machine gives no randomness");
    return number;
}

Rng *rng_system(void)
{
    static const Rng machine = {.next = system_next};
    return (Rng *)&machine;
}

static uint64_t rotate_left(uint64_t number, int bits)
{
    return number << bits | number >> (64 - bits);
}

static uint64_t seeded_next(Rng *self)
{
    uint64_t *s = ((SeededRng *)self)->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

void rng_seed(SeededRng *r, uint64_t seed)
{
    r->port.next = seeded_next;
    /* splitmix64: no seed, not even 0, gives the all-zero state that xoshiro cannot leave. */
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9E3779B97F4A7C15U;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        r->state[i] = z ^ z >> 31;
    }
}

uint64_t rng_below(Rng *r, uint64_t bound)
{
    assert(bound > 0);
    /* The lowest 2^64 mod bound numbers are drawn again, or small results would be likelier. */
    uint64_t unfair = -bound % bound;
    uint64_t number;
    do
        number = r->next(r);
    while (number < unfair);
    return number % bound;
}

int64_t rng_jitter(Rng *r, int64_t value, int percent)
{
    assert(value >= 0 && percent >= 0 && percent <= 100);
    int64_t spread = value / 100 * percent + value % 100 * percent / 100;
    return value - spread + (int64_t)rng_below(r, 2 * (uint64_t)spread + 1);
}
