/* DescriptorShare: a sum. What one thing needs was counted in /proc/self/fd of a running operator:
 *
 *     an API connection   its socket, and two by which libcurl wakes itself
 *     a page              the listening socket, an epoll, an eventfd, and its guests
 *     a loop              an epoll, an eventfd, and two by which libcurl wakes itself */
#include "operator/descriptor_share.h"

#include "sei/sidecar/seids.h"
#include "sei/sidecar/sidecars.h"

#include <sys/resource.h>

enum {
    LIMIT_MAX = 65536, /* more is never used */
    STANDARD = 3,
    LOOPS = 2 * 4,         /* of watches, and of sidecars */
    PAGES = 2 * 3,         /* without guests */
    GUESTS_SPARE = 16,     /* that a page takes in to refuse them */
    GUESTS = 64,           /* of a page */
    GUESTS_WHEN_SHORT = 4, /* a kubelet, a Prometheus, and one more of each */
    API = 3,
    API_OTHERS = 4,   /* the leader, the events, who may read metrics, the end of the lease */
    WATCHES = 11 + 1, /* of a namespace, and one that is being opened anew */
    PASSING = 12,     /* files that are read, host names that are resolved */
    SIDECARS_WHEN_SHORT = 16, /* half of them may be silent */
    SIDECARS_LEAST = 2,       /* the same */
    SEIDS_WHEN_SHORT = 2,     /* the same */
    LEAST = 1,                /* of workers, of guests of a page */
    KEPT_PER_SIDECAR = 2,
};

int64_t descriptors_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return LIMIT_MAX;
    rlim_t wanted = limit.rlim_max < LIMIT_MAX ? limit.rlim_max : LIMIT_MAX;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur < LIMIT_MAX ? (int64_t)limit.rlim_cur : LIMIT_MAX;
}

/* Of everything but sidecars. */
static int reserve_of(const DescriptorShare *s, int guests)
{
    return s->seids + STANDARD + LOOPS + PAGES + 2 * (guests + GUESTS_SPARE)
        + API * (s->workers + API_OTHERS) + WATCHES * s->namespaces + PASSING;
}

static int at_most(int64_t value, int max)
{
    return value < max ? (int)value : max;
}

static int least_of(const DescriptorShare *s)
{
    DescriptorShare least = *s;

    least.workers = LEAST;
    least.seids = SEIDS_WHEN_SHORT;
    return reserve_of(&least, LEAST) + SIDECARS_LEAST;
}

static bool suffices(const DescriptorShare *s)
{
    return s->limit >= reserve_of(s, s->page_guests) + SIDECARS_WHEN_SHORT;
}

/* Fewer workers first: they only take longer. A page with fewer guests may refuse a Prometheus. */
static void shrink(DescriptorShare *s)
{
    s->page_guests = GUESTS_WHEN_SHORT;
    s->seids = SEIDS_WHEN_SHORT;
    while (s->workers > LEAST && !suffices(s))
        s->workers--;
    while (s->page_guests > LEAST && !suffices(s))
        s->page_guests--;
}

Err *descriptors_share(Arena *a, DescriptorShare *share)
{
    int least = least_of(share);

    if (share->limit < least)
        return err_terminal(a,
            "%lld file descriptors are allowed, and at least %d are needed for one worker and %d "
            "watched namespace%s: raise the limit (ulimit -n)",
            (long long)share->limit,
            least,
            share->namespaces,
            share->namespaces == 1 ? "" : "s");
    share->seids = SEIDS_FLIGHTS_MAX;
    share->is_short = share->limit < reserve_of(share, GUESTS) + SIDECARS_FLIGHTS_MAX;
    share->page_guests = GUESTS;
    if (share->is_short)
        shrink(share);
    int64_t left = share->limit - reserve_of(share, share->page_guests);
    share->sidecars = at_most(left, SIDECARS_FLIGHTS_MAX);
    share->sockets = share->seids + at_most(left, KEPT_PER_SIDECAR * SIDECARS_FLIGHTS_MAX);
    return OK;
}
