/* A sidecar with a volume, a seid and a clock that stands still: what tests of sidecars share. */
#ifndef TESTS_WORLD_SIDECAR_RIG_H
#define TESTS_WORLD_SIDECAR_RIG_H

#include "tests/test.h"
#include "world/sidecar.h"
#include "world/sidecar_door.h"

typedef struct SidecarRig {
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
    SidecarProxy proxy;
    int64_t now_ms;
} SidecarRig;

static inline void rig_open(SidecarRig *r, const char *chain_id)
{
    memset(r, 0, sizeof *r);
    r->arena = arena_open(256 << 20);
    clock_manual_init(&r->clock, 0, INT64_C(1767225600) * 1000000000);
    rng_seed(&r->rng, 7);
    r->outside = outside_open();
    r->slab = slab_open();
    volume_open(&r->volume, r->slab, "0b5e5b1e-0000-4000-8000-000000000001");
    r->seid = (Seid){.chain = outside_chain(r->outside, chain_id),
        .volume = &r->volume,
        .image = "seid:v1",
        .start_ms = 3000,
        .stop_ms = 2000};
    r->sidecar = (Sidecar){.name = "sei/rpc-0-0",
        .chain_id = chain_id,
        .version = SIDECAR_NEWEST,
        .volume = &r->volume,
        .seid = &r->seid,
        .outside = r->outside,
        .script = &r->script,
        .hazards = &r->hazards,
        .clock = &r->clock.port,
        .rng = &r->rng.port};
    r->proxy = (SidecarProxy){.ignore_paths = "/v0/healthz,/v0/startupz,/v0/livez,/v0/metrics",
        .namespace = "sei",
        .name = "rpc-0"};
    sidecar_start(&r->sidecar, 0);
}

static inline void rig_close(SidecarRig *r)
{
    outside_close(r->outside);
    volume_close(&r->volume);
    slab_close(r->slab);
    arena_close(r->arena);
}

/* Lets time pass, stopping wherever something is due. */
static inline void rig_run(SidecarRig *r, int64_t ms)
{
    int64_t until_ms = r->now_ms + ms;

    while (r->now_ms < until_ms) {
        int64_t due_ms = sidecar_due(&r->sidecar);
        if (seid_due(&r->seid) < due_ms)
            due_ms = seid_due(&r->seid);
        if (due_ms > until_ms)
            due_ms = until_ms;
        if (due_ms > r->now_ms)
            clock_manual_advance_ms(&r->clock, due_ms - r->now_ms);
        r->now_ms = due_ms > r->now_ms ? due_ms : r->now_ms;
        seid_step(&r->seid, r->now_ms);
        sidecar_step(&r->sidecar, r->now_ms);
    }
}

static inline SidecarAnswer rig_ask(
    SidecarRig *r, const char *method, const char *target, const char *body)
{
    SidecarAnswer answer;
    SidecarRequest request = {.method = method,
        .target = target,
        .token = "secret",
        .body = bytes_of(body),
        .now_ms = r->now_ms};

    sidecar_answer(&r->sidecar, &r->proxy, r->arena, &request, &answer);
    return answer;
}

static inline const char *rig_body(SidecarRig *r, const SidecarAnswer *answer)
{
    return str_slice(r->arena, answer->body.data ? answer->body.data : "", answer->body.len);
}

static inline const Json *rig_json(SidecarRig *r, const SidecarAnswer *answer)
{
    const Json *value = NULL;
    then_ok(json_parse(r->arena, answer->body, &value));
    return value;
}

/* Posts a task; the test fails when it is not taken. */
static inline void rig_post(SidecarRig *r, const char *id, const char *type, const char *params)
{
    const char *body = params
        ? str_format(r->arena, "{\"id\":\"%s\",\"type\":\"%s\",\"params\":%s}", id, type, params)
        : str_format(r->arena, "{\"id\":\"%s\",\"type\":\"%s\"}", id, type);
    SidecarAnswer answer = rig_ask(r, "POST", "/v0/tasks", body);

    if (answer.status != 201)
        fail_msg("%s: %d %s", type, answer.status, rig_body(r, &answer));
}

static inline const Json *rig_get(SidecarRig *r, const char *id)
{
    SidecarAnswer answer = rig_ask(r, "GET", str_format(r->arena, "/v0/tasks/%s", id), NULL);
    return rig_json(r, &answer);
}

/* The process dies and comes back. */
static inline void rig_restart(SidecarRig *r)
{
    sidecar_end(&r->sidecar);
    sidecar_start(&r->sidecar, r->now_ms);
}

#define ID1 "11111111-1111-4111-8111-111111111111"
#define ID2 "22222222-2222-4222-8222-222222222222"
#define ID3 "33333333-3333-4333-8333-333333333333"

#endif
