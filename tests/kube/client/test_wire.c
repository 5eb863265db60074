/* The socket options by which the kernel finds dead peers. That they do is shown in
 * test_client_streams.c. */
#include "kube/client/wire.h"
#include "tests/test.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t len = sizeof value;
    then_int(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

static const struct {
    const char *name;
    int64_t dead_after_ms;
    int idle_s, interval_s;
} cases[] = {
    {"the default", 25000, 10, 5},
    {"short", 10000, 4, 2},
    {"less than whole seconds", 2000, 1, 1},
};

TEST(a_dead_peer_is_detected_within_the_configured_time)
{
    each_case(i, cases) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);

        then_true(wire_find_dead_peers(fd, cases[i].dead_after_ms));
        then_int(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
        then_int(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), cases[i].idle_s);
        then_int(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), cases[i].interval_s);
        then_int(option(fd, IPPROTO_TCP, TCP_KEEPCNT), 3);
        then_int(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), cases[i].dead_after_ms);
        close(fd);
    }
}

TEST(a_descriptor_that_is_not_a_socket_is_refused)
{
    then_true(!wire_find_dead_peers(-1, 25000));
}
