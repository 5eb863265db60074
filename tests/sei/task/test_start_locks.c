/* StartLocks: who has to do with which key, whose turn it is, and who is woken. */
#include "sei/task/start_locks.h"

#include "base/str.h"
#include "tests/test.h"

#include <string.h>

typedef struct Bell {
    Waker port; /* first, so that the port is this */
    Arena *arena;
    const char *rung; /* "val-1, val-2" */
} Bell;

static void ring(Waker *self, Key key)
{
    Bell *bell = (Bell *)self;

    bell->rung = bell->rung ? str_format(bell->arena, "%s, %s", bell->rung, key.name)
                            : str_copy(bell->arena, key.name);
}

typedef struct Desk {
    Arena *arena;
    StartLocks *start_locks;
    int64_t now_ms;
    Bell bell;
} Desk;

static Desk *desk_open(void)
{
    Arena *a = arena_open(1 << 20);
    Desk *d = arena_new(a, Desk);

    *d = (Desk){.arena = a,
        .start_locks = start_locks_open(START_NODES_MAX),
        .bell = {.port = {.wake = ring}, .arena = a}};
    start_locks_bind(d->start_locks, guard_none(), &d->bell.port);
    return d;
}

static void desk_close(Desk **d)
{
    start_locks_close((*d)->start_locks);
    arena_close((*d)->arena);
}

#define SCOPED_DESK __attribute__((cleanup(desk_close))) Desk *

static Key node(const char *name)
{
    return (Key){.namespace = "sei", .name = name};
}

static void given_filled(Desk *d)
{
    then_true(start_locks_must_be_filled(d->start_locks));
    start_locks_filled(d->start_locks, true);
}

static void note(Desk *d, const char *name, const char *secret, unsigned standing)
{
    StartNote noted = {.standing = standing};

    start_note_add(&noted, exclusive_key(secret));
    start_locks_note(d->start_locks, node(name), &noted);
}

static size_t others(Desk *d, const char *name, const char *secret)
{
    Key *keys;

    return start_locks_others(d->start_locks, d->arena, node(name), exclusive_key(secret), &keys);
}

static StartTurn take(Desk *d, const char *name)
{
    return start_locks_take(d->start_locks, node(name), exclusive_key("key"), d->now_ms);
}

TEST(no_node_gets_a_start_lock_before_all_nodes_are_known)
{
    SCOPED_DESK d = desk_open();

    note(d, "val-0", "key", 0); /* of which nothing is kept */
    then_int(take(d, "val-0"), START_UNKNOWN);
    then_true(start_locks_must_be_filled(d->start_locks));
    then_true(!start_locks_must_be_filled(d->start_locks)); /* another caller fills it already */
    note(d, "val-0", "key", 0);
    then_int(take(d, "val-0"), START_UNKNOWN);
    start_locks_filled(d->start_locks, true);
    then_int(take(d, "val-0"), START_MAY_LOOK);
}

TEST(filling_the_start_locks_is_repeated_after_a_failure)
{
    SCOPED_DESK d = desk_open();

    then_true(start_locks_must_be_filled(d->start_locks));
    start_locks_filled(d->start_locks, false);
    then_true(start_locks_must_be_filled(d->start_locks));
}

TEST(a_start_lock_is_held_until_the_next_reconcile_of_its_holder)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    then_int(take(d, "val-1"), START_MUST_WAIT);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-1"), START_MUST_WAIT);
    note(d, "val-0", "key", 0);
    then_int(take(d, "val-1"), START_MAY_LOOK);
    start_locks_give_up(
        d->start_locks, node("val-0"), exclusive_key("key")); /* it is not his to give */
    then_int(take(d, "val-0"), START_MUST_WAIT);
    start_locks_give_up(d->start_locks, node("val-1"), exclusive_key("key"));
    then_int(take(d, "val-0"), START_MAY_LOOK);
}

