/* The wire: one process, one poll loop, two sockets per connection. A buffer per direction is
 * filled by one socket and drained to the other; while it is full its source is not read, so each
 * side feels the other's pace. */
#include "tests/e2e/proxy.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROXY_PAIRS_MAX = 256,
    PROXY_BUFFER_SIZE = 32 << 10,
    PROXY_BACKLOG = 128,
};

/* Orders are single bytes over a socket pair; each is answered with the counts. */
typedef enum Order {
    ORDER_DROP = 'd',
    ORDER_STALL = 's',
    ORDER_CUT = 'c',
    ORDER_MEND = 'm',
    ORDER_COUNT = '?',
} Order;

typedef struct Lane {
    size_t start, end; /* what is read and not yet written */
    bool ended;        /* the source will send no more */
    bool shut;         /* and the sink was told */
    char bytes[PROXY_BUFFER_SIZE];
} Lane;

typedef struct Pair {
    int fds[2];    /* client, server; -1: free */
    Lane lanes[2]; /* lanes[i] is read from fds[i] and written to the other one */
} Pair;

typedef struct Wire {
    struct sockaddr_in server;
    int listener, orders;
    bool stalled, cut;
    ProxyCounts counts;
    Pair *pairs; /* PROXY_PAIRS_MAX */
} Wire;

struct Proxy {
    pid_t pid;
    int orders;
    const char *url;
};

static void reset(int fd)
{
    struct linger at_once = {.l_onoff = 1};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
}

static void drop(Wire *wire, Pair *pair)
{
    if (pair->fds[0] < 0)
        return;
    reset(pair->fds[0]);
    reset(pair->fds[1]);
    pair->fds[0] = pair->fds[1] = -1;
    wire->counts.open--;
}

static void drop_all(Wire *wire)
{
    for (int i = 0; i < PROXY_PAIRS_MAX; i++)
        drop(wire, &wire->pairs[i]);
}

/* Both sides have said and heard everything. */
static void finish(Wire *wire, Pair *pair)
{
    close(pair->fds[0]);
    close(pair->fds[1]);
    pair->fds[0] = pair->fds[1] = -1;
    wire->counts.open--;
}

static int connect_server(const Wire *wire)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&wire->server, sizeof(wire->server)) == 0)
        return fd;
    close(fd);
    return -1;
}

static Pair *find_free(Wire *wire)
{
    for (int i = 0; i < PROXY_PAIRS_MAX; i++)
        if (wire->pairs[i].fds[0] < 0)
            return &wire->pairs[i];
    return NULL;
}

