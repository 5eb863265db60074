/* Chains that grow, upgrades that stop images, buckets that keep. */
#include "tests/test.h"

#include "world/outside.h"

TEST(the_height_of_a_simulated_chain_grows_with_time)
{
    Outside *o = outside_open();
    Chain *chain = outside_chain(o, "pacific-1");
    then_int(chain_head(chain, 0), 1000);
    then_int(chain_head(chain, 4000), 1010);
    then_int(chain_when(chain, 1010), 4000);
    then_int(chain_when(chain, 5), 0);
    then_true(chain_when(chain, INT64_MAX) == INT64_MAX);
    then_true(chain->has_genesis && chain->snapshot_height == 900);
    then_true(!outside_chain(o, "my-1")->has_genesis);
    then_true(outside_chain(o, "pacific-1") == chain);
    outside_close(o);
}

TEST(the_number_of_simulated_chains_is_limited)
{
    Outside *o = outside_open();
    char id[16];
    for (int i = 0; i < 2 * CHAINS_MAX; i++) {
        snprintf(id, sizeof id, "chain-%d", i);
        then_true(outside_chain(o, id) != NULL);
    }
    then_true(outside_chain(o, "a") == outside_chain(o, "b"));
    outside_close(o);
}

static const struct {
    const char *name, *image;
    int64_t height, want;
} limits[] = {
    {"an old image stops before the first upgrade", "seid:v1", 100, 199},
    {"past it, at once", "seid:v1", 250, 250},
    {"the first upgrade's image stops before the second", "seid:v2.1", 250, 299},
    {"it may run before its time", "seid:v2", 100, 299},
    {"the newest never stops", "seid:v3", 100, INT64_MAX},
};

TEST(an_upgrade_height_stops_older_images)
{
    each_case(i, limits) {
        Outside *o = outside_open();
        Chain *chain = outside_chain(o, "x");
        then_true(chain_schedule_upgrade(chain, 200, "seid:v2"));
        then_true(chain_schedule_upgrade(chain, 300, "seid:v3"));
        then_int(chain_limit(chain, limits[i].image, limits[i].height), limits[i].want);
        outside_close(o);
    }
}

TEST(the_number_of_upgrades_of_a_chain_is_limited)
{
    Outside *o = outside_open();
    Chain *chain = outside_chain(o, "x");
    for (int i = 0; i < CHAIN_UPGRADES_MAX; i++)
        then_true(chain_schedule_upgrade(chain, 100 * i, "v"));
    then_true(!chain_schedule_upgrade(chain, 9999, "v"));
    outside_close(o);
}

TEST(a_simulated_bucket_keeps_the_last_value_of_a_key)
{
    Outside *o = outside_open();
    then_str(outside_find(o, "a/b"), NULL);
    then_true(outside_put(o, "a/b", "1") && outside_put(o, "a/b", "22"));
    then_str(outside_find(o, "a/b"), "22");
    char key[16];
    for (int i = 0; i < OUTSIDE_OBJECTS_MAX - 1; i++) {
        snprintf(key, sizeof key, "k%d", i);
        then_true(outside_put(o, key, "x"));
    }
    then_true(!outside_put(o, "one more", "x"));
    then_true(outside_put(o, "a/b", "3"));
    outside_close(o);
}

static void hear(void *self, const char *key, const char *value)
{
    then_str(key, "a/b");
    then_str(value, "1");
    (*(int *)self)++;
}

TEST(buckets_can_be_listed_and_observed)
{
    Outside *o = outside_open();
    const char *key, *value;
    size_t bucket = 0, place = 0;
    int heard = 0;

    outside_listen(o, hear, &heard);
    then_true(outside_put(o, "a/b", "1"));
    outside_listen(o, NULL, NULL);
    then_true(outside_put(o, "a/b", "2"));
    then_int(heard, 1);
    then_true(outside_next(o, &bucket, &key, &value));
    then_str(key, "a/b");
    then_str(value, "2");
    then_true(!outside_next(o, &bucket, &key, &value));
    outside_chain(o, "x");
    then_str(outside_next_chain(o, &place)->id, "x");
    then_true(!outside_next_chain(o, &place));
    outside_close(o);
}
