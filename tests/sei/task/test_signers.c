/* Signers: who has to do with which key, whose turn it is, and who is woken. */
#include "sei/task/signers.h"

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
    Signers *signers;
    int64_t now_ms;
    Bell bell;
} Desk;

static Desk *desk_open(void)
{
    Arena *a = arena_open(1 << 20);
    Desk *d = arena_new(a, Desk);

    *d =
        (Desk){.arena = a, .signers = signers_open(), .bell = {.port = {.wake = ring}, .arena = a}};
    signers_bind(d->signers, guard_none(), &d->bell.port);
    return d;
}

static void desk_close(Desk **d)
{
    signers_close((*d)->signers);
    arena_close((*d)->arena);
}

#define SCOPED_DESK __attribute__((cleanup(desk_close))) Desk *

static Key node(const char *name)
{
    return (Key){.namespace = "sei", .name = name};
}

static void given_filled(Desk *d)
{
    then_true(signers_must_be_filled(d->signers));
    signers_filled(d->signers, true);
}

static void note(Desk *d, const char *name, const char *secret, unsigned standing)
{
    SignerNote noted = {.standing = standing};

    signer_note_add(&noted, secret);
    signers_note(d->signers, node(name), &noted);
}

static size_t others(Desk *d, const char *name, const char *secret)
{
    Key *keys;

    return signers_others(d->signers, d->arena, node(name), secret, &keys);
}

static SignerTurn take(Desk *d, const char *name)
{
    return signers_take(d->signers, node(name), "key", d->now_ms);
}

TEST(nobody_is_let_through_before_all_are_known)
{
    SCOPED_DESK d = desk_open();

    note(d, "val-0", "key", 0); /* of which nothing is kept */
    then_int(take(d, "val-0"), SIGNER_UNKNOWN);
    then_true(signers_must_be_filled(d->signers));
    then_true(!signers_must_be_filled(d->signers)); /* somebody does already */
    note(d, "val-0", "key", 0);
    then_int(take(d, "val-0"), SIGNER_UNKNOWN);
    signers_filled(d->signers, true);
    then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
}

TEST(a_filling_that_failed_is_done_again)
{
    SCOPED_DESK d = desk_open();

    then_true(signers_must_be_filled(d->signers));
    signers_filled(d->signers, false);
    then_true(signers_must_be_filled(d->signers));
}

TEST(a_key_has_one_starter_until_his_next_pass)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
    then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
    then_int(take(d, "val-1"), SIGNER_MUST_WAIT);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-1"), SIGNER_MUST_WAIT);
    note(d, "val-0", "key", 0);
    then_int(take(d, "val-1"), SIGNER_MAY_LOOK);
    signers_give_up(d->signers, node("val-0"), "key"); /* it is not his to give */
    then_int(take(d, "val-0"), SIGNER_MUST_WAIT);
    signers_give_up(d->signers, node("val-1"), "key");
    then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
}

/* What he wrote may still be on its way. */
TEST(a_starter_in_doubt_stays_it_until_what_he_started_is_seen_or_for_long)
{
    for (int is_seen = 0; is_seen < 2; is_seen++) {
        SCOPED_DESK d = desk_open();
        SignerNote noted = {.now_ms = SIGNER_DOUBT_MS - 1}, gone = noted;

        given_filled(d);
        note(d, "val-0", "key", 0);
        note(d, "val-1", "key", 0);
        then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
        signers_doubt(d->signers, node("val-1"), "key", 0); /* it has none */
        signers_doubt(d->signers, node("val-0"), "key", 0);
        signers_give_up(d->signers, node("val-0"), "key");
        signers_note(d->signers, node("val-0"), &gone);
        then_int(take(d, "val-1"), SIGNER_MUST_WAIT);
        signer_note_add(&noted, "key");
        signers_note(d->signers, node("val-0"), &noted);
        then_int(take(d, "val-1"), SIGNER_MUST_WAIT);
        noted.is_seen = is_seen;
        noted.now_ms += !is_seen;
        signers_note(d->signers, node("val-0"), &noted);
        then_int(take(d, "val-1"), SIGNER_MAY_LOOK);
    }
}

TEST(the_doubt_about_a_node_that_is_gone_ends_by_itself)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    then_int(take(d, "val-0"), SIGNER_MAY_LOOK);
    signers_doubt(d->signers, node("val-0"), "key", 0);
    note(d, "val-0", NULL, 0);
    d->now_ms = SIGNER_DOUBT_MS - 1;
    then_int(take(d, "val-1"), SIGNER_MUST_WAIT);
    d->now_ms = SIGNER_DOUBT_MS;
    then_int(take(d, "val-1"), SIGNER_MAY_LOOK);
}

TEST(whoever_was_not_noted_with_a_key_does_not_start_with_it)
{
    SCOPED_DESK d = desk_open();

    given_filled(d);
    then_int(take(d, "val-0"), SIGNER_UNKNOWN);
    note(d, "val-0", "other", 0);
    then_int(take(d, "val-0"), SIGNER_UNKNOWN);
}

TEST(others_are_those_of_the_same_secret_and_namespace)
{
    SCOPED_DESK d = desk_open();
    SignerNote elsewhere = {.secrets = {"key"}, .count = 1};

    given_filled(d);
    note(d, "val-0", "key", 0);
    note(d, "val-1", "key", 0);
    note(d, "val-2", "other", 0);
    signers_note(d->signers, (Key){.namespace = "far", .name = "val-3"}, &elsewhere);
    signers_see(d->signers, node("val-4"), "key");
    then_int(others(d, "val-0", "key"), 2);
    then_int(others(d, "val-2", "other"), 0);
    then_int(others(d, "val-2", "key"), 3);

    note(d, "val-1", "other", 0);
    note(d, "val-4", NULL, 0);
    then_int(others(d, "val-0", "key"), 0);
    then_true(!signers_knows(d->signers, node("val-4")));
    then_true(signers_knows(d->signers, node("val-1")));
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
    for (int i = 0; i < 3 * SIGNERS_OTHERS_MAX; i++)
        note(d, str_format(d->arena, "val-%d", i), "key", 0);
    then_int(others(d, "val-0", "key"), SIGNERS_OTHERS_MAX + 1);
}

TEST(more_secrets_than_a_node_has_keys_are_no_harm)
{
    SCOPED_DESK d = desk_open();
    SignerNote all = {0};

    given_filled(d);
    for (int i = 0; i < 3 * SIGNER_SECRETS_MAX; i++) {
        const char *secret = str_format(d->arena, "s%d", i);
        signer_note_add(&all, secret);
        signer_note_add(&all, secret);
        signers_see(d->signers, node("val-1"), secret);
    }
    then_int(all.count, SIGNER_SECRETS_MAX);
    signers_note(d->signers, node("val-0"), &all);
    then_int(others(d, "val-0", "s0"), 1);
}
