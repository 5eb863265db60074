/* PulseRound: one entry for each name that was ever asked, with room for its texts. */
#include "cli/pulse_round.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ROUND_PATIENCE_MS = 500,
    HEARD_MS = 2000,
    UNHEARD_MS = 10000,
    REFUSED_MS = 60000,
    NAME_SIZE = 256,
    WHY_SIZE = 256,
    TIME_SIZE = 64,
    ROUND_ARENA_MAX = 1 << 20,
};

typedef struct Heard {
    Pulse pulse; /* its texts are these: */
    char node[NAME_SIZE], why[WHY_SIZE], block_time[TIME_SIZE];
    int64_t heard_ms, due_ms;
} Heard;

struct PulseRound {
    Arena *arena;
    Heard heard[PULSE_ROUND_MAX];
    size_t count;
    int64_t due_ms; /* of all: after a refusal */
};

PulseRound *pulse_round_open(void)
{
    Arena *a = arena_open(ROUND_ARENA_MAX);
    PulseRound *r = arena_new(a, PulseRound);

    r->arena = a;
    return r;
}

void pulse_round_close(PulseRound *r)
{
    if (r)
        arena_close(r->arena);
}

/* The place of a name, or r->count. */
static size_t place_of(const PulseRound *r, const char *node)
{
    size_t place = 0;

    while (place < r->count && !str_eq(r->heard[place].node, node))
        place++;
    return place;
}

static const Heard *find(const PulseRound *r, const char *node)
{
    size_t place = place_of(r, node);

    return place < r->count ? &r->heard[place] : NULL;
}

static const char *keep(char *room, size_t size, const char *text)
{
    snprintf(room, size, "%s", text ? text : "");
    return text ? room : NULL;
}

/* The entry of a name: its own, a new one, or that of a node which is not there any more. */
static Heard *entry_of(PulseRound *r, const char *node, const PulseNodes *nodes)
{
    size_t place = place_of(r, node);

    if (place < r->count)
        return &r->heard[place];
    if (r->count < PULSE_ROUND_MAX)
        return &r->heard[r->count++];
    for (size_t i = 0; i < r->count; i++) {
        bool is_there = false;
        for (size_t n = 0; n < nodes->count && !is_there; n++)
            is_there = str_eq(nodes->names[n], r->heard[i].node);
        if (!is_there)
            return &r->heard[i];
    }
    BUG("more nodes than a round has places");
}

/* Who has waited longest; NULL when nobody is due. */
static const char *next_of(const PulseRound *r, const PulseNodes *nodes, int64_t now_ms)
{
    const char *next = NULL;
    int64_t earliest = now_ms;

    for (size_t i = 0; i < nodes->count; i++) {
        const Heard *heard = find(r, nodes->names[i]);
        int64_t due_ms = heard ? heard->due_ms : INT64_MIN;
        if (due_ms > earliest || (next && due_ms == earliest))
            continue;
        next = nodes->names[i];
        earliest = due_ms;
    }
    return next;
}

void pulse_round_step(PulseRound *r, const PulsePort *port, const PulseNodes *nodes)
{
    int64_t now_ms = clock_mono_ms(port->clock);
    const char *node = now_ms < r->due_ms ? NULL : next_of(r, nodes, now_ms);
    PulsePort hasty = *port;
    Pulse pulse;

    if (!node)
        return;
    hasty.deadline_ms = now_ms + ROUND_PATIENCE_MS;
    pulse_take(&hasty, (Key){nodes->namespace, node}, str_eq(node, nodes->own), &pulse);
    Heard *heard = entry_of(r, node, nodes);
    heard->pulse = pulse;
    heard->pulse.node = keep(heard->node, sizeof heard->node, node);
    heard->pulse.why = keep(heard->why, sizeof heard->why, pulse.why);
    heard->pulse.block_time = keep(heard->block_time, sizeof heard->block_time, pulse.block_time);
    heard->heard_ms = clock_mono_ms(port->clock);
    heard->due_ms = heard->heard_ms + (pulse.why ? UNHEARD_MS : HEARD_MS);
    if (pulse.is_forbidden)
        r->due_ms = now_ms + REFUSED_MS;
}

static int by_time(const void *left, const void *right)
{
    const Heard *const *l = left, *const *r = right;

    return ((*l)->heard_ms > (*r)->heard_ms) - ((*l)->heard_ms < (*r)->heard_ms);
}

Draft *pulse_round_draft(const PulseRound *r, Arena *a, const PulseNodes *nodes)
{
    const Heard *known[PULSE_ROUND_MAX];
    size_t count = 0;
    Draft *pulses = draft_array(a);

    for (size_t i = 0; i < nodes->count; i++) {
        const Heard *heard = find(r, nodes->names[i]);
        if (heard)
            known[count++] = heard;
    }
    qsort(known, count, sizeof *known, by_time);
    for (size_t i = 0; i < count; i++)
        draft_push(pulses, pulse_draft(a, &known[i]->pulse));
    return pulses;
}
