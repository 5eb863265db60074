/* Seid: three lines meet: the speed of catching up, the head of the chain, and the height at which
 * this binary must stop. The lowest of them is the height. */
#include "world/seid.h"

#include <stddef.h>

enum {
    STATE_SYNC_BEHIND = 10, /* blocks: how fresh the snapshots of peers are */
    EXIT_KILLED = 137,
    EXIT_PANIC = 2,
};

static int64_t least(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static bool is_running(const Seid *s)
{
    return s->state != SEID_DOWN;
}

static int64_t limit_of(const Seid *s)
{
    int64_t limit = chain_limit(s->chain, s->image, s->anchor);
    return s->halt_height > 0 ? least(limit, s->halt_height) : limit;
}

static int64_t first_height(const Seid *s, int64_t now_ms)
{
    const Volume *v = s->volume;
    int64_t head = chain_head(s->chain, now_ms);

    if (v->height > 0)
        return v->height;
    if (v->state_sync && v->snapshot_height == 0) /* else from the snapshot that is there */
        return head > STATE_SYNC_BEHIND ? head - STATE_SYNC_BEHIND : 0;
    return least(v->snapshot_height, head);
}

void seid_start(Seid *s, int64_t now_ms)
{
    s->state = SEID_STARTING;
    s->has_halted = false;
    s->turns_ms = now_ms + s->start_ms;
    s->anchor = first_height(s, now_ms);
    s->anchor_ms = s->turns_ms;
    s->volume->seids++;
}

int64_t seid_height(const Seid *s, int64_t now_ms)
{
    if (!is_running(s))
        return s->volume ? s->volume->height : 0;
    if (s->state != SEID_SERVING || now_ms <= s->anchor_ms)
        return s->anchor;

    int64_t made = (now_ms - s->anchor_ms) * s->chain->catch_up_per_s / 1000;
    int64_t height = least(s->anchor + made, chain_head(s->chain, now_ms));
    height = least(height, limit_of(s));
    return height > s->anchor ? height : s->anchor;
}

static void settle(Seid *s, int64_t now_ms)
{
    s->anchor = seid_height(s, now_ms);
    s->anchor_ms = now_ms;
    s->volume->height = s->anchor;
}

/* It signals itself twice at that height, with SIGINT and SIGTERM. */
static int halt_code(const Seid *s)
{
    return s->anchor < s->halt_height ? s->chain->halt_height_code : EXIT_INTERRUPTED;
}

static void end(Seid *s, int exit_code, int64_t now_ms)
{
    settle(s, now_ms);
    s->state = SEID_DOWN;
    s->exit_code = exit_code;
    s->ended_ms = now_ms;
    s->volume->seids--;
}

void seid_terminate(Seid *s, int64_t now_ms)
{
    if (!is_running(s) || s->state == SEID_STOPPING)
        return;
    settle(s, now_ms);
    s->state = SEID_STOPPING;
    s->turns_ms = now_ms + s->stop_ms;
}

void seid_kill(Seid *s, int64_t now_ms)
{
    if (is_running(s))
        end(s, EXIT_KILLED, now_ms);
}

int64_t seid_when(const Seid *s, int64_t height, int64_t now_ms)
{
    if (seid_height(s, now_ms) >= height)
        return now_ms;
    if (s->state != SEID_SERVING || height > limit_of(s))
        return INT64_MAX;

    int64_t rate = s->chain->catch_up_per_s;
    int64_t blocks = height - s->anchor;
    if (blocks > INT64_MAX / 1000 - rate)
        return INT64_MAX;
    int64_t caught_up = s->anchor_ms + (blocks * 1000 + rate - 1) / rate;
    int64_t made = chain_when(s->chain, height);
    return made > caught_up ? made : caught_up;
}

/* The height at which it ends by itself, or 0. */
static int64_t last_height(const Seid *s)
{
    if (s->halt_height > 0 && s->halt_height <= limit_of(s))
        return s->halt_height;
    int64_t limit = limit_of(s);
    return s->chain->halt_exits && limit != INT64_MAX ? limit : 0;
}

int64_t seid_due(const Seid *s)
{
    if (s->state == SEID_STARTING || s->state == SEID_STOPPING)
        return s->turns_ms;
    if (s->state == SEID_SERVING && last_height(s) > 0)
        return seid_when(s, last_height(s), s->anchor_ms);
    return INT64_MAX;
}

void seid_step(Seid *s, int64_t now_ms)
{
    if (s->state == SEID_STARTING && s->turns_ms <= now_ms)
        s->state = SEID_SERVING;
    if (s->state == SEID_STOPPING && s->turns_ms <= now_ms) {
        end(s, 0, now_ms);
        return;
    }
    if (s->state != SEID_SERVING)
        return;
    s->volume->height = seid_height(s, now_ms);
    if (last_height(s) == 0 || s->volume->height < last_height(s))
        return;
    s->has_halted = s->halt_height > 0 && s->volume->height >= s->halt_height;
    end(s, s->has_halted ? halt_code(s) : EXIT_PANIC, now_ms);
}

bool seid_serves(const Seid *s)
{
    return s->state == SEID_SERVING;
}

int64_t seid_lag(const Seid *s, int64_t now_ms)
{
    return chain_head(s->chain, now_ms) - seid_height(s, now_ms);
}

bool seid_is_halted(const Seid *s, int64_t now_ms)
{
    return s->state == SEID_SERVING && seid_height(s, now_ms) >= limit_of(s);
}

bool seid_is_ready(const Seid *s, int64_t now_ms)
{
    return seid_serves(s) && seid_lag(s, now_ms) <= s->chain->lag_max;
}

int64_t seid_ready_changes(const Seid *s, int64_t now_ms)
{
    if (!seid_serves(s))
        return seid_due(s);
    if (seid_is_halted(s, now_ms) && !seid_is_ready(s, now_ms))
        return INT64_MAX;
    if (!seid_is_ready(s, now_ms))
        return now_ms; /* it is catching up: look again at the next probe */

    int64_t limit = limit_of(s);
    if (limit == INT64_MAX)
        return seid_due(s);
    return least(seid_due(s), chain_when(s->chain, limit + s->chain->lag_max + 1));
}
