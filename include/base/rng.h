/* Rng: a port. Randomness enters the house here and nowhere else. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

typedef struct Rng Rng;

struct Rng {
    uint64_t (*next)(Rng *self);
};

/* The machine's randomness (getrandom). Safe for many callers. */
Rng *rng_system(void);

/* A reproducible generator: the same seed gives the same numbers. Not for secrets. */
typedef struct SeededRng {
    Rng port;
    uint64_t state[4];
} SeededRng;

/* Starts the sequence of `seed`. */
void rng_seed(SeededRng *r, uint64_t seed);

/* Uniform in [0, bound); bound > 0. */
uint64_t rng_below(Rng *r, uint64_t bound);

/* `value` spread evenly over value ± value * percent / 100: keeps many waiters from waking
 * together. */
int64_t rng_jitter(Rng *r, int64_t value, int percent);

#endif
