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

TEST(nobody_is_let_through_before_all_are_known)
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

TEST(a_filling_that_failed_is_done_again)
{
    SCOPED_DESK d = desk_open();

    then_true(start_locks_must_be_filled(d->start_locks));
    start_locks_filled(d->start_locks, false);
    then_true(start_locks_must_be_filled(d->start_locks));
}

TEST(a_key_has_one_starter_until_his_next_pass)
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
TEST(a_starter_in_doubt_stays_it_until_what_he_started_is_seen_or_for_long)
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

TEST(the_doubt_about_a_node_that_is_gone_ends_by_itself)
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

TEST(a_node_that_was_not_noted_is_known_once_it_starts)
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

TEST(a_claim_and_a_secret_of_one_name_are_two_resources)
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
TEST(a_table_that_was_full_lets_nodes_through_again_when_one_has_left)
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

TEST(others_are_those_of_the_same_secret_and_namespace)
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

TEST(those_with_the_same_key_are_woken_by_a_change_and_by_nothing_else)
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

TEST(of_too_many_one_more_than_can_be_looked_at_is_named)
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

TEST(a_node_with_many_secrets_has_room_for_its_claims)
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

TEST(a_node_that_uses_too_much_counts_as_a_user_of_all_of_that_kind_in_its_namespace)
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

TEST(a_node_with_all_slots_taken_starts_and_what_it_gave_up_is_not_forgotten)
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
