/* What is known of the names of fleets, while nobody waits for an answer. */
#include "sei/reconcile/lookups.h"

#include "tests/test.h"

#include <string.h>

static const Key rpc = {"sei", "rpc"};

/* A resolver that says what the test says, and counts. */
typedef struct Scripted {
    Resolver port; /* first, so that the port is this */
    Resolved says;
    bool is_full;
    int asked, open;
    char host[RESOLVER_HOST_SIZE];
} Scripted;

static int ask(Resolver *self, const char *host)
{
    Scripted *s = (Scripted *)self;

    if (s->is_full)
        return -1;
    s->asked++;
    s->open++;
    snprintf(s->host, sizeof s->host, "%s", host);
    return s->asked;
}

static Resolved answer(Resolver *self, int question)
{
    Scripted *s = (Scripted *)self;

    (void)question;
    s->open -= s->says != RESOLVED_PENDING;
    return s->says;
}

static void drop(Resolver *self, int question)
{
    (void)question;
    ((Scripted *)self)->open--;
}

static Scripted that_says(Resolved says)
{
    return (Scripted){.port = {.ask = ask, .answer = answer, .drop = drop}, .says = says};
}

static const struct {
    const char *name;
    Resolved first, then;
    NameState want;
    int64_t again_ms;
} cases[] = {
    {"found", RESOLVED_FOUND, RESOLVED_FOUND, NAME_RESOLVES, LOOKUPS_FOUND_MS},
    {"not there", RESOLVED_NO_SUCH_NAME, RESOLVED_NO_SUCH_NAME, NAME_MISSING, LOOKUPS_MISSING_MS},
    {"comes", RESOLVED_NO_SUCH_NAME, RESOLVED_FOUND, NAME_RESOLVES, LOOKUPS_FOUND_MS},
    {"goes", RESOLVED_FOUND, RESOLVED_NO_SUCH_NAME, NAME_MISSING, LOOKUPS_MISSING_MS},
    {"an outage says nothing of a name that was there",
        RESOLVED_FOUND,
        RESOLVED_NO_ANSWER,
        NAME_RESOLVES,
        LOOKUPS_MISSING_MS},
    {"nor of one that was not",
        RESOLVED_NO_SUCH_NAME,
        RESOLVED_NO_ANSWER,
        NAME_MISSING,
        LOOKUPS_MISSING_MS},
    {"an outage says nothing of a name that was never asked for",
        RESOLVED_NO_ANSWER,
        RESOLVED_NO_ANSWER,
        NAME_UNKNOWN,
        LOOKUPS_MISSING_MS},
};

TEST(a_dns_answer_is_cached_until_its_next_lookup_is_due)
{
    each_case(i, cases) {
        Scripted resolver = that_says(cases[i].first);
        Lookups *l = lookups_open(&resolver.port);
        Lookup first = lookups_ask(l, rpc, "a.io", 0);

        resolver.says = cases[i].then;
        then_int(lookups_ask(l, rpc, "a.io", first.again_ms - 1).state, first.state);
        then_int(resolver.asked, 1);
        Lookup then = lookups_ask(l, rpc, "a.io", first.again_ms);
        then_int(then.state, cases[i].want);
        then_int(then.again_ms, cases[i].again_ms);
        then_int(resolver.asked, 2);
        then_int(resolver.open, 0);
        lookups_close(l);
    }
}

TEST(a_dns_name_that_is_too_long_is_not_looked_up)
{
    Scripted resolver = that_says(RESOLVED_FOUND);
    Lookups *l = lookups_open(&resolver.port);
    char host[RESOLVER_HOST_SIZE + 1];

    memset(host, 'a', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    for (int64_t now = 0; now < 2; now++) {
        Lookup lookup = lookups_ask(l, rpc, host, now);
        then_int(lookup.state, NAME_MISSING);
        then_int(lookup.again_ms, LOOKUPS_MISSING_MS);
    }
    then_int(resolver.asked, 0);
    lookups_close(l);
}

/* O-21: a resolver that does not answer holds nobody up. */
TEST(a_dns_lookup_without_an_answer_blocks_no_reconcile)
{
    Scripted resolver = that_says(RESOLVED_PENDING);
    Lookups *l = lookups_open(&resolver.port);

    for (int64_t now = 0; now < 60000;) {
        Lookup lookup = lookups_ask(l, rpc, "a.io", now);
        then_int(lookup.state, NAME_UNKNOWN);
        then_true(lookup.again_ms > 0 && lookup.again_ms <= 2000);
        now += lookup.again_ms;
    }
    then_int(resolver.asked, 1);
    resolver.says = RESOLVED_FOUND;
    then_int(lookups_ask(l, rpc, "a.io", 60000).state, NAME_RESOLVES);
    lookups_close(l);
}

TEST(another_dns_name_cancels_the_pending_lookup)
{
    Scripted resolver = that_says(RESOLVED_PENDING);
    Lookups *l = lookups_open(&resolver.port);

    lookups_ask(l, rpc, "a.io", 0);
    lookups_ask(l, rpc, "b.io", 1);
    then_str(resolver.host, "b.io");
    then_int(resolver.open, 1);
    resolver.says = RESOLVED_FOUND;
    then_int(lookups_ask(l, rpc, "b.io", 2).state, NAME_RESOLVES);
    resolver.says = RESOLVED_PENDING;
    then_int(lookups_ask(l, rpc, "c.io", 3).state, NAME_UNKNOWN);
    lookups_close(l);
}

TEST(deleting_a_fleet_drops_its_pending_lookup)
{
    Scripted resolver = that_says(RESOLVED_PENDING);
    Lookups *l = lookups_open(&resolver.port);

    lookups_forget(l, rpc);
    lookups_ask(l, rpc, "a.io", 0);
    lookups_forget(l, rpc);
    then_int(resolver.open, 0);
    lookups_ask(l, rpc, "a.io", 1);
    then_int(resolver.asked, 2);
    lookups_close(l);
}

TEST(a_lookup_beyond_the_maximum_is_retried_later)
{
    Scripted resolver = that_says(RESOLVED_FOUND);
    Lookups *l = lookups_open(&resolver.port);

    resolver.is_full = true;
    Lookup lookup = lookups_ask(l, rpc, "a.io", 0);
    then_int(lookup.state, NAME_UNKNOWN);
    then_true(lookup.again_ms > 0);
    resolver.is_full = false;
    then_int(lookups_ask(l, rpc, "a.io", lookup.again_ms).state, NAME_RESOLVES);
    lookups_close(l);
}

TEST(without_a_resolver_every_dns_name_counts_as_resolved)
{
    Lookups *l = lookups_open(NULL);
    Lookup lookup = lookups_ask(l, rpc, "a.io", 0);

    then_int(lookup.state, NAME_RESOLVES);
    then_int(lookup.again_ms, 0);
    lookups_forget(l, rpc);
    lookups_close(l);
}
