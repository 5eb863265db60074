/* Sockets for sidecars and seids, with a kubelet behind them. */
#include "player/doors.h"

#include "tests/test.h"
#include "tests/world/node_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

/* An address of this process's own: tests run side by side. */
static int own_network(void)
{
    return 1 + (int)(getpid() % 250);
}

typedef struct House {
    NodeRig rig;
    Doors *doors;
    Log log;
    int shift;
} House;

static void house_open(House *h)
{
    h->shift = 1000 + (int)(getpid() % 20000);
    rig_open(&h->rig, &(KubeletOptions){.network = own_network()});
    h->log = (Log){0};
    h->doors = doors_open(h->rig.kubelet, h->shift, &h->log);
    rig_claim(&h->rig, NULL);
    rig_create(&h->rig, NULL);
    rig_run(&h->rig, 30000);
    doors_follow(h->doors);
}

static void house_close(House *h)
{
    doors_close(h->doors);
    rig_close(&h->rig);
}

/* A connection, or -1. */
static int connect_to(House *h, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(port + h->shift))};
    const char *address = str_format(h->rig.arena, "127.%d.1.1", own_network());
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    then_true(fd >= 0);
    inet_pton(AF_INET, address, &to.sin_addr);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

/* To the proxy of the sidecar. */
static int visit(House *h)
{
    return connect_to(h, POD_PORT_PROXY);
}

static void say(int fd, const char *text)
{
    then_int(write(fd, text, strlen(text)), strlen(text));
}

/* What comes back within a number of polls; "" for nothing. */
static const char *hear(House *h, int fd, int64_t now_ms)
{
    char *text = arena_alloc(h->rig.arena, 1 << 16);
    struct pollfd seen = {.fd = fd, .events = POLLIN};
    for (int i = 0; i < 50; i++) {
        doors_poll(h->doors, now_ms);
        if (poll(&seen, 1, 2) > 0)
            break;
    }
    ssize_t got = recv(fd, text, (1 << 16) - 1, MSG_DONTWAIT);
    return got > 0 ? text : "";
}

TEST(a_simulated_sidecar_answers_over_a_socket)
{
    House h;
    house_open(&h);
    int fd = visit(&h);
    then_true(fd >= 0);
    say(fd, "GET /v0/healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms), "HTTP/1.1 503 "));
    say(fd,
        "POST /v0/tasks HTTP/1.1\r\nAuthorization: Bearer t\r\nContent-Length: 21\r\n\r\n"
        "{\"type\":\"mark-ready\"}");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms), "HTTP/1.1 201 "));
    rig_run(&h.rig, 1000);
    say(fd, "GET /v0/healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms), "HTTP/1.1 200 "));
    char byte;
    doors_poll(h.doors, h.rig.now_ms);
    then_int(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
    close(fd);
    house_close(&h);
}

TEST(an_invalid_http_request_is_refused_and_the_connection_is_closed)
{
    House h;
    house_open(&h);
    int fd = visit(&h);
    say(fd, "hello\r\n\r\n");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms), "HTTP/1.1 400 "));
    close(fd);
    house_close(&h);
}

TEST(a_request_may_arrive_in_pieces)
{
    House h;
    house_open(&h);
    int fd = visit(&h);
    say(fd, "GET /v0/li");
    then_str(hear(&h, fd, h.rig.now_ms), "");
    say(fd, "vez HTTP/1.1\r\n\r\n");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms), "HTTP/1.1 200 "));
    close(fd);
    house_close(&h);
}

TEST(a_slow_answer_is_delayed_and_a_hanging_one_never_arrives)
{
    House h;
    house_open(&h);
    then_true(
        rig_order(&h.rig, (KubeletOrder){.deed = DEED_TEMPER, .temper = TEMPER_SLOW, .ms = 500}));
    int fd = visit(&h);
    say(fd, "GET /v0/livez HTTP/1.1\r\n\r\n");
    then_str(hear(&h, fd, h.rig.now_ms), "");
    then_str(hear(&h, fd, h.rig.now_ms + 499), "");
    then_true(str_has_prefix(hear(&h, fd, h.rig.now_ms + 500), "HTTP/1.1 200 "));
    then_true(rig_order(&h.rig, (KubeletOrder){.deed = DEED_FREEZE}));
    say(fd, "GET /v0/livez HTTP/1.1\r\n\r\n");
    then_str(hear(&h, fd, h.rig.now_ms + 501), "");
    then_str(hear(&h, fd, h.rig.now_ms + 10 * DOORS_IDLE_MS), "");
    close(fd);
    house_close(&h);
}

