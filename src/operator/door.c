/* Door: two questions to the API server, and a short memory. */
#include "operator/door.h"

#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"

#include <string.h>

enum { DOOR_ARENA_MAX = 1 << 20, COMPLAINT_PAUSE_MS = 60000, SECOND_MS = 1000 };

/* An answer. */
typedef struct Memory {
    char question[SHA256_HEX_SIZE];
    int status;
    int64_t until_ms;
} Memory;

struct Door {
    Arena *own;
    DoorOptions options;
    Api *api;
    Memory memories[DOOR_MEMORY];
    size_t next;                    /* to be overwritten */
    int64_t second_ms, complain_ms; /* when this second began; when to complain again */
    int reviews;                    /* in this second */
};

Door *door_open(const DoorOptions *options)
{
    Arena *own = arena_open(1 << 16);
    Door *d = arena_new(own, Door);

    d->own = own;
    d->options = *options;
    d->api = options->transport->open_api(options->transport);
    return d;
}

void door_close(Door *d)
{
    if (!d)
        return;
    d->options.transport->close_api(d->options.transport, d->api);
    arena_close(d->own);
}

/* --- the questions ----------------------------------------------------------------------------
 */

static Err *ask(Door *d, Arena *a, const Kind *kind, const Json *body, const Json **ret)
{
    Request create = {
        .verb = VERB_CREATE, .kind = kind, .body = body, .deadline_ms = DOOR_DEADLINE_MS};

    return api_call(d->api, a, &create, ret);
}

static const Json *token_question(Arena *a, const char *token)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "authentication.k8s.io/v1"),
            str("kind", "TokenReview"),
            obj("spec", str("token", token))));
}

static const Json *access_question(Arena *a, const Json *user, const char *path)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "authorization.k8s.io/v1"),
            str("kind", "SubjectAccessReview"),
            obj("spec",
                draft_json("user", json_find(user, ".username")),
                draft_json("groups", json_find(user, ".groups")),
                draft_json("uid", json_find(user, ".uid")),
                draft_json("extra", json_find(user, ".extra")),
                obj("nonResourceAttributes", str("path", path), str("verb", "get")))));
}

/* 200, 401 or 403. */
static Err *review(Door *d, Arena *a, const char *path, const char *token, int *ret)
{
    const Json *who = NULL, *may = NULL;

    TRY(ask(d, a, kind_token_review, token_question(a, token), &who));
    const Json *user = json_find(who, ".status.user");
    *ret = 401;
    if (!json_bool(who, ".status.authenticated", false) || str_empty(json_str(user, ".username")))
        return OK;
    TRY(ask(d, a, kind_access_review, access_question(a, user, path), &may));
    *ret = json_bool(may, ".status.allowed", false) ? 200 : 403;
    return OK;
}

/* --- what is remembered ------------------------------------------------------------------------
 */

static Memory *find(Door *d, const char *question)
{
    for (size_t i = 0; i < DOOR_MEMORY; i++)
        if (str_eq(d->memories[i].question, question))
            return &d->memories[i];
    return NULL;
}

/* The place of the question, else the oldest of those that may go. Who is refused takes no place
 * from who was admitted lately: nobody is locked out by somebody who tries tokens. */
static Memory *find_place(Door *d, const char *question, int status, int64_t now_ms)
{
    Memory *place = find(d, question);

    for (size_t i = 0; i < DOOR_MEMORY && !place; i++) {
        Memory *m = &d->memories[d->next++ % DOOR_MEMORY];
        if (status == 200 || m->status != 200 || m->until_ms + DOOR_KNOWN_MS <= now_ms)
            place = m;
    }
    return place;
}

static void remember(Door *d, const char *question, int status, int64_t now_ms)
{
    Memory *m = find_place(d, question, status, now_ms);

    if (!m)
        return;
    memcpy(m->question, question, sizeof m->question);
    m->status = status;
    m->until_ms = now_ms + (status == 200 ? DOOR_ADMITTED_MS : DOOR_REFUSED_MS);
}

static bool may_ask(Door *d, int64_t now_ms)
{
    if (now_ms - d->second_ms >= SECOND_MS) {
        d->second_ms = now_ms;
        d->reviews = 0;
    }
    return d->reviews++ < DOOR_REVIEWS_MAX;
}

static void complain(Door *d, const char *why, int64_t now_ms)
{
    if (now_ms < d->complain_ms)
        return;
    d->complain_ms = now_ms + COMPLAINT_PAUSE_MS;
    log_warn(d->options.log, "cannot say who may read the metrics", log_str("error", why));
}

/* --- the answer --------------------------------------------------------------------------------
 */

static int judge(Door *d, Arena *a, const char *path, const char *token)
{
    char question[SHA256_HEX_SIZE];
    int64_t now_ms = clock_mono_ms(d->options.clock);
    int status;

    sha256_hex(bytes_of(str_format(a, "%s\n%s", path, token)), question);
    const Memory *known = find(d, question);
    if (known && known->until_ms > now_ms)
        return known->status;
    bool was_admitted = known && known->status == 200;
    if (!was_admitted && !may_ask(d, now_ms))
        return 429;
    Err *err = review(d, a, path, token, &status);
    if (err) {
        complain(d, err_text(a, err), now_ms);
        return 503;
    }
    remember(d, question, status, now_ms);
    return status;
}

static const char *why_not(int status)
{
    switch (status) {
    case 401:
        return "a bearer token is needed that the API server knows\n";
    case 403:
        return "this account may not get the path: a ClusterRole with nonResourceURLs gives that\n";
    case 429:
        return "too many tokens are being asked about: try again in a second\n";
    default:
        return "the API server does not say who this is: see the operator's log\n";
    }
}

bool door_admit(void *door, const char *path, const char *bearer, Reply *reply)
{
    SCOPED_ARENA a = arena_open(DOOR_ARENA_MAX);
    int status = bearer ? judge(door, a, path, bearer) : 401;

    if (status == 200)
        return true;
    reply->status = status;
    if (!buf_format(&reply->body, "%s", why_not(status)))
        BUG("a reply has no room for a line");
    return false;
}
