/* Trouble: each kind has its patience. */
#include "kube/runtime/trouble.h"
#include "tests/test.h"

static const struct {
    const char *name;
    int status;
    Trouble trouble;
} statuses[] = {
    {"no answer", 0, TROUBLE_NETWORK},
    {"unauthorized", 401, TROUBLE_REFUSED},
    {"forbidden", 403, TROUBLE_REFUSED},
    {"not found", 404, TROUBLE_REFUSED},
    {"gone", 410, TROUBLE_GONE},
    {"too many requests", 429, TROUBLE_BUSY},
    {"internal error", 500, TROUBLE_BUSY},
    {"unavailable", 503, TROUBLE_BUSY},
    {"bad request", 400, TROUBLE_BROKEN},
    {"redirect", 302, TROUBLE_BROKEN},
};

TEST(every_http_status_belongs_to_a_class_of_watch_errors)
{
    each_case(i, statuses) {
        Err err = {.class = ERR_RETRY, .status = statuses[i].status, .message = ""};
        then_int(trouble_of(&err), statuses[i].trouble);
    }
}

static const struct {
    const char *name;
    Trouble trouble;
    unsigned in_a_row;
    int64_t retry_after_ms, least, most;
} waits[] = {
    {"the first lost connection", TROUBLE_NETWORK, 1, 0, 40, 50},
    {"the hundredth lost connection", TROUBLE_NETWORK, 100, 0, 800, 1000},
    {"a busy server", TROUBLE_BUSY, 1, 0, 400, 500},
    {"a server that starts up is asked twice a second", TROUBLE_BUSY, 8, 0, 400, 500},
    {"one that stays busy is left alone", TROUBLE_BUSY, 100, 0, 8000, 10000},
    {"a refusal", TROUBLE_REFUSED, 5, 0, 800, 1000},
    {"many refusals", TROUBLE_REFUSED, 100, 0, 8000, 10000},
    {"the server's wish is longer", TROUBLE_BUSY, 1, 3000, 3000, 3000},
    {"the server's wish is shorter", TROUBLE_BUSY, 100, 3000, 8000, 10000},
    {"an absurd wish counts for a minute", TROUBLE_BUSY, 1, INT64_MAX, 60000, 60000},
    {"the first expiry is answered at once", TROUBLE_GONE, 1, 0, 40, 50},
    {"many expiries are not", TROUBLE_GONE, 100, 0, 8000, 10000},
    {"nonsense", TROUBLE_BROKEN, 1, 0, 400, 500},
};

TEST(the_backoff_of_a_watch_depends_on_the_class_of_its_error)
{
    SeededRng rng;
    rng_seed(&rng, 1);
    each_case(i, waits)
        for (int round = 0; round < 100; round++) {
            int64_t wait = trouble_wait_ms(
                waits[i].trouble, waits[i].in_a_row, waits[i].retry_after_ms, &rng.port);
            then_true(wait >= waits[i].least && wait <= waits[i].most);
        }
}

/* Whenever within its first seconds a restarting server becomes ready, the next try is near. */
TEST(a_server_that_restarts_within_five_seconds_is_found_within_two_more)
{
    static const Trouble troubles[] = {TROUBLE_NETWORK, TROUBLE_BUSY, TROUBLE_REFUSED};
    SeededRng rng;
    rng_seed(&rng, 2);
    for (size_t i = 0; i < array_count(troubles); i++) {
        int64_t passed = 0;
        for (unsigned in_a_row = 1; passed < 5000; in_a_row++) {
            int64_t wait = trouble_wait_ms(troubles[i], in_a_row, 0, &rng.port);
            then_true(wait <= 2000);
            passed += wait;
        }
    }
}
