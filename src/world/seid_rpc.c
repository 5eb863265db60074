/* SeidRpc: heights and times are computed when somebody asks, as logs are. */
#include "world/seid_rpc.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/timestamp.h"

#include <string.h>

enum {
    PEERS = 14,         /* of every seid, outside of the cluster */
    SYNCING_FROM = 20,  /* blocks behind: it says that it catches up */
    LAG_TOO_HIGH = 417, /* what /lag_status answers then */
    NS_PER_MS = 1000000,
};

static const char *count_text(Arena *a, int64_t count)
{
    return str_format(a, "%lld", (long long)count);
}

/* When a block was made, by the wall's clock. */
static const char *block_time(const Pod *p, Arena *a, int64_t now_ms)
{
    const Seid *s = &p->seid;
    Clock *clock = p->host->clock;
    int64_t age_ms = now_ms - chain_when(s->chain, seid_height(s, now_ms));
    char text[TIMESTAMP_SIZE];

    return str_copy(
        a, timestamp_format(clock->wall_ns(clock) - (age_ms > 0 ? age_ms : 0) * NS_PER_MS, text));
}

/* Of the genesis.json on its volume, whatever chain its pod is meant for. */
static const char *network_of(const Pod *p)
{
    const char *of_genesis = p->volume ? p->volume->genesis_chain : "";

    return *of_genesis ? of_genesis : p->seid.chain->id;
}

static const Json *status_page(const Pod *p, Arena *a, int64_t now_ms)
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
                str("latest_block_time", block_time(p, a, now_ms)),
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

void seid_rpc_answer(const Pod *p, Arena *a, const char *target, int64_t now_ms, Answer *ret)
{
    const char *page = str_slice(a, target, strcspn(target, "?"));

    *ret = (Answer){.status = 200};
    if (str_eq(page, "/status"))
        ret->body = status_page(p, a, now_ms);
    else if (str_eq(page, "/net_info"))
        ret->body = peers_page(a);
    else if (str_eq(page, "/health"))
        ret->body = json_seal(a, draft_object(a));
    else if (str_eq(page, "/lag_status")) {
        ret->body = lag_page(a, &p->seid, now_ms);
        ret->status = seid_lag(&p->seid, now_ms) > p->seid.chain->lag_max ? LAG_TOO_HIGH : 200;
    } else
        ret->status = 404;
}
