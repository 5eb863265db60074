/* The language of tests. A test file is a world, tables of cases, and TESTs:
 *
 *     static const struct {
 *         const char *name, *text;
 *         Want want;
 *     } cases[] = {
 *         {"a number", "42"},
 *         {"a word", "x", .want = TERMINAL("not a number")},
 *     };
 *
 *     TEST(parses_numbers)
 *     {
 *         each_case(i, cases) {
 *             SCOPED_ARENA a = arena_open(1 << 20);
 *             then_err(parse(a, cases[i].text), cases[i].want);
 *         }
 *     }
 *
 * TESTs register themselves; main is here, and prints TAP when asked to (see tests/meson.build). A
 * program may have many such files: what is shared between them is weak. Assertions leave the test
 * by longjmp, so they belong to the thread that runs it. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* cmocka wants these four before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A case says only what differs. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { TESTS_MAX = 256 };

typedef struct TestProgram {
    struct CMUnitTest tests[TESTS_MAX];
    size_t count;
    const char *running; /* the case that each_case is at, or NULL */
} TestProgram;

__attribute__((weak)) TestProgram test_program;

/* Defines one test. Its name is a sentence in snake case. */
#define TEST(title)                                                                                \
    static void title(void **state);                                                               \
    __attribute__((constructor)) static void register_##title(void)                                \
    {                                                                                              \
        test_register(#title, title);                                                              \
    }                                                                                              \
    static void title(__attribute__((unused)) void **state)

/* Loops over an array of cases, structs with a member `name`; failures say which case it was. */
#define each_case(i, cases)                                                                        \
    for (size_t i = 0; test_case(i < array_count(cases), (cases)[i % array_count(cases)].name); i++)

/* Elements of an array. */
#define array_count(array) (sizeof(array) / sizeof((array)[0]))

/* What an Err should be: its class, and a phrase of its text. OKAY is the zero value. */
typedef const char *Want;
#define OKAY             ((Want)0)
#define WAIT(phrase)     ("wait: " phrase)
#define RETRY(phrase)    ("retry: " phrase)
#define FAILED(phrase)   ("failed: " phrase)
#define TERMINAL(phrase) ("terminal: " phrase)

#define then_true(got)       test_true((got), #got, __FILE__, __LINE__)
#define then_int(got, want)  test_int((int64_t)(got), (int64_t)(want), __FILE__, __LINE__)
#define then_str(got, want)  test_str((got), (want), __FILE__, __LINE__)
#define then_err(got, want)  test_err((got), (want), __FILE__, __LINE__)
#define then_json(got, want) test_json((got), (want), __FILE__, __LINE__)
#define then_ok(got)         then_err((got), OKAY)

/* Checks that the statement stops the process with a message that has this phrase. */
#define then_bug(phrase, ...)                                                                      \
    do {                                                                                           \
        TestChild test_child = test_fork();                                                        \
        if (test_child.pid == 0) {                                                                 \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        test_bug(test_child, (phrase), __FILE__, __LINE__);                                        \
    } while (0)

static inline void test_register(const char *title, CMUnitTestFunction body)
{
    if (test_program.count == TESTS_MAX)
        abort();
    test_program.tests[test_program.count++] = (struct CMUnitTest){title, body, NULL, NULL, NULL};
}

static inline bool test_case(bool more, const char *name)
{
    if (more && !name)
        fail_msg("a case has no name");
    test_program.running = more ? name : NULL;
    return more;
}

/* Every failure ends here: where it was, which case, what was seen and what was wanted. */
__attribute__((noreturn, format(printf, 3, 4))) static inline void test_fail(
    const char *file, int line, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    print_error("%s:%d\n", file, line);
    if (test_program.running)
        print_error("case: %s\n", test_program.running);
    print_error("%s\n", text);
    test_program.running = NULL;
    _fail(file, line);
    abort();
}

static inline void test_true(bool got, const char *what, const char *file, int line)
{
    if (!got)
        test_fail(file, line, "not true: %s", what);
}

static inline void test_int(int64_t got, int64_t want, const char *file, int line)
{
    if (got != want)
        test_fail(file, line, "got:  %" PRId64 "\nwant: %" PRId64, got, want);
}

static inline void test_str(const char *got, const char *want, const char *file, int line)
{
    if (!str_eq(got, want))
        test_fail(
            file, line, "got:  %s\nwant: %s", got ? got : "(nothing)", want ? want : "(nothing)");
}

static inline void test_err(const Err *got, Want want, const char *file, int line)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *class = err_class_text(got);
    const char *text = err_text(a, got);
    const char *phrase = want ? strstr(want, ": ") + 2 : NULL;

    bool met = want
        ? got && str_has_prefix(want, str_format(a, "%s: ", class)) && strstr(text, phrase)
        : !got;
    if (!met)
        test_fail(file, line, "got:  %s: %s\nwant: %s", class, text, want ? want : "ok");
}

static inline void test_json(const Json *got, const char *want, const char *file, int line)
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

typedef struct TestChild {
    pid_t pid;
    int said; /* what it writes to standard error */
} TestChild;

static inline TestChild test_fork(void)
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

static inline void test_bug(TestChild child, const char *phrase, const char *file, int line)
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

__attribute__((weak)) int main(void)
{
    return _cmocka_run_group_tests("tests", test_program.tests, test_program.count, NULL, NULL);
}

#endif
