/* KubeletProxy: heights and times are made when somebody asks, as logs are. A seid that is not
 * there refuses the connection; a pod whose machine is cut off says nothing. */
#include "world/kubelet_proxy.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/timestamp.h"
#include "world/kubelet_state.h"
#include "world/refusal.h"

#include <string.h>

enum {
    RPC_PORT = 26657,
    PEERS = 14,         /* of every seid, outside of the cluster */
    SYNCING_FROM = 20,  /* blocks behind: it says that it catches up */
    LAG_TOO_HIGH = 417, /* what /lag_status answers then */
    NS_PER_MS = 1000000,
};

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

/* --- what seid says */

static const char *count_text(Arena *a, int64_t count)
{
    return str_format(a, "%lld", (long long)count);
}

/* When a block was made, by the wall's clock. */
static const char *block_time(const Kubelet *k, Arena *a, const Seid *s, int64_t now_ms)
{
    int64_t age_ms = now_ms - chain_when(s->chain, seid_height(s, now_ms));
    char text[TIMESTAMP_SIZE];

    return str_copy(a,
        timestamp_format(
            k->host.clock->wall_ns(k->host.clock) - (age_ms > 0 ? age_ms : 0) * NS_PER_MS, text));
}

/* Of the genesis.json on its volume, whatever chain its pod is meant for. */
static const char *network_of(const Pod *p)
{
    const char *of_genesis = p->volume ? p->volume->genesis_chain : "";

    return *of_genesis ? of_genesis : p->seid.chain->id;
}

static const Json *status_page(const Kubelet *k, Arena *a, const Pod *p, int64_t now_ms)
{
    const Seid *s = &p->seid;

    return json_seal(a,
        draft(a,
            obj("node_info",
                str("network", network_of(p)),
                str("moniker", p->key.name),
                str("listen_addr", "tcp://0.0.0.0:26656")),
            obj("sync_info",
                str("latest_block_height", count_text(a, seid_height(s, now_ms))),
                str("latest_block_time", block_time(k, a, s, now_ms)),
                str("max_peer_block_height", count_text(a, chain_head(s->chain, now_ms))),
                flag("catching_up",
                    seid_lag(s, now_ms) >= SYNCING_FROM && !seid_is_halted(s, now_ms))),
            sub("validator_info", draft_object(a))));
}

static const Json *peers_page(Arena *a)
{
    return json_seal(a,
        draft(a,
            flag("listening", true),
            sub("listeners", draft_array(a)),
            str("n_peers", count_text(a, PEERS)),
            sub("peers", draft_array(a))));
}

static const Json *lag_page(Arena *a, const Seid *s, int64_t now_ms)
{
    return json_seal(a,
        draft(a,
            str("current_height", count_text(a, seid_height(s, now_ms))),
            str("max_peer_height", count_text(a, chain_head(s->chain, now_ms))),
            str("lag", count_text(a, seid_lag(s, now_ms)))));
}

static void answer(
    const Kubelet *k, Arena *a, const Pod *p, const KubeletProxyQuery *q, Answer *ret)
{
    *ret = (Answer){.status = 200};
    if (str_eq(q->path, "/status"))
        ret->body = status_page(k, a, p, q->now_ms);
    else if (str_eq(q->path, "/net_info"))
        ret->body = peers_page(a);
    else if (str_eq(q->path, "/health"))
        ret->body = json_seal(a, draft_object(a));
    else if (str_eq(q->path, "/lag_status")) {
        ret->body = lag_page(a, &p->seid, q->now_ms);
        ret->status = seid_lag(&p->seid, q->now_ms) > p->seid.chain->lag_max ? LAG_TOO_HIGH : 200;
    } else
        ret->status = 404;
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
    if (!str_eq(place.port, count_text(a, RPC_PORT)) || !p->seid.chain || !seid_serves(&p->seid))
        refuse_dial(ret, a, p, &place, "connect: connection refused");
    else if (str_eq(place.scheme, "https"))
        refuse(ret,
            a,
            503,
            "ServiceUnavailable",
            "error trying to reach service: http: server gave HTTP response to HTTPS client");
    else
        answer(k, a, p, query, ret);
    return false;
}
