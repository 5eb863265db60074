/* A server on a loopback port, and clients that are plain sockets: kind, greedy, slow and rude. */
#include "kube/serve.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

enum { LARGE = 8 << 20 };

static void handle(void *self, const char *path, Reply *reply)
{
    (void)self;
    if (str_eq(path, "/large")) {
        char block[1024];
        memset(block, 'x', sizeof block);
        for (size_t i = 0; i < LARGE / sizeof block; i++)
            if (!buf_append(&reply->body, block, sizeof block))
                return;
        return;
    }
    bool known = str_eq(path, "/known");
    reply->status = known ? 0 : 404;
    reply->content_type = known ? NULL : "application/json";
    if (!buf_format(&reply->body, "this is %s", path))
        return;
}

static Serve *open_serve(ServeOptions options)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Serve *s = NULL;
    if (!options.address)
        options.address = "127.0.0.1:0";
    options.handle = handle;
    then_ok(serve_open(a, &options, &s));
    return s;
}

/* A connection to a port of an address, -1 for none. */
static int connect_to(int family, int port)
{
    struct sockaddr_in v4 = {
        .sin_family = AF_INET,
        .sin_addr = {htonl(INADDR_LOOPBACK)},
        .sin_port = htons((uint16_t)port),
    };
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6,
        .sin6_addr = IN6ADDR_LOOPBACK_INIT,
        .sin6_port = htons((uint16_t)port),
    };
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int failed = family == AF_INET ? connect(fd, (struct sockaddr *)&v4, sizeof v4)
                                   : connect(fd, (struct sockaddr *)&v6, sizeof v6);
    if (!failed)
        return fd;
    close(fd);
    return -1;
}

static int dial(const Serve *s)
{
    int fd = connect_to(AF_INET, serve_port(s));
    then_true(fd >= 0);
    return fd;
}

