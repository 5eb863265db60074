/* Status: what each answer of the API server means to the caller. The messages are those that a
 * Kubernetes 1.34 server sends. */
#include "kube/status.h"
#include "tests/test.h"

static Request write_request(void)
{
    return (Request){.verb = VERB_APPLY, .kind = kind_statefulset, .key = {"ns", "x"}};
}

static Request read_request(void)
{
    return (Request){.verb = VERB_GET, .kind = kind_statefulset, .key = {"ns", "x"}};
}

static Err *err_of_answer(
    Arena *a, const Request *request, int status, const char *body, int64_t retry_after_ms)
{
    Answer answer = {.status = status, .retry_after_ms = retry_after_ms};

    if (body)
        answer.body = json_fixture(a, body);
    return status_err(a, request, &answer);
}

/* --- the table --- */

static const struct {
    const char *name;
    int status;
    const char *body;
    Want want;
    bool unknown; /* the outcome, of a write */
} answers[] = {
    {"done", 200},
    {"created", 201},
    {"accepted", 202},
    {"the last of the good ones", 299},
    {"a choice of answers", 300, .want = TERMINAL("redirects are not followed")},
    {"a redirect", 301, .want = TERMINAL("redirects are not followed")},
    {"a temporary redirect", 307, .want = TERMINAL("redirects are not followed")},

    {"a request that the server cannot read",
        400,
        "{kind: 'Status', reason: 'BadRequest', message: 'error decoding patch'}",
        TERMINAL("patch statefulsets apps ns/x: error decoding patch (400 BadRequest)")},
    {"a webhook that says no, the default way",
        400,
        "{kind: 'Status', message: 'admission webhook \"w.io\" denied the request: not today'}",
        RETRY("not today (400)")},
    {"a webhook that says no with 403",
        403,
        "{kind: 'Status', reason: 'Forbidden', message: 'admission webhook \"w.io\" denied the "
        "request'}",
        RETRY("denied the request (403 Forbidden)")},
    {"a webhook that says no with a number of its own",
        451,
        "{kind: 'Status', message: 'admission webhook \"w.io\" denied the request: law'}",
        RETRY("law (451)")},
    {"a policy that says no",
        422,
        "{kind: 'Status', reason: 'Invalid', message: 'statefulsets.apps \"x\" is forbidden:"
        " ValidatingAdmissionPolicy \\'p\\' with binding \\'b\\' denied request: no'}",
        RETRY("denied request: no (422 Invalid)")},
    {"an old token",
        401,
        "{kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized'}",
        RETRY("Unauthorized (401 Unauthorized)")},
    {"a missing permission",
        403,
        "{kind: 'Status', reason: 'Forbidden', message: 'statefulsets.apps \"x\" is forbidden:"
        " User \"u\" cannot patch resource'}",
        RETRY("cannot patch resource (403 Forbidden)")},
    {"a quota",
        403,
        "{kind: 'Status', reason: 'Forbidden', message: 'pods \"x\" is forbidden: exceeded quota'}",
        RETRY("exceeded quota")},
    {"an object that is not there",
        404,
        "{kind: 'Status', reason: 'NotFound', message: 'statefulsets.apps \"x\" not found',"
        " details: {name: 'x', group: 'apps', kind: 'statefulsets'}}",
        RETRY("not found (404 NotFound)")},
    {"a kind that is not served", 404, NULL, RETRY("is the kind served? (404)")},
    {"a verb that the kind does not have",
        405,
        "{kind: 'Status', reason: 'MethodNotAllowed', message: 'patch is not supported'}",
        TERMINAL("patch is not supported (405 MethodNotAllowed)")},
    {"a format that the server does not have", 406, NULL, TERMINAL("does not answer in JSON")},
    {"a body that did not arrive in time", 408, NULL, RETRY("timed out"), .unknown = true},
    {"a name that is taken",
        409,
        "{kind: 'Status', reason: 'AlreadyExists', message: 'statefulsets.apps \"x\" already "
        "exists'}",
        RETRY("already exists (409 AlreadyExists)")},
    {"a version that has moved on",
        409,
        "{kind: 'Status', reason: 'Conflict', message: 'Operation cannot be fulfilled on x'}",
        RETRY("cannot be fulfilled on x (409 Conflict)")},
    {"a conflict without words", 409, NULL, RETRY("changed since it was seen (409)")},
    {"a continue token that is too old",
        410,
        "{kind: 'Status', reason: 'Expired', message: 'The provided continue parameter is too "
        "old'}",
        RETRY("too old (410 Expired)")},
    {"a request that is too large", 413, NULL, TERMINAL("too large")},
    {"a patch of a kind that the server does not take", 415, NULL, TERMINAL("kind of patch")},
    {"a JSON patch whose test fails",
        422,
        "{kind: 'Status', reason: 'Invalid', message: 'the server rejected our request due to an"
        " error in our request', details: {}}",
        RETRY("rejected our request")},
    {"an apply to another object of that name",
        422,
        "{kind: 'Status', reason: 'Invalid', message: 'ConfigMap \"x\" is invalid: metadata.uid:"
        " Invalid value: \"0-0\": field is immutable'}",
        RETRY("field is immutable (422 Invalid)")},
    {"an object that is invalid",
        422,
        "{kind: 'Status', reason: 'Invalid', message: 'StatefulSet.apps \"x\" is invalid: spec:"
        " Forbidden: updates to statefulset spec'}",
        TERMINAL("updates to statefulset spec (422 Invalid)")},
    {"a server that is busy",
        429,
        "{kind: 'Status', reason: 'TooManyRequests', message: 'too many requests'}",
        RETRY("too many requests (429 TooManyRequests)")},
    {"an unknown refusal", 418, NULL, TERMINAL("refuses the request (418)")},

    {"a webhook that cannot be reached",
        500,
        "{kind: 'Status', reason: 'InternalError', message: 'Internal error occurred: failed"
        " calling webhook'}",
        RETRY("failed calling webhook (500 InternalError)"),
        .unknown = true},
    {"a database that cannot be reached",
        500,
        "{kind: 'Status', reason: 'ServerTimeout', message: 'could not be completed at this time'}",
        RETRY("(500 ServerTimeout)"),
        .unknown = true},
    {"a broken proxy", 502, NULL, RETRY("in trouble (502)"), .unknown = true},
    {"a server that refuses work",
        503,
        "{kind: 'Status', reason: 'ServiceUnavailable', message: 'apiserver is shutting down'}",
        RETRY("shutting down (503 ServiceUnavailable)")},
    {"a proxy that finds no server", 503, NULL, RETRY("in trouble (503)"), .unknown = true},
    {"a request that took too long",
        504,
        "{kind: 'Status', reason: 'Timeout', message: 'Timeout: request did not complete'}",
        RETRY("did not complete (504 Timeout)"),
        .unknown = true},
    {"an answer from somewhere else", 0, NULL, TERMINAL("no answer of a Kubernetes API server")},
    {"a number that HTTP does not have", 999, NULL, TERMINAL("no answer of a Kubernetes API")},
    {"a body that is no Status",
        403,
        "{kind: 'Pod', reason: 'Evicted', message: 'not for you'}",
        RETRY("does not allow it (403)")},
    {"a body that is no object", 500, "[1]", RETRY("in trouble (500)"), .unknown = true},
};

