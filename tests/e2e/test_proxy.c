/* The wire does what tests of broken networks rely on. The server is a listener of the test's own.
 */
#include "tests/e2e/proxy.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

enum {
    SOON_MS = 5000, /* what must happen has this long */
    QUIET_MS = 100, /* what must not happen is waited for this long */
};

/* Both ends of a wire: `client` talks to the proxy, `server` was accepted behind it. */
typedef struct Scene {
    Arena *arena;
    Proxy *proxy;
    int listener, client, server;
} Scene;

static int connect_client(const Scene *s)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int64_t port = 0;

    then_true(fd >= 0);
    then_true(str_to_int(strrchr(proxy_url(s->proxy), ':') + 1, &port));
    name.sin_port = htons((uint16_t)port);
    then_int(connect(fd, (struct sockaddr *)&name, sizeof(name)), 0);
    return fd;
}

static Scene open_scene(Arena *a)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t len = sizeof(name);
    Scene s = {.arena = a, .listener = socket(AF_INET, SOCK_STREAM, 0)};

    then_true(s.listener >= 0);
    then_int(bind(s.listener, (struct sockaddr *)&name, len), 0);
    then_int(listen(s.listener, 8), 0);
    then_int(getsockname(s.listener, (struct sockaddr *)&name, &len), 0);
    then_ok(proxy_open(a, "127.0.0.1", ntohs(name.sin_port), &s.proxy));
    s.client = connect_client(&s);
    s.server = accept(s.listener, NULL, NULL);
    return s;
}

static void close_scene(Scene *s)
{
    close(s->client);
    close(s->server);
    close(s->listener);
    proxy_close(s->proxy);
}

/* What arrives at `fd` within `ms`: the text; "" for an orderly end; NULL for silence; "reset". */
static const char *hear(const Scene *s, int fd, int ms)
{
    struct pollfd wish = {.fd = fd, .events = POLLIN};
    char text[64];
    ssize_t len;

    if (poll(&wish, 1, ms) == 0)
        return NULL;
    len = read(fd, text, sizeof(text));
    if (len < 0)
        return errno == ECONNRESET ? "reset" : strerror(errno);
    return str_slice(s->arena, text, (size_t)len);
}

static void say(int fd, const char *text)
{
    then_true(fd >= 0);
    then_int(send(fd, text, strlen(text), MSG_NOSIGNAL), (int64_t)strlen(text));
}

TEST(the_proxy_passes_bytes_and_connection_ends_in_both_directions)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Scene s = open_scene(a);
    ProxyCounts counts;

    say(s.client, "question");
    then_str(hear(&s, s.server, SOON_MS), "question");
    shutdown(s.client, SHUT_WR);
    then_str(hear(&s, s.server, SOON_MS), "");
    say(s.server, "answer");
    then_str(hear(&s, s.client, SOON_MS), "answer");
    shutdown(s.server, SHUT_WR);
    then_str(hear(&s, s.client, SOON_MS), "");
    counts = proxy_counts(s.proxy);
    then_int(counts.accepted, 1);
    then_int(counts.bytes, (int64_t)strlen("questionanswer"));
    close_scene(&s);
}

TEST(a_proxy_drop_resets_open_connections_and_accepts_new_ones)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Scene s = open_scene(a);

    proxy_drop(s.proxy);
    then_int(proxy_counts(s.proxy).open, 0);
    then_str(hear(&s, s.client, SOON_MS), "reset");
    then_str(hear(&s, s.server, SOON_MS), "reset");
    close(s.client);
    close(s.server);
    s.client = connect_client(&s);
    s.server = accept(s.listener, NULL, NULL);
    say(s.client, "again");
    then_str(hear(&s, s.server, SOON_MS), "again");
    close_scene(&s);
}

TEST(a_stalled_proxy_passes_nothing_until_it_is_repaired)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Scene s = open_scene(a);
    int late;

    proxy_stall(s.proxy);
    say(s.client, "hello");
    late = connect_client(&s);
    say(late, "late");
    then_str(hear(&s, s.server, QUIET_MS), NULL);
    close(s.server); /* is not told either */
    then_str(hear(&s, s.client, QUIET_MS), NULL);
    s.server = accept(s.listener, NULL, NULL);
    then_str(hear(&s, s.server, QUIET_MS), NULL);
    proxy_mend(s.proxy);
    then_str(hear(&s, s.server, SOON_MS), "late");
    close(late);
    close_scene(&s);
}

TEST(a_cut_proxy_accepts_no_connection_until_it_is_repaired)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Scene s = open_scene(a);
    int refused;

    proxy_cut(s.proxy);
    then_str(hear(&s, s.client, SOON_MS), "reset");
    refused = connect_client(&s);
    then_str(hear(&s, refused, SOON_MS), "reset");
    close(refused);
    proxy_mend(s.proxy);
    close(s.client);
    close(s.server);
    s.client = connect_client(&s);
    s.server = accept(s.listener, NULL, NULL);
    say(s.server, "welcome");
    then_str(hear(&s, s.client, SOON_MS), "welcome");
    close_scene(&s);
}

TEST(a_slow_reader_slows_the_writer_down_and_no_byte_is_lost)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    enum { CHUNK = 1 << 16, TOTAL = 16 << 20 };
    Scene s = open_scene(a);
    char *chunk = arena_array(a, char, CHUNK);
    size_t sent = 0, got = 0;
    ssize_t len;

    while (sent < TOTAL && (len = send(s.client, chunk, CHUNK, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
        sent += (size_t)len;
    then_true(sent < TOTAL); /* the writer was held up */
    shutdown(s.client, SHUT_WR);
    while ((len = read(s.server, chunk, CHUNK)) > 0)
        got += (size_t)len;
    then_int(got, sent);
    close_scene(&s);
}
