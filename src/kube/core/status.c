/* What an answer of the API server means: one table, read from the top, the first row that fits
 * wins.
 *
 * The class follows one question: can the same request work later without anybody changing our
 * program? A lost race (409, 404, 410), a missing right (401, 403), a refusing policy and every
 * trouble of the server itself can, so they are retried, with back-off; a request that the server
 * cannot understand or whose object is invalid cannot. A class says nothing about patience: whoever
 * gets ERR_RETRY for hours reports it. */
#include "kube/status.h"

#include "base/str.h"

#include <string.h>

enum {
    MESSAGE_MAX = 1024,
    RETRY_AFTER_MAX_MS = 600 * 1000, /* a server that asks for more is asked again sooner */
    ANY = 0,
};

typedef struct Meaning {
    int status;         /* HTTP status; 4 for every 4xx; ANY */
    const char *reason; /* Status.reason, or NULL for any */
    const char *phrase; /* part of the server's message, or NULL for any */
    ErrClass class;
    bool maybe_done;  /* a write may have been carried out all the same */
    const char *text; /* for people, when the server itself said nothing */
} Meaning;

static const Meaning meanings[] = {
    {.status = 3, .class = ERR_TERMINAL, .text = "redirects are not followed: check the address"},

    /* Policies change, and so does what they judge. Webhooks deny with any 4xx they like. */
    {.status = 4, .phrase = "admission webhook \"", .class = ERR_RETRY},
    {.status = 4, .phrase = "ValidatingAdmissionPolicy '", .class = ERR_RETRY},

    {.status = 400, .class = ERR_TERMINAL, .text = "the server does not understand the request"},
    /* Tokens rotate, rights are restored, and quotas (403, too) are raised. */
    {.status = 401, .class = ERR_RETRY, .text = "the server does not accept our credentials"},
    {.status = 403, .class = ERR_RETRY, .text = "the server does not allow it"},
    /* The caller's view was old, the namespace is not there yet, or the kind is not served now. */
    {.status = 404, .reason = "NotFound", .class = ERR_RETRY, .text = "it does not exist"},
    {.status = 404, .class = ERR_RETRY, .text = "the server has no such path: is the kind served?"},
    {.status = 405, .class = ERR_TERMINAL, .text = "the server does not allow this verb here"},
    {.status = 406, .class = ERR_TERMINAL, .text = "the server does not answer in JSON"},
    {.status = 408, .class = ERR_RETRY, .maybe_done = true, .text = "the request timed out"},
    /* Either way the world has moved on since the caller looked. */
    {.status = 409, .reason = "AlreadyExists", .class = ERR_RETRY, .text = "it already exists"},
    {.status = 409, .class = ERR_RETRY, .text = "it has changed since it was seen"},
    {.status = 410, .class = ERR_RETRY, .text = "the version asked for is too old"},
    {.status = 413, .class = ERR_TERMINAL, .text = "the request is too large for the server"},
    {.status = 415, .class = ERR_TERMINAL, .text = "the server does not take this kind of patch"},
    /* How the server says that a test or a path of a JSON patch does not fit: a conflict in
     * disguise. The message about an object that is truly invalid names it. */
    {.status = 422, .phrase = "due to an error in our request", .class = ERR_RETRY},
    /* An apply or update meant for an object that another one of its name has replaced. */
    {.status = 422, .phrase = "metadata.uid: Invalid value", .class = ERR_RETRY},
    {.status = 422, .class = ERR_TERMINAL, .text = "the object is invalid"},
    {.status = 429, .class = ERR_RETRY, .text = "the server has too much to do"},
    {.status = 4, .class = ERR_TERMINAL, .text = "the server refuses the request"},

    /* With a Status the API server itself refused; without one a proxy in between speaks. */
    {.status = 503,
        .reason = "ServiceUnavailable",
        .class = ERR_RETRY,
        .text = "it is unavailable"},
    {.status = 5, .class = ERR_RETRY, .maybe_done = true, .text = "the server is in trouble"},

    {.status = ANY, .class = ERR_TERMINAL, .text = "this is no answer of a Kubernetes API server"},
};

