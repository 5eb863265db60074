/* Child: a program that is run for what it prints. Never through a shell. */
#ifndef KUBE_CLIENT_CHILD_H
#define KUBE_CLIENT_CHILD_H

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"

typedef struct ChildOptions {
    const char *const *words; /* the program and its arguments, ended by NULL */
    const char *const
        *env;           /* "NAME=value": beside and instead of the environment's, ended by NULL */
    bool keeps_stdin;   /* ours; else it has nothing to read */
    int64_t timeout_ms; /* after which it is killed */
    Clock *clock;
    void (*on_slow)(void *self); /* once, when it has not ended after a second; or NULL */
    void *self;
} ChildOptions;

/* Runs it to its end, with our stderr; what it prints is appended to `ret`, whose ceiling is the
 * most that it may print. ERR_TERMINAL when it cannot be run (status 0), ERR_FAILED when it ends
 * badly, prints too much, or does not end. */
Err *child_run(Arena *a, const ChildOptions *options, Buf *ret) MUST_CHECK;

#endif
