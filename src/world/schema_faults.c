/* Faults, and the one message that they become: "X is invalid: fault", or "X is invalid: [a, b]".
 */
#include "world/schema_faults.h"

#include "base/str.h"
#include "kube/core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blocking(const char *reason)
{
    static const char *const blocking[] = {"FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid"};

    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++)
        if (str_eq(reason, blocking[i]))
            return true;
    return false;
}

void faults_put(SchemaFaults *f, const char *reason, const char *field, const char *format, ...)
{
    va_list args;
    const char *body;

    if (f->count == SCHEMA_FAULTS_MAX)
        return;
    va_start(args, format);
    body = str_vformat(f->arena, format, args);
    va_end(args);
    Err *fault = err_terminal(f->arena, "%s: %s", field, body);
    fault->status = 422;
    fault->reason = reason;
    f->list[f->count++] = fault;
    f->blocks = f->blocks || is_blocking(reason);
}

Err *faults_err(SchemaFaults *f, const char *what)
{
    Text all = {.arena = f->arena};
    Err *err;

    if (f->count == 0)
        return OK;
    for (size_t i = 0; i < f->count; i++) {
        text_add(&all, i > 0 ? ", " : "");
        text_add(&all, f->list[i]->message);
        f->list[i]->cause = i + 1 < f->count ? f->list[i + 1] : NULL;
    }
    err = err_terminal(f->arena,
        f->count > 1 ? "%s is invalid: [%s]" : "%s is invalid: %s",
        what,
        text_seen(&all));
    err->status = 422;
    err->reason = "Invalid";
    err->cause = f->list[0];
    return err;
}

const char *faults_number(Arena *a, double number)
{
    double size = number < 0 ? -number : number;
    char text[64];
    int digits = 1;

    for (; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    if (size >= 1e6 || (size < 1e-4 && size > 0))
        snprintf(text, sizeof text, "%.*e", digits - 1, number);
    else if (strchr(text, 'e'))
        snprintf(text, sizeof text, "%.0f", number);
    return str_copy(a, text);
}
