/* Token: "namespace/name/uid/expires/audiences/secret", each part escaped as in a URL. */
#include "world/token.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/request.h"

#include <stdio.h>
#include <string.h>

enum { PARTS = 6, TOKEN_MAX = 4096 };

static const char own_audience[] = "https://kubernetes.default.svc";

typedef struct Parts {
    const char *namespace, *name, *uid, *expires, *audiences, *secret;
} Parts;

static const char *join(Arena *a, const Json *audiences)
{
    const char *all = NULL;
    const Json *audience;

    json_each(audience, audiences)
        if (json_text(audience))
            all = all ? str_format(a, "%s,%s", all, json_text(audience)) : json_text(audience);
    return all ? all : own_audience;
}

const char *token_make(Arena *a, const TokenGrant *grant)
{
    return str_format(a,
        "%s/%s/%s/%lld/%s/%s",
        meta_namespace(grant->account),
        meta_name(grant->account),
        meta_uid(grant->account),
        (long long)grant->expires_ns,
        request_escape(a, join(a, grant->audiences)),
        grant->secret);
}

/* Undoes request_escape. */
static const char *unescape(Arena *a, const char *text)
{
    size_t len = strlen(text), count = 0;
    char *plain = arena_array(a, char, len + 1);

    for (size_t i = 0; i < len; i++) {
        unsigned byte = (unsigned char)text[i];
        if (byte == '%' && i + 2 < len && sscanf(text + i + 1, "%2x", &byte) == 1)
            i += 2;
        plain[count++] = (char)byte;
    }
    return plain;
}

static bool split(Arena *a, const char *token, Parts *ret)
{
    const char *parts[PARTS];

    if (strlen(token) > TOKEN_MAX)
        return false;
    for (size_t i = 0; i < PARTS; i++) {
        size_t len = strcspn(token, "/");
        parts[i] = str_slice(a, token, len);
        if (!len || (token[len] == '\0') != (i == PARTS - 1))
            return false;
        token += len + (token[len] == '/');
    }
    *ret = (Parts){parts[0], parts[1], parts[2], parts[3], unescape(a, parts[4]), parts[5]};
    return true;
}

/* Two comma separated lists have something in common. */
static bool meet(const char *left, const char *right)
{
    for (const char *at = left; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t len = strcspn(at, ",");
        for (const char *b = right; *b; b += strcspn(b, ","), b += *b == ',')
            if (strcspn(b, ",") == len && strncmp(at, b, len) == 0)
                return true;
    }
    return false;
}

static bool account_exists(World *w, Arena *a, const Parts *parts)
{
    Answer answer = {0};
    Request get = {
        .verb = VERB_GET, .kind = kind_serviceaccount, .key = {parts->namespace, parts->name}};

    server_call(world_server(w), a, "system:apiserver", &get, &answer);
    return answer.status == 200 && str_eq(meta_uid(answer.body), parts->uid);
}

SidecarVerdict token_review(void *world, SidecarReview *review)
{
    World *w = world;
    SCOPED_ARENA a = arena_open(1 << 20);
    Parts parts;
    int64_t expires_ns;
    const char *wanted = review->audiences ? review->audiences : own_audience;
    Clock *clock = world_clock(w);

    if (!split(a, review->token, &parts) || !str_to_int(parts.expires, &expires_ns)
        || expires_ns <= clock->wall_ns(clock) || !meet(parts.audiences, wanted)
        || !account_exists(w, a, &parts))
        return VERDICT_UNAUTHENTICATED;
    snprintf(review->user,
        sizeof review->user,
        "system:serviceaccount:%s:%s",
        parts.namespace,
        parts.name);
    return VERDICT_ALLOWED;
}
