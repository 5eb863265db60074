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
 * TESTs register themselves. All files of a folder are one program, whose main is
 * tests/test_main.c. A failed assertion leaves its test by longjmp, so assertions belong to the
 * thread that runs the test. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A case says only what differs. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef void (*TestBody)(void);

typedef struct TestCase {
    const char *file; /* as the compiler names it */
    const char *title;
    TestBody body;
    bool is_campaign;
    struct TestCase *next;
} TestCase;

#define TEST_DEFINE(sentence, campaign)                                                            \
    static void sentence(void);                                                                    \
    __attribute__((constructor)) static void register_##sentence(void)                             \
    {                                                                                              \
        static TestCase one = {                                                                    \
            .file = __FILE__, .title = #sentence, .body = sentence, .is_campaign = (campaign)};    \
        test_register(&one);                                                                       \
    }                                                                                              \
    static void sentence(void)

/* Defines one test. Its name is a sentence in snake case. */
#define TEST(sentence) TEST_DEFINE(sentence, false)

/* Defines a test that takes more than a second: `make campaign` runs it, `make test` does not. */
#define CAMPAIGN(sentence) TEST_DEFINE(sentence, true)

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

/* Fails the test, with a text of its own. */
#define fail_msg(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

typedef struct TestChild {
    pid_t pid;
    int said; /* what it writes to standard error */
} TestChild;

/* Adds a test to the program. */
void test_register(TestCase *one);

/* All tests, in the order in which they were linked. */
const TestCase *test_cases(void);

/* Runs one test; whether it passed. */
bool test_run(TestBody body);

/* Names the case that failures are reported with, until the next call; NULL for none. */
void test_name_case(const char *name);

/* The name of the case that is running, or NULL. */
const char *test_running_case(void);

/* Prints a figure that the test counted, for its reader. */
__attribute__((format(printf, 1, 2))) void print_message(const char *format, ...);

/* Prints what a failure is about to be understood by. */
__attribute__((format(printf, 1, 2))) void print_error(const char *format, ...);

/* What the macros above call. */
__attribute__((noreturn, format(printf, 3, 4))) void test_fail(
    const char *file, int line, const char *format, ...);
__attribute__((noreturn)) void test_err_differs(
    const Err *got, Want want, const char *file, int line);
bool test_err_is(const Err *got, Want want);
void test_json(const Json *got, const char *want, const char *file, int line);
TestChild test_fork(void);
void test_bug(TestChild child, const char *phrase, const char *file, int line);

/* These are here, and not in test.c, so that static analysis sees which assertions end a test. */
static inline bool test_case(bool more, const char *name)
{
    if (more && !name)
        fail_msg("a case has no name");
    test_name_case(more ? name : NULL);
    return more;
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
    if (want ? !test_err_is(got, want) : got != NULL)
        test_err_differs(got, want, file, line);
}

#endif