/* What he wrote may still be on its way. */
TEST(the_holder_of_a_start_lock_in_doubt_keeps_it_until_its_write_is_seen_or_times_out)
{
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        SCOPED_DESK d = desk_open();
        StartNote noted = {.now_ms = START_DOUBT_MS - 1}, gone = noted;

        given_filled(d);
        note(d, "val-0", "key", 0);
        note(d, "val-1", "key", 0);
        then_int(take(d, "val-0"), START_MAY_LOOK);
        start_locks_doubt(d->start_locks, node("val-1"), exclusive_key("key"), 0); /* it has none */
        start_locks_doubt(d->start_locks, node("val-0"), exclusive_key("key"), 0);
        start_locks_give_up(d->start_locks, node("val-0"), exclusive_key("key"));
        start_locks_note(d->start_locks, node("val-0"), &gone);
        then_int(take(d, "val-1"), START_MUST_WAIT);
        start_note_add(&noted, exclusive_key("key"));
        start_locks_note(d->start_locks, node("val-0"), &noted);
        then_int(take(d, "val-1"), START_MUST_WAIT);
        noted.is_seen = is_seen;
        noted.now_ms += !is_seen;
        start_locks_note(d->start_locks, node("val-0"), &noted);
        then_int(take(d, "val-1"), START_MAY_LOOK);
    }
}

TEST(a_start_lock_in_doubt_whose_node_is_deleted_is_released_after_a_timeout)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    start_locks_doubt(d->start_locks, node("val-0"), exclusive_key("key"), 0);
    note(d, "val-0", NULL, 0);
    d->now_ms = START_DOUBT_MS - 1;
    then_int(take(d, "val-1"), START_MUST_WAIT);
    d->now_ms = START_DOUBT_MS;
    then_int(take(d, "val-1"), START_MAY_LOOK);
}

TEST(a_node_that_was_not_noted_before_gets_its_start_lock)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    then_int(others(d, "val-1", "key"), 1);
    then_int(take(d, "val-1"), START_MUST_WAIT);
    note(d, "val-0", NULL, 0);
    then_int(take(d, "val-1"), START_MAY_LOOK);
    then_int(
        start_locks_take(d->start_locks, node("val-0"), exclusive_key(NULL), 0), START_UNKNOWN);
}

TEST(a_pvc_and_a_secret_of_the_same_name_have_separate_start_locks)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    then_int(
        start_locks_take(d->start_locks, node("val-1"), exclusive_claim("key"), 0), START_MAY_LOOK);
    then_true(!start_locks_is_shared(d->start_locks, node("val-0"), exclusive_key("key")));
    then_true(start_locks_is_shared(d->start_locks, node("val-0"), exclusive_claim("key")));
    then_true(!start_locks_is_shared(d->start_locks, node("val-1"), exclusive_claim("key")));
}

/* Only while a node is missing in it. */
TEST(a_full_start_lock_table_grants_locks_again_when_a_node_has_left)
{
    SCOPED_DESK d = desk_open();

    start_locks_close(d->start_locks);
    d->start_locks = start_locks_open(2);

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "other", 0);
    then_int(take(d, "val-0"), START_MAY_LOOK);
    note(d, "val-2", "key", 0);
    then_int(take(d, "val-0"), START_UNKNOWN);
    then_true(!start_locks_must_be_filled(d->start_locks));

    note(d, "val-1", NULL, 0);
    then_int(take(d, "val-0"), START_UNKNOWN);
    given_filled(d);
    start_locks_see(d->start_locks, node("val-2"), exclusive_key("key"));
    then_int(take(d, "val-0"), START_MAY_LOOK);
    then_int(take(d, "val-2"), START_MUST_WAIT);
}

TEST(other_users_of_a_start_lock_are_in_the_same_namespace_with_the_same_secret)
{
    SCOPED_DESK d = desk_open();
    StartNote elsewhere = {.uses = {{EXCLUSIVE_KEY, "key"}}, .count = 1};

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    note(d, "val-2", "other", 0);
    start_locks_note(d->start_locks, (Key){.namespace = "far", .name = "val-3"}, &elsewhere);
    start_locks_see(d->start_locks, node("val-4"), exclusive_key("key"));
    then_int(others(d, "val-0", "key"), 2);
    then_int(others(d, "val-2", "other"), 0);
    then_int(others(d, "val-2", "key"), 3);

    note(d, "val-1", "other", 0);
    note(d, "val-4", NULL, 0);
    then_int(others(d, "val-0", "key"), 0);
    then_true(!start_locks_knows(d->start_locks, node("val-4")));
    then_true(start_locks_knows(d->start_locks, node("val-1")));
}

