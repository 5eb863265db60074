/* Map: against a plain array as its model, at its ceiling, and while it is walked. */
#include "base/map.h"

#include "base/rng.h"
#include "tests/test.h"

enum { KEYS = 400 };

typedef struct Thing {
    char key[16];
    int seen;
} Thing;

TEST(a_map_finds_the_values_that_were_put)
{
    Map *m = map_open(10);
    int one = 1, two = 2, three = 3;

    then_true(map_find(m, "a") == NULL);
    then_true(map_remove(m, "a") == NULL);
    then_true(map_put(m, "a", &one) && map_put(m, "", &two));
    then_true(map_find(m, "a") == &one);
    then_true(map_find(m, "") == &two);
    then_true(map_find(m, "b") == NULL);
    then_true(map_put(m, "a", &three));
    then_true(map_find(m, "a") == &three);
    then_int(map_count(m), 2);
    then_true(map_remove(m, "a") == &three);
    then_true(map_find(m, "a") == NULL);
    then_int(map_count(m), 1);
    map_close(m);
    map_close(NULL);
}

TEST(replacing_a_map_entry_uses_the_memory_of_the_new_key)
{
    Map *m = map_open(10);
    char old_key[] = "node", new_key[] = "node";
    int value = 1;

    then_true(map_put(m, old_key, &value));
    then_true(map_put(m, new_key, &value));
    old_key[0] = 'x';
    then_true(map_find(m, "node") == &value);
    map_close(m);
}

TEST(a_full_map_refuses_new_keys)
{
    static const char *const keys[] = {"a", "b", "c"};
    Map *m = map_open(3), *none = map_open(0);
    int value = 1, other = 2;

    for (size_t i = 0; i < array_count(keys); i++)
        then_true(map_put(m, keys[i], &value));
    then_true(!map_put(m, "d", &value));
    then_true(map_find(m, "d") == NULL);
    then_true(map_put(m, "b", &other));
    then_true(map_find(m, "b") == &other);
    then_true(map_remove(m, "a") == &value);
    then_true(map_put(m, "d", &value));
    then_true(!map_put(none, "a", &value));
    map_close(m);
    map_close(none);
}

static size_t walk(const Map *m)
{
    size_t cursor = 0, count = 0;
    for (Thing *thing; (thing = map_next(m, &cursor)); count++)
        thing->seen++;
    then_true(map_next(m, &cursor) == NULL);
    return count;
}

TEST(a_map_behaves_like_its_model_in_random_play)
{
    static Thing things[KEYS];
    bool in[KEYS] = {false};
    size_t count = 0;
    Map *m = map_open(KEYS);
    SeededRng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < KEYS; i++)
        snprintf(things[i].key, sizeof things[i].key, "node-%d", i);

    for (int step = 0; step < 50000; step++) {
        uint64_t i = rng_below(&rng.port, KEYS);
        if (rng_below(&rng.port, 1000) < (step / 5000 % 2 ? 300 : 700)) {
            then_true(map_put(m, things[i].key, &things[i]));
            count += !in[i];
            in[i] = true;
        } else {
            then_true(map_remove(m, things[i].key) == (in[i] ? &things[i] : NULL));
            count -= in[i];
            in[i] = false;
        }
        uint64_t other = rng_below(&rng.port, KEYS);
        then_true(map_find(m, things[other].key) == (in[other] ? &things[other] : NULL));
        then_int(map_count(m), count);
    }
    then_int(walk(m), count);
    for (int i = 0; i < KEYS; i++)
        then_int(things[i].seen, in[i]);
    map_close(m);
}

TEST(an_entry_may_be_removed_while_a_map_is_walked)
{
    static Thing things[KEYS];
    Map *m = map_open(KEYS);
    for (int i = 0; i < KEYS; i++) {
        snprintf(things[i].key, sizeof things[i].key, "node-%d", i);
        then_true(map_put(m, things[i].key, &things[i]));
    }

    size_t cursor = 0, visited = 0;
    for (Thing *thing; (thing = map_next(m, &cursor)); visited++) {
        thing->seen++;
        if ((thing - things) % 3 != 0)
            then_true(map_remove(m, thing->key) == thing);
    }
    then_int(visited, KEYS);
    for (int i = 0; i < KEYS; i++) {
        then_int(things[i].seen, 1);
        then_true((map_find(m, things[i].key) != NULL) == (i % 3 == 0));
    }
    then_int(walk(m), map_count(m));
    map_close(m);
}

TEST(maps_with_the_same_keys_are_walked_in_the_same_order)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    Map *left = map_open(100), *right = map_open(100);
    for (size_t i = 0; i < array_count(keys); i++)
        then_true(
            map_put(left, keys[i], (void *)keys[i]) && map_put(right, keys[i], (void *)keys[i]));

    size_t left_cursor = 0, right_cursor = 0;
    for (size_t i = 0; i < array_count(keys); i++)
        then_str(map_next(left, &left_cursor), map_next(right, &right_cursor));
    map_close(left);
    map_close(right);
}

TEST(a_map_walk_never_returns_a_removed_entry)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    Map *m = map_open(100);
    for (size_t i = 0; i < array_count(keys); i++)
        then_true(map_put(m, keys[i], (void *)keys[i]));

    size_t cursor = 0;
    then_true(map_next(m, &cursor) != NULL);
    for (size_t i = 0; i < array_count(keys) - 1; i++)
        then_true(map_remove(m, keys[i]) != NULL);
    const char *left = map_next(m, &cursor);
    then_true(!left || map_find(m, left));
    then_true(map_next(m, &cursor) == NULL);
    map_close(m);
}