static void say(int fd, const char *text)
{
    then_int(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Everything until the server ends the connection. */
static const char *hear(Arena *a, int fd)
{
    size_t len = 0;
    char *heard = arena_alloc(a, 1 << 16);
    ssize_t got;
    while ((got = recv(fd, heard + len, (1 << 16) - 1 - len, 0)) > 0)
        len += (size_t)got;
    heard[len] = '\0';
    close(fd);
    return heard;
}

/* One reply whose body ends with these words; the connection stays. */
static const char *hear_until(Arena *a, int fd, const char *end)
{
    size_t len = 0;
    char *heard = arena_alloc(a, 1 << 16);
    while (!str_has_suffix(heard, end)) {
        then_true(recv(fd, heard + len, 1, 0) == 1);
        len++;
    }
    return heard;
}

static const char *repeat(Arena *a, const char *before, size_t count, const char *after)
{
    char *text = arena_alloc(a, strlen(before) + count + strlen(after) + 1);
    stpcpy((char *)memset(stpcpy(text, before), 'x', count) + count, after);
    return text;
}

TEST(the_http_server_answers_each_request_with_its_status)
{
    static const struct {
        const char *name, *request, *status, *phrase, *never;
    } cases[] = {
        {"a known path",
            "GET /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 ",
            "\r\n\r\nthis is /known"},
        {"plain text when the handler does not say what it is",
            "GET /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 ",
            "Content-Type: text/plain"},
        {"the handler's own status",
            "GET /other HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 404 ",
            "\r\n\r\nthis is /other"},
        {"the handler's own content type",
            "GET /other HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 404 ",
            "Content-Type: application/json"},
        {"a query is no part of the path",
            "GET /known?x=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 ",
            "this is /known"},
        {"an old client", "GET /known HTTP/1.0\r\n\r\n", " 200 ", "this is /known"},
        {"HEAD is GET without the body",
            "HEAD /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 ",
            "Content-Length: 14\r\n",
            "this is"},
        {"POST is refused, and its body is no second request",
            "POST /known HTTP/1.1\r\nHost: h\r\nContent-Length: 40\r\n\r\n"
            "GET /known HTTP/1.1\r\nHost: h\r\n\r\n1234567",
            "HTTP/1.1 405 ",
            "Allow: GET, HEAD\r\n",
            "this is"},
        {"DELETE is refused",
            "DELETE /known HTTP/1.1\r\nHost: h\r\n\r\n",
            "HTTP/1.1 405 ",
            "only GET and HEAD"},
        {"a body is refused, and is no second request",
            "GET /known HTTP/1.1\r\nHost: h\r\nContent-Length: 40\r\n\r\n"
            "GET /known HTTP/1.1\r\nHost: h\r\n\r\n1234567",
            "HTTP/1.1 413 ",
            "no request body",
            "this is"},
        {"a chunked body is refused",
            "GET /known HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 413 ",
            "no request body",
            "this is"},
        {"an empty body is none",
            "GET /known HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 ",
            "this is /known"},
        {"no host is a bad request", "GET /known HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "", "this is"},
        {"noise gets no page", "\x16\x03\x01\r\n\r\n", "", "", "this is"},
    };
    Serve *s = open_serve((ServeOptions){0});

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        int fd = dial(s);
        say(fd, cases[i].request);
        const char *heard = hear(a, fd);
        const char *line = str_slice(a, heard, strcspn(heard, "\n"));

        then_true(strstr(line, cases[i].status) != NULL);
        then_true(strstr(heard, cases[i].phrase) != NULL);
        then_true(!cases[i].never || !strstr(heard, cases[i].never));
    }
    serve_close(s);
}

TEST(a_request_that_is_too_long_is_refused_with_its_status)
{
    static const struct {
        const char *name, *before, *after, *status;
    } cases[] = {
        {"a path", "GET /", " HTTP/1.1\r\nHost: h\r\n\r\n", " 414 "},
        {"a header", "GET /known HTTP/1.1\r\nHost: h\r\nX: ", "\r\n\r\n", " 431 "},
    };
    Serve *s = open_serve((ServeOptions){0});

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        int fd = dial(s);
        say(fd, repeat(a, cases[i].before, 20000, cases[i].after));
        const char *heard = hear(a, fd);
        /* The end of a connection with unread bytes may overtake the refusal. */
        then_true(str_empty(heard) || strstr(heard, cases[i].status));
        then_true(!strstr(heard, "this is"));
    }
    serve_close(s);
}

TEST(a_connection_is_kept_for_further_requests)
{
    static const char request[] = "GET /known HTTP/1.1\r\nHost: h\r\n\r\n";
    SCOPED_ARENA a = arena_open(1 << 20);
    Serve *s = open_serve((ServeOptions){0});
    int fd = dial(s);

    for (int i = 0; i < 3; i++) {
        say(fd, request);
        then_true(strstr(hear_until(a, fd, "this is /known"), "HTTP/1.1 200 ") != NULL);
    }
    say(fd, str_format(a, "%s%s%s", request, "GET /other HTTP/1.1\r\nHost: h\r\n\r\n", request));
    then_true(strstr(hear_until(a, fd, "this is /known"), " 200 ") != NULL);
    then_true(strstr(hear_until(a, fd, "this is /other"), " 404 ") != NULL);
    then_true(strstr(hear_until(a, fd, "this is /known"), " 200 ") != NULL);
    close(fd);
    serve_close(s);
}

TEST(a_client_that_sends_nothing_more_is_disconnected)
{
    static const struct {
        const char *name, *said;
    } cases[] = {
        {"not a word", ""},
        {"half a request line", "GET /kn"},
        {"headers without end", "GET /known HTTP/1.1\r\nHost: h\r\n"},
        {"a request, and then nothing", "GET /known HTTP/1.1\r\nHost: h\r\n\r\n"},
    };
    Serve *s = open_serve((ServeOptions){.timeout_s = 1});
    int fds[array_count(cases)];

    each_case(i, cases) {
        fds[i] = dial(s);
        say(fds[i], cases[i].said);
    }
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        hear(a, fds[i]); /* comes back only when the server hangs up */
    }
    serve_close(s);
}

