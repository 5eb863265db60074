/* TokenRequest: the token subresource of a ServiceAccount. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/uuid.h"
#include "world/call.h"
#include "world/refusal.h"
#include "world/token.h"

enum { SECONDS_DEFAULT = 3600, SECONDS_MIN = 600, NS_PER_S = 1000000000 };

static const int64_t seconds_max = (int64_t)1 << 32;

static Err *check_seconds(Call *c, int64_t seconds)
{
    Faults f = {.arena = c->arena};
    const char *why = seconds < SECONDS_MIN ? "less than 10 minutes"
        : seconds > seconds_max             ? "larger than 2^32 seconds"
                                            : NULL;

    if (!why)
        return OK;
    faults_add(&f,
        "FieldValueInvalid",
        "spec.expirationSeconds",
        "Invalid value: %lld: may not specify a duration %s",
        (long long)seconds,
        why);
    return refuse_faults(c, "TokenRequest.authentication.k8s.io", "", &f);
}

/* The refusal of a call that would have been about the other object. */
static Err *refuse_bound(Call *c, const char *what, const char *name, const char *uid)
{
    Request request = *c->request;
    Call other = *c;
    Err *refused;

    request.key.name = name;
    other.request = &request;
    other.resource = server_resource(c->server, str_eq(what, "Pod") ? kind_pod : kind_secret);
    refused = uid ? refuse_conflict(&other,
                        what,
                        "the UID in the bound object reference (%s) does not match the UID in "
                        "record. The object might have been deleted and then recreated",
                        uid)
                  : refuse_not_found(&other);
    c->status = other.status;
    c->body = other.body;
    return refused;
}

/* The object that a token is to be bound to. */
static Err *find_bound(Call *c, const Json *reference, const Json **ret)
{
    const char *kind = json_str(reference, ".kind"), *name = json_str(reference, ".name");
    const char *uid = json_str(reference, ".uid"), *account = c->request->key.name;
    bool is_pod = str_eq(kind, "Pod");
    Record *record;

    *ret = NULL;
    if (!reference || json_type(reference) == JSON_NULL)
        return OK;
    if (!str_eq(json_str(reference, ".apiVersion"), "v1") || (!is_pod && !str_eq(kind, "Secret")))
        return refuse_bad_request(c,
            "cannot bind token to object of type /%s, Kind=%s",
            json_str(reference, ".apiVersion") ? json_str(reference, ".apiVersion") : "",
            kind ? kind : "");
    record = shelf_find(server_resource(c->server, is_pod ? kind_pod : kind_secret)->shelf,
        call_key(c->arena, c->request->key.namespace, name ? name : ""));
    if (!record)
        return refuse_bound(c, kind, name ? name : "", NULL);
    *ret = record_object(c->arena, record);
    if (is_pod && !str_eq(json_str(*ret, ".spec.serviceAccountName"), account))
        return refuse_bad_request(c,
            "cannot bind token for serviceaccount \"%s\" to pod running with different "
            "serviceaccount name.",
            account);
    if (!str_empty(uid) && !str_eq(uid, meta_uid(*ret)))
        return refuse_bound(c, kind, name, uid);
    return OK;
}

static const Json *answer_body(Call *c, const TokenGrant *grant, int64_t seconds)
{
    const Json *reference = json_find(c->request->body, ".spec.boundObjectRef");
    char expires[TIMESTAMP_SIZE];
    const Json *audiences = token_audiences(c->arena, grant->audiences);

    return json_seal(c->arena,
        draft(c->arena,
            str("kind", "TokenRequest"),
            str("apiVersion", "authentication.k8s.io/v1"),
            obj("metadata",
                str("name", meta_name(grant->account)),
                str("namespace", meta_namespace(grant->account)),
                str("uid", meta_uid(grant->account)),
                str("creationTimestamp", c->now)),
            obj("spec",
                draft_json("audiences", audiences),
                num("expirationSeconds", seconds),
                draft_json(
                    "boundObjectRef", reference ? reference : json_fixture(c->arena, "null"))),
            obj("status",
                str("token", token_make(c->arena, c->server, grant)),
                str("expirationTimestamp",
                    str_copy(
                        c->arena, timestamp_format(c->now_ns + seconds * NS_PER_S, expires))))));
}

Err *call_token(Call *c)
{
    const Json *account = call_find(c), *spec = json_find(c->request->body, ".spec"), *bound;
    int64_t seconds = json_int(spec, ".expirationSeconds", SECONDS_DEFAULT);
    char id[UUID_SIZE];

    if (c->resource->traits.kind != kind_serviceaccount)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    if (!account)
        return refuse_not_found(c);
    TRY(check_seconds(c, seconds));
    TRY(find_bound(c, json_find(spec, ".boundObjectRef"), &bound));
    uuid_v4(c->server->rng, id);
    TokenGrant grant = {
        .account = account,
        .audiences = json_find(spec, ".audiences"),
        .issued_s = c->now_ns / NS_PER_S,
        .expires_s = c->now_ns / NS_PER_S + seconds,
        .id = id,
        .bound = bound,
    };
    c->status = 201;
    c->body = json_copy(c->arena, answer_body(c, &grant, seconds));
    return OK;
}
