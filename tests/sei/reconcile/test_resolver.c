/* The system's resolver, of which only that is certain which needs no network: addresses are their
 * own answer. */
#include "sei/reconcile/resolver.h"

#include "tests/test.h"

#include <sched.h>

static Resolved answered(Resolver *r, int question)
{
    Resolved resolved;

    while ((resolved = r->answer(r, question)) == RESOLVED_PENDING)
        sched_yield();
    return resolved;
}

TEST(an_ip_address_resolves_to_itself)
{
    Resolver *r = resolver_open_system();

    then_int(answered(r, r->ask(r, "127.0.0.1")), RESOLVED_FOUND);
    then_int(answered(r, r->ask(r, "::1")), RESOLVED_FOUND);
    resolver_close_system(r);
}

TEST(an_impossible_dns_name_is_not_found)
{
    Resolver *r = resolver_open_system();

    then_true(answered(r, r->ask(r, "a..b")) != RESOLVED_FOUND);
    resolver_close_system(r);
}

TEST(dns_lookups_are_limited_and_an_answered_one_frees_its_slot)
{
    Resolver *r = resolver_open_system();
    int questions[RESOLVER_QUESTIONS_MAX];

    for (int i = 0; i < RESOLVER_QUESTIONS_MAX; i++) {
        questions[i] = r->ask(r, "127.0.0.1");
        then_true(questions[i] >= 0);
    }
    then_int(r->ask(r, "127.0.0.1"), -1);
    answered(r, questions[7]);
    then_int(r->ask(r, "127.0.0.1"), questions[7]);
    resolver_close_system(r);
}

TEST(a_dropped_dns_lookup_frees_its_slot_once_it_is_answered)
{
    Resolver *r = resolver_open_system();
    int question = -1;

    for (int i = 0; i < RESOLVER_QUESTIONS_MAX; i++)
        r->drop(r, r->ask(r, "127.0.0.1"));
    while ((question = r->ask(r, "127.0.0.1")) < 0)
        sched_yield();
    then_int(answered(r, question), RESOLVED_FOUND);
    resolver_close_system(r);
}

TEST(a_host_name_that_is_too_long_is_not_looked_up)
{
    Resolver *r = resolver_open_system();
    char host[RESOLVER_HOST_SIZE + 1];

    memset(host, 'a', sizeof host - 1);
    host[sizeof host - 1] = '\0';
    then_int(r->ask(r, host), -1);
    resolver_close_system(r);
    resolver_close_system(NULL);
}
