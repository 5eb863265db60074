/* The history: what it holds, what it forgets, and that it says so. */
#include "tests/test.h"
#include "world/history.h"

enum { MAX = 4 };

static void add(History *h, Trail *trail, uint64_t version)
{
    history_add(h, &(Change){.version = version, .trail = trail});
}

TEST(the_changes_of_a_kind_are_linked_in_the_history)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail pods = {0}, nodes = {0};

    add(h, &pods, 1);
    add(h, &nodes, 2);
    add(h, &pods, 3);

    uint64_t place = history_after(h, &pods, 0);
    then_int(history_at(h, place)->version, 1);
    place = history_next(h, &pods, place);
    then_int(history_at(h, place)->version, 3);
    then_int(history_next(h, &pods, place), 0);
    then_true(history_at(h, 0) == NULL);
    history_close(h);
    slab_close(slab);
}

static const struct {
    const char *name;
    uint64_t version, want;
} starts[] = {
    {"from the beginning", 0, 1},
    {"from a change of the kind", 1, 3},
    {"from a change of another kind", 2, 3},
    {"from the last one", 3, 0},
    {"from the future", 9, 0},
};

TEST(the_first_change_after_a_version_is_found_in_the_history)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail pods = {0}, nodes = {0};

    add(h, &pods, 1);
    add(h, &nodes, 2);
    add(h, &pods, 3);
    each_case(i, starts) {
        const Change *change = history_at(h, history_after(h, &pods, starts[i].version));
        then_int(change ? change->version : 0, starts[i].want);
    }
    history_close(h);
    slab_close(slab);
}

TEST(a_full_history_drops_its_oldest_changes)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail pods = {0}, nodes = {0};

    add(h, &nodes, 1);
    for (uint64_t version = 2; version <= 6; version++)
        add(h, &pods, version);

    then_true(!history_reaches(h, &pods, 1)); /* change 2 is gone */
    then_true(history_reaches(h, &pods, 2));
    then_int(history_floor(h, &pods), 2);
    then_true(history_reaches(h, &nodes, 1)); /* nothing after change 1 was lost */
    then_true(!history_reaches(h, &nodes, 0));
    then_int(history_at(h, history_next(h, &pods, 1))->version, 3); /* behind a forgotten place */
    history_close(h);
    slab_close(slab);
}

TEST(compacting_the_history_applies_to_every_kind)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail pods = {0}, nodes = {0};

    add(h, &pods, 1);
    add(h, &pods, 2);
    history_forget(h, 1);
    then_true(!history_reaches(h, &nodes, 0));
    then_true(history_reaches(h, &pods, 1));
    then_int(history_at(h, history_after(h, &pods, 1))->version, 2);
    history_forget(h, 2);
    then_int(history_after(h, &pods, 0), 0);
    add(h, &pods, 3);
    then_int(history_at(h, history_next(h, &pods, 2))->version, 3);
    history_close(h);
    slab_close(slab);
}

TEST(the_history_keeps_only_as_many_bytes_of_replaced_objects_as_allowed)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail trail = {0};
    Record *r = record_new(slab,
        &(RecordText){
            .key = "a", .text = bytes_of("{\"resourceVersion\":\"1\"}"), .glance = bytes_of("{}")});

    history_add(h, &(Change){.version = 1, .trail = &trail, .after = r});
    history_add(h, &(Change){.version = 2, .trail = &trail, .before = r, .after = r});
    history_add(h, &(Change){.version = 3, .trail = &trail, .before = r, .after = r});
    history_add(h, &(Change){.version = 4, .trail = &trail, .before = r});
    history_shrink(h, 3 * record_size(r));
    then_int(history_floor(h, &trail), 0);
    history_shrink(h, 2 * record_size(r));
    then_int(history_floor(h, &trail), 2);
    add(h, &trail, 5);
    add(h, &trail, 6);
    add(h, &trail, 7); /* forgets change 3, as the ring is full */
    history_shrink(h, record_size(r));
    then_int(history_floor(h, &trail), 3);
    history_shrink(h, 0);
    then_int(history_floor(h, &trail), 4);
    record_drop(slab, r);
    history_close(h);
    then_int(slab_count(slab), 0);
    slab_close(slab);
}

TEST(the_history_keeps_every_change_that_an_actor_still_needs)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, MAX);
    Trail trail = {0};

    history_need(h, 2);
    for (uint64_t version = 1; version <= 1000; version++)
        add(h, &trail, version);
    then_int(history_floor(h, &trail), 2);
    for (uint64_t place = trail.first, version = 3; place; place = history_at(h, place)->next)
        then_int(history_at(h, place)->version, version++);
    history_shrink(h, 0);
    then_int(history_floor(h, &trail), 2);
    history_need(h, 1000);
    then_int(history_floor(h, &trail), 1000 - MAX);
    history_close(h);
    slab_close(slab);
}

TEST(the_history_holds_the_records_of_its_changes)
{
    Slab *slab = slab_open();
    History *h = history_open(slab, 1);
    Trail trail = {0};
    RecordText text = {
        .key = "a", .text = bytes_of("{\"resourceVersion\":\"1\"}"), .glance = bytes_of("{}")};
    Record *r = record_new(slab, &text);

    history_add(h, &(Change){.version = 1, .trail = &trail, .after = r});
    record_drop(slab, r);
    then_str(record_key(history_at(h, trail.first)->after), "a");
    size_t held = slab_count(slab);
    history_forget(h, 1);
    then_int(slab_count(slab), held - 1);
    history_close(h);
    slab_close(slab);
}
