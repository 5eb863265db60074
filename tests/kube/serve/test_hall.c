/* A hall on a loopback port and clients that are plain sockets. Both live in one thread: whoever
 * waits for a client moves the hall meanwhile. */
#include "kube/serve/hall.h"

#include "kube/serve/authority.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEARD_MAX = 1 << 20, LARGE = 8 << 20, MANY = 40 };

/* A stream that says what was put into it. */
typedef struct Said {
    HallStream port;
    Bytes pending;
    bool is_over, is_closed;
} Said;

typedef struct Place {
    Hall *hall;
    Arena *arena;
    Said said;
    int calls;
} Place;

static HallNext next_said(HallStream *port, Bytes *ret)
{
    Said *s = (Said *)port;

    *ret = s->pending;
    s->pending = (Bytes){0};
    if (ret->len > 0)
        return HALL_PIECE;
    return s->is_over ? HALL_END : HALL_NOTHING;
}

static void close_said(HallStream *port)
{
    ((Said *)port)->is_closed = true;
}

static void handle(void *self, Arena *a, const HallRequest *request, HallAnswer *ret)
{
    Place *p = self;

    p->calls++;
    if (request->is_too_large) {
        ret->status = 413;
        ret->body = bytes_of("too large");
    } else if (str_eq(request->target, "/stream")) {
        p->said.port = (HallStream){.next = next_said, .close = close_said};
        ret->stream = &p->said.port;
        ret->content_type = "application/json";
    } else if (str_eq(request->target, "/peer")) {
        ret->body = bytes_of(str_format(a,
            "peer=%s%s%s%s",
            request->peer.user,
            request->peer.groups[0] ? "," : "",
            request->peer.groups[0] ? request->peer.groups[0] : "",
            request->peer.is_refused ? "refused" : ""));
    } else if (str_eq(request->target, "/large")) {
        ret->body = (Bytes){arena_alloc(a, LARGE), LARGE};
    } else {
        ret->content_type = "text/plain";
        ret->headers[0] = (HallHeader){"Warning", "299 - \"careful\""};
        ret->body = bytes_of(str_format(a,
            "%s %s as=%s%s%s token=%s type=%s body=%.*s",
            request->method,
            request->target,
            request->as_user,
            request->as_groups[0] ? "," : "",
            request->as_groups[0] ? request->as_groups[0] : "",
            request->bearer ? request->bearer : "none",
            request->content_type,
            (int)request->body.len,
            request->body.len ? request->body.data : ""));
    }
}

static void open_place(Place *p, HallOptions options)
{
    *p = (Place){.arena = arena_open(64 << 20)};
    options.address = "127.0.0.1:0";
    options.handle = handle;
    options.self = p;
    then_ok(hall_open(p->arena, &options, &p->hall));
}

static void close_place(Place *p)
{
    hall_close(p->hall);
    arena_close(p->arena);
}

