/* Token: header, claims and signature (HMAC-SHA-256), each in base64url, with dots between. The
 * claims are those of a real service account token, so whoever looks for "exp" finds it. */
#include "world/token.h"

#include "base/base64.h"
#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"
#include "kube/core/text.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/rights.h"

#include <stdio.h>
#include <string.h>

enum { TOKEN_MAX = 8192, REVIEW_MAX = 1 << 20, NS_PER_S = 1000000000 };

static const char invalid[] = "invalid bearer token";

/* --- making --- */

static const char *signature(Arena *a, const Server *s, const char *text)
{
    unsigned char code[SHA256_HMAC_SIZE];

    sha256_hmac(bytes_of(s->token_key), bytes_of(text), code);
    return base64url_encode(a, (Bytes){(const char *)code, sizeof code});
}

const Json *token_audiences(Arena *a, const Json *audiences)
{
    return json_count(audiences) > 0 ? audiences : json_fixture(a, "['" TOKEN_OWN_AUDIENCE "']");
}

static Draft *reference(Arena *a, const Json *object)
{
    return draft(a, str("name", meta_name(object)), str("uid", meta_uid(object)));
}

static const Json *claims_of(Arena *a, const TokenGrant *grant)
{
    const char *namespace = meta_namespace(grant->account), *name = meta_name(grant->account);
    bool is_pod = str_eq(json_str(grant->bound, ".kind"), "Pod");
    Draft *of_cluster = draft(a,
        str("namespace", namespace),
        sub("pod", is_pod ? reference(a, grant->bound) : NULL),
        sub("secret", grant->bound && !is_pod ? reference(a, grant->bound) : NULL),
        sub("serviceaccount", reference(a, grant->account)));
    Draft *claims = draft_object(a);

    draft_set(claims, draft_json("aud", token_audiences(a, grant->audiences)));
    draft_set(claims, num("exp", grant->expires_s));
    draft_set(claims, num("iat", grant->issued_s));
    draft_set(claims, str("iss", TOKEN_OWN_AUDIENCE));
    draft_set(claims, str("jti", grant->id));
    draft_set(claims, sub("kubernetes.io", of_cluster));
    draft_set(claims, num("nbf", grant->issued_s));
    draft_set(claims, str("sub", str_format(a, "system:serviceaccount:%s:%s", namespace, name)));
    return json_seal(a, claims);
}

const char *token_make(Arena *a, const Server *s, const TokenGrant *grant)
{
    static const char header[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
    const char *text = str_format(a,
        "%s.%s",
        base64url_encode(a, bytes_of(header)),
        base64url_encode(a, json_write(a, claims_of(a, grant))));

    return str_format(a, "%s.%s", text, signature(a, s, text));
}

/* --- reading --- */

/* Takes as long for any two texts of the same length. */
static bool same_code(const char *left, const char *right)
{
    size_t len = strlen(left);
    unsigned difference = 0;

    if (strlen(right) != len)
        return false;
    for (size_t i = 0; i < len; i++)
        difference |= (unsigned)(unsigned char)left[i] ^ (unsigned)(unsigned char)right[i];
    return difference == 0;
}

/* The claims of a token that this server has signed, or NULL. */
static const Json *signed_claims(const Server *s, Arena *a, const char *token)
{
    const char *dot = strchr(token, '.'), *last = strrchr(token, '.');
    const Json *claims = NULL;
    Bytes text;

    if (strlen(token) > TOKEN_MAX || !dot || last == dot)
        return NULL;
    if (!same_code(signature(a, s, str_slice(a, token, (size_t)(last - token))), last + 1))
        return NULL;
    if (base64url_decode(a, str_slice(a, dot + 1, (size_t)(last - dot - 1)), &text)
        || json_parse(a, text, &claims))
        return NULL;
    return claims;
}

static bool has_text(const Json *list, const char *text)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_text(each), text))
            return true;
    return false;
}

static const Json *common(Arena *a, const Json *left, const Json *right)
{
    Draft *list = draft_array(a);
    const Json *each;

    json_each(each, left)
        if (has_text(right, json_text(each)))
            draft_push_json(list, each);
    return json_seal(a, list);
}

