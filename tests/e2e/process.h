/* Process: programs that a test starts, and takes down again by pid.
 *
 * A started process leads a process group of its own and is killed by the kernel when the thread
 * that started it ends, however it ends, so a test that dies leaves none behind. It inherits no
 * file of the test but those named in the options. */
#ifndef TESTS_E2E_PROCESS_H
#define TESTS_E2E_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct ProcessOptions {
    const char *program;     /* path; it is not searched for */
    const char *const *args; /* without the program itself, ended by NULL; or NULL */
    const char *const *env;  /* the whole environment, ended by NULL; NULL: that of the test */
    const char *folder;      /* to run in; NULL: that of the test */
    const char *log;         /* of process_start: what it prints is added to this file */
    const char *input;       /* of process_run: what it reads; NULL for nothing */
    int64_t timeout_ms;      /* of process_run; 0: 60,000 */
} ProcessOptions;

/* Lists for the options above: PROCESS_ARGS("get", "pods"). */
#define PROCESS_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Starts a program that goes on until it is told to end. ERR_FAILED when it cannot be started; that
 * it cannot be executed is seen as an exit with status 127 and a line in its log. */
Err *process_start(Arena *a, const ProcessOptions *options, pid_t *ret) MUST_CHECK;

/* True when it has ended; it is then reaped and must not be named again. */
bool process_has_ended(pid_t pid, int *ret_wait_status);

/* Waits for its end and reaps it. ERR_WAIT when it did not end in time. */
Err *process_wait(Arena *a, pid_t pid, int64_t timeout_ms, int *ret_wait_status) MUST_CHECK;

/* Kills its whole group with SIGKILL and reaps it. */
void process_kill(pid_t pid);

/* Runs a program to its end and gives what it wrote to stdout. ERR_FAILED, with what it wrote to
 * stderr, when it exits with anything but 0; ERR_TERMINAL when it does not end in time. */
Err *process_run(Arena *a, const ProcessOptions *options, const char **ret_output) MUST_CHECK;

#endif
