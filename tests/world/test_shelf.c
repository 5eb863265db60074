/* The shelf: in order, whatever comes in whichever order. */
#include "base/rng.h"
#include "tests/test.h"
#include "world/shelf.h"

static Record *record_of(Slab *slab, const char *key, uint64_t version)
{
    return record_new(slab,
        &(RecordText){
            .key = key,
            .version = version,
            .text = bytes_of("{\"resourceVersion\":\"1\"}"),
            .glance = bytes_of("{}"),
        });
}

TEST(a_stored_record_is_found_by_its_key)
{
    Slab *slab = slab_open();
    Shelf *s = shelf_open(slab);

    then_true(shelf_find(s, "a") == NULL);
    shelf_put(s, record_of(slab, "b", 1));
    shelf_put(s, record_of(slab, "a", 2));
    then_int(record_version(shelf_find(s, "a")), 2);
    then_int(record_version(shelf_find(s, "b")), 1);
    then_true(shelf_find(s, "") == NULL);
    then_true(shelf_find(s, "c") == NULL);
    then_int(shelf_count(s), 2);
    shelf_close(s);
    slab_close(slab);
}

TEST(a_second_record_replaces_the_first_one_with_the_same_key)
{
    Slab *slab = slab_open();
    Shelf *s = shelf_open(slab);

    shelf_put(s, record_of(slab, "a", 1));
    shelf_put(s, record_of(slab, "a", 2));
    then_int(shelf_count(s), 1);
    then_int(record_version(shelf_find(s, "a")), 2);
    shelf_close(s);
    slab_close(slab);
}

TEST(taking_a_record_passes_it_to_the_caller)
{
    Slab *slab = slab_open();
    Shelf *s = shelf_open(slab);
    Record *r;

    shelf_put(s, record_of(slab, "a", 1));
    r = shelf_take(s, "a");
    then_str(record_key(r), "a");
    record_drop(slab, r);
    then_true(shelf_take(s, "a") == NULL);
    then_int(shelf_count(s), 0);
    shelf_close(s);
    slab_close(slab);
}

static const struct {
    const char *name, *from, *want;
} seeks[] = {
    {"from the beginning", NULL, "a-b/x"},
    {"from a key that is there", "b/x", "b/x"},
    {"from between keys", "a0", "b/x"},
    {"from a namespace", "a/", "a/x"},
    {"from behind the last", "c", NULL},
};

TEST(records_are_walked_from_any_key_in_byte_order)
{
    Slab *slab = slab_open();
    Shelf *s = shelf_open(slab);

    shelf_put(s, record_of(slab, "b/x", 1));
    shelf_put(s, record_of(slab, "a/x", 1));
    shelf_put(s, record_of(slab, "a-b/x", 1)); /* '-' comes before '/' */
    each_case(i, seeks) {
        const ShelfPlace *place = shelf_seek(s, seeks[i].from);
        then_str(place ? record_key(shelf_record(place)) : NULL, seeks[i].want);
    }
    shelf_close(s);
    slab_close(slab);
}

enum { KEYS = 500, STEPS = 5000 };

/* A plain array says what must be there. */
TEST(the_ordered_index_behaves_like_an_array_in_random_play)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Slab *slab = slab_open();
    Shelf *s = shelf_open(slab);
    uint64_t versions[KEYS] = {0};
    SeededRng rng;

    rng_seed(&rng, 7);
    for (uint64_t step = 1; step <= STEPS; step++) {
        size_t i = rng_below(&rng.port, KEYS);
        const char *key = str_format(a, "%03zu", i);
        if (rng_below(&rng.port, 3) > 0) {
            shelf_put(s, record_of(slab, key, step));
            versions[i] = step;
        } else {
            Record *taken = shelf_take(s, key);
            then_true((taken != NULL) == (versions[i] != 0));
            record_drop(slab, taken);
            versions[i] = 0;
        }
    }
    size_t count = 0;
    const ShelfPlace *place = shelf_seek(s, NULL);
    for (size_t i = 0; i < KEYS; i++) {
        if (!versions[i])
            continue;
        then_str(record_key(shelf_record(place)), str_format(a, "%03zu", i));
        then_int(record_version(shelf_record(place)), versions[i]);
        place = shelf_next(place);
        count++;
    }
    then_true(place == NULL);
    then_int(shelf_count(s), count);
    shelf_close(s);
    slab_close(slab);
}