/* The object of a claim {name, uid} is there, and still the same. */
static bool is_there(
    const Server *s, Arena *a, const Kind *kind, const Json *claims, const char *at)
{
    const Json *claim = json_find(claims, at);
    const char *namespace = json_str(claims, "['kubernetes.io'].namespace");
    Record *record;

    if (!claim)
        return true;
    record = shelf_find(
        server_resource(s, kind)->shelf, call_key(a, namespace, json_str(claim, ".name")));
    return record && str_eq(meta_uid(record_object(a, record)), json_str(claim, ".uid"));
}

static const char *quoted(Arena *a, const Json *list)
{
    Text all = {.arena = a};
    const Json *each;

    json_each(each, list) {
        const char *text = json_text(each);
        text_add(&all, all.len > 0 ? " \"" : "\"");
        text_add(&all, text ? text : "");
        text_add_byte(&all, '"');
    }
    return text_seen(&all);
}

static Caller caller_of(Arena *a, const Json *claims)
{
    const char **groups = arena_array(a, const char *, 4);

    groups[0] = "system:serviceaccounts";
    groups[1] =
        str_format(a, "system:serviceaccounts:%s", json_str(claims, "['kubernetes.io'].namespace"));
    groups[2] = "system:authenticated";
    return (Caller){
        .user = json_str(claims, ".sub"),
        .uid = json_str(claims, "['kubernetes.io'].serviceaccount.uid"),
        .groups = groups,
    };
}

const char *token_find(
    Server *s, Arena *a, const char *token, const Json *audiences, TokenHolder *ret)
{
    const Json *claims = signed_claims(s, a, token);
    const Json *wanted = token_audiences(a, audiences);
    int64_t now_s = s->clock->wall_ns(s->clock) / NS_PER_S;

    if (!claims)
        return invalid;
    if (json_int(claims, ".exp", 0) <= now_s)
        return "[invalid bearer token, service account token has expired]";
    ret->audiences = common(a, json_find(claims, ".aud"), wanted);
    if (json_count(ret->audiences) == 0)
        return str_format(a,
            "[%s, token audiences [%s] is invalid for the target audiences [%s]]",
            invalid,
            quoted(a, json_find(claims, ".aud")),
            quoted(a, wanted));
    if (!is_there(s, a, kind_serviceaccount, claims, "['kubernetes.io'].serviceaccount")
        || !is_there(s, a, kind_pod, claims, "['kubernetes.io'].pod")
        || !is_there(s, a, kind_secret, claims, "['kubernetes.io'].secret"))
        return "[invalid bearer token, service account token has been invalidated]";
    ret->caller = caller_of(a, claims);
    ret->id = json_str(claims, ".jti");
    return NULL;
}

/* --- for sidecars --- */

static const Json *split(Arena *a, const char *commas)
{
    Draft *list = draft_array(a);

    for (const char *at = commas; *at; at += strcspn(at, ","), at += *at == ',')
        draft_push_str(list, str_slice(a, at, strcspn(at, ",")));
    return json_seal(a, list);
}

static bool find_caller(World *w, Arena *a, SidecarReview *review, Caller *ret)
{
    TokenHolder holder;
    const Json *audiences = review->audiences ? split(a, review->audiences) : NULL;

    if (token_find(world_server(w), a, review->token, audiences, &holder))
        return false;
    *ret = holder.caller;
    snprintf(review->user, sizeof review->user, "%s", ret->user);
    return true;
}

SidecarVerdict token_review(void *world, SidecarReview *review)
{
    SCOPED_ARENA a = arena_open(REVIEW_MAX);
    Caller caller;

    return find_caller(world, a, review, &caller) ? VERDICT_ALLOWED : VERDICT_UNAUTHENTICATED;
}

SidecarVerdict token_review_rights(void *world, SidecarReview *review)
{
    SCOPED_ARENA a = arena_open(REVIEW_MAX);
    Caller caller;
    const char *reason;

    if (!find_caller(world, a, review, &caller))
        return VERDICT_UNAUTHENTICATED;
    RightsQuestion question = {
        .user = caller.user,
        .groups = caller.groups,
        .verb = review->verb,
        .group = "sei.io",
        .resource = "seinodetasks",
        .namespace = review->namespace,
        .name = review->name,
    };
    return rights_allow(world_server(world), a, &question, &reason) ? VERDICT_ALLOWED
                                                                    : VERDICT_DENIED;
}