TEST(only_nodes_with_the_same_key_are_enqueued_and_only_when_a_user_changes)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note(d, "val-0", "key", 1);
    note(d, "val-2", "other", 1);
    then_str(d->bell.rung, NULL);
    note(d, "val-1", "key", 2);
    then_str(d->bell.rung, "val-0");
    d->bell.rung = NULL;
    note(d, "val-0", "key", 1);
    note(d, "val-1", "key", 2);
    then_str(d->bell.rung, NULL);
    note(d, "val-0", "key", 0); /* it has stopped, say */
    then_str(d->bell.rung, "val-1");
    d->bell.rung = NULL;
    note(d, "val-0", NULL, 0); /* it is gone */
    then_str(d->bell.rung, "val-1");
    d->bell.rung = NULL;
    note(d, "val-0", NULL, 0);
    then_str(d->bell.rung, NULL);
}

TEST(at_most_one_user_more_than_can_be_examined_is_returned)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    for (int i = 0; i < 3 * START_OTHERS_MAX; i++)
        note(d, str_format(d->arena, "val-%d", i), "key", 0);
    then_int(others(d, "val-0", "key"), START_OTHERS_MAX + 1);
}

/* --- more uses than slots ----------------------------------------------------------------------
 */

static size_t others_on(Desk *d, const char *name, const char *claim)
{
    Key *keys;

    return start_locks_others(d->start_locks, d->arena, node(name), exclusive_claim(claim), &keys);
}

static void note_uses(Desk *d, const char *name, Exclusive (*use)(const char *), int count)
{
    StartNote all = {0};

    for (int i = 0; i < count; i++) {
        const char *text = str_format(d->arena, "s%d", i);
        start_note_add(&all, use(text));
        start_note_add(&all, use(text));
    }
    start_locks_note(d->start_locks, node(name), &all);
}

TEST(a_node_with_many_secrets_still_has_a_slot_for_its_pvcs)
{
    SCOPED_DESK d = desk_open();
    StartNote noted = {0};

    given_filled(d);
    for (int i = 0; i < 3 * START_KEYS_MAX; i++)
        start_note_add(&noted, exclusive_key(str_format(d->arena, "s%d", i)));
    start_note_add(&noted, exclusive_claim("import"));
    then_int(noted.count, START_KEYS_MAX + 1);
    start_locks_note(d->start_locks, node("rpc-0"), &noted);
    then_int(others_on(d, "rpc-1", "import"), 1);
    then_int(
        start_locks_take(d->start_locks, node("rpc-0"), exclusive_claim("own"), 0), START_MAY_LOOK);
    then_int(others_on(d, "rpc-1", "own"), 1);
    then_int(others_on(d, "rpc-1", "free"), 0);
}

TEST(a_node_with_too_many_uses_counts_as_a_user_of_every_key_of_that_kind)
{
    SCOPED_DESK d = desk_open();
    Key far = {.namespace = "sei-2", .name = "val-3"}, *keys;

    given_filled(d);
    note_uses(d, "val-0", exclusive_key, START_KEYS_MAX);
    then_int(others(d, "val-1", "free"), 0);
    note_uses(d, "val-0", exclusive_key, START_KEYS_MAX + 1);
    then_int(others(d, "val-1", "free"), 1);
    then_int(others(d, "val-1", "s0"), 1);
    then_int(others(d, "val-0", "free"), 0);
    then_int(others_on(d, "val-1", "free"), 0);
    then_int(start_locks_others(d->start_locks, d->arena, far, exclusive_key("free"), &keys), 0);
    note_uses(d, "val-0", exclusive_key, 1);
    then_int(others(d, "val-1", "free"), 0);
    for (int i = 0; i <= START_CLAIMS_MAX; i++)
        start_locks_see(
            d->start_locks, node("val-2"), exclusive_claim(str_format(d->arena, "c%d", i)));
    then_int(others_on(d, "val-1", "free"), 1);
    note(d, "val-2", NULL, 0);
    then_int(others_on(d, "val-1", "free"), 0);
}

TEST(a_node_with_all_slots_taken_gets_a_start_lock_and_keeps_its_released_uses)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note_uses(d, "rpc-0", exclusive_claim, START_CLAIMS_MAX);
    then_int(
        start_locks_take(d->start_locks, node("rpc-0"), exclusive_claim("own"), 0), START_MAY_LOOK);
    then_int(start_locks_take(d->start_locks, node("rpc-1"), exclusive_claim("own"), 0),
        START_MUST_WAIT);
    for (int i = 0; i < START_CLAIMS_MAX; i++)
        then_int(others_on(d, "rpc-1", str_format(d->arena, "s%d", i)), 1);
}
