/* Err: classes, frames, copies that outlive their arena. */
#include "tests/test.h"

TEST(each_error_class_has_its_constructor_and_name)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    struct {
        const char *name;
        Err *err;
        ErrClass class;
    } cases[] = {
        {"wait", err_wait(a, "pod %s", "p"), ERR_WAIT},
        {"retry", err_retry(a, "pod %s", "p"), ERR_RETRY},
        {"failed", err_failed(a, "pod %s", "p"), ERR_FAILED},
        {"terminal", err_terminal(a, "pod %s", "p"), ERR_TERMINAL},
    };

    each_case(i, cases) {
        then_str(err_class_text(cases[i].err), cases[i].name);
        then_str(err_text(a, cases[i].err), "pod p");
        then_true(err_is(cases[i].err, cases[i].class));
        then_true(!err_is(cases[i].err, cases[(i + 1) % 4].class));
    }
}

TEST(ok_is_not_an_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(err_text(a, OK), "ok");
    then_str(err_class_text(OK), "ok");
    then_true(!err_is(OK, ERR_WAIT));
    then_true(!err_has_status(OK, 0));
    then_true(err_wrap(a, OK, "listing pods") == OK);
    then_true(err_copy(a, OK) == OK);
}

TEST(wrapping_an_error_keeps_its_status_and_reason)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Err *refused = err_retry(a, "too many requests");
    refused->status = 429;
    refused->reason = "TooManyRequests";
    refused->retry_after_ms = 1500;
    refused->outcome_unknown = true;

    Err *err = err_wrap(a, err_wrap(a, refused, "page %d", 2), "listing %s", "pods");

    then_str(err_text(a, err), "listing pods: page 2: too many requests");
    then_true(err_is(err, ERR_RETRY));
    then_true(err_has_status(err, 429));
    then_true(!err_has_status(err, 409));
    then_str(err->reason, "TooManyRequests");
    then_int(err->retry_after_ms, 1500);
    then_true(err->outcome_unknown);
}

TEST(a_copied_error_stays_valid_without_its_arena)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Arena *work = arena_open(1 << 20);
    Err *conflict = err_retry(work, "conflict on %s", "n-0");
    conflict->status = 409;
    conflict->reason = str_copy(work, "Conflict");
    Err *copy = err_copy(a, err_wrap(work, conflict, "patching"));
    arena_close(work);

    then_err(copy, RETRY("patching: conflict on n-0"));
    then_str(copy->reason, "Conflict");
    then_int(copy->cause->status, 409);
}

static Err *fails_unless(Arena *a, bool good, int *reached)
{
    TRY(good ? OK : err_failed(a, "not good"));
    ++*reached;
    return OK;
}

TEST(try_returns_at_the_first_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    int reached = 0;

    then_err(fails_unless(a, false, &reached), FAILED("not good"));
    then_int(reached, 0);
    then_ok(fails_unless(a, true, &reached));
    then_int(reached, 1);
}

TEST(a_bug_stops_the_process_and_prints_its_place)
{
    then_bug("test_err.c", BUG("cannot be"));
    then_bug("bug: cannot be", BUG("cannot be"));
}

TEST(a_long_error_message_is_kept_complete)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';

    then_int(strlen(err_text(a, err_wait(a, "<%s>", name))), sizeof name + 1);
}