TEST(an_answer_to_a_write_has_its_error_class_and_message)
{
    each_case(i, answers) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = write_request();

        Err *err = err_of_answer(a, &request, answers[i].status, answers[i].body, 0);

        then_err(err, answers[i].want);
        if (!err)
            continue;
        then_int(err->status, answers[i].status);
        then_true(err->outcome_unknown == answers[i].unknown);
    }
}

TEST(the_outcome_of_a_read_is_never_unknown)
{
    each_case(i, answers) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = read_request();

        Err *err = err_of_answer(a, &request, answers[i].status, answers[i].body, 0);

        then_true(!err || !err->outcome_unknown);
    }
}

/* --- what else an error carries --- */

TEST(the_reason_of_an_error_stays_valid_without_the_answer)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Arena *answer = arena_open(1 << 16);
    Answer conflict = {
        .status = 409, .body = json_fixture(answer, "{kind: 'Status', reason: 'Conflict'}")};
    Request request = write_request();

    Err *err = status_err(a, &request, &conflict);
    arena_close(answer);

    then_str(err->reason, "Conflict");
}

static const struct {
    const char *name;
    int64_t header_ms;
    const char *body;
    int64_t want;
} waits[] = {
    {"nothing asked"},
    {"the header", .header_ms = 1500, .want = 1500},
    {"the body", .body = "{kind: 'Status', details: {retryAfterSeconds: 2}}", .want = 2000},
    {"the header goes first",
        .header_ms = 1000,
        .body = "{kind: 'Status', details: {retryAfterSeconds: 2}}",
        .want = 1000},
    {"a wait without end is cut", .header_ms = INT64_MAX, .want = 600000},
    {"in the body too",
        .body = "{kind: 'Status', details: {retryAfterSeconds: 9223372036854775807}}",
        .want = 600000},
    {"a wait before now", .header_ms = -5},
    {"in the body too, as far back as numbers go",
        .body = "{kind: 'Status', details: {retryAfterSeconds: -9223372036854775807}}"},
};

