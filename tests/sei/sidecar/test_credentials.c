/* Tokens: asked for once, renewed in time, dropped when refused, and used to the end when the
 * server cannot give another one. */
#include "sei/sidecar/credentials.h"

#include "kube/kube.h"
#include "kube/timestamp.h"
#include "tests/test.h"

enum { HOUR_MS = 3600 * 1000 };

typedef struct Desk {
    Kube kube; /* first, so that the port is this */
    Ctx ctx;
    ManualClock clock;
    Credentials *credentials;
    int requests;
    int64_t life_ms;
    bool fails;
    const char *path, *body;
} Desk;

static Err *answer(Kube *self, Ctx *c, const Request *request, const Json **ret)
{
    Desk *d = (Desk *)self;
    char ends[TIMESTAMP_SIZE];

    d->requests++;
    if (d->fails)
        return err_retry(c->arena, "the server is away");
    then_ok(request_url(c->arena, request, &d->path));
    d->body = json_write(c->arena, request->body).data;
    timestamp_format(d->clock.wall_ns + d->life_ms * 1000000, ends);
    *ret = json_fixture(c->arena,
        str_format(c->arena,
            "{status: {token: 'token-%d', expirationTimestamp: '%s'}}",
            d->requests,
            ends));
    return OK;
}

static void desk_open(Desk *d)
{
    *d = (Desk){.kube = {.call = answer}, .life_ms = HOUR_MS};
    clock_manual_init(&d->clock, 1000000000, 1700000000000000000);
    d->ctx = (Ctx){.arena = arena_open(16 << 20), .kube = &d->kube, .clock = &d->clock.port};
    d->credentials = credentials_open(guard_none(), (Key){"sei-system", "sei-sidecar"});
}

static void desk_close(Desk *d)
{
    credentials_close(d->credentials);
    arena_close(d->ctx.arena);
}

static const char *get(Desk *d, const char *audience)
{
    const char *bearer = NULL;

    then_ok(credentials_get(&d->ctx, d->credentials, audience, &bearer));
    return bearer;
}

TEST(a_token_is_requested_once_per_audience)
{
    Desk d;
    desk_open(&d);

    then_str(get(&d, "sei-sidecar.a"), "token-1");
    then_str(d.path, "/api/v1/namespaces/sei-system/serviceaccounts/sei-sidecar/token");
    then_true(strstr(d.body, "\"audiences\":[\"sei-sidecar.a\"]"));
    then_true(strstr(d.body, "\"expirationSeconds\":3600"));
    then_str(get(&d, "sei-sidecar.a"), "token-1");
    then_str(get(&d, "sei-sidecar.b"), "token-2");
    then_str(get(&d, NULL), "token-3");
    then_true(!strstr(d.body, "audiences"));
    then_str(get(&d, NULL), "token-3");
    desk_close(&d);
}

TEST(a_token_is_renewed_at_80_percent_of_its_life)
{
    Desk d;
    desk_open(&d);

    then_str(get(&d, "a"), "token-1");
    clock_manual_advance_ms(&d.clock, HOUR_MS * 79 / 100);
    then_str(get(&d, "a"), "token-1");
    clock_manual_advance_ms(&d.clock, HOUR_MS * 2 / 100);
    then_str(get(&d, "a"), "token-2");
    then_str(get(&d, "a"), "token-2");
    desk_close(&d);
}

TEST(a_token_that_expires_earlier_than_requested_is_renewed_earlier)
{
    Desk d;
    desk_open(&d);
    d.life_ms = 600 * 1000;

    then_str(get(&d, "a"), "token-1");
    clock_manual_advance_ms(&d.clock, 500 * 1000);
    then_str(get(&d, "a"), "token-2");
    desk_close(&d);
}

TEST(a_token_that_cannot_be_renewed_is_used_until_it_expires)
{
    Desk d;
    const char *bearer;
    desk_open(&d);

    get(&d, "a");
    d.fails = true;
    clock_manual_advance_ms(&d.clock, HOUR_MS * 85 / 100);
    then_str(get(&d, "a"), "token-1");
    then_str(get(&d, "a"), "token-1"); /* and nobody asks again at once */
    then_int(d.requests, 2);
    clock_manual_advance_ms(&d.clock, 31 * 1000);
    then_str(get(&d, "a"), "token-1");
    then_int(d.requests, 3);
    clock_manual_advance_ms(&d.clock, HOUR_MS * 10 / 100);
    then_err(credentials_get(&d.ctx, d.credentials, "a", &bearer), RETRY("a token for sidecars"));
    desk_close(&d);
}

static void drop(Desk *d, const char *audience, const char *bearer)
{
    credentials_drop(d->credentials, audience, bearer, clock_mono_ms(&d->clock.port));
}

/* Who refuses every token does not make us ask for one at every look. */
TEST(a_young_token_is_kept_although_the_sidecar_refused_it)
{
    Desk d;
    desk_open(&d);

    get(&d, "a");
    for (int i = 0; i < 100; i++) {
        clock_manual_advance_ms(&d.clock, CREDENTIALS_YOUNG_MS / 10);
        drop(&d, "a", get(&d, "a"));
    }
    get(&d, "a");
    then_int(d.requests, 10);
    desk_close(&d);
}

TEST(only_the_refused_token_is_dropped)
{
    Desk d;
    desk_open(&d);

    get(&d, "a");
    clock_manual_advance_ms(&d.clock, CREDENTIALS_YOUNG_MS);
    drop(&d, "a", "token-0");
    drop(&d, "b", "token-1");
    drop(&d, NULL, "token-1");
    then_str(get(&d, "a"), "token-1");
    drop(&d, "a", "token-1");
    then_str(get(&d, "a"), "token-2");
    desk_close(&d);
}

TEST(a_wrong_clock_neither_keeps_an_expired_token_nor_renews_it_on_every_use)
{
    static const struct {
        const char *name;
        int64_t life_ms, good_ms, renewed_ms;
    } cases[] = {
        {"the server's clock is behind", -HOUR_MS, 40 * 1000, 59 * 1000},
        {"the server's clock is ahead", 1000 * (int64_t)HOUR_MS, HOUR_MS, 20 * (int64_t)HOUR_MS},
    };

    each_case(i, cases) {
        Desk d;
        desk_open(&d);
        d.life_ms = cases[i].life_ms;
        get(&d, "a");
        clock_manual_advance_ms(&d.clock, cases[i].good_ms);
        then_str(get(&d, "a"), "token-1");
        clock_manual_advance_ms(&d.clock, cases[i].renewed_ms - cases[i].good_ms);
        then_str(get(&d, "a"), "token-2");
        desk_close(&d);
    }
}

TEST(more_audiences_than_the_maximum_evict_others)
{
    Desk d;
    desk_open(&d);

    for (int i = 0; i <= CREDENTIALS_MAX; i++)
        get(&d, str_format(d.ctx.arena, "audience-%d", i));
    then_str(get(&d, str_format(d.ctx.arena, "audience-%d", CREDENTIALS_MAX)), "token-1025");
    desk_close(&d);
}
