/* Config: what config-apply is told. Frozen into the plan when it is built, in the spelling of the
 * reference, so that either operator can carry on with it. */
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

bool plan_config_is_done(Arena *a, const Json *stored, const Json *wanted)
{
    const Json *grpc = json_seal(a, draft(a, obj("overrides", str(OVERRIDE_GRPC, "true"))));

    return json_equal(stored, wanted) || json_equal(json_merge(a, grpc, stored), wanted);
}