TEST(the_retry_after_time_of_the_server_is_returned)
{
    each_case(i, waits) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = read_request();

        Err *err = err_of_answer(a, &request, 429, waits[i].body, waits[i].header_ms);

        then_int(err->retry_after_ms, waits[i].want);
    }
}

TEST(a_long_error_message_of_the_server_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char message[5000];
    Request request = read_request();
    memset(message, 'm', sizeof message);
    message[sizeof message - 1] = '\0';

    Err *err = err_of_answer(
        a, &request, 500, str_format(a, "{kind: 'Status', message: '%s'}", message), 0);

    then_true(strlen(err_text(a, err)) < 1200);
    then_true(strstr(err_text(a, err), "mmm") != NULL);
}

/* --- errors inside a stream --- */

static const struct {
    const char *name, *object;
    Want want;
    int status;
} stream_errors[] = {
    {"a version that is too old",
        "{kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 "
        "(9)'}",
        RETRY("too old resource version: 1 (9) (410 Expired)"),
        .status = 410},
    {"trouble of the server",
        "{kind: 'Status', code: 500, reason: 'InternalError', message: 'etcd'}",
        RETRY("etcd (500 InternalError)"),
        .status = 500},
    {"an error that is no Status", "{kind: 'Pod', code: 410}", RETRY("did not explain")},
    {"an error that says success", "{kind: 'Status', code: 200}", RETRY("did not explain")},
    {"an error without a code", "{kind: 'Status', message: 'x'}", RETRY("did not explain")},
    {"a code beyond all numbers", "{kind: 'Status', code: 4294967706}", RETRY("did not explain")},
};

TEST(every_error_status_inside_a_stream_is_an_error)
{
    each_case(i, stream_errors) {
        SCOPED_ARENA a = arena_open(1 << 16);

        Err *err = status_object_err(a, json_fixture(a, stream_errors[i].object));

        then_err(err, stream_errors[i].want);
        then_int(err->status, stream_errors[i].status);
        then_true(!err->outcome_unknown);
    }
    SCOPED_ARENA a = arena_open(1 << 16);
    then_err(status_object_err(a, NULL), RETRY("did not explain"));
}

/* --- questions --- */

static const struct {
    const char *name;
    bool (*question)(const Err *err);
    int status;
    const char *body;
    bool answer;
} questions[] = {
    {"the object does not exist",
        status_is_not_found,
        404,
        "{kind: 'Status', reason: 'NotFound', details: {name: 'x'}}",
        .answer = true},
    {"a kind that is not served says nothing about its objects", status_is_not_found, 404, NULL},
    {"nor does a 404 that names no object",
        status_is_not_found,
        404,
        "{kind: 'Status', reason: 'NotFound', message: 'the server could not find the requested"
        " resource', details: {}}"},
    {"nor does a 404 of another kind of answer",
        status_is_not_found,
        404,
        "{reason: 'NotFound', details: {name: 'x'}}"},
    {"a 410 is not a 404", status_is_not_found, 410, NULL},
    {"a name is taken",
        status_is_already_exists,
        409,
        "{kind: 'Status', reason: 'AlreadyExists'}",
        .answer = true},
    {"a conflict takes no name",
        status_is_already_exists,
        409,
        "{kind: 'Status', reason: 'Conflict'}"},
    {"a version has moved on",
        status_is_conflict,
        409,
        "{kind: 'Status', reason: 'Conflict'}",
        .answer = true},
    {"a taken name is no conflict",
        status_is_conflict,
        409,
        "{kind: 'Status', reason: 'AlreadyExists'}"},
    {"a version is gone", status_is_gone, 410, "{kind: 'Status', reason: 'Gone'}", .answer = true},
    {"a version has expired",
        status_is_gone,
        410,
        "{kind: 'Status', reason: 'Expired'}",
        .answer = true},
    {"nothing is gone", status_is_gone, 404, NULL},
    {"an object is invalid", status_is_invalid, 422, NULL, .answer = true},
    {"a bad request is not an invalid object", status_is_invalid, 400, NULL},
    {"a missing permission is forbidden", status_is_forbidden, 403, NULL, .answer = true},
    {"missing credentials are not forbidden", status_is_forbidden, 401, NULL},
    {"credentials are not accepted", status_is_unauthorized, 401, NULL, .answer = true},
    {"a missing permission is not unauthorized", status_is_unauthorized, 403, NULL},
};

TEST(errors_are_recognized_as_conflict_or_not_found_or_expired)
{
    each_case(i, questions) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = read_request();

        Err *err = err_of_answer(a, &request, questions[i].status, questions[i].body, 0);

        then_true(questions[i].question(err) == questions[i].answer);
        then_true(!questions[i].question(OK));
    }
}