TEST(an_idle_connection_is_closed)
{
    House h;
    char byte;
    house_open(&h);
    int fd = visit(&h);
    then_str(hear(&h, fd, h.rig.now_ms), "");
    doors_poll(h.doors, h.rig.now_ms + DOORS_IDLE_MS + 1);
    then_int(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
    close(fd);
    house_close(&h);
}

TEST(the_listener_of_a_sidecar_is_closed_with_its_pod)
{
    House h;
    house_open(&h);
    int fd = visit(&h);
    then_true(fd >= 0);
    close(fd);
    rig_delete(&h.rig, "rpc-0-0", 30);
    rig_run(&h.rig, 60000);
    doors_follow(h.doors);
    then_int(visit(&h), -1);
    house_close(&h);
}

/* What a seid answers to a GET; "" where nothing listens. */
static const char *ask_seid(House *h, const char *page)
{
    doors_follow(h->doors);
    int fd = connect_to(h, POD_PORT_RPC);
    if (fd < 0)
        return "";
    say(fd, str_format(h->rig.arena, "GET %s HTTP/1.1\r\nConnection: close\r\n\r\n", page));
    const char *said = hear(h, fd, h->rig.now_ms);
    close(fd);
    return said;
}

static void run_seid(House *h)
{
    rig_mark_ready(&h->rig, "b8c5e6d0-0000-4000-8000-000000000002");
    rig_run(&h->rig, 60000);
}

TEST(a_simulated_seid_answers_rpc_requests_over_a_socket)
{
    House h;
    house_open(&h);
    then_str(ask_seid(&h, "/status"), "");
    run_seid(&h);
    const char *status = ask_seid(&h, "/status");
    then_true(str_has_prefix(status, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"));
    then_true(strstr(status, "\"network\":\"pacific-1\"") != NULL);
    then_true(str_has_prefix(ask_seid(&h, "/lag_status?x=1"), "HTTP/1.1 200 "));
    then_true(str_has_prefix(ask_seid(&h, "/nothing"), "HTTP/1.1 404 "));
    house_close(&h);
}

TEST(the_rpc_port_is_closed_while_seid_does_not_run)
{
    House h;
    house_open(&h);
    run_seid(&h);
    then_true(*ask_seid(&h, "/health"));
    then_true(rig_order(&h.rig, (KubeletOrder){.deed = DEED_CRASH, .count = 100}));
    rig_run(&h.rig, 1000);
    then_str(ask_seid(&h, "/health"), "");
    house_close(&h);
}

TEST(a_frozen_seid_accepts_a_connection_and_never_answers)
{
    House h;
    house_open(&h);
    run_seid(&h);
    then_true(rig_order(&h.rig, (KubeletOrder){.deed = DEED_FREEZE}));
    doors_follow(h.doors);
    int fd = connect_to(&h, POD_PORT_RPC);
    then_true(fd >= 0);
    close(fd);
    then_str(ask_seid(&h, "/status"), "");
    house_close(&h);
}

static bool has_news(const House *h)
{
    struct pollfd news = {.fd = doors_descriptor(h->doors), .events = POLLIN};

    return poll(&news, 1, 0) > 0;
}

TEST(the_listener_descriptor_is_readable_when_there_is_work)
{
    House h;
    house_open(&h);
    int64_t now_ms = h.rig.now_ms;
    then_true(!has_news(&h));
    then_int(doors_due_ms(h.doors), INT64_MAX);
    int fd = visit(&h);
    then_true(has_news(&h));
    doors_poll(h.doors, now_ms);
    then_true(!has_news(&h));
    then_int(doors_due_ms(h.doors), now_ms + DOORS_IDLE_MS + 1);
    say(fd, "GET /v0/livez HTTP/1.1\r\n\r\n");
    then_true(has_news(&h));
    then_true(str_has_prefix(hear(&h, fd, now_ms), "HTTP/1.1 200 "));
    then_true(!has_news(&h));
    close(fd);
    then_true(has_news(&h));
    doors_poll(h.doors, now_ms);
    then_int(doors_due_ms(h.doors), INT64_MAX);
    house_close(&h);
}

TEST(a_delayed_answer_sets_the_next_wake_up_time)
{
    House h;
    house_open(&h);
    then_true(
        rig_order(&h.rig, (KubeletOrder){.deed = DEED_TEMPER, .temper = TEMPER_SLOW, .ms = 500}));
    int fd = visit(&h);
    say(fd, "GET /v0/livez HTTP/1.1\r\n\r\n");
    then_str(hear(&h, fd, h.rig.now_ms), "");
    then_int(doors_due_ms(h.doors), h.rig.now_ms + 500);
    close(fd);
    house_close(&h);
}

TEST(pipelined_requests_are_all_answered_in_one_poll)
{
    House h;
    char text[4096] = {0};
    house_open(&h);
    int fd = visit(&h);
    say(fd, "GET /v0/livez HTTP/1.1\r\n\r\nGET /v0/livez HTTP/1.1\r\nConnection: close\r\n\r\n");
    doors_poll(h.doors, h.rig.now_ms); /* lets in */
    doors_poll(h.doors, h.rig.now_ms);
    then_true(recv(fd, text, sizeof text - 1, MSG_DONTWAIT) > 0);
    then_true(strstr(text + 1, "HTTP/1.1 200 ") != NULL);
    close(fd);
    house_close(&h);
}
