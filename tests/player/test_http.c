/* HTTP as clients of sidecars speak it. */
#include "player/http.h"
#include "tests/test.h"

static const struct {
    const char *name, *text;
    HttpState state;
    const char *method, *target, *token, *body;
    bool closes;
} requests[] = {
    {"nothing", "", HTTP_MORE},
    {"half a line", "GET /v0", HTTP_MORE},
    {"no end of the head", "GET /v0/livez HTTP/1.1\r\nHost: x\r\n", HTTP_MORE},
    {"a GET", "GET /v0/livez HTTP/1.1\r\nHost: x\r\n\r\n", HTTP_DONE, "GET", "/v0/livez"},
    {"the next request behind it",
        "GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
        HTTP_DONE,
        "GET",
        "/a"},
    {"a token",
        "GET / HTTP/1.1\r\nauthorization: Bearer  abc \r\n\r\n",
        HTTP_DONE,
        "GET",
        "/",
        " abc"},
    {"another kind of authorization",
        "GET / HTTP/1.1\r\nAuthorization: Basic abc\r\n\r\n",
        HTTP_DONE,
        "GET",
        "/"},
    {"a body",
        "POST /v0/tasks HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        HTTP_DONE,
        "POST",
        "/v0/tasks",
        NULL,
        "{}"},
    {"half a body", "POST /v0/tasks HTTP/1.1\r\nContent-Length: 3\r\n\r\n{}", HTTP_MORE},
    {"a client that leaves",
        "GET / HTTP/1.1\r\nConnection: Close\r\n\r\n",
        HTTP_DONE,
        "GET",
        "/",
        .closes = true},
    {"a name that only begins like a header",
        "GET / HTTP/1.1\r\nContent-Length-X: 9\r\n\r\n",
        HTTP_DONE,
        "GET",
        "/"},
    {"no path", "GET x HTTP/1.1\r\n\r\n", HTTP_BAD},
    {"no version", "GET /\r\n\r\n", HTTP_BAD},
    {"another protocol", "GET / HTTP/2.0\r\n\r\n", HTTP_BAD},
    {"no method", " / HTTP/1.1\r\n\r\n", HTTP_BAD},
    {"chunks", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_BAD},
    {"a length that is none", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", HTTP_BAD},
    {"a negative length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", HTTP_BAD},
    {"too long a body", "POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n", HTTP_BAD},
};

TEST(http_requests_are_parsed_from_bytes)
{
    each_case(i, requests) {
        SCOPED_ARENA a = arena_open(1 << 20);
        HttpRequest got;
        then_int(http_parse(a, bytes_of(requests[i].text), &got), requests[i].state);
        if (requests[i].state != HTTP_DONE)
            continue;
        then_str(got.request.method, requests[i].method);
        then_str(got.request.target, requests[i].target);
        then_str(got.request.token, requests[i].token);
        then_true(
            bytes_equal(got.request.body, bytes_of(requests[i].body ? requests[i].body : "")));
        then_int(got.closes, requests[i].closes);
    }
}

TEST(an_incomplete_http_request_waits_for_the_rest)
{
    static const char text[] = "POST /v0/tasks HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
    for (size_t len = 0; len <= sizeof text - 1; len++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        HttpRequest got;
        HttpState got_state = http_parse(a, (Bytes){text, len}, &got);
        then_int(got_state, len == sizeof text - 1 ? HTTP_DONE : HTTP_MORE);
    }
}

TEST(an_endless_http_header_is_refused)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char *text = arena_alloc(a, HTTP_HEAD_MAX + 2);
    HttpRequest got;
    memset(text, 'a', HTTP_HEAD_MAX + 1);
    then_int(http_parse(a, (Bytes){text, HTTP_HEAD_MAX}, &got), HTTP_MORE);
    then_int(http_parse(a, (Bytes){text, HTTP_HEAD_MAX + 1}, &got), HTTP_BAD);
}

static const struct {
    const char *name;
    SidecarAnswer answer;
    bool is_head, closes;
    const char *text;
} answers[] = {
    {"JSON",
        {.status = 201, .content_type = "application/json", .body = {"{}\n", 3}},
        false,
        false,
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{}\n"},
    {"nothing",
        {.status = 503},
        false,
        true,
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"},
    {"no content", {.status = 204}, false, false, "HTTP/1.1 204 No Content\r\n\r\n"},
    {"a wrong method",
        {.status = 405, .allow = "GET"},
        false,
        false,
        "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n"},
    {"later",
        {.status = 503, .retry_after_s = 1},
        false,
        false,
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"},
    {"a HEAD",
        {.status = 200, .content_type = "x", .body = {"y", 1}},
        true,
        false,
        "HTTP/1.1 200 OK\r\nContent-Type: x\r\nContent-Length: 0\r\n\r\n"},
};

TEST(http_answers_are_written_as_bytes)
{
    each_case(i, answers) {
        Buf out = {.ceiling = 1 << 16};
        then_true(http_write(&out, &answers[i].answer, answers[i].is_head, answers[i].closes));
        then_str(out.data, answers[i].text);
        buf_close(&out);
        Buf small = {.ceiling = 8};
        then_true(!http_write(&small, &answers[i].answer, false, false));
        buf_close(&small);
    }
}