static int dial(const Place *p)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr = {htonl(INADDR_LOOPBACK)},
        .sin_port = htons((uint16_t)hall_port(p->hall)),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    then_true(fd >= 0);
    then_int(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void say(Place *p, int fd, const char *text)
{
    size_t len = strlen(text);

    while (len > 0) {
        ssize_t sent = send(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        hall_poll(p->hall, 0);
        if (sent < 0 && errno != EAGAIN)
            return;
        text += sent > 0 ? sent : 0;
        len -= sent > 0 ? (size_t)sent : 0;
    }
}

/* What the hall says until these words come, or the connection ends. */
static const char *hear(Place *p, int fd, const char *end)
{
    char *heard = arena_alloc(p->arena, HEARD_MAX);
    size_t len = 0;

    for (;;) {
        hall_poll(p->hall, 1);
        ssize_t got = recv(fd, heard + len, HEARD_MAX - 1 - len, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return heard;
        len += got > 0 ? (size_t)got : 0;
        if (end && strstr(heard, end))
            return heard;
    }
}

static bool is_closed(Place *p, int fd)
{
    char byte;

    hall_poll(p->hall, 0);
    ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

TEST(a_request_is_passed_to_the_handler_as_it_was_sent)
{
    static const struct {
        const char *name, *request, *want;
    } cases[] = {
        {"path and query keep their escapes",
            "GET /a%2Fb?x=%20&y HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /a%2Fb?x=%20&y as= token=none type= body="},
        {"a token",
            "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: bearer  abc\r\n\r\n",
            "GET / as= token=abc type= body="},
        {"somebody else's name and group",
            "GET / HTTP/1.1\r\nHost: h\r\nImpersonate-User: u\r\nImpersonate-Group: g\r\n\r\n",
            "GET / as=u,g token=none type= body="},
        {"a body",
            "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello",
            "POST /x as= token=none type=text/x body=hello"},
        {"a body in chunks",
            "PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            "PUT /x as= token=none type= body=hello"},
        {"any method",
            "PATCH /x HTTP/1.1\r\nHost: h\r\n\r\n",
            "PATCH /x as= token=none type= body="},
    };

    each_case(i, cases) {
        Place p;
        open_place(&p, (HallOptions){0});
        int fd = dial(&p);
        say(&p, fd, cases[i].request);
        const char *heard = hear(&p, fd, cases[i].want);
        then_true(strstr(heard, "HTTP/1.1 200 ") != NULL);
        then_true(strstr(heard, "Warning: 299 - \"careful\"\r\n") != NULL);
        close(fd);
        close_place(&p);
    }
}

TEST(a_connection_serves_several_requests_in_order)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = dial(&p);

    for (int i = 0; i < 3; i++) {
        say(&p, fd, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
        hear(&p, fd, "body=hi");
    }
    then_int(p.calls, 3);
    then_int(hall_guests(p.hall), 1);
    close(fd);
    close_place(&p);
}

TEST(a_request_body_above_the_limit_is_refused_and_not_stored)
{
    static const struct {
        const char *name, *head;
        size_t bytes;
    } cases[] = {
        {"announced",
            "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 104857600\r\n\r\n",
            .bytes = 0},
        {"in chunks",
            "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n",
            .bytes = 2000},
    };

    each_case(i, cases) {
        Place p;
        open_place(&p, (HallOptions){.body_max = 1000});
        int fd = dial(&p);
        char *body = arena_alloc(p.arena, cases[i].bytes + 1);
        memset(body, 'x', cases[i].bytes);
        say(&p, fd, cases[i].head);
        say(&p, fd, body);
        say(&p, fd, cases[i].bytes ? "\r\n0\r\n\r\n" : "");
        const char *heard = hear(&p, fd, NULL); /* the connection ends with it */
        then_true(strstr(heard, "HTTP/1.1 413 ") && strstr(heard, "too large"));
        close(fd);
        close_place(&p);
    }
}

TEST(an_endless_request_body_is_cut_off)
{
    Place p;
    open_place(&p, (HallOptions){.body_max = 1000});
    int fd = dial(&p);

    say(&p, fd, "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (!is_closed(&p, fd))
        say(&p, fd, "10\r\n0123456789abcdef\r\n");
    then_int(p.calls, 0);
    close(fd);
    close_place(&p);
}

TEST(bytes_that_are_not_http_are_refused_and_the_connection_is_closed)
{
    static const struct {
        const char *name, *bytes;
    } cases[] = {
        {"noise", "\x01\x02\x03 not http\r\n\r\n"},
        {"no version", "GET /\r\n\r\n"},
        {"a wrong length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -5\r\n\r\n"},
        {"a wrong chunk", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"},
    };

    each_case(i, cases) {
        Place p;
        open_place(&p, (HallOptions){0});
        int fd = dial(&p);
        say(&p, fd, cases[i].bytes);
        hear(&p, fd, NULL);
        then_int(p.calls, 0);
        close(fd);
        close_place(&p);
    }
}

TEST(a_request_target_that_is_too_long_is_refused)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = dial(&p);
    char *target = arena_alloc(p.arena, 20000);

    memset(target, 'x', 18000);
    say(&p, fd, str_format(p.arena, "GET /%s HTTP/1.1\r\nHost: h\r\n\r\n", target));
    then_true(strstr(hear(&p, fd, NULL), "HTTP/1.1 414 ") != NULL);
    then_int(p.calls, 0);
    close(fd);
    close_place(&p);
}

/* --- streams */

static int open_stream(Place *p)
{
    int fd = dial(p);

    say(p, fd, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    hear(p, fd, "\r\n\r\n");
    while (hall_waiting(p->hall) == 0)
        hall_poll(p->hall, 1);
    return fd;
}

TEST(a_stream_sends_what_its_producer_has_when_it_is_notified)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = open_stream(&p);

    hall_stir(p.hall);
    then_int(hall_waiting(p.hall), 1); /* it had nothing */
    p.said.pending = bytes_of("first\n");
    hall_stir(p.hall);
    hear(&p, fd, "first\n");
    p.said.pending = bytes_of("second\n");
    hall_stir(p.hall);
    hear(&p, fd, "second\n");
    p.said.is_over = true;
    hall_stir(p.hall);
    hear(&p, fd, "0\r\n\r\n");
    then_true(p.said.is_closed);
    say(&p, fd, "GET /again HTTP/1.1\r\nHost: h\r\n\r\n"); /* the connection is good */
    hear(&p, fd, "GET /again");
    close(fd);
    close_place(&p);
}

TEST(a_piece_of_a_stream_may_be_larger_than_any_buffer)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = open_stream(&p);
    char *piece = arena_alloc(p.arena, 300001);

    memset(piece, 'y', 300000);
    memcpy(piece + 299996, "last", 4);
    p.said.pending = bytes_of(piece);
    hall_stir(p.hall);
    const char *heard = hear(&p, fd, "last");
    size_t count = 0;
    for (; *heard; heard++)
        count += *heard == 'y';
    then_int(count, 299996);
    close(fd);
    close_place(&p);
}

TEST(a_client_that_leaves_a_silent_stream_is_detected)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = open_stream(&p);

    close(fd);
    while (!p.said.is_closed)
        hall_poll(p.hall, 1);
    while (hall_guests(p.hall) > 0)
        hall_poll(p.hall, 1);
    then_int(hall_waiting(p.hall), 0);
    close_place(&p);
}

TEST(closing_the_server_ends_its_streams)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int fd = open_stream(&p);

    hall_close(p.hall);
    then_true(p.said.is_closed);
    close(fd);
    arena_close(p.arena);
}

/* --- those who misbehave */

TEST(a_new_connection_replaces_the_one_that_has_waited_longest)
{
    Place p;
    int slow[MANY], kind;
    open_place(&p, (HallOptions){.connections_max = 10});
    int stream = open_stream(&p);

    for (int i = 0; i < MANY; i++) {
        slow[i] = dial(&p);
        say(&p, slow[i], "GET /slow HTTP/1.1\r\nHo"); /* and never more */
    }
    kind = dial(&p);
    say(&p, kind, "GET /kind HTTP/1.1\r\nHost: h\r\n\r\n");
    hear(&p, kind, "GET /kind");
    then_true(hall_guests(p.hall) <= 10 + 16);
    then_true(is_closed(&p, slow[0]));
    then_true(!is_closed(&p, stream)); /* which has a request under way */
    p.said.pending = bytes_of("still here\n");
    hall_stir(p.hall);
    hear(&p, stream, "still here\n");
    for (int i = 0; i < MANY; i++)
        close(slow[i]);
    close(kind);
    close(stream);
    close_place(&p);
}

TEST(clients_that_send_large_bodies_slowly_are_closed_for_other_clients)
{
    enum { SENDERS = 8, SENT = 60000 };
    Place p;
    int senders[SENDERS], closed = 0;
    char *part;
    open_place(&p, (HallOptions){.body_max = 100000, .held_max = 200000});

    part = arena_alloc(p.arena, SENT + 1);
    memset(part, 'x', SENT);
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = dial(&p);
        say(&p, senders[i], "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
        say(&p, senders[i], part);
    }
    int kind = dial(&p);
    say(&p, kind, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
    hear(&p, kind, "body=hi");
    for (int i = 0; i < SENDERS; i++)
        closed += is_closed(&p, senders[i]);
    then_true(closed >= SENDERS - 4);
    for (int i = 0; i < SENDERS; i++)
        close(senders[i]);
    close(kind);
    close_place(&p);
}

TEST(only_connections_that_hold_much_memory_are_closed_when_the_total_is_too_large)
{
    enum { SENDERS = 8, SENT = 60000 };
    Place p;
    int quiet[MANY], senders[SENDERS], closed = 0;
    open_place(&p, (HallOptions){.body_max = 100000, .held_max = 200000});
    char *part = arena_alloc(p.arena, SENT + 1);
    int stream = open_stream(&p);

    for (int i = 0; i < MANY; i++) {
        quiet[i] = dial(&p);
        say(&p, quiet[i], "GET /quiet HTTP/1.1\r\nHost: h\r\n\r\n");
        hear(&p, quiet[i], "GET /quiet");
    }
    memset(part, 'x', SENT);
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = dial(&p);
        say(&p, senders[i], "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
        say(&p, senders[i], part);
    }
    say(&p, quiet[0], "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
    hear(&p, quiet[0], "body=hi");
    for (int i = 0; i < SENDERS; i++)
        closed += is_closed(&p, senders[i]);
    then_true(closed >= SENDERS - 4 && closed < SENDERS);
    then_true(!is_closed(&p, stream)); /* it holds little */
    for (int i = 0; i < MANY; i++) {
        then_true(!is_closed(&p, quiet[i]));
        close(quiet[i]);
    }
    for (int i = 0; i < SENDERS; i++)
        close(senders[i]);
    close(stream);
    close_place(&p);
}

TEST(a_client_that_does_not_read_its_answer_delays_no_other_client)
{
    Place p;
    open_place(&p, (HallOptions){0});
    int deaf = dial(&p), kind = dial(&p);

    say(&p, deaf, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
    say(&p, kind, "GET /kind HTTP/1.1\r\nHost: h\r\n\r\n");
    hear(&p, kind, "GET /kind");
    close(deaf);
    while (hall_guests(p.hall) > 1)
        hall_poll(p.hall, 1);
    close(kind);
    close_place(&p);
}

TEST(clients_that_do_not_read_large_answers_are_closed_for_other_clients)
{
    enum { DEAF = 4 };
    Place p;
    int deaf[DEAF];
    open_place(&p, (HallOptions){.held_max = 2 * LARGE + LARGE / 2});
    int quiet = dial(&p);

    for (int i = 0; i < DEAF; i++) {
        deaf[i] = dial(&p);
        say(&p, deaf[i], "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
        while (p.calls <= i)
            hall_poll(p.hall, 1);
    }
    while (hall_guests(p.hall) > DEAF - 2 + 1)
        hall_poll(p.hall, 1);
    then_true(!is_closed(&p, quiet));
    for (int i = 0; i < DEAF; i++)
        close(deaf[i]);
    close(quiet);
    close_place(&p);
}

TEST(a_client_that_sends_nothing_is_disconnected_at_the_timeout)
{
    Place p;
    open_place(&p, (HallOptions){.timeout_s = 1});
    int fd = dial(&p);

    say(&p, fd, "GET /");
    hear(&p, fd, NULL);
    close(fd);
    close_place(&p);
}

/* --- TLS */

static size_t ignore(char *bytes, size_t size, size_t count, void *self)
{
    (void)bytes;
    (void)self;
    return size * count;
}

static CURLcode ask(Place *p, CURL *curl)
{
    CURLM *multi = curl_multi_init();
    int running = 1;

    curl_multi_add_handle(multi, curl);
    while (running) {
        hall_poll(p->hall, 1);
        curl_multi_perform(multi, &running);
    }
    int left;
    CURLMsg *message = curl_multi_info_read(multi, &left);
    CURLcode code = message ? message->data.result : CURLE_FAILED_INIT;
    curl_multi_remove_handle(multi, curl);
    curl_multi_cleanup(multi);
    return code;
}

TEST(a_client_that_trusts_the_authority_trusts_the_server)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Authority ours, other;
    Place p;

    then_ok(authority_make(a, &ours));
    then_ok(authority_make(a, &other));
    open_place(&p, (HallOptions){.tls = &(CertificateTexts){ours.server, ours.server_key, NULL}});
    const struct {
        const char *name, *host, *trusted;
        bool is_trusted;
    } cases[] = {
        {"by its address", "127.0.0.1", ours.certificate, true},
        {"by its name", "localhost", ours.certificate, true},
        {"not by another authority", "127.0.0.1", other.certificate, false},
    };
    each_case(i, cases) {
        CURL *curl = curl_easy_init();
        struct curl_blob trusted = {
            (void *)(uintptr_t)cases[i].trusted, strlen(cases[i].trusted), CURL_BLOB_COPY};
        curl_easy_setopt(
            curl, CURLOPT_URL, str_format(a, "https://%s:%d/", cases[i].host, hall_port(p.hall)));
        curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &trusted);
        curl_easy_setopt(curl, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_V4);
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
        then_int(ask(&p, curl) == CURLE_OK, cases[i].is_trusted);
        curl_easy_cleanup(curl);
    }
    close_place(&p);
}

static size_t take(char *bytes, size_t size, size_t count, void *self)
{
    then_true(buf_append(self, bytes, size * count));
    return size * count;
}

static struct curl_blob blob_of(const char *text)
{
    return (struct curl_blob){(void *)(uintptr_t)text, strlen(text), CURL_BLOB_COPY};
}

TEST(the_user_of_a_client_is_the_subject_of_its_certificate)
{
    static const char *const groups[] = {"devs", "qa", NULL};
    SCOPED_ARENA a = arena_open(1 << 20);
    Authority server;
    ClientAuthority ours, other;
    CertificateTexts jane, plain, stranger;
    Place p;

    then_ok(authority_make(a, &server));
    then_ok(authority_make_clients(a, &ours));
    then_ok(authority_make_clients(a, &other));
    then_ok(authority_issue(a, &ours, &(ClientName){"jane", groups}, &jane));
    then_ok(authority_issue(a, &ours, &(ClientName){.user = "joe"}, &plain));
    then_ok(authority_issue(a, &other, &(ClientName){"jane", groups}, &stranger));
    CertificateTexts not_of_a_client = {.certificate = server.server, .key = server.server_key};
    open_place(&p,
        (HallOptions){.tls = &(CertificateTexts){
                          .certificate = server.server,
                          .key = server.server_key,
                          .clients = ours.certificate,
                      }});
    const struct {
        const char *name;
        const CertificateTexts *shown;
        const char *want;
    } cases[] = {
        {"with its groups", &jane, "peer=jane,devs"},
        {"without groups", &plain, "peer=joe"},
        {"of another authority", &stranger, "peer=refused"},
        {"of a server", &not_of_a_client, "peer=refused"},
        {"without one", NULL, "peer="},
    };
    each_case(i, cases) {
        CURL *curl = curl_easy_init();
        Buf heard = {.ceiling = HEARD_MAX};
        struct curl_blob trusted = blob_of(server.certificate);
        curl_easy_setopt(
            curl, CURLOPT_URL, str_format(a, "https://127.0.0.1:%d/peer", hall_port(p.hall)));
        curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &trusted);
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &heard);
        if (cases[i].shown) {
            struct curl_blob certificate = blob_of(cases[i].shown->certificate);
            struct curl_blob key = blob_of(cases[i].shown->key);
            curl_easy_setopt(curl, CURLOPT_SSLCERT_BLOB, &certificate);
            curl_easy_setopt(curl, CURLOPT_SSLKEY_BLOB, &key);
        }
        then_int(ask(&p, curl), CURLE_OK);
        then_str(str_slice(a, heard.data, heard.len), cases[i].want);
        buf_close(&heard);
        curl_easy_cleanup(curl);
    }
    close_place(&p);
}

TEST(an_invalid_authority_signs_no_client_certificate)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    CertificateTexts made;

    then_err(authority_issue(a, &(ClientAuthority){"no", "pem"}, &(ClientName){.user = "x"}, &made),
        TERMINAL("cannot make a certificate of the client 'x'"));
}

TEST(an_invalid_address_or_certificate_of_the_server_is_named)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Hall *hall;

    then_err(hall_open(a, &(HallOptions){.address = "nowhere", .handle = handle}, &hall),
        TERMINAL("'nowhere'"));
    then_err(hall_open(a,
                 &(HallOptions){.address = "127.0.0.1:0",
                     .handle = handle,
                     .tls = &(CertificateTexts){"no", "pem", NULL}},
                 &hall),
        TERMINAL("cannot serve TLS with the certificate that was given"));
    Authority server;
    then_ok(authority_make(a, &server));
    then_err(hall_open(a,
                 &(HallOptions){.address = "127.0.0.1:0",
                     .handle = handle,
                     .tls = &(CertificateTexts){server.server, server.server_key, "no authority"}},
                 &hall),
        TERMINAL("cannot serve TLS with the certificate that was given"));
}

TEST(the_descriptor_of_the_server_can_be_polled_for_clients)
{
    Place p;
    open_place(&p, (HallOptions){0});
    then_true(hall_descriptor(p.hall) >= 0);
    close_place(&p);
}

TEST(the_server_also_polls_the_descriptor_of_its_owner)
{
    Place p;
    int ends[2];
    char byte;

    open_place(&p, (HallOptions){0});
    then_int(pipe(ends), 0);
    hall_heed(p.hall, ends[0]);
    then_int(write(ends[1], "x", 1), 1);
    hall_poll(p.hall, 24 * 3600 * 1000);  /* returns at once, or never */
    then_int(read(ends[0], &byte, 1), 1); /* it read nothing there */
    close(ends[0]);
    close(ends[1]);
    close_place(&p);
}
