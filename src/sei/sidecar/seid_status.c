/* SeidStatus: the surprising thing is that a failed call is answered with 200: an integer `code`
 * beside a `message`, or `error` in the envelope. */
#include "sei/sidecar/seid_status.h"

#include "base/json.h"
#include "base/str.h"

static SeidStatus trouble(Arena *a, const char *text)
{
    return (SeidStatus){.trouble = str_cut(a, text, SEID_TROUBLE_MAX)};
}

/* The text goes into a condition: control characters and spaces in an id would only mislead. */
static bool is_chain_id(const char *text)
{
    size_t len = 0;

    if (str_empty(text))
        return false;
    for (; text[len]; len++)
        if (text[len] <= ' ' || text[len] > '~' || len == SEID_CHAIN_ID_MAX)
            return false;
    return true;
}

/* The object that says what went wrong, or NULL. */
static const Json *error_of(const Json *answer)
{
    const Json *error = json_member(answer, "error");

    if (json_type(error) == JSON_OBJECT)
        return error;
    bool has_code = json_type(json_member(answer, "code")) == JSON_NUMBER;
    return has_code && json_str(answer, ".message") ? answer : NULL;
}

static const char *printable(Arena *a, const char *text)
{
    char *copy = (char *)str_slice(a, text, strlen(text));

    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return copy;
}

static SeidStatus read_object(Arena *a, const Json *answer)
{
    const Json *error = error_of(answer), *result = json_member(answer, "result");

    if (error) {
        const char *message = json_str(error, ".message");
        return trouble(a,
            str_format(a,
                "it answers with error %lld%s%s",
                (long long)json_int(error, ".code", 0),
                message ? ": " : "",
                message ? printable(a, message) : ""));
    }
    const char *id =
        json_str(json_type(result) == JSON_OBJECT ? result : answer, ".node_info.network");
    if (!is_chain_id(id))
        return trouble(a, "its answer to /status names no chain");
    return (SeidStatus){.chain_id = str_copy(a, id)};
}

SeidStatus seid_status_read(Arena *a, const HttpAnswer *answer)
{
    const Json *object = NULL;

    if (answer->status != 200)
        return trouble(a, str_format(a, "it answers %d to /status", answer->status));
    if (json_parse(a, answer->body, &object) || json_type(object) != JSON_OBJECT)
        return trouble(a, "its answer to /status is no JSON object");
    return read_object(a, object);
}

SeidStatus seid_status_of_silence(Arena *a, const Err *why)
{
    return trouble(a, err_text(a, why));
}
