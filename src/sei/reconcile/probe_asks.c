/* A table from node to the failure that was asked about last. When it is full, entries older than
 * the pause go: what they knew stands in the status of their nodes. */
#include "sei/reconcile/probe_asks.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "sei/api/probe_output.h"

#include <stdio.h>
#include <string.h>

enum { NODE_TEXT_SIZE = 320, FAILURE_SIZE = 160 };

typedef struct Asked {
    char node[NODE_TEXT_SIZE], failure[FAILURE_SIZE];
    char output[PROBE_OUTPUT_MAX + 1]; /* "": none was found */
    int64_t asked_ms, ask_count;
} Asked;

struct ProbeAsks {
    Slab *slab;
    Map *map;
    int64_t turn_ms, turn_asks; /* when the turn began, and asks in it */
};

ProbeAsks *probe_asks_open(void)
{
    Slab *slab = slab_open();
    ProbeAsks *p = slab_alloc(slab, sizeof *p);

    *p = (ProbeAsks){.slab = slab, .map = map_open(PROBE_NODES_MAX)};
    return p;
}

void probe_asks_close(ProbeAsks *p)
{
    if (!p)
        return;
    map_close(p->map);
    slab_close(p->slab);
}

static const char *node_text(Key node, char text[static NODE_TEXT_SIZE])
{
    snprintf(text, NODE_TEXT_SIZE, "%s/%s", node.namespace, node.name);
    return text;
}

static const char *failure_text(const ProbeFailure *f, char text[static FAILURE_SIZE])
{
    snprintf(text,
        FAILURE_SIZE,
        "%s %s %lld",
        f->pod_uid ? f->pod_uid : "",
        f->container,
        (long long)f->since_ms);
    return text;
}

static int64_t left_ms(int64_t since_ms, int64_t rest_ms, int64_t now_ms)
{
    int64_t left = since_ms + rest_ms - now_ms;

    return left > 0 ? left : 0;
}

static bool is_exhausted(const ProbeAsks *p, int64_t now_ms)
{
    return p->turn_asks >= PROBE_TURN_ASKS && left_ms(p->turn_ms, PROBE_TURN_MS, now_ms);
}

static int64_t turn_left_ms(const ProbeAsks *p, int64_t now_ms)
{
    return is_exhausted(p, now_ms) ? left_ms(p->turn_ms, PROBE_TURN_MS, now_ms) : 0;
}

static int64_t pause_ms(const Asked *asked, bool is_same)
{
    return is_same && asked->ask_count == PROBE_ASKS_MAX - 1 ? PROBE_LONG_PAUSE_MS : PROBE_PAUSE_MS;
}

ProbeAnswer probe_asks_find(
    const ProbeAsks *p, Arena *a, Key node, const ProbeFailure *failure, int64_t now_ms)
{
    char text[NODE_TEXT_SIZE], failing[FAILURE_SIZE];
    const Asked *asked = map_find(p->map, node_text(node, text));
    int64_t turn_ms = turn_left_ms(p, now_ms);

    if (!asked)
        return (ProbeAnswer){.ask_after_ms = turn_ms};
    bool is_same = str_eq(asked->failure, failure_text(failure, failing));
    int64_t rest_ms = left_ms(asked->asked_ms, pause_ms(asked, is_same), now_ms);
    bool is_over = is_same && asked->ask_count >= PROBE_ASKS_MAX;
    return (ProbeAnswer){
        .node_is_known = true,
        .output = is_same && *asked->output ? str_copy(a, asked->output) : NULL,
        .ask_after_ms = is_over ? -1
            : rest_ms > turn_ms ? rest_ms
                                : turn_ms,
    };
}

static void forget(ProbeAsks *p, const char *node)
{
    Asked *asked = map_remove(p->map, node);

    slab_free(p->slab, asked, sizeof *asked);
}

void probe_asks_forget(ProbeAsks *p, Key node)
{
    char text[NODE_TEXT_SIZE];

    forget(p, node_text(node, text));
}

static void make_room(ProbeAsks *p, int64_t now_ms)
{
    size_t cursor = 0;
    const Asked *asked;

    while (map_count(p->map) >= PROBE_NODES_MAX && (asked = map_next(p->map, &cursor)))
        if (!left_ms(asked->asked_ms, PROBE_PAUSE_MS, now_ms))
            forget(p, asked->node);
}

static Asked *add(ProbeAsks *p, const char *node)
{
    Asked *asked = slab_alloc(p->slab, sizeof *asked);

    *asked = (Asked){0};
    snprintf(asked->node, sizeof asked->node, "%s", node);
    if (map_put(p->map, asked->node, asked))
        return asked;
    slab_free(p->slab, asked, sizeof *asked);
    return NULL;
}

void probe_asks_begin(ProbeAsks *p, Key node, const ProbeFailure *failure, int64_t now_ms)
{
    char text[NODE_TEXT_SIZE], failing[FAILURE_SIZE];
    Asked *asked = map_find(p->map, node_text(node, text));

    if (!left_ms(p->turn_ms, PROBE_TURN_MS, now_ms) || !p->turn_asks) {
        p->turn_ms = now_ms;
        p->turn_asks = 0;
    }
    p->turn_asks++;
    if (!asked) {
        make_room(p, now_ms);
        asked = add(p, text);
    }
    if (!asked)
        return;
    if (!str_eq(asked->failure, failure_text(failure, failing))) {
        snprintf(asked->failure, sizeof asked->failure, "%s", failing);
        asked->output[0] = '\0';
        asked->ask_count = 0;
    }
    asked->asked_ms = now_ms;
    asked->ask_count++;
}

void probe_asks_note(ProbeAsks *p, Key node, const ProbeFailure *failure, const char *output)
{
    char text[NODE_TEXT_SIZE], failing[FAILURE_SIZE];
    Asked *asked = map_find(p->map, node_text(node, text));

    if (asked && output && str_eq(asked->failure, failure_text(failure, failing)))
        snprintf(asked->output, sizeof asked->output, "%s", output);
}