static bool fits(const Meaning *row, int status, const char *reason, const char *message)
{
    if (row->status != ANY && row->status != status && row->status != status / 100)
        return false;
    if (row->reason && !str_eq(row->reason, reason))
        return false;
    return !row->phrase || (message && strstr(message, row->phrase));
}

static const Meaning *meaning_of(int status, const char *reason, const char *message)
{
    const Meaning *row = meanings;

    while (!fits(row, status, reason, message))
        row++;
    return row;
}

/* The reason that the rest of the house may rely on. A 404 that names no object is about the path:
 * "the kind is not served" must never read as "the object does not exist". */
static const char *reason_of(const Json *body, int status)
{
    const char *reason = json_str(body, ".reason");

    if (str_empty(reason) || (status == 404 && str_empty(json_str(body, ".details.name"))))
        return NULL;
    return reason;
}

static int64_t bounded(int64_t value, int64_t max)
{
    return value < 0 ? 0 : value < max ? value : max;
}

static int64_t retry_after_ms(const Answer *answer)
{
    int64_t seconds = json_int(answer->body, ".details.retryAfterSeconds", 0);

    if (answer->retry_after_ms > 0)
        return bounded(answer->retry_after_ms, RETRY_AFTER_MAX_MS);
    return bounded(seconds, RETRY_AFTER_MAX_MS / 1000) * 1000;
}

static bool is_status(const Json *body)
{
    return str_eq(json_str(body, ".kind"), "Status");
}

/* `body` is a Status or NULL. */
static Err *err_of(Arena *a, const Answer *answer, bool write)
{
    const char *reason = reason_of(answer->body, answer->status);
    const char *said = json_str(answer->body, ".message");
    const Meaning *row = meaning_of(answer->status, reason, said);
    const char *text = str_empty(said) ? row->text : str_cut(a, said, MESSAGE_MAX);
    Err *(*make)(Arena *, const char *, ...) __attribute__((format(printf, 2, 3))) =
        row->class == ERR_RETRY ? err_retry : err_terminal;
    Err *err =
        make(a, "%s (%d%s%s)", text, answer->status, reason ? " " : "", reason ? reason : "");

    err->status = answer->status;
    err->reason = str_copy(a, reason);
    err->retry_after_ms = retry_after_ms(answer);
    err->outcome_unknown = write && row->maybe_done;
    return err;
}

Err *status_err(Arena *a, const Request *request, const Answer *answer)
{
    Answer known = *answer;

    if (answer->status >= 200 && answer->status < 300)
        return OK;
    if (!is_status(answer->body))
        known.body = NULL;
    return err_wrap(
        a, err_of(a, &known, request_is_write(request)), "%s", request_text(a, request));
}

Err *status_object_err(Arena *a, const Json *status)
{
    int64_t code = json_int(status, ".code", 0);
    Answer answer = {.status = (int)code, .body = status};

    if (!is_status(status) || code < 300 || code > 599)
        return err_retry(a, "the server ended the stream with an error that it did not explain");
    return err_of(a, &answer, false);
}

bool status_is_not_found(const Err *err)
{
    return err_has_status(err, 404) && str_eq(err->reason, "NotFound");
}

bool status_is_already_exists(const Err *err)
{
    return err_has_status(err, 409) && str_eq(err->reason, "AlreadyExists");
}

bool status_is_conflict(const Err *err)
{
    return err_has_status(err, 409) && !str_eq(err->reason, "AlreadyExists");
}

bool status_is_gone(const Err *err)
{
    return err_has_status(err, 410);
}

bool status_is_invalid(const Err *err)
{
    return err_has_status(err, 422);
}

bool status_is_forbidden(const Err *err)
{
    return err_has_status(err, 403);
}

bool status_is_unauthorized(const Err *err)
{
    return err_has_status(err, 401);
}
