/* Err: the one error type of the house.
 *
 * Every fallible function returns `Err *`. OK (NULL) is success; the class says what the
 * caller does next, the message what happened, to what, and where it helps, what to do.
 * Messages are lower case, without a full stop, and never carry a secret. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum ErrClass {
    ERR_WAIT = 1, /* the world is not there yet; not a fault: look again later */
    ERR_RETRY,    /* transient (network, 5xx, 429, conflict): back off and try again */
    ERR_FAILED,   /* this attempt failed and counts against the budget of the task */
    ERR_TERMINAL, /* will never work as asked */
} ErrClass;

struct Err {
    ErrClass class;
    int status;             /* HTTP status, or 0 when no answer was received */
    const char *reason;     /* Kubernetes' Status.reason ("AlreadyExists"), or NULL */
    int64_t retry_after_ms; /* what the server asked for (Retry-After), or 0 */
    bool outcome_unknown;   /* a write that the server may or may not have carried out */
    bool too_large;         /* an answer passed a size limit: a smaller page of it may fit */
    const char *message;    /* never NULL */
    const Err *cause;       /* the frame below, or NULL */
};

#define OK ((Err *)0)

/* Marks a function whose result must be looked at. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* Returns from the calling function when `expr` is an error. */
#define TRY(expr)                                                                                  \
    do {                                                                                           \
        Err *try_err = (expr);                                                                     \
        if (try_err)                                                                               \
            return try_err;                                                                        \
    } while (0)

/* A new error in the arena. Never NULL. */
Err *err_wait(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3))) NEVER_NULL;
Err *err_retry(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3))) NEVER_NULL;
Err *err_failed(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3))) NEVER_NULL;
Err *err_terminal(Arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3))) NEVER_NULL;

/* Puts a frame on top of `err` ("listing pods"): class, status, reason and flags stay as they
 * are. OK stays OK. `err` must live as long as the arena. */
Err *err_wrap(Arena *a, Err *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A deep copy in another arena, for an error that outlives the work that made it. OK stays OK. */
Err *err_copy(Arena *a, const Err *err);

/* All frames as one line: "listing pods: connection refused". "ok" for OK. */
const char *err_text(Arena *a, const Err *err);

/* "wait", "retry", "failed", "terminal"; "ok" for OK. */
const char *err_class_text(const Err *err);

/* True when err is of that class / carries that HTTP status; false for OK. */
bool err_is(const Err *err, ErrClass class);
bool err_has_status(const Err *err, int status);

/* Stops the process with a message: something the code holds impossible has happened. */
_Noreturn void bug(const char *file, int line, const char *what);

#define BUG(what) bug(__FILE__, __LINE__, (what))

#endif
