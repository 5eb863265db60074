/* PodLog: lines are gathered from what each program did, put into the order of their times, and cut
 * to the last ones. Heights that nobody will see are never made into text. */
#include "world/pod_log.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/timestamp.h"
#include "world/task_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_MAX = 4 * POD_LOG_LINES_MAX, /* while they are gathered */
    PEERS_EVERY = 50,                  /* blocks */
    SYNC_EVERY = 100,                  /* the same, while it catches up */
    EXIT_PANIC = 2,
    NS_PER_MS = 1000000,
};

typedef struct Line {
    int64_t at_ms;
    size_t order; /* of lines of one time */
    const char *text;
} Line;

typedef struct Lines {
    const Pod *pod;
    const PodLogQuery *query;
    Arena *arena;
    int64_t wall_ahead_ms; /* of the pod's own clock */
    Line *items;
    size_t count;
} Lines;

/* --- lines --- */

static const char *time_text(Arena *a, int64_t wall_ms)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(a, timestamp_format(wall_ms * NS_PER_MS, text));
}

__attribute__((format(printf, 3, 4))) static void add(
    Lines *l, int64_t wall_ms, const char *format, ...)
{
    va_list args;

    if (wall_ms <= l->query->after_ms || wall_ms > l->query->until_ms || l->count == LINES_MAX)
        return;
    va_start(args, format);
    l->items[l->count] =
        (Line){.at_ms = wall_ms, .order = l->count, .text = str_vformat(l->arena, format, args)};
    va_end(args);
    l->count++;
}

/* As seid begins its lines. */
static const char *stamp(Lines *l, int64_t wall_ms, const char *level)
{
    return str_format(l->arena, "%s %s", time_text(l->arena, wall_ms), level);
}

