/* Wire: a watch can be silent for a minute and healthy, so only the kernel can tell a quiet peer
 * from one whose machine lost its power: it asks, and the peer's kernel answers for it. */
#include "kube/client/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static bool set(int fd, int level, int option, int64_t value)
{
    int number = value < 1 ? 1 : (int)value;
    return setsockopt(fd, level, option, &number, sizeof number) == 0;
}

bool wire_find_dead_peers(int fd, int64_t dead_after_ms)
{
    /* The first probe after two fifths of the time, then one each fifth; three may be lost. */
    int64_t fifth = dead_after_ms / 5000;

    return set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) && set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 2 * fifth)
        && set(fd, IPPROTO_TCP, TCP_KEEPINTVL, fifth) && set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3)
        && set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, dead_after_ms);
}