static void accept_client(Wire *wire)
{
    Pair *pair = find_free(wire);
    int client = accept4(wire->listener, NULL, NULL, SOCK_CLOEXEC);
    int server = wire->cut || !pair || client < 0 ? -1 : connect_server(wire);
    int on = 1;

    if (client < 0)
        return;
    wire->counts.accepted++;
    if (server < 0) {
        reset(client);
        return;
    }
    wire->counts.open++;
    pair->fds[0] = client;
    pair->fds[1] = server;
    for (int i = 0; i < 2; i++) {
        pair->lanes[i].start = pair->lanes[i].end = 0;
        pair->lanes[i].ended = pair->lanes[i].shut = false;
        fcntl(pair->fds[i], F_SETFL, O_NONBLOCK);
        setsockopt(pair->fds[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
}

/* Reads what the source has and writes what the sink takes. False when the connection broke. */
static bool move(Wire *wire, Lane *lane, int source, int sink)
{
    ssize_t len;

    if (!lane->ended && lane->end == 0) {
        len = read(source, lane->bytes, sizeof(lane->bytes));
        if (len < 0 && errno != EAGAIN)
            return false;
        if (len == 0)
            lane->ended = true;
        if (len > 0)
            lane->end = (size_t)len;
    }
    if (lane->start < lane->end) {
        len = send(sink, lane->bytes + lane->start, lane->end - lane->start, MSG_NOSIGNAL);
        if (len < 0 && errno != EAGAIN)
            return false;
        if (len > 0) {
            lane->start += (size_t)len;
            wire->counts.bytes += (uint64_t)len;
        }
        if (lane->start == lane->end)
            lane->start = lane->end = 0;
    }
    if (lane->ended && lane->end == 0 && !lane->shut) {
        shutdown(sink, SHUT_WR);
        lane->shut = true;
    }
    return true;
}

static void serve(Wire *wire, Pair *pair)
{
    for (int i = 0; i < 2; i++) {
        if (!move(wire, &pair->lanes[i], pair->fds[i], pair->fds[1 - i])) {
            drop(wire, pair);
            return;
        }
    }
    if (pair->lanes[0].shut && pair->lanes[1].shut)
        finish(wire, pair);
}

/* Carries out one order. False when the test is gone. */
static bool obey(Wire *wire)
{
    char order;

    if (read(wire->orders, &order, 1) != 1)
        return false;
    if (order == ORDER_DROP || order == ORDER_CUT)
        drop_all(wire);
    if (order == ORDER_CUT || order == ORDER_MEND)
        wire->cut = order == ORDER_CUT;
    if (order == ORDER_STALL || order == ORDER_MEND)
        wire->stalled = order == ORDER_STALL;
    return write(wire->orders, &wire->counts, sizeof(wire->counts)) == sizeof(wire->counts);
}

/* What there is to wait for on one socket of a pair. A socket with nothing to wait for is left out
 * altogether, because poll reports errors and hang-ups of any that it is given. */
static struct pollfd wish_of(const Wire *wire, const Pair *pair, int side)
{
    const Lane *in = &pair->lanes[side], *out = &pair->lanes[1 - side];
    struct pollfd wish = {.fd = pair->fds[side]};

    if (!in->ended && in->end == 0)
        wish.events |= POLLIN;
    if (out->start < out->end)
        wish.events |= POLLOUT;
    if (wire->stalled || !wish.events)
        wish.fd = -1;
    return wish;
}

static bool step(Wire *wire)
{
    struct pollfd wishes[2 + 2 * PROXY_PAIRS_MAX] = {
        {.fd = wire->orders, .events = POLLIN},
        {.fd = wire->listener, .events = POLLIN},
    };

    for (int i = 0; i < PROXY_PAIRS_MAX; i++)
        for (int side = 0; side < 2; side++)
            wishes[2 + 2 * i + side] = wish_of(wire, &wire->pairs[i], side);
    if (poll(wishes, sizeof(wishes) / sizeof(*wishes), -1) < 0)
        return errno == EINTR;
    if (wishes[0].revents)
        return obey(wire);
    for (int i = 0; i < PROXY_PAIRS_MAX; i++)
        if (wishes[2 + 2 * i].revents || wishes[3 + 2 * i].revents)
            serve(wire, &wire->pairs[i]);
    if (wishes[1].revents)
        accept_client(wire);
    return true;
}

/* Closes every file of the test's but the two of the wire: or a connection of the test's would stay
 * open here after the test has closed it. */
static void close_others(const Wire *wire)
{
    unsigned low = (unsigned)(wire->orders < wire->listener ? wire->orders : wire->listener);
    unsigned high = (unsigned)(wire->orders < wire->listener ? wire->listener : wire->orders);

    close_range(STDERR_FILENO + 1, low - 1, 0);
    close_range(low + 1, high - 1, 0);
    close_range(high + 1, UINT_MAX, 0);
}

static _Noreturn void run(Wire *wire, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    close_others(wire);
    wire->pairs = mmap(NULL,
        PROXY_PAIRS_MAX * sizeof(Pair),
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS,
        -1,
        0);
    if (wire->pairs == MAP_FAILED)
        _exit(1);
    for (int i = 0; i < PROXY_PAIRS_MAX; i++)
        wire->pairs[i].fds[0] = wire->pairs[i].fds[1] = -1;
    while (step(wire))
        ;
    drop_all(wire);
    _exit(0);
}

static int listen_anywhere(int *ret_port)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t len = sizeof(name);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0 && listen(fd, PROXY_BACKLOG) == 0
        && getsockname(fd, (struct sockaddr *)&name, &len) == 0) {
        *ret_port = ntohs(name.sin_port);
        return fd;
    }
    close(fd);
    return -1;
}

static Err *start(Arena *a, Wire *wire, Proxy *proxy)
{
    pid_t parent = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return err_failed(a, "cannot make a socket pair: %s", strerror(errno));
    wire->orders = ends[1];
    proxy->orders = ends[0];
    proxy->pid = fork();
    if (proxy->pid == 0)
        run(wire, parent);
    close(ends[1]);
    if (proxy->pid < 0) {
        close(ends[0]);
        return err_failed(a, "cannot fork the proxy: %s", strerror(errno));
    }
    return OK;
}

Err *proxy_open(Arena *a, const char *address, int port, Proxy **ret)
{
    Proxy *proxy = arena_new(a, Proxy);
    Wire wire = {.server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
    int own_port = 0;
    Err *err;

    if (inet_pton(AF_INET, address, &wire.server.sin_addr) != 1)
        return err_terminal(a, "%s is not an IPv4 address", address);
    wire.listener = listen_anywhere(&own_port);
    if (wire.listener < 0)
        return err_failed(a, "the proxy cannot listen: %s", strerror(errno));
    proxy->url = str_format(a, "https://127.0.0.1:%d", own_port);
    err = start(a, &wire, proxy);
    close(wire.listener);
    if (!err)
        *ret = proxy;
    return err;
}

void proxy_close(Proxy *proxy)
{
    int status;

    if (!proxy)
        return;
    close(proxy->orders);
    while (waitpid(proxy->pid, &status, 0) < 0 && errno == EINTR)
        ;
}

const char *proxy_url(const Proxy *proxy)
{
    return proxy->url;
}

static ProxyCounts command(Proxy *proxy, Order order)
{
    char byte = (char)order;
    ProxyCounts counts = {0};

    if (write(proxy->orders, &byte, 1) != 1
        || read(proxy->orders, &counts, sizeof(counts)) != sizeof(counts))
        BUG("the proxy is gone");
    return counts;
}

void proxy_drop(Proxy *proxy)
{
    command(proxy, ORDER_DROP);
}

void proxy_stall(Proxy *proxy)
{
    command(proxy, ORDER_STALL);
}

void proxy_cut(Proxy *proxy)
{
    command(proxy, ORDER_CUT);
}

void proxy_mend(Proxy *proxy)
{
    command(proxy, ORDER_MEND);
}

ProxyCounts proxy_counts(Proxy *proxy)
{
    return command(proxy, ORDER_COUNT);
}
