/* Config: what config-apply and discover-peers are told. Frozen into the plan when it is built, in
 * the spelling of the reference, so that either operator can carry on with it. */
#include "base/str.h"
#include "sei/plan/course.h"

/* Whatever is asked for, seid logs at this level: the reference discards other values. */
#define LOG_LEVEL "info"

/* Lowest precedence first: common, of the mode, of the user. */
const Json *plan_config_intent(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;
    Draft *mode_overrides = plan_mode_row(spec->mode)->overrides(a, spec);
    const char *address = str_empty(spec->external_address) ? NULL : spec->external_address;
    const Json *common = json_seal(a, draft(a, str("network.p2p.external_address", address)));
    const Json *level = json_seal(a, draft(a, str("logging.level", LOG_LEVEL)));
    const Json *overrides = json_merge(a, common, json_seal(a, mode_overrides));

    overrides = json_merge(a, json_merge(a, overrides, spec->overrides), level);
    return json_seal(a,
        draft(
            a, str("mode", node_config_mode_text(spec->mode)), draft_json("overrides", overrides)));
}

static Draft *static_source(Arena *a, const Json *addresses)
{
    if (json_count(addresses) == 0)
        return NULL;
    return draft(a, str("type", "static"), draft_json("addresses", addresses));
}

static Draft *ec2_source(Arena *a, const Json *ec2)
{
    return draft(a,
        str("type", "ec2Tags"),
        str("region", json_str(ec2, ".region")),
        draft_json("tags", json_find(ec2, ".tags")));
}

/* A source without addresses is left out: the sidecar would refuse all of them for it. */
const Json *plan_peer_sources(Arena *a, const SeiNode *node)
{
    Draft *sources = draft_array(a);
    const Json *peer;
    bool found_by_label = false;

    json_each(peer, node->spec.peers) {
        const Json *ec2 = json_find(peer, ".ec2Tags"), *label = json_find(peer, ".label");
        Draft *source = ec2  ? ec2_source(a, ec2)
            : !label         ? static_source(a, json_find(peer, ".static.addresses"))
            : found_by_label ? NULL /* one source has the peers of all labels */
                             : static_source(a, node->status.resolved_peers);
        found_by_label = found_by_label || label;
        if (source)
            draft_push(sources, source);
    }
    if (draft_count(sources) == 0)
        return NULL;
    return json_seal(a, draft(a, sub("Sources", sources)));
}
