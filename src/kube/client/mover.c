/* Mover: libcurl's sockets in one epoll, its time in one number. */
#include "kube/client/mover.h"

#include "base/clock.h"
#include "base/err.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { READY_MAX = 64, NAP_MAX_MS = 60 * 60 * 1000 };

static void must_multi(CURLMcode code)
{
    if (code)
        BUG(curl_multi_strerror(code));
}

static int64_t now_ms(void)
{
    return clock_mono_ms(clock_system());
}

/* --- what libcurl calls --- */

/* A socket may have been closed without a word, and another may have got its number: so none is
 * believed to be known or unknown, and one that cannot be forgotten is gone already. One that could
 * not be waited for would never move again. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *ignored)
{
    const Mover *m = self;
    bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
    bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    struct epoll_event wish = {
        .events = (reads ? EPOLLIN : 0u) | (writes ? EPOLLOUT : 0u),
        .data.fd = fd,
    };

    (void)easy, (void)ignored;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(m->sockets, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    if (epoll_ctl(m->sockets, EPOLL_CTL_MOD, fd, &wish)
        && (errno != ENOENT || epoll_ctl(m->sockets, EPOLL_CTL_ADD, fd, &wish)))
        BUG("a socket cannot be waited for");
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *self)
{
    Mover *m = self;

    (void)multi;
    m->due_ms = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
    return 0;
}

/* --- open and close --- */

void mover_open(Mover *m)
{
    struct epoll_event bell = {.events = EPOLLIN};

    *m = (Mover){
        .multi = curl_multi_init(),
        .sockets = epoll_create1(EPOLL_CLOEXEC),
        .bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .due_ms = INT64_MAX,
    };
    bell.data.fd = m->bell;
    if (!m->multi || m->sockets < 0 || m->bell < 0
        || epoll_ctl(m->sockets, EPOLL_CTL_ADD, m->bell, &bell))
        BUG("no memory or no file descriptors for connections");
    must_multi(curl_multi_setopt(m->multi, CURLMOPT_SOCKETFUNCTION, on_socket));
    must_multi(curl_multi_setopt(m->multi, CURLMOPT_SOCKETDATA, m));
    must_multi(curl_multi_setopt(m->multi, CURLMOPT_TIMERFUNCTION, on_timer));
    must_multi(curl_multi_setopt(m->multi, CURLMOPT_TIMERDATA, m));
}

void mover_close(Mover *m)
{
    curl_multi_cleanup(m->multi); /* may still call on_socket */
    close(m->bell);
    close(m->sockets);
}

/* --- moving --- */

static void quiet_bell(const Mover *m)
{
    eventfd_t rung;

    (void)eventfd_read(m->bell, &rung);
}

/* One that another transfer has closed meanwhile is unknown to libcurl, which then does nothing. */
static void act(const Mover *m, const struct epoll_event *ready)
{
    int running, bits = 0;

    if (ready->events & EPOLLIN)
        bits |= CURL_CSELECT_IN;
    if (ready->events & EPOLLOUT)
        bits |= CURL_CSELECT_OUT;
    if (ready->events & (EPOLLERR | EPOLLHUP))
        bits |= CURL_CSELECT_ERR;
    must_multi(curl_multi_socket_action(m->multi, ready->data.fd, bits, &running));
}

static void keep_time(Mover *m)
{
    int running;

    if (m->due_ms > now_ms())
        return;
    m->due_ms = INT64_MAX; /* it says anew when it wants to be called */
    must_multi(curl_multi_socket_action(m->multi, CURL_SOCKET_TIMEOUT, 0, &running));
}

static int nap_ms(const Mover *m, int64_t timeout_ms)
{
    int64_t left = m->due_ms == INT64_MAX ? NAP_MAX_MS : m->due_ms - now_ms();
    int64_t nap = left < timeout_ms ? left : timeout_ms;

    return (int)(nap < 0 ? 0 : nap < NAP_MAX_MS ? nap : NAP_MAX_MS);
}

void mover_move(Mover *m, int64_t timeout_ms)
{
    struct epoll_event ready[READY_MAX];
    int count = epoll_wait(m->sockets, ready, READY_MAX, nap_ms(m, timeout_ms));

    for (int i = 0; i < count; i++)
        if (ready[i].data.fd == m->bell)
            quiet_bell(m);
        else
            act(m, &ready[i]);
    keep_time(m);
}

void mover_wake(Mover *m)
{
    (void)eventfd_write(m->bell, 1);
}
