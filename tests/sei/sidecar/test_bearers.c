/* Tokens that many hold are kept once. */
#include "sei/sidecar/bearers.h"

#include "tests/test.h"

TEST(a_token_with_several_holders_is_stored_once)
{
    Slab *slab = slab_open();
    Bearers b;
    Bearer *first = NULL, *second = NULL;

    bearers_init(&b, slab, 10);
    bearers_swap(&b, &first, "t1");
    bearers_swap(&b, &second, "t1");
    then_true(first == second);
    then_int(map_count(b.all), 1);
    bearers_swap(&b, &first, "t2");
    then_str(first->text, "t2");
    then_str(second->text, "t1");
    then_int(map_count(b.all), 2);
    bearers_swap(&b, &second, NULL);
    bearers_swap(&b, &first, NULL);
    then_true(!first && !second);
    then_int(map_count(b.all), 0);
    bearers_close(&b);
    slab_close(slab);
}

TEST(an_invalid_token_is_not_stored)
{
    Slab *slab = slab_open();
    Bearers b;
    Bearer *held = NULL;
    static char huge[BEARER_MAX + 2];

    memset(huge, 'x', BEARER_MAX + 1);
    bearers_init(&b, slab, 1);
    bearers_swap(&b, &held, huge);
    then_true(!held);
    bearers_swap(&b, &held, "");
    then_true(!held);
    Bearer *other = NULL;
    bearers_swap(&b, &held, "t1");
    bearers_swap(&b, &other, "t2"); /* one too many */
    then_true(held && !other);
    bearers_close(&b);
    slab_close(slab);
}
