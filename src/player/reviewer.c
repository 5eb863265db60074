/* Reviewer: a TokenReview and then a SubjectAccessReview. Tokens are remembered as hashes. */
#include "player/reviewer.h"

#include "base/draft.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { ARENA_MAX = 1 << 20 };

typedef struct Memory {
    char question[SHA256_HEX_SIZE];
    char user[sizeof((SidecarReview *)0)->user];
    int64_t until_ms;
} Memory;

struct Reviewer {
    Slab *slab;
    Api *api;
    Clock *clock;
    Memory memories[REVIEWER_MEMORY];
    size_t next;
};

Reviewer *reviewer_open(Api *api, Clock *clock)
{
    Slab *slab = slab_open();
    Reviewer *r = slab_alloc(slab, sizeof *r);

    memset(r, 0, sizeof *r);
    r->slab = slab;
    r->api = api;
    r->clock = clock;
    return r;
}

void reviewer_close(Reviewer *r)
{
    if (r)
        slab_close(r->slab);
}

static Draft *split(Arena *a, const char *commas)
{
    Draft *list = draft_array(a);

    for (const char *at = commas; *at; at += strcspn(at, ","), at += *at == ',')
        draft_push_str(list, str_slice(a, at, strcspn(at, ",")));
    return list;
}

static Err *review_token(Reviewer *r, Arena *a, const SidecarReview *ask, const Json **ret)
{
    const Json *body = json_seal(a,
        draft(a,
            str("apiVersion", "authentication.k8s.io/v1"),
            str("kind", "TokenReview"),
            obj("spec",
                str("token", ask->token),
                sub("audiences", ask->audiences ? split(a, ask->audiences) : NULL))));
    Request create = {.verb = VERB_CREATE, .kind = kind_token_review, .body = body};

    return api_call(r->api, a, &create, ret);
}

static Err *review_access(
    Reviewer *r, Arena *a, const SidecarReview *ask, const Json *user, const Json **ret)
{
    const Json *body = json_seal(a,
        draft(a,
            str("apiVersion", "authorization.k8s.io/v1"),
            str("kind", "SubjectAccessReview"),
            obj("spec",
                draft_json("user", json_find(user, ".username")),
                draft_json("groups", json_find(user, ".groups")),
                draft_json("uid", json_find(user, ".uid")),
                obj("resourceAttributes",
                    str("group", "sei.io"),
                    str("resource", "seinodetasks"),
                    str("verb", ask->verb),
                    str("namespace", ask->namespace),
                    str("name", ask->name)))));
    Request create = {.verb = VERB_CREATE, .kind = kind_access_review, .body = body};

    return api_call(r->api, a, &create, ret);
}

static SidecarVerdict ask_server(Reviewer *r, Arena *a, SidecarReview *review)
{
    const Json *token = NULL, *access = NULL;

    if (review_token(r, a, review, &token) || !json_bool(token, ".status.authenticated", false))
        return VERDICT_UNAUTHENTICATED;
    const Json *user = json_find(token, ".status.user");
    const char *name = json_str(user, ".username");
    snprintf(review->user, sizeof review->user, "%s", name ? name : "");
    if (review_access(r, a, review, user, &access))
        return VERDICT_ERROR;
    return json_bool(access, ".status.allowed", false) ? VERDICT_ALLOWED : VERDICT_DENIED;
}

SidecarVerdict reviewer_ask(void *reviewer, SidecarReview *review)
{
    Reviewer *r = reviewer;
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    char question[SHA256_HEX_SIZE];
    int64_t now_ms = clock_mono_ms(r->clock);
    const char *audiences = review->audiences ? review->audiences : "";

    sha256_hex(bytes_of(str_format(a,
                   "%s\n%s\n%s\n%s/%s",
                   review->token,
                   audiences,
                   review->verb,
                   review->namespace,
                   review->name)),
        question);
    for (size_t i = 0; i < REVIEWER_MEMORY; i++) {
        const Memory *m = &r->memories[i];
        if (m->until_ms > now_ms && str_eq(m->question, question)) {
            memcpy(review->user, m->user, sizeof review->user);
            return VERDICT_ALLOWED;
        }
    }
    SidecarVerdict verdict = ask_server(r, a, review);
    if (verdict == VERDICT_ALLOWED) {
        Memory *m = &r->memories[r->next++ % REVIEWER_MEMORY];
        memcpy(m->question, question, sizeof m->question);
        memcpy(m->user, review->user, sizeof m->user);
        m->until_ms = now_ms + REVIEWER_KEEPS_MS;
    }
    return verdict;
}
