/* ViewChain: how far a node or a fleet is on its chain. Nobody here knows the head of a chain, so
 * lag is told against the best that was seen, and against whom: a node's own peers, or another node
 * that was asked. Whoever has nobody to compare with has no lag.
 *
 * Only what was heard before counts: who was asked later has had the time to make more blocks. */
#include "base/str.h"
#include "cli/view_parts.h"
#include "kube/timestamp.h"

/* The best height that anybody has told of. */
typedef struct Best {
    int64_t height; /* 0: none */
    const char *of; /* a node, or "peers" */
} Best;

static void better(Best *best, int64_t height, const char *of)
{
    if (height > best->height)
        *best = (Best){height, of};
}

/* Of all that was heard before `self`, and of its own peers; without one, of all. Of equals the
 * first. */
static Best best_seen(const Seen *seen, const char *self)
{
    Best best = {.of = NULL};
    const Json *pulse;

    json_each(pulse, json_find(seen->sight, ".pulses")) {
        const char *node = json_str(pulse, ".node");
        better(&best, json_int(pulse, ".peersHeight", 0), "peers");
        if (self && str_eq(node, self))
            break;
        better(&best, json_int(pulse, ".height", 0), node);
    }
    return best;
}

const Json *view_pulse(const Seen *seen, const char *node)
{
    const Json *pulse;

    json_each(pulse, json_find(seen->sight, ".pulses"))
        if (str_eq(json_str(pulse, ".node"), node))
            return pulse;
    return NULL;
}

int64_t view_lag(const Seen *seen, const char *node, const char **ret_to)
{
    const Json *pulse = view_pulse(seen, node);
    int64_t height = json_int(pulse, ".height", -1);
    Best best = best_seen(seen, node);

    *ret_to = best.of;
    if (height < 0 || !best.of)
        return -1;
    return best.height > height ? best.height - height : 0;
}

Draft *view_chain_of_node(const Seen *seen)
{
    const Json *pulse = view_pulse(seen, seen->name);
    const char *to = NULL;
    int64_t lag = view_lag(seen, seen->name, &to);

    if (!pulse)
        return NULL;
    Draft *d = draft(seen->arena,
        str("unknown", json_str(pulse, ".why")),
        draft_json("height", json_find(pulse, ".height")),
        str("blockTime", json_str(pulse, ".blockTime")),
        draft_json("peers", json_find(pulse, ".peers")),
        draft_flag_if("catchesUp", json_bool(pulse, ".catchesUp", false)));
    if (lag >= 0) {
        draft_set(d, num("lag", lag));
        draft_set(d, str("lagTo", to));
    }
    return d;
}

/* The first reason why a node was not heard. */
static const char *first_silence(const Json *pulses)
{
    const Json *pulse;

    json_each(pulse, pulses)
        if (json_str(pulse, ".why"))
            return json_str(pulse, ".why");
    return NULL;
}

Draft *view_chain_of_fleet(const Seen *seen)
{
    const Json *pulses = json_find(seen->sight, ".pulses"), *pulse;
    Best best = best_seen(seen, NULL);
    int64_t children = (int64_t)json_count(json_find(seen->sight, ".children"));
    int64_t known = 0, newest_ns = 0;
    const char *newest = NULL;

    if (!pulses)
        return NULL;
    json_each(pulse, pulses) {
        const char *time = json_str(pulse, ".blockTime");
        int64_t ns;
        known += json_find(pulse, ".height") != NULL;
        if (time && timestamp_parse(time, &ns) && ns > newest_ns) {
            newest_ns = ns;
            newest = time;
        }
    }
    Draft *d = draft(seen->arena,
        num("known", known),
        num("silent", children - known),
        str("unknown", first_silence(pulses)),
        str("blockTime", newest));
    if (best.of) {
        draft_set(d, num("best", best.height));
        draft_set(d, str("bestOf", best.of));
    }
    return d;
}
