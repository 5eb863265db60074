/* File descriptors: what is set aside, and what is left for sidecars. */
#include "operator/descriptor_share.h"
#include "sei/sidecar/sidecars.h"
#include "tests/test.h"

#include <sys/resource.h>

static const struct {
    const char *name;
    DescriptorShare given;
    const char *refusal; /* or: */
    int workers, page_guests, sidecars, seids, sockets;
    bool is_short;
} cases[] = {
    {"plenty",
        {.limit = 1024, .workers = 4, .namespaces = 1},
        .workers = 4,
        .page_guests = 64,
        .sidecars = 64,
        .seids = 16,
        .sockets = 144},
    {"enough", {.limit = 305, .workers = 4, .namespaces = 1}, NULL, 4, 64, 64, 16, 80},
    {"too few for all sidecars at once",
        {.limit = 304, .workers = 4, .namespaces = 1},
        .workers = 4,
        .page_guests = 4,
        .sidecars = 64,
        .seids = 2,
        .sockets = 130,
        .is_short = true},
    {"just enough for all workers",
        {.limit = 123, .workers = 4, .namespaces = 1},
        .workers = 4,
        .page_guests = 4,
        .sidecars = 16,
        .seids = 2,
        .sockets = 18,
        .is_short = true},
    {"one worker fewer",
        {.limit = 122, .workers = 4, .namespaces = 1},
        .workers = 3,
        .page_guests = 4,
        .sidecars = 18,
        .seids = 2,
        .sockets = 20,
        .is_short = true},
    {"many workers and namespaces",
        {.limit = 162, .workers = 8, .namespaces = 5},
        .workers = 1,
        .page_guests = 4,
        .sidecars = 16,
        .seids = 2,
        .sockets = 18,
        .is_short = true},
    {"fewer connections",
        {.limit = 112, .workers = 4, .namespaces = 1},
        .workers = 1,
        .page_guests = 3,
        .sidecars = 16,
        .seids = 2,
        .sockets = 18,
        .is_short = true},
    {"the least",
        {.limit = 94, .workers = 4, .namespaces = 1},
        .workers = 1,
        .page_guests = 1,
        .sidecars = 2,
        .seids = 2,
        .sockets = 4,
        .is_short = true},
    {"too few",
        {.limit = 93, .workers = 4, .namespaces = 1},
        "93 file descriptors are allowed, and at least 94 are needed for one worker and 1 watched "
        "namespace: raise the limit (ulimit -n)"},
    {"too few for many namespaces",
        {.limit = 141, .workers = 8, .namespaces = 5},
        "at least 142 are needed for one worker and 5 watched namespaces"},
};

TEST(sidecar_connections_get_the_remaining_file_descriptors)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 16);
        DescriptorShare share = cases[i].given;
        Err *err = descriptors_share(a, &share);

        if (cases[i].refusal) {
            then_err(err, str_format(a, "terminal: %s", cases[i].refusal));
            continue;
        }
        then_ok(err);
        then_int(share.workers, cases[i].workers);
        then_int(share.page_guests, cases[i].page_guests);
        then_int(share.sidecars, cases[i].sidecars);
        then_int(share.seids, cases[i].seids);
        then_int(share.sockets, cases[i].sockets);
        then_int(share.is_short, cases[i].is_short);
    }
}

TEST(the_soft_limit_of_open_files_is_raised_to_the_hard_limit)
{
    struct rlimit before, now;

    then_int(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit lower = {.rlim_cur = 64, .rlim_max = before.rlim_max};
    then_int(setrlimit(RLIMIT_NOFILE, &lower), 0);
    int64_t limit = descriptors_raise();
    then_int(getrlimit(RLIMIT_NOFILE, &now), 0);
    then_true(now.rlim_cur > 64);
    then_int(now.rlim_cur, limit);
    then_true(now.rlim_cur == before.rlim_max || now.rlim_cur == 65536);
    then_int(setrlimit(RLIMIT_NOFILE, &before), 0);
}