static int compare_lines(const void *left, const void *right)
{
    const Line *a = left, *b = right;

    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* --- seid --- */

static const char *hash_of(Arena *a, const Pod *p, int64_t height)
{
    char hex[SHA256_HEX_SIZE];
    enum { SHOWN = 24 };

    sha256_hex(bytes_of(str_format(a, "%s/%lld", p->seid.chain->id, (long long)height)), hex);
    for (size_t i = 0; i < SHOWN; i++)
        if (hex[i] >= 'a')
            hex[i] = (char)(hex[i] - 'a' + 'A');
    return str_slice(a, hex, SHOWN);
}

/* When a run could have had a height, had the chain been there already. */
static int64_t caught_up_ms(const Lines *l, const SeidRun *run, int64_t height)
{
    return run->anchor_ms + (height - run->anchor) * 1000 / l->pod->seid.chain->catch_up_per_s;
}

/* When it had committed a height, by the wall's clock. */
static int64_t block_wall(const Lines *l, const SeidRun *run, int64_t height)
{
    int64_t caught_up = caught_up_ms(l, run, height);
    int64_t made = chain_when(l->pod->seid.chain, height);

    return l->wall_ahead_ms + (made > caught_up ? made : caught_up);
}

static bool is_live(const Lines *l, const SeidRun *run, int64_t height)
{
    return chain_when(l->pod->seid.chain, height) >= caught_up_ms(l, run, height);
}

static bool is_asked_for(const Lines *l, const SeidRun *run, int64_t height)
{
    return block_wall(l, run, height) > l->query->after_ms;
}

/* The first height from `low` on of which something holds that then holds of all; `high` when it
 * holds of none before. */
static int64_t first_height(const Lines *l, const SeidRun *run, int64_t low, int64_t high,
    bool (*holds)(const Lines *l, const SeidRun *run, int64_t height))
{
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (holds(l, run, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Behind its chain a node tells of its speed, not of every block. */
static void add_catching_up(Lines *l, const SeidRun *run, int64_t first, int64_t last)
{
    const int64_t most = (int64_t)POD_LOG_LINES_MAX * SYNC_EVERY;

    if (first < last - most)
        first = last - most;
    first += (SYNC_EVERY - first % SYNC_EVERY) % SYNC_EVERY;
    for (int64_t height = first; height <= last; height += SYNC_EVERY) {
        int64_t at = block_wall(l, run, height);
        add(l,
            at,
            "%s block sync rate blocks/s=%lld height=%lld module=blockchain",
            stamp(l, at, "INF"),
            (long long)l->pod->seid.chain->catch_up_per_s,
            (long long)height);
    }
}

static void add_blocks(Lines *l, const SeidRun *run, int64_t first, int64_t last)
{
    if (first < last - POD_LOG_LINES_MAX)
        first = last - POD_LOG_LINES_MAX;
    for (int64_t height = first; height <= last; height++) {
        int64_t at = block_wall(l, run, height);
        const char *hash = hash_of(l->arena, l->pod, height);
        add(l,
            at,
            "%s committed state app_hash=%s height=%lld module=state num_txs=%d",
            stamp(l, at, "INF"),
            hash,
            (long long)height,
            hash[0] % 8);
        if (height % PEERS_EVERY == 0)
            add(l,
                at,
                "%s connected peers connected=%d max=200 module=peermanager",
                stamp(l, at, "INF"),
                8 + hash[1] % 16);
    }
}

static void add_heights(Lines *l, const SeidRun *run, int64_t last)
{
    int64_t first = first_height(l, run, run->anchor + 1, last + 1, is_asked_for);
    int64_t live = first_height(l, run, first, last + 1, is_live);

    add_catching_up(l, run, first, live - 1);
    add_blocks(l, run, live, last);
}

/* The upgrade that the image does not know and whose block is the next; or NULL. */
static const ChainUpgrade *upgrade_after(const Pod *p, int64_t height)
{
    const Chain *chain = p->seid.chain;

    for (size_t i = 0; p->seid.image && i < chain->upgrade_count; i++)
        if (chain->upgrades[i].height == height + 1
            && chain_limit(chain, p->seid.image, height) == height)
            return &chain->upgrades[i];
    return NULL;
}

static void add_halt(Lines *l, const SeidRun *run, int64_t last)
{
    const ChainUpgrade *upgrade = upgrade_after(l->pod, last);
    int64_t at = block_wall(l, run, last);
    const char *why;

    if (!upgrade)
        return;
    why = str_format(l->arena,
        "UPGRADE \"%s\" NEEDED at height: %lld",
        upgrade->image,
        (long long)upgrade->height);
    add(l, at, "%s %s: module=x/upgrade", stamp(l, at, "ERR"), why);
    add(l, at, "%s CONSENSUS FAILURE!!! err=\"%s\" module=consensus", stamp(l, at, "ERR"), why);
    if (run->ended_ms && run->exit_code == EXIT_PANIC) {
        add(l, at, "panic: %s", why);
        add(l, at, "goroutine 1 [running]:");
    }
}

static void add_crash(Lines *l, const SeidRun *run, int64_t at)
{
    if (run->is_config_wrong) {
        add(l,
            at,
            "Error: failed to load the configuration: config.toml: an unknown or malformed value");
        return;
    }
    add(l, at, "panic: runtime error: invalid memory address or nil pointer dereference");
    add(l, at, "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1c6f2a0]");
    add(l, at, "goroutine 1 [running]:");
}

static void add_seid_end(Lines *l, const SeidRun *run)
{
    int64_t at = run->ended_ms + l->wall_ahead_ms;

    if (run->is_crash)
        add_crash(l, run, at);
    else if (run->is_halted)
        add(l,
            at,
            "%s halting node per configuration height=%lld time=0",
            stamp(l, at, "INF"),
            (long long)run->last);
    else if (run->exit_code == 0)
        add(l, at, "%s exiting... module=main", stamp(l, at, "INF"));
}

/* The shell before it waits for the sidecar in silence. */
static void gather_seid(Lines *l, const SeidRun *run)
{
    const Pod *p = l->pod;
    int64_t began = run->up_ms + l->wall_ahead_ms, serves = run->anchor_ms + l->wall_ahead_ms;
    int64_t now_ms = l->query->until_ms - l->wall_ahead_ms, last;

    if (!run->up_ms)
        return;
    last = run->ended_ms ? run->last : seid_height(&p->seid, now_ms);
    add(l,
        began,
        "%s starting ABCI with Tendermint chain_id=%s",
        stamp(l, began, "INF"),
        p->seid.chain->id);
    if (!run->is_crash) {
        add(l,
            began,
            "%s ABCI Handshake App Info hash=%s height=%lld module=consensus",
            stamp(l, began, "INF"),
            hash_of(l->arena, p, run->anchor),
            (long long)run->anchor);
        add(l,
            serves,
            "%s Completed ABCI Handshake - Tendermint and App are synced appHeight=%lld "
            "module=consensus",
            stamp(l, serves, "INF"),
            (long long)run->anchor);
        add(l,
            serves,
            "%s RPC HTTP server is listening on 0.0.0.0:26657 module=rpc-server",
            stamp(l, serves, "INF"));
        add_heights(l, run, last);
        add_halt(l, run, last);
    }
    if (run->ended_ms)
        add_seid_end(l, run);
}

/* --- the others --- */

static void add_task(Lines *l, const TaskRow *row)
{
    int64_t submitted = row->submitted_ns / NS_PER_MS, completed = row->completed_ns / NS_PER_MS;

    add(l,
        submitted,
        "time=%s level=INFO msg=\"task accepted\" type=%s id=%s run=%lld",
        time_text(l->arena, submitted),
        row->type,
        row->id,
        (long long)row->run);
    if (!row->completed_ns)
        return;
    add(l,
        completed,
        "time=%s level=%s msg=\"task %s\" type=%s id=%s%s%s",
        time_text(l->arena, completed),
        row->status == ROW_FAILED ? "ERROR" : "INFO",
        task_status_text(row->status),
        row->type,
        row->id,
        row->error ? " error=" : "",
        row->error ? row->error : "");
}

static void gather_sidecar(Lines *l, int64_t started_ms, int64_t ended_ms)
{
    const TaskRow *row = NULL;
    size_t count = 0;

    add(l,
        started_ms,
        "time=%s level=INFO msg=\"sei-sidecar is listening\" address=127.0.0.1:7777",
        time_text(l->arena, started_ms));
    /* The disk of a pod that has stopped is not its own any more. */
    if (l->pod->stage == POD_STOPPED || !l->pod->volume)
        return;
    /* Rows outlive runs: those of this one alone. */
    while ((row = task_store_next(l->pod->volume->tasks, row)) && count++ < POD_LOG_LINES_MAX)
        if (row->submitted_ns / NS_PER_MS >= started_ms
            && row->submitted_ns / NS_PER_MS <= ended_ms)
            add_task(l, row);
}

static void gather_proxy(Lines *l, int64_t started_ms)
{
    add(l, started_ms, "kube-rbac-proxy: valid token audiences: as configured");
    add(l, started_ms, "kube-rbac-proxy: listening securely on 0.0.0.0:8443");
}

static void gather_plain(Lines *l, int64_t started_ms, const ContainerEnd *end)
{
    const Container *c = l->query->container;

    add(l, started_ms, "%s: started", c->name);
    if (end && end->exit_code == 0)
        add(l, end->finished_ms, "%s: done", c->name);
    else if (end)
        add(l, end->finished_ms, "%s: ended with code %d", c->name, end->exit_code);
}

static void gather(Lines *l)
{
    const Container *c = l->query->container;
    const ContainerEnd *end = c->has_end ? &c->end : NULL;

    if (l->query->previous)
        end = &c->last;
    int64_t started_ms = end ? end->started_ms : c->since_wall_ms;

    switch (c->program) {
    case PROGRAM_SEID:
        gather_seid(l, l->query->previous ? &l->pod->last_run : &l->pod->run);
        break;
    case PROGRAM_SIDECAR:
        gather_sidecar(l, started_ms, end ? end->finished_ms : INT64_MAX);
        break;
    case PROGRAM_PROXY:
        gather_proxy(l, started_ms);
        break;
    case PROGRAM_SEID_INIT:
    case PROGRAM_PLAIN:
        gather_plain(l, started_ms, end);
        break;
    }
}

/* --- the log --- */

/* With nine digits behind the second, as a container runtime writes it. */
static const char *prefix(Lines *l, const Line *line)
{
    const char *seconds = time_text(l->arena, line->at_ms);

    if (!l->query->timestamps)
        return "";
    return str_format(l->arena,
        "%.*s.%03d%06zuZ ",
        (int)strcspn(seconds, ".Z"),
        seconds,
        (int)(line->at_ms % 1000),
        line->order % 1000000);
}

Bytes pod_log(const Pod *p, Arena *a, const PodLogQuery *query)
{
    Clock *clock = p->host->clock;
    Lines l = {
        .pod = p,
        .query = query,
        .arena = a,
        .wall_ahead_ms = clock_wall_ms(clock) - clock_mono_ms(clock),
        .items = arena_array(a, Line, LINES_MAX),
    };
    size_t most = query->lines_max < POD_LOG_LINES_MAX ? query->lines_max : POD_LOG_LINES_MAX;
    size_t first, len = 0;
    char *text;

    gather(&l);
    qsort(l.items, l.count, sizeof *l.items, compare_lines);
    first = l.count > most ? l.count - most : 0;
    for (size_t i = first; i < l.count; i++) {
        l.items[i].text = str_format(a, "%s%s\n", prefix(&l, &l.items[i]), l.items[i].text);
        len += strlen(l.items[i].text);
    }
    text = arena_array(a, char, len + 1);
    len = 0;
    for (size_t i = first; i < l.count; i++) {
        memcpy(text + len, l.items[i].text, strlen(l.items[i].text));
        len += strlen(l.items[i].text);
    }
    return (Bytes){text, len};
}
