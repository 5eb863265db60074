/* Fuzzes a sidecar from its socket on: whatever bytes come in, every request gets one answer, rows
 * obey the rules of their states, and a restart changes none that has ended. A zero byte lets time
 * pass, a byte of ones restarts the process. */
#include "base/str.h"
#include "player/http.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Peer {
    Arena *arena;
    ManualClock clock;
    SeededRng rng;
    Outside *outside;
    Slab *slab;
    Volume volume;
    Seid seid;
    SidecarScript script;
    Hazards hazards;
    Sidecar sidecar;
    int64_t now_ms;
} Peer;

static void must(bool law)
{
    if (!law)
        abort();
}

static void peer_open(Peer *p)
{
    memset(p, 0, sizeof *p);
    p->arena = arena_open(64 << 20);
    clock_manual_init(&p->clock, 0, INT64_C(1767225600) * 1000000000);
    rng_seed(&p->rng, 1);
    p->outside = outside_open();
    p->slab = slab_open();
    volume_open(&p->volume, p->slab, "volume");
    p->seid = (Seid){.chain = outside_chain(p->outside, "pacific-1"),
        .volume = &p->volume,
        .image = "seid",
        .start_ms = 1000,
        .stop_ms = 1000};
    p->sidecar = (Sidecar){.name = "n/p",
        .chain_id = "pacific-1",
        .version = SIDECAR_NEWEST,
        .has_keyring = true,
        .volume = &p->volume,
        .seid = &p->seid,
        .outside = p->outside,
        .script = &p->script,
        .hazards = &p->hazards,
        .clock = &p->clock.port,
        .rng = &p->rng.port};
    seid_start(&p->seid, 0);
    sidecar_start(&p->sidecar, 0);
}

static void peer_close(Peer *p)
{
    volume_close(&p->volume);
    slab_close(p->slab);
    outside_close(p->outside);
    arena_close(p->arena);
}

static void check_rows(const Peer *p)
{
    const TaskStore *tasks = p->volume.tasks;

    for (const TaskRow *row = task_store_next(tasks, NULL); row;
        row = task_store_next(tasks, row)) {
        must((row->completed_ns != 0) == (row->status != ROW_RUNNING));
        must((row->error != NULL) == (row->status == ROW_FAILED));
        must(row->run >= 1);
    }
}

static void pass_time(Peer *p, int64_t ms)
{
    clock_manual_advance_ms(&p->clock, ms);
    p->now_ms += ms;
    seid_step(&p->seid, p->now_ms);
    sidecar_step(&p->sidecar, p->now_ms);
}

/* Gives how many bytes were used. */
static size_t ask(Peer *p, Bytes bytes)
{
    static const SidecarProxy proxy = {.namespace = "n", .name = "p"};
    HttpRequest http;
    SidecarAnswer answer;

    arena_reset(p->arena);
    HttpState state = http_parse(p->arena, bytes, &http);
    if (state != HTTP_DONE)
        return bytes.len;
    must(http.len > 0 && http.len <= bytes.len);
    http.request.token = "t";
    http.request.now_ms = p->now_ms;
    sidecar_answer(&p->sidecar, &proxy, p->arena, &http.request, &answer);
    must(answer.fate == FATE_ANSWERED && answer.status >= 200 && answer.status < 600);
    must((answer.body.len > 0) <= (answer.content_type != NULL));
    return http.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Peer p;
    size_t at = 0;

    peer_open(&p);
    while (at < size) {
        if (data[at] == 0) {
            pass_time(&p, 700);
            at++;
        } else if (data[at] == 0xff) {
            sidecar_end(&p.sidecar);
            sidecar_start(&p.sidecar, p.now_ms);
            at++;
        } else {
            at += ask(&p, (Bytes){(const char *)data + at, size - at});
        }
        check_rows(&p);
    }
    peer_close(&p);
    return 0;
}
