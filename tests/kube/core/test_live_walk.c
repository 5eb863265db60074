/* The live walk: every object of a LIST is shown, whatever the pages are like, in the memory of one
 * page. */
#include "kube/kube.h"

#include "base/draft.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "tests/test.h"

#include <string.h>

enum { CALLER_ARENA_MAX = 256 << 10, FILLING = 4000, OBJECTS_MAX = 5000 };

/* A server with objects "0" to "count - 1". */
typedef struct PagedServer {
    Kube port;
    size_t count;
    int64_t fits;             /* objects in one answer; 0: any number */
    size_t filling;           /* bytes of text in each object */
    int calls, expires_at;    /* the call that finds its token expired; counted from 1 */
    bool always_expires;      /* every call with a token does */
    bool is_no_list, repeats; /* answers without items; gives the same token again */
    int64_t least_limit;      /* that it was asked for */
} PagedServer;

static Err *err_too_large(Arena *a)
{
    Err *err = err_terminal(a, "JSON has more than 1048576 values");

    err->too_large = true;
    return err;
}

static Err *err_expired(Arena *a, const Request *q)
{
    Answer answer = {.status = 410,
        .body = json_fixture(a, "{kind: 'Status', reason: 'Expired', message: 'too old'}")};

    return status_err(a, q, &answer);
}

static const Json *page_from(PagedServer *s, Arena *a, size_t first, int64_t limit)
{
    Draft *items = draft_array(a), *metadata = draft(a, str("resourceVersion", "1"));
    size_t end = first + (size_t)limit < s->count ? first + (size_t)limit : s->count;

    for (size_t i = first; i < end; i++) {
        char *filling = arena_alloc(a, s->filling + 1);
        memset(filling, 'x', s->filling);
        draft_push(items,
            draft(a, obj("metadata", str("name", str_format(a, "%zu", i))), str("data", filling)));
    }
    if (end < s->count)
        draft_set(metadata, str("continue", str_format(a, "from-%zu", s->repeats ? 1 : end)));
    return json_seal(
        a, draft(a, sub("metadata", metadata), sub(s->is_no_list ? "other" : "items", items)));
}

static size_t number_in(const char *text)
{
    int64_t number;

    then_true(str_to_int(text, &number));
    return (size_t)number;
}

static Err *serve_page(Kube *self, Ctx *c, const Request *q, const Json **ret)
{
    PagedServer *s = (PagedServer *)(void *)self;
    size_t first = q->continue_key ? number_in(q->continue_key + strlen("from-")) : 0;

    then_true(q->limit > 0);
    if (!s->least_limit || q->limit < s->least_limit)
        s->least_limit = q->limit;
    if (++s->calls == s->expires_at || (s->always_expires && q->continue_key))
        return err_expired(c->arena, q);
    if (s->fits && q->limit > s->fits)
        return err_too_large(c->arena);
    *ret = page_from(s, c->arena, first, q->limit);
    return arena_err(c->arena);
}

/* Counts how often each object is shown. */
typedef struct Tally {
    Walker port; /* first, so that the port is this */
    int seen[OBJECTS_MAX];
    size_t last; /* after which it is done; 0: never */
} Tally;

static void see(Walker *self, const Json *object)
{
    Tally *tally = (Tally *)(void *)self;
    size_t number = number_in(meta_name(object));

    tally->seen[number]++;
    self->is_done = tally->last && number == tally->last;
}

static Err *when_walked(PagedServer *s, Arena *a, Tally *tally)
{
    Ctx c = {.arena = a, .kube = &s->port};
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key = {.namespace = "sei"}};

    s->port.call = serve_page;
    tally->port.see = see;
    return kube_walk_live(&c, &list, &tally->port);
}

static const struct {
    const char *name;
    PagedServer server;
    int least_seen, most_seen;
    Want want;
} walks[] = {
    {"a server without objects", {.count = 0}},
    {"one page", {.count = 3}, 1, 1},
    {"many pages of large objects", {.count = OBJECTS_MAX, .filling = FILLING}, 1, 1},
    {"pages that are too large until they are small", {.count = 400, .fits = 7}, 1, 1},
    {"objects that come one by one", {.count = 20, .fits = 1}, 1, 1},
    {"a token that expires", {.count = 600, .expires_at = 3}, 1, 2},
    {"a small page that expires", {.count = 600, .fits = 125, .expires_at = 4}, 1, 2},
    {"tokens that always expire",
        {.count = 600, .always_expires = true},
        .want = RETRY("listing pods: list pods sei/: too old (410 Expired)")},
    {"an answer without items",
        {.count = 1, .is_no_list = true},
        .want = RETRY("listing pods: the answer is no list")},
    {"a page that leads to itself",
        {.count = 600, .repeats = true},
        .want = RETRY("a page continues with itself")},
};

TEST(a_live_walk_visits_every_object_whatever_the_page_sizes_are)
{
    each_case(i, walks) {
        SCOPED_ARENA a = arena_open(CALLER_ARENA_MAX);
        PagedServer server = walks[i].server;
        Tally tally = {0};

        then_err(when_walked(&server, a, &tally), walks[i].want);
        for (size_t k = 0; !walks[i].want && k < server.count; k++)
            then_true(tally.seen[k] >= walks[i].least_seen && tally.seen[k] <= walks[i].most_seen);
        if (server.fits)
            then_true(server.least_limit <= server.fits && server.least_limit > server.fits / 2);
    }
}

/* 20 MB pass, and the caller's memory does not grow with them. */
TEST(a_live_walk_needs_no_memory_of_its_caller)
{
    SCOPED_ARENA a = arena_open(CALLER_ARENA_MAX);
    PagedServer server = {.count = OBJECTS_MAX, .filling = FILLING};
    Tally tally = {0};

    then_ok(when_walked(&server, a, &tally));
    then_true(arena_used(a) < 4096);
}

TEST(an_object_that_no_answer_can_hold_ends_the_walk_with_the_error_of_the_server)
{
    SCOPED_ARENA a = arena_open(CALLER_ARENA_MAX);
    PagedServer server = {.count = 2, .fits = -1};
    Tally tally = {0};

    then_err(when_walked(&server, a, &tally), TERMINAL("JSON has more than"));
    then_int(server.least_limit, 1);
}

TEST(a_live_walk_ends_as_soon_as_the_walker_is_done)
{
    SCOPED_ARENA a = arena_open(CALLER_ARENA_MAX);
    PagedServer server = {.count = 1000};
    Tally tally = {.last = 300};

    then_ok(when_walked(&server, a, &tally));
    then_int(server.calls, 2);
    then_int(tally.seen[300], 1);
    then_int(tally.seen[301], 0);
}
