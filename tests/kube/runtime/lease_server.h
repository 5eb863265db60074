/* A server of one Lease, with the rules of the real one: versions, preconditions, and no write that
 * changes nothing. */
#ifndef TESTS_KUBE_RUNTIME_LEASE_SERVER_H
#define TESTS_KUBE_RUNTIME_LEASE_SERVER_H

#include "base/draft.h"
#include "kube/meta.h"
#include "kube/request.h"
#include "kube/status.h"
#include "tests/test.h"

typedef struct LeaseServer {
    Arena *arena;
    const Json *record;
    int64_t version, uid;
    unsigned reads, writes; /* of requests that were carried out or refused */
    unsigned transitions;   /* changes of the holder */
} LeaseServer;

static inline Err *lease_server_refuse(
    Arena *a, const Request *request, int status, const char *reason)
{
    const Json *body = json_seal(a,
        draft(a,
            str("kind", "Status"),
            str("reason", reason),
            obj("details", str("name", request->key.name))));
    return status_err(a, request, &(Answer){.status = status, .body = body});
}

static inline void lease_server_store(LeaseServer *s, Arena *a, const Json *body, int64_t uid)
{
    const Json *stamp = json_seal(a,
        draft(a,
            obj("metadata",
                str("uid", str_format(a, "u%lld", (long long)uid)),
                str("resourceVersion", str_format(a, "%lld", (long long)++s->version)))));
    const char *before = json_str(s->record, ".spec.holderIdentity");
    const Json *next = json_merge(a, body, stamp);
    s->transitions += !str_eq(before, json_str(next, ".spec.holderIdentity"));
    s->record = json_copy(s->arena, next);
}

static inline Err *lease_server_write(LeaseServer *s, Arena *a, const Request *request)
{
    const Json *body = request->body;
    s->writes++;
    if (request->verb == VERB_CREATE) {
        if (s->record)
            return lease_server_refuse(a, request, 409, "AlreadyExists");
        lease_server_store(s, a, body, ++s->uid);
        return OK;
    }
    then_int(request->verb, VERB_UPDATE);
    then_true(meta_resource_version(body) && meta_uid(body));
    if (!str_eq(meta_resource_version(body), meta_resource_version(s->record))
        || !str_eq(meta_uid(body), meta_uid(s->record)))
        return lease_server_refuse(a, request, 409, "Conflict");
    if (!json_equal(body, s->record)) /* what changes nothing is not written */
        lease_server_store(s, a, body, s->uid);
    return OK;
}

static inline Err *lease_server_call(
    LeaseServer *s, Arena *a, const Request *request, const Json **ret)
{
    then_true(kind_eq(request->kind, kind_lease));
    then_true(key_eq(request->key, (Key){"ns", "it"}));
    if (request->verb != VERB_GET)
        TRY(lease_server_write(s, a, request));
    else
        s->reads++;
    if (!s->record)
        return lease_server_refuse(a, request, 404, "NotFound");
    *ret = json_copy(a, s->record);
    return OK;
}

/* What somebody else does to the record. */
static inline void lease_server_meddle(LeaseServer *s, const char *patch)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    if (!patch) {
        s->record = NULL;
        return;
    }
    if (!s->record)
        s->uid++;
    lease_server_store(s, a, json_merge(a, s->record, json_fixture(a, patch)), s->uid);
}

#endif
