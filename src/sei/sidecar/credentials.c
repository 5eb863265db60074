/* Credentials: tokens by audience.
 *
 * A token that is due for renewal is still good: whoever asks first renews it, the others go on
 * with the old one, and so does everybody when the renewal fails. Ages are those of the monotonic
 * clock: a wall clock that steps makes no token older. */
#include "sei/sidecar/credentials.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/kube.h"
#include "kube/timestamp.h"

#include <string.h>

enum {
    LIFE_S = 3600,
    LIFE_MIN_MS = 60 * 1000, /* whatever two clocks make of it */
    LIFE_MAX_MS = 24 * 3600 * 1000,
    RENEW_PERCENT = 80,
    GRACE_PERCENT = 95, /* so old it is not used any more: an exchange takes its time, too */
    RENEWAL_MS = 30000, /* nobody else tries meanwhile */
};

typedef struct Credential {
    size_t size; /* of all of it */
    int64_t made_ms, renew_ms, end_ms;
    const char *bearer;
    char audience[]; /* and the bearer behind it */
} Credential;

struct Credentials {
    Arena *home;
    Guard *guard;
    Key account;
    Slab *slab;
    Map *by_audience;
};

Credentials *credentials_open(Guard *guard, Key service_account)
{
    Arena *home = arena_open(1 << 16);
    Credentials *k = arena_new(home, Credentials);

    *k = (Credentials){
        .home = home,
        .guard = guard,
        .account = key_copy(home, service_account),
        .slab = slab_open(),
        .by_audience = map_open(CREDENTIALS_MAX),
    };
    return k;
}

static void discard(Credentials *k, Credential *c)
{
    if (!c)
        return;
    map_remove(k->by_audience, c->audience);
    size_t size = c->size;
    explicit_bzero(c, size);
    slab_free(k->slab, c, size);
}

void credentials_close(Credentials *k)
{
    size_t cursor = 0;

    if (!k)
        return;
    for (Credential *c; (c = map_next(k->by_audience, &cursor));)
        discard(k, c);
    map_close(k->by_audience);
    slab_close(k->slab);
    arena_close(k->home);
}

/* One makes room for another; which one hardly matters: it is asked for anew. */
static void make_room(Credentials *k)
{
    size_t cursor = 0;

    if (map_count(k->by_audience) >= CREDENTIALS_MAX)
        discard(k, map_next(k->by_audience, &cursor));
}

static void store(
    Credentials *k, const char *audience, const char *bearer, int64_t life_ms, int64_t now_ms)
{
    size_t audience_size = strlen(audience) + 1, bearer_size = strlen(bearer) + 1;
    size_t size = sizeof(Credential) + audience_size + bearer_size;

    discard(k, map_find(k->by_audience, audience));
    make_room(k);
    Credential *c = slab_alloc(k->slab, size);
    *c = (Credential){
        .size = size,
        .made_ms = now_ms,
        .renew_ms = now_ms + life_ms * RENEW_PERCENT / 100,
        .end_ms = now_ms + life_ms * GRACE_PERCENT / 100,
        .bearer = c->audience + audience_size,
    };
    memcpy(c->audience, audience, audience_size);
    memcpy(c->audience + audience_size, bearer, bearer_size);
    if (!map_put(k->by_audience, c->audience, c))
        BUG("there was no room after all");
}

/* A token that is good; NULL when one has to be asked for. *ret_fallback is one that may still be
 * used when that fails. */
static const char *find(
    Credentials *k, Arena *a, const char *audience, int64_t now_ms, const char **ret_fallback)
{
    const char *bearer = NULL;

    guard_enter(k->guard);
    Credential *c = map_find(k->by_audience, audience);
    if (c && now_ms < c->end_ms)
        bearer = str_copy(a, c->bearer);
    *ret_fallback = bearer;
    if (bearer && now_ms >= c->renew_ms) {
        c->renew_ms = now_ms + RENEWAL_MS;
        bearer = NULL;
    }
    guard_leave(k->guard);
    return bearer;
}

static int64_t life_of(Ctx *c, const Json *status)
{
    int64_t ends_ns = 0, life_ms = LIFE_S * 1000;

    if (timestamp_parse(json_str(status, ".expirationTimestamp"), &ends_ns))
        life_ms = ends_ns / 1000000 - clock_wall_ms(c->clock);
    if (life_ms < LIFE_MIN_MS)
        return LIFE_MIN_MS;
    return life_ms < LIFE_MAX_MS ? life_ms : LIFE_MAX_MS;
}

Err *credentials_get(Ctx *c, Credentials *k, const char *audience, const char **ret_bearer)
{
    const char *name = audience ? audience : "", *fallback;
    const Json *status;
    int64_t now = clock_mono_ms(c->clock);

    *ret_bearer = find(k, c->arena, name, now, &fallback);
    if (*ret_bearer)
        return OK;
    Err *err = kube_create_token(
        c, k->account, (TokenOptions){.audience = audience, .expiration_seconds = LIFE_S}, &status);
    if (err && !fallback)
        return err_wrap(c->arena, err, "a token for sidecars");
    if (err) {
        *ret_bearer = fallback;
        return OK;
    }
    *ret_bearer = json_str(status, ".token");
    guard_enter(k->guard);
    store(k, name, *ret_bearer, life_of(c, status), now);
    guard_leave(k->guard);
    return OK;
}

void credentials_drop(Credentials *k, const char *audience, const char *bearer, int64_t now_mono_ms)
{
    guard_enter(k->guard);
    Credential *c = map_find(k->by_audience, audience ? audience : "");
    if (c && str_eq(c->bearer, bearer) && now_mono_ms - c->made_ms >= CREDENTIALS_YOUNG_MS)
        discard(k, c);
    guard_leave(k->guard);
}
