/* Reading: statuses and bodies, as sidecar and proxy make them.
 *
 * The surprising thing: of the sidecar's own refusals one is none ("persist task: ..." is a full
 * disk), and a 404 counts only when it is the sidecar who says so, in JSON: a proxy, or a path that
 * is not served, answers in plain text. */
#include "sei/sidecar/reading.h"

#include "base/json.h"
#include "base/str.h"

#include <string.h>
#include <strings.h>

enum { NODE_ID_DIGITS = 40 };

static bool is_json(const HttpAnswer *answer)
{
    static const char type[] = "application/json";
    size_t len = sizeof type - 1;

    return answer->content_type && strncasecmp(answer->content_type, type, len) == 0
        && (answer->content_type[len] == '\0' || answer->content_type[len] == ';'
            || answer->content_type[len] == ' ');
}

/* The object of a JSON answer, or NULL. */
static const Json *object_of(Arena *a, const HttpAnswer *answer)
{
    const Json *object = NULL;
    Err *err = is_json(answer) ? json_parse(a, answer->body, &object) : OK;

    return !err && json_type(object) == JSON_OBJECT ? object : NULL;
}

/* What the sidecar says is wrong, or NULL when it is not the sidecar who speaks. */
static const char *error_of(Arena *a, const HttpAnswer *answer)
{
    const char *error = json_str(object_of(a, answer), ".error");

    return str_empty(error) ? NULL : str_cut(a, error, READING_MESSAGE_MAX);
}

static Reading unusable(Arena *a, const char *what)
{
    return (Reading){.kind = READING_UNUSABLE, .message = str_copy(a, what)};
}

/* A status that no answer of use has. */
static Reading odd_status(Arena *a, const HttpAnswer *answer)
{
    const char *error = error_of(a, answer);
    Reading odd = {
        .kind = READING_UNUSABLE,
        .message = str_format(
            a, "it answers %d%s%s", answer->status, error ? ": " : "", error ? error : ""),
    };

    if (answer->status == 401 || answer->status == 403)
        odd.kind = READING_UNAUTHORIZED;
    return odd;
}

static Reading bad_request(Arena *a, const HttpAnswer *answer)
{
    const char *error = error_of(a, answer);

    if (!error)
        return unusable(a, "it answers 400, and not in the sidecar's words");
    if (str_has_prefix(error, "persist task:"))
        return (Reading){
            .kind = READING_UNUSABLE,
            .message = str_format(a, "it cannot store the task: %s", error),
            .is_undone = true,
        };
    return (Reading){.kind = READING_REFUSED, .message = error};
}

Reading reading_of_submission(Arena *a, const char *id, const HttpAnswer *answer)
{
    if (answer->status == 400)
        return bad_request(a, answer);
    if (answer->status != 201 && answer->status != 202)
        return odd_status(a, answer);
    const Json *object = object_of(a, answer);
    if (!object)
        return unusable(a, "it takes the task with an answer that is no JSON object");
    if (!str_eq(json_str(object, ".id"), id))
        return unusable(a, "it answers for another task than it was given");
    return (Reading){.kind = READING_ACCEPTED};
}

/* Most tasks have none, and a task that was done before under another id has none either. */
static const char *result_of(Arena *a, const Json *task)
{
    const Json *result = json_member(task, "result");

    if (json_type(result) != JSON_OBJECT)
        return NULL;
    Bytes text = json_write(a, result);
    return text.len <= READING_RESULT_MAX ? text.data : NULL;
}

static Reading task_state(Arena *a, const Json *task)
{
    static const struct {
        const char *text;
        ReadingKind kind;
    } states[] = {
        {"running", READING_RUNNING},
        {"completed", READING_COMPLETED},
        {"failed", READING_FAILED},
    };
    const char *status = json_str(task, ".status"), *error = json_str(task, ".error");

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (str_eq(status, states[i].text))
            return (Reading){
                .kind = states[i].kind,
                .message = states[i].kind == READING_FAILED && !str_empty(error)
                    ? str_cut(a, error, READING_MESSAGE_MAX)
                    : NULL,
                .result = states[i].kind == READING_COMPLETED ? result_of(a, task) : NULL,
                .run = json_int(task, ".run", 0),
            };
    return unusable(a, "it answers with a task of an unknown status");
}

Reading reading_of_task(Arena *a, const char *id, const HttpAnswer *answer)
{
    if (answer->status == 404 && error_of(a, answer))
        return (Reading){.kind = READING_MISSING};
    if (answer->status != 200)
        return odd_status(a, answer);
    const Json *task = object_of(a, answer);
    if (!task)
        return unusable(a, "it answers with something that is no task");
    if (!str_eq(json_str(task, ".id"), id))
        return unusable(a, "it answers for another task than was asked for");
    return task_state(a, task);
}

/* A sidecar's 503 has no body; one with a body is somebody else's. */
Reading reading_of_health(Arena *a, const HttpAnswer *answer)
{
    if (answer->status == 200)
        return (Reading){.kind = READING_READY};
    if (answer->status == 503 && answer->body.len == 0)
        return (Reading){.kind = READING_NOT_READY};
    Reading odd = odd_status(a, answer);
    odd.kind = READING_UNUSABLE;
    return odd;
}

/* It becomes part of addresses: nothing but what it must be is let through. */
static bool is_node_id(const char *text)
{
    return strlen(text) == NODE_ID_DIGITS && strspn(text, "0123456789abcdef") == NODE_ID_DIGITS;
}

Reading reading_of_name(Arena *a, const HttpAnswer *answer)
{
    if (answer->status != 200)
        return odd_status(a, answer);
    const char *id = json_str(object_of(a, answer), ".nodeId");
    if (!id || !is_node_id(id))
        return unusable(a, "it answers with something that is no node id");
    return (Reading){.kind = READING_NAMED, .node_id = str_copy(a, id)};
}

Reading reading_of_silence(Arena *a, const Err *why)
{
    return (Reading){
        .kind = READING_UNUSABLE,
        .message = str_cut(a, err_text(a, why), READING_MESSAGE_MAX),
        .is_silence = true,
        .is_undone = !why->outcome_unknown,
    };
}
