/* Heights: the first refusal and the end of the time end the asking; what is known by then is
 * shown. */
#include "cli/heights.h"

#include "base/draft.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/pulse.h"
#include "kube/meta.h"

typedef struct Heights {
    const Objects *nodes;
    Pulse pulses[HEIGHTS_NODES_MAX];
    size_t asked;
    const char *why; /* the first reason why one has not answered */
    size_t silent;
} Heights;

static const char *chain_of(const Json *node)
{
    return json_str(node, ".spec.chainId");
}

static void ask_all(Cli *cli, Heights *h)
{
    int64_t now_ms = clock_mono_ms(cli->clock), latest_ms = now_ms + HEIGHTS_MS;
    PulsePort port = {
        .arena = cli->arena,
        .api = cli->api,
        .clock = cli->clock,
        .deadline_ms = latest_ms < cli->deadline_ms ? latest_ms : cli->deadline_ms,
    };
    bool goes_on = true;

    while (goes_on && h->asked < h->nodes->count && h->asked < HEIGHTS_NODES_MAX) {
        Pulse *pulse = &h->pulses[h->asked];
        pulse_take(&port, meta_key(h->nodes->items[h->asked++]), false, pulse);
        if (pulse->why) {
            h->silent++;
            h->why = h->why ? h->why : pulse->why;
        }
        goes_on = !pulse->is_forbidden && clock_mono_ms(cli->clock) < port.deadline_ms;
    }
    h->silent += h->nodes->count - h->asked;
    if (!h->why && h->asked < h->nodes->count)
        h->why = h->asked == HEIGHTS_NODES_MAX ? "so many are not asked: choose with --selector"
                                               : "there was no time to ask them all";
}

/* The best height that anybody of a node's chain had told of when it was asked: who was asked later
 * has had the time to make more blocks. */
static int64_t best_before(const Heights *h, size_t node)
{
    const char *chain = chain_of(h->nodes->items[node]);
    int64_t best = 0;

    for (size_t i = 0; i <= node; i++) {
        const Pulse *pulse = &h->pulses[i];
        if (pulse->why || !str_eq(chain_of(h->nodes->items[i]), chain))
            continue;
        best = pulse->height > best ? pulse->height : best;
        best = pulse->peers_height > best ? pulse->peers_height : best;
    }
    return best;
}

void heights_add(Cli *cli, Objects *nodes)
{
    Arena *a = cli->arena;
    Heights *h = arena_new(a, Heights);

    h->nodes = nodes;
    ask_all(cli, h);
    for (size_t i = 0; i < h->asked; i++) {
        const Pulse *pulse = &h->pulses[i];
        if (pulse->why)
            continue;
        int64_t best = best_before(h, i);
        nodes->items[i] = json_merge(a,
            nodes->items[i],
            json_seal(a,
                draft(a,
                    obj("seen", num("height", pulse->height), num("lag", best - pulse->height)))));
    }
    if (h->silent)
        output_talk(cli,
            "the height of %zu node%s is not known: %s\n",
            h->silent,
            h->silent == 1 ? "" : "s",
            h->why);
}
