/* The language of tests itself: what should fail does, and says why. */
#include "tests/test.h"

#include <fcntl.h>

static void true_of_false(void)
{
    then_true(1 > 2);
}

static void other_number(void)
{
    then_int(-1, INT64_MAX);
}

static void other_text(void)
{
    then_str("pod", "pods");
}

static void text_for_null(void)
{
    then_str("pod", NULL);
}

static void other_json(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_json(json_fixture(a, "{b: 1, a: 2}"), "{a: 3}");
}

static void json_for_null(void)
{
    then_json(NULL, "null");
}

static void error_for_ok(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_ok(err_wait(a, "not yet"));
}

static void ok_for_error(void)
{
    then_err(OK, WAIT("not yet"));
}

static void other_class(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_err(err_retry(a, "not yet"), WAIT("not yet"));
}

static void other_phrase(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    then_err(err_failed(a, "not yet"), FAILED("no more"));
}

static void no_bug(void)
{
    then_bug("cannot be", (void)0);
}

static void other_bug(void)
{
    then_bug("cannot be", BUG("something else"));
}

static void second_case(void)
{
    static const struct {
        const char *name;
        int number;
    } cases[] = {{"one is one", 1}, {"two is one", 2}};
    each_case(i, cases)
        then_int(cases[i].number, 1);
}

static void nothing_wrong(void)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static const struct {
        const char *name;
    } cases[] = {{"a"}, {"b"}, {"c"}};
    size_t seen = 0;
    each_case(i, cases)
        seen++;
    then_int(seen, 3);
    then_true(test_running_case() == NULL);
    then_err(err_terminal(a, "deep: below"), TERMINAL("low"));
    then_json(json_fixture(a, "{b: 1.0, a: 2}"), "{a: 2, b: 1}");
    then_str(NULL, NULL);
    then_bug("cannot be", BUG("this cannot be"));
}

/* Runs one test in a process of its own; how many failed, and what was said. */
static int run(TestBody body, char *said, size_t size)
{
    TestChild child = test_fork();
    if (child.pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0)
            _exit(100);
        dup2(nowhere, STDOUT_FILENO);
        _exit(!test_run(body));
    }
    size_t len = 0;
    ssize_t got;
    while (len < size - 1 && (got = read(child.said, said + len, size - 1 - len)) > 0)
        len += (size_t)got;
    said[len] = '\0';
    close(child.said);
    int status = 0;
    waitpid(child.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_failed_assertion_reports_the_cause)
{
    static const struct {
        const char *name;
        TestBody body;
        int failed;
        const char *said;
    } cases[] = {
        {"false", true_of_false, 1, "not true: 1 > 2"},
        {"another number", other_number, 1, "got:  -1\nwant: 9223372036854775807"},
        {"another text", other_text, 1, "got:  pod\nwant: pods"},
        {"text for NULL", text_for_null, 1, "got:  pod\nwant: (nothing)"},
        {"another value", other_json, 1, "got:  {\"a\":2,\"b\":1}\nwant: {\"a\":3}"},
        {"NULL for null", json_for_null, 1, "got:  (nothing)\nwant: null"},
        {"an error for success", error_for_ok, 1, "got:  wait: not yet\nwant: ok"},
        {"success for an error", ok_for_error, 1, "got:  ok: ok\nwant: wait: not yet"},
        {"another class", other_class, 1, "got:  retry: not yet\nwant: wait: not yet"},
        {"another phrase", other_phrase, 1, "got:  failed: not yet\nwant: failed: no more"},
        {"no bug", no_bug, 1, "want: an abort with cannot be"},
        {"another bug", other_bug, 1, "bug: something else"},
        {"a case is named", second_case, 1, "case: two is one\ngot:  2\nwant: 1"},
        {"nothing is wrong", nothing_wrong, 0, ""},
    };

    each_case(i, cases) {
        char said[4096];
        then_int(run(cases[i].body, said, sizeof said), cases[i].failed);
        then_true(strstr(said, cases[i].said) != NULL);
    }
}

TEST(a_test_case_knows_its_file_and_its_name)
{
    const TestCase *one = test_cases();
    while (one && !str_eq(one->title, "a_failed_assertion_reports_the_cause"))
        one = one->next;
    then_true(one != NULL);
    then_true(str_has_suffix(one->file, "tests/base/test_test.c"));
}
