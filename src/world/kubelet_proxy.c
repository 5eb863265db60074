/* KubeletProxy: a port on which nothing listens refuses the connection; a pod whose machine is cut
 * off says nothing. */
#include "world/kubelet_proxy.h"

#include "base/str.h"
#include "world/kubelet_state.h"
#include "world/refusal.h"
#include "world/seid_rpc.h"

#include <string.h>

/* --- whom it is about */

typedef struct Place {
    const char *scheme, *name, *port;
} Place;

/* "name", "name:port" or "scheme:name:port". */
static bool read_place(Arena *a, const char *id, Place *ret)
{
    const char *first = strchr(id, ':'), *second = first ? strchr(first + 1, ':') : NULL;

    *ret = (Place){.scheme = "", .name = id, .port = ""};
    if (second) {
        ret->scheme = str_slice(a, id, (size_t)(first - id));
        ret->name = str_slice(a, first + 1, (size_t)(second - first - 1));
        ret->port = second + 1;
    } else if (first) {
        ret->name = str_slice(a, id, (size_t)(first - id));
        ret->port = first + 1;
    }
    bool is_scheme = !*ret->scheme || str_eq(ret->scheme, "http") || str_eq(ret->scheme, "https");
    return is_scheme && *ret->name && !strchr(ret->port, ':');
}

static void refuse(Answer *ret, Arena *a, int status, const char *reason, const char *message)
{
    *ret = (Answer){.status = status, .body = refusal_status(a, status, reason, message, NULL)};
}

static void refuse_dial(Answer *ret, Arena *a, const Pod *p, const Place *place, const char *why)
{
    refuse(ret,
        a,
        503,
        "ServiceUnavailable",
        str_format(a,
            "error trying to reach service: dial tcp %s:%s: %s",
            p->address,
            *place->port ? place->port : "80",
            why));
}

bool kubelet_proxy(const Kubelet *k, Arena *a, const KubeletProxyQuery *query, Answer *ret)
{
    Place place;

    if (!read_place(a, query->id, &place)) {
        refuse(ret, a, 400, "BadRequest", str_format(a, "invalid pod request \"%s\"", query->id));
        return false;
    }
    const Tenant *t = map_find(k->by_key, key_text(a, (Key){query->namespace, place.name}));
    if (!t) {
        refuse(ret, a, 404, "NotFound", str_format(a, "pods \"%s\" not found", place.name));
        return false;
    }
    const Pod *p = &t->pod;
    if (!*p->address) {
        refuse(ret, a, 400, "BadRequest", "address not allowed");
        return false;
    }
    if (p->script->is_frozen || (t->node && t->node->is_lost)) {
        refuse_dial(ret, a, p, &place, "i/o timeout");
        return true;
    }
    int64_t port = 0;
    if (!str_to_int(place.port, &port) || port != POD_PORT_RPC || !pod_listens(p, POD_PORT_RPC))
        refuse_dial(ret, a, p, &place, "connect: connection refused");
    else if (str_eq(place.scheme, "https"))
        refuse(ret,
            a,
            503,
            "ServiceUnavailable",
            "error trying to reach service: http: server gave HTTP response to HTTPS client");
    else
        seid_rpc_answer(p, a, query->path, query->now_ms, ret);
    return false;
}
