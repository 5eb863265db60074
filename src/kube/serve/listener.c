/* Listener: ":8080" means all addresses, of both families where the machine has both. */
#include "kube/serve/listener.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union SocketAddress {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} SocketAddress;

static Err *bad_address(Arena *a, const char *address)
{
    return err_terminal(a,
        "cannot listen on '%s': an address is 127.0.0.1:8080, [::1]:8080, or :8080 for all",
        address ? address : "");
}

static Err *parse_address(Arena *a, const char *address, SocketAddress *ret)
{
    const char *colon = address ? strrchr(address, ':') : NULL;
    int64_t port;
    if (!colon || !str_to_int(colon + 1, &port) || port < 0 || port > UINT16_MAX || colon[1] < '0'
        || colon[1] > '9')
        return bad_address(a, address);

    const char *host = str_slice(a, address, (size_t)(colon - address));
    size_t len = strlen(host);
    SocketAddress parsed = {0};
    if (len == 0) {
        parsed.v6.sin6_family = AF_INET6;
    } else if (host[0] == '[' && host[len - 1] == ']') {
        parsed.v6.sin6_family = AF_INET6;
        if (inet_pton(AF_INET6, str_slice(a, host + 1, len - 2), &parsed.v6.sin6_addr) != 1)
            return bad_address(a, address);
    } else {
        parsed.v4.sin_family = AF_INET;
        if (inet_pton(AF_INET, host, &parsed.v4.sin_addr) != 1)
            return bad_address(a, address);
    }
    /* The port stands at the same place in both. */
    parsed.v6.sin6_port = htons((uint16_t)port);
    *ret = parsed;
    return OK;
}

static int open_socket(const SocketAddress *address, bool all)
{
    int on = 1, off = 0;
    bool v6 = address->any.sa_family == AF_INET6;
    int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, all ? &off : &on, sizeof on);
    if (bind(fd, &address->any, v6 ? sizeof address->v6 : sizeof address->v4) == 0
        && listen(fd, SOMAXCONN) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

Err *listener_open(Arena *a, const char *text, int *ret_fd, int *ret_port)
{
    SocketAddress address;
    TRY(parse_address(a, text, &address));

    bool all = text[0] == ':';
    int fd = open_socket(&address, all);
    if (fd < 0 && errno == EAFNOSUPPORT && all) {
        SocketAddress v4 = {.v4 = {.sin_family = AF_INET, .sin_port = address.v6.sin6_port}};
        fd = open_socket(&v4, false);
    }
    if (fd < 0)
        return err_terminal(a,
            "cannot listen on '%s': %s%s",
            text,
            strerror(errno),
            errno == EADDRINUSE ? "; choose another port, or end who has it" : "");

    socklen_t size = sizeof address;
    if (getsockname(fd, &address.any, &size) != 0)
        BUG("a listening socket has no name");
    *ret_port = ntohs(address.v6.sin6_port);
    *ret_fd = fd;
    return OK;
}
