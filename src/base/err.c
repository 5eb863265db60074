/* Err: made in an arena, one frame per err_wrap. The chain is walked, never recursed: its length
 * follows from the depth of calls. */
#include "base/err.h"

#include "base/str.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Err *err_new(Arena *a, ErrClass class, const char *message)
{
    Err *err = arena_new(a, Err);
    err->class = class;
    err->message = message;
    return err;
}

/* The four constructors differ in the class alone; va_list cannot be passed any other way. */
#define DEFINE_ERR(name, class)                                                                    \
    Err *name(Arena *a, const char *format, ...)                                                   \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        const char *message = str_vformat(a, format, args);                                        \
        va_end(args);                                                                              \
        return err_new(a, (class), message);                                                       \
    }

DEFINE_ERR(err_wait, ERR_WAIT)
DEFINE_ERR(err_retry, ERR_RETRY)
DEFINE_ERR(err_failed, ERR_FAILED)
DEFINE_ERR(err_terminal, ERR_TERMINAL)

Err *err_wrap(Arena *a, Err *err, const char *format, ...)
{
    if (!err)
        return OK;
    va_list args;
    va_start(args, format);
    Err *frame = arena_new(a, Err);
    *frame = *err;
    frame->message = str_vformat(a, format, args);
    frame->cause = err;
    va_end(args);
    return frame;
}

Err *err_copy(Arena *a, const Err *err)
{
    Err *top = NULL, *above = NULL;

    for (; err; err = err->cause) {
        Err *frame = arena_new(a, Err);
        *frame = *err;
        frame->reason = str_copy(a, err->reason);
        frame->message = str_copy(a, err->message);
        frame->cause = NULL;
        if (above)
            above->cause = frame;
        else
            top = frame;
        above = frame;
    }
    return top;
}

const char *err_text(Arena *a, const Err *err)
{
    if (!err)
        return "ok";
    size_t len = 0;
    for (const Err *frame = err; frame; frame = frame->cause)
        len += strlen(frame->message) + strlen(": ");

    char *text = arena_alloc(a, len + 1), *end = text;
    for (const Err *frame = err; frame; frame = frame->cause) {
        end = stpcpy(end, frame->message);
        if (frame->cause)
            end = stpcpy(end, ": ");
    }
    return text;
}

const char *err_class_text(const Err *err)
{
    if (!err)
        return "ok";
    switch (err->class) {
    case ERR_WAIT:
        return "wait";
    case ERR_RETRY:
        return "retry";
    case ERR_FAILED:
        return "failed";
    case ERR_TERMINAL:
        return "terminal";
    }
    BUG("an error without a class");
}

bool err_is(const Err *err, ErrClass class)
{
    return err && err->class == class;
}

bool err_has_status(const Err *err, int status)
{
    return err && err->status == status;
}

_Noreturn void bug(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: bug: %s\n", file, line, what);
    abort();
}