TEST(a_new_client_replaces_the_client_that_has_waited_longest)
{
    enum { SLOW = 100 };
    SCOPED_ARENA a = arena_open(16 << 20);
    Serve *s = open_serve((ServeOptions){.connections_max = 4, .timeout_s = 1000});
    int slow[SLOW];

    for (int i = 0; i < SLOW; i++) {
        slow[i] = dial(s);
        say(slow[i], "GET /known HT");
    }
    for (int i = 0; i < SLOW; i++) {
        int fd = dial(s);
        say(fd, "GET /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        then_true(str_has_suffix(hear(a, fd), "this is /known"));
    }
    then_str(hear(a, slow[0]), "");
    for (int i = 1; i < SLOW; i++)
        close(slow[i]);
    serve_close(s);
}

TEST(a_client_that_was_just_served_keeps_its_connection)
{
    static const char request[] = "GET /known HTTP/1.1\r\nHost: h\r\n\r\n";
    SCOPED_ARENA a = arena_open(1 << 20);
    Serve *s = open_serve((ServeOptions){.connections_max = 2, .timeout_s = 1000});
    int oldest = dial(s), second, third;
    say(oldest, request);
    hear_until(a, oldest, "this is /known");
    second = dial(s);
    say(second, request);
    hear_until(a, second, "this is /known");
    say(oldest, request);
    hear_until(a, oldest, "this is /known");

    third = dial(s);
    then_str(hear(a, second), "");
    say(oldest, request);
    hear_until(a, oldest, "this is /known");
    close(oldest);
    close(third);
    serve_close(s);
}

TEST(the_server_continues_after_a_client_disconnected_during_an_answer)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Serve *s = open_serve((ServeOptions){0});

    for (int i = 0; i < 3; i++) {
        char some[100];
        struct linger reset = {.l_onoff = 1};
        int fd = dial(s);
        say(fd, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
        then_int(recv(fd, some, sizeof some, MSG_WAITALL), sizeof some);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(fd);
    }
    int fd = dial(s);
    say(fd, "GET /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    then_true(str_has_suffix(hear(a, fd), "this is /known"));
    serve_close(s);
}

/* A client in a process of its own: asks for a large page, and reads on only when told that the
 * server closes. Its exit code says whether the page was whole. */
static void read_large(int port_from, int begun_to)
{
    int port;
    char data[4096];
    if (read(port_from, &port, sizeof port) != sizeof port)
        _exit(1);
    int fd = connect_to(AF_INET, port);
    static const char request[] = "GET /large HTTP/1.1\r\nHost: h\r\n\r\n";
    if (fd < 0 || send(fd, request, strlen(request), 0) < 0)
        _exit(2);

    ssize_t total = recv(fd, data, 1, 0), got;
    if (write(begun_to, "x", 1) != 1 || read(port_from, data, 1) != 1)
        _exit(3);
    while ((got = recv(fd, data, sizeof data, 0)) > 0)
        total += got;
    _exit(total > LARGE ? 0 : 4);
}

TEST(closing_the_server_completes_the_answer_in_progress)
{
    int to_child[2], from_child[2], status;
    char byte;
    then_int(pipe(to_child) | pipe(from_child), 0);
    pid_t child = fork();
    if (child == 0)
        read_large(to_child[0], from_child[1]);

    Serve *s = open_serve((ServeOptions){0});
    int port = serve_port(s);
    then_int(write(to_child[1], &port, sizeof port), sizeof port);
    then_int(read(from_child[0], &byte, 1), 1);
    then_int(write(to_child[1], "x", 1), 1);
    serve_close(s);

    then_int(waitpid(child, &status, 0), child);
    then_int(status, 0);
    close(to_child[0]);
    close(to_child[1]);
    close(from_child[0]);
    close(from_child[1]);
}

TEST(the_server_can_be_closed_while_clients_are_connected)
{
    Serve *s = open_serve((ServeOptions){0});
    int idle = dial(s);
    say(idle, "GET /known HT");
    serve_close(s);
    char byte;
    then_true(recv(idle, &byte, 1, 0) <= 0);
    close(idle);
    serve_close(NULL);
}

TEST(an_invalid_listen_address_is_refused_with_the_cause)
{
    static const struct {
        const char *name, *address;
        Want want;
    } cases[] = {
        {"none", NULL, TERMINAL("cannot listen on ''")},
        {"empty", "", TERMINAL("an address is 127.0.0.1:8080")},
        {"no port", "127.0.0.1", TERMINAL("'127.0.0.1'")},
        {"an empty port", "127.0.0.1:", TERMINAL("'127.0.0.1:'")},
        {"a name", "localhost:8080", TERMINAL("'localhost:8080'")},
        {"a port beyond the last", "127.0.0.1:65536", TERMINAL("an address is")},
        {"a negative port", "127.0.0.1:-1", TERMINAL("an address is")},
        {"a port with a sign", "127.0.0.1:+80", TERMINAL("an address is")},
        {"a word as port", ":http", TERMINAL("an address is")},
        {"IPv6 without brackets", "::1:80", TERMINAL("an address is")},
        {"half a bracket", "[::1:80", TERMINAL("an address is")},
        {"one bracket", "[:80", TERMINAL("an address is")},
        {"no IPv6 address", "[127.0.0.1]:80", TERMINAL("an address is")},
        {"an address of another machine", "192.0.2.1:0", TERMINAL("Cannot assign")},
    };
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Serve *s = NULL;
        ServeOptions options = {.address = cases[i].address, .handle = handle};
        then_err(serve_open(a, &options, &s), cases[i].want);
        then_true(!s);
    }
}

TEST(a_listen_address_in_use_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    Serve *s = open_serve((ServeOptions){0}), *second = NULL;
    ServeOptions options = {
        .address = str_format(a, "127.0.0.1:%d", serve_port(s)),
        .handle = handle,
    };
    then_err(serve_open(a, &options, &second), TERMINAL("in use; choose another port"));
    serve_close(s);

    then_ok(serve_open(a, &options, &second));
    then_true(str_has_suffix(options.address, str_format(a, ":%d", serve_port(second))));
    serve_close(second);
}

/* Some machines have no IPv6 at all. */
static bool has_v6(void)
{
    struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool bound = bind(fd, (struct sockaddr *)&loopback, sizeof loopback) == 0;
    close(fd);
    return bound;
}

TEST(the_server_listens_on_all_addresses_and_on_ipv6)
{
    bool v6 = has_v6();
    const struct {
        const char *name, *address;
        bool opens, v4;
    } cases[] = {
        {"all", ":0", true, true},
        {"IPv6 alone", "[::1]:0", v6, false},
    };
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Serve *s = NULL;
        ServeOptions options = {.address = cases[i].address, .handle = handle};
        then_int(serve_open(a, &options, &s) == OK, cases[i].opens);
        if (!s)
            continue;
        int by_v6 = connect_to(AF_INET6, serve_port(s)), by_v4 = connect_to(AF_INET, serve_port(s));
        then_int(by_v6 >= 0, v6);
        then_int(by_v4 >= 0, cases[i].v4);
        if (by_v6 >= 0)
            close(by_v6);
        if (by_v4 >= 0)
            close(by_v4);
        serve_close(s);
    }
}

/* A signal that the server's thread took would never reach the one that waits for it. */
TEST(the_server_thread_blocks_signals)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Serve *s = open_serve((ServeOptions){0});
    int fd = dial(s); /* a thread that has answered is past its beginnings */
    say(fd, "GET /known HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    hear(a, fd);
    unsigned deaf = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks));) {
        if (task->d_name[0] == '.' || str_eq(task->d_name, str_format(a, "%d", getpid())))
            continue;
        char line[256];
        FILE *status = fopen(str_format(a, "/proc/self/task/%s/status", task->d_name), "r");
        while (status && fgets(line, sizeof line, status)) {
            unsigned long long blocked;
            if (sscanf(line, "SigBlk: %llx", &blocked) == 1)
                deaf += (blocked >> (SIGTERM - 1) & 1) && (blocked >> (SIGINT - 1) & 1);
        }
        if (status)
            fclose(status);
    }
    closedir(tasks);
    then_true(deaf >= 1);

    sigset_t own;
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    then_true(!sigismember(&own, SIGTERM));
    serve_close(s);
}
