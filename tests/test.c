/* What the assertions of tests do. Only the thread that runs a test can leave it: a failure in
 * another thread ends the process. */
#include "tests/test.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

static struct {
    TestCase *first, **end;
    const char *running; /* the case that each_case is at, or NULL */
    pid_t process;       /* where the test runs */
    pthread_t thread;
    jmp_buf leave;
} tests;

void test_register(TestCase *one)
{
    if (!tests.end)
        tests.end = &tests.first;
    *tests.end = one;
    tests.end = &one->next;
}

const TestCase *test_cases(void)
{
    return tests.first;
}

bool test_run(TestBody body)
{
    tests.process = getpid();
    tests.thread = pthread_self();
    if (setjmp(tests.leave))
        return false;
    body();
    return true;
}

void test_name_case(const char *name)
{
    tests.running = name;
}

const char *test_running_case(void)
{
    return tests.running;
}

void print_message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}

void print_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

/* Every failure ends here: where it was, which case, what was seen and what was wanted. */
void test_fail(const char *file, int line, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    print_error("%s:%d\n", file, line);
    if (tests.running)
        print_error("case: %s\n", tests.running);
    print_error("%s\n", text);
    tests.running = NULL;
    if (getpid() != tests.process)
        _exit(1); /* a child of the test */
    if (!pthread_equal(pthread_self(), tests.thread))
        abort();
    longjmp(tests.leave, 1);
}

/* Of the class and with the phrase that `want` names. */
bool test_err_is(const Err *got, Want want)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *class = str_format(a, "%s: ", err_class_text(got));

    return got && str_has_prefix(want, class) && strstr(err_text(a, got), strstr(want, ": ") + 2);
}

void test_err_differs(const Err *got, Want want, const char *file, int line)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    test_fail(file,
        line,
        "got:  %s: %s\nwant: %s",
        err_class_text(got),
        err_text(a, got),
        want ? want : "ok");
}

void test_json(const Json *got, const char *want, const char *file, int line)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    const Json *wanted = want ? json_fixture(a, want) : NULL;

    if (!json_equal(got, wanted))
        test_fail(file,
            line,
            "got:  %s\nwant: %s",
            got ? json_canonical(a, got).data : "(nothing)",
            wanted ? json_canonical(a, wanted).data : "(nothing)");
}

TestChild test_fork(void)
{
    int ends[2];
    if (pipe(ends))
        fail_msg("no pipe");
    pid_t pid = fork();
    if (pid < 0)
        fail_msg("no child");
    if (pid == 0)
        dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return (TestChild){.pid = pid, .said = ends[0]};
}

void test_bug(TestChild child, const char *phrase, const char *file, int line)
{
    char said[4096] = "";
    size_t len = 0;
    ssize_t got;
    while (len < sizeof said - 1 && (got = read(child.said, said + len, sizeof said - 1 - len)) > 0)
        len += (size_t)got;
    close(child.said);

    int status = 0;
    waitpid(child.pid, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, phrase))
        test_fail(file, line, "status: %d\nsaid: %s\nwant: an abort with %s", status, said, phrase);
}
