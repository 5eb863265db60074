/* Pod: the machine. Init containers pass one after the other, native ones stay; then the main ones
 * run side by side. Stopping goes the other way round, under a deadline.
 *
 * One step lets everything happen that is due, once; a container that ends hands its turn to the
 * next within the same step. */
#include "world/pod.h"

#include "base/str.h"
#include "world/ports.h"

#include <assert.h>

enum {
    GATE_MS = 5000,   /* how often the waiting shell asks the sidecar */
    RELIST_MS = 1000, /* until the kubelet notices that a container has ended */
    CRASH_MS = 500,   /* what a scripted crash takes */
    BACKOFF_MIN_MS = 10000,
    BACKOFF_MAX_MS = 300000,
    BACKOFF_FORGET_MS = 600000, /* a run this long was a good one */
    EXIT_KILLED = 137,
    EXIT_TERMINATED = 143,
    JITTER_PERCENT = 20,
};

static int64_t least(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static int64_t spread(Pod *p, int64_t ms, int64_t fallback_ms)
{
    return rng_jitter(p->host->rng, ms > 0 ? ms : fallback_ms, JITTER_PERCENT);
}

static int64_t wall_ms(Pod *p)
{
    return clock_wall_ms(p->host->clock);
}

Container *pod_find(Pod *p, ContainerProgram program)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->containers[i].program == program)
            return &p->containers[i];
    return NULL;
}

bool pod_is_running(const Pod *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (container_is_running(&p->containers[i]))
            return true;
    return false;
}

static bool proxy_listens(const Pod *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->containers[i].program == PROGRAM_PROXY)
            return container_is_running(&p->containers[i]);
    return false;
}

bool pod_listens(const Pod *p, int port)
{
    if (port == POD_PORT_PROXY)
        return proxy_listens(p);
    return port == POD_PORT_RPC && seid_serves(&p->seid) && !p->volume->is_seed;
}

/* --- programs */

static void start_program(Pod *p, Container *c, int64_t now_ms)
{
    switch (c->program) {
    case PROGRAM_SIDECAR:
        sidecar_start(&p->sidecar, now_ms);
        break;
    case PROGRAM_SEID:
        c->is_seid_up = false;
        p->last_run = p->run;
        p->run = (SeidRun){0};
        break;
    case PROGRAM_PLAIN:
    case PROGRAM_SEID_INIT:
    case PROGRAM_PROXY:
        break;
    }
    if (c->role == ROLE_INIT)
        c->due_ms = now_ms + spread(p, p->host->times.init_ms, 500);
    else if (c->role == ROLE_MAIN && c->program == PROGRAM_PLAIN
        && !str_eq(p->restart_policy, "Always"))
        c->due_ms = now_ms + spread(p, p->host->times.job_ms, 5000);
}

static void end_seid(Pod *p, const Container *c, int64_t now_ms)
{
    seid_kill(&p->seid, now_ms);
    p->run.ended_ms = now_ms;
    p->run.last = p->volume->height;
    p->run.is_halted = c->is_seid_up && p->seid.has_halted;
    p->run.exit_code = c->is_seid_up && !p->run.is_crash ? p->seid.exit_code : c->end.exit_code;
}

static void end_program(Pod *p, const Container *c, int64_t now_ms)
{
    Volume *v = p->volume;

    if (c->program == PROGRAM_SIDECAR && c->end.exit_code == 0)
        sidecar_stop(&p->sidecar);
    else if (c->program == PROGRAM_SIDECAR)
        sidecar_end(&p->sidecar);
    else if (c->program == PROGRAM_SEID)
        end_seid(p, c, now_ms);
    else if (c->program == PROGRAM_SEID_INIT && c->end.exit_code == 0
        && !volume_has(v, FILE_GENESIS)) {
        volume_write_genesis(v, p->sidecar.chain_id);
        v->files |= FILE_STAKING | FILE_CONFIG | FILE_APP | FILE_NODE_KEY;
    }
}

static void start_seid(Pod *p, Container *c, int64_t now_ms)
{
    const PodTimes *times = &p->host->times;
    const PodScript *script = p->script;

    c->is_seid_up = true;
    p->run.up_ms = now_ms;
    p->run.is_crash = p->script->crashes > 0;
    p->run.is_config_wrong = p->volume->is_config_wrong;
    if (p->run.is_crash) {
        p->script->crashes--;
        c->due_ms = now_ms + CRASH_MS;
        return;
    }
    p->seid.start_ms =
        script->start_slow_ms ? script->start_slow_ms : spread(p, times->seid_start_ms, 3000);
    p->seid.stop_ms =
        script->stop_slow_ms ? script->stop_slow_ms : spread(p, times->seid_stop_ms, 2000);
    seid_start(&p->seid, now_ms);
    p->run.anchor = p->seid.anchor;
    p->run.anchor_ms = p->seid.anchor_ms;
    if (p->volume->seids > 1)
        hazards_note(p->host->hazards,
            "%s (%s): seid began on volume %s while another had it open",
            p->key_text,
            p->uid,
            p->volume->uid);
}

/* --- containers */

static bool restarts(const Pod *p, const Container *c)
{
    if (c->role == ROLE_NATIVE)
        return true;
    if (c->role == ROLE_INIT && c->end.exit_code == 0)
        return false;
    return str_eq(p->restart_policy, "Always")
        || (str_eq(p->restart_policy, "OnFailure") && c->end.exit_code != 0);
}

static void exit_container(Pod *p, Container *c, int exit_code, int64_t now_ms)
{
    c->end = (ContainerEnd){
        .exit_code = exit_code,
        .reason = exit_code == 0 ? "Completed" : "Error",
        .started_ms = c->since_wall_ms,
        .finished_ms = wall_ms(p),
        .run = c->restarts,
    };
    c->has_end = true;
    c->state = CONTAINER_EXITED;
    c->is_started = false;
    c->is_ready = false;
    if (now_ms - c->since_ms >= BACKOFF_FORGET_MS)
        c->crash_backoff_ms = 0;
    c->due_ms = restarts(p, c) ? now_ms + RELIST_MS : INT64_MAX;
    end_program(p, c, now_ms);
}

static void start_container(Pod *p, Container *c, int64_t now_ms)
{
    if (c->has_end) {
        c->last = c->end;
        c->has_last = true;
        c->has_end = false;
        c->restarts++;
    }
    c->state = CONTAINER_RUNNING;
    c->has_begun = true;
    p->has_begun = p->has_begun || c->role == ROLE_MAIN;
    c->since_ms = now_ms;
    c->since_wall_ms = wall_ms(p);
    c->due_ms = INT64_MAX;
    c->pull_backoff_ms = 0;
    c->is_started = !c->startup.target;
    c->is_ready = false;
    Probe *probes[] = {&c->startup, &c->liveness, &c->readiness};
    for (size_t i = 0; i < 3; i++) {
        probes[i]->failures = probes[i]->successes = 0;
        probes[i]->next_ms = INT64_MAX;
    }
    start_program(p, c, now_ms);
}

void pod_crash(Pod *p, Container *c, int exit_code, int64_t now_ms)
{
    if (container_is_running(c))
        exit_container(p, c, exit_code, now_ms);
}

/* SIGTERM. */
static void terminate(Pod *p, Container *c, int64_t now_ms)
{
    c->state = CONTAINER_STOPPING;
    c->due_ms = now_ms + spread(p, p->host->times.stop_ms, 200);
    if (c->program == PROGRAM_SEID && p->seid.state != SEID_DOWN) {
        seid_terminate(&p->seid, now_ms);
        c->due_ms = p->seid.turns_ms;
    }
}

/* What the script around seid makes of its end. */
static int seid_code(const Pod *p)
{
    int code = p->seid.exit_code;
    bool is_excused = (code == EXIT_INTERRUPTED && p->excuses_interrupt)
        || (code == EXIT_TERMINATED && p->excuses_termination);

    return is_excused ? 0 : code;
}

static int terminated_code(const Pod *p, const Container *c)
{
    if (c->program == PROGRAM_SEID && c->is_seid_up)
        return p->tells_termination ? EXIT_TERMINATED : seid_code(p);
    return c->program == PROGRAM_SIDECAR || c->program == PROGRAM_PROXY ? 0 : EXIT_TERMINATED;
}

/* Behind the gate: the shell asks on its own beat whether the sidecar says yes. */
static void step_seid(Pod *p, Container *c, int64_t now_ms)
{
    if (c->is_seid_up) {
        if (c->due_ms <= now_ms)
            exit_container(p, c, 1, now_ms);
        else if (c->due_ms == INT64_MAX && p->seid.state == SEID_DOWN)
            exit_container(p, c, seid_code(p), now_ms);
        return;
    }
    if (!p->sidecar.is_ready) {
        c->due_ms = INT64_MAX;
        return;
    }
    if (c->due_ms == INT64_MAX)
        c->due_ms = c->since_ms + (now_ms - c->since_ms + GATE_MS - 1) / GATE_MS * GATE_MS;
    if (c->due_ms <= now_ms) {
        c->due_ms = INT64_MAX;
        start_seid(p, c, now_ms);
    }
}

static void step_running(Pod *p, Container *c, int64_t now_ms)
{
    if (c->program == PROGRAM_SEID)
        step_seid(p, c, now_ms);
    else if (c->due_ms <= now_ms)
        exit_container(p, c, 0, now_ms);
    if (c->state == CONTAINER_RUNNING && !pod_probe(p, c, now_ms))
        exit_container(p, c, EXIT_KILLED, now_ms);
}

static void pull(Pod *p, Container *c, int64_t now_ms)
{
    c->state = CONTAINER_PULLING;
    c->due_ms = now_ms + p->host->slow_ms + spread(p, p->host->times.pull_ms, 1500);
}

static void end_pull(Pod *p, Container *c, int64_t now_ms)
{
    if (!p->host->is_bad_image(p->host->self, c->image)) {
        start_container(p, c, now_ms);
        return;
    }
    c->state = CONTAINER_PULL_FAILED;
    c->due_ms = now_ms + RELIST_MS;
}

static void begin_pull_backoff(Container *c, int64_t now_ms)
{
    c->pull_backoff_ms =
        c->pull_backoff_ms ? least(2 * c->pull_backoff_ms, BACKOFF_MAX_MS) : BACKOFF_MIN_MS;
    c->state = CONTAINER_PULL_BACKOFF;
    c->due_ms = now_ms + c->pull_backoff_ms;
}

/* The first restart comes at once, the later ones after a back-off that doubles. */
static void restart(Pod *p, Container *c, int64_t now_ms)
{
    int64_t wait_ms = c->crash_backoff_ms;

    c->crash_backoff_ms = wait_ms ? least(2 * wait_ms, BACKOFF_MAX_MS) : BACKOFF_MIN_MS;
    if (wait_ms == 0) {
        start_container(p, c, now_ms);
        return;
    }
    c->state = CONTAINER_CRASH_BACKOFF;
    c->due_ms = now_ms + wait_ms;
}

static void step_container(Pod *p, Container *c, int64_t now_ms)
{
    if (c->state == CONTAINER_RUNNING) {
        step_running(p, c, now_ms);
        return;
    }
    if (c->state == CONTAINER_IDLE) {
        pull(p, c, now_ms);
        return;
    }
    if (c->due_ms > now_ms)
        return;
    switch (c->state) {
    case CONTAINER_PULLING:
        end_pull(p, c, now_ms);
        break;
    case CONTAINER_PULL_FAILED:
        begin_pull_backoff(c, now_ms);
        break;
    case CONTAINER_PULL_BACKOFF:
        pull(p, c, now_ms);
        break;
    case CONTAINER_EXITED:
        restart(p, c, now_ms);
        break;
    case CONTAINER_CRASH_BACKOFF:
        start_container(p, c, now_ms);
        break;
    case CONTAINER_STOPPING:
        exit_container(p, c, terminated_code(p, c), now_ms);
        break;
    case CONTAINER_IDLE:
    case CONTAINER_RUNNING:
        break;
    }
}

/* --- the pod */

static bool has_ended(const Pod *p, const Container *c)
{
    return c->state == CONTAINER_EXITED && !restarts(p, c);
}

/* Nothing is left to be done: every main container has ended, or an init container for good. */
static bool is_finished(const Pod *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const Container *c = &p->containers[i];
        if (c->role == ROLE_INIT && has_ended(p, c) && c->end.exit_code != 0)
            return true;
        if (c->role == ROLE_MAIN && !has_ended(p, c))
            return false;
    }
    return true;
}

static void step_active(Pod *p, int64_t now_ms)
{
    bool may_go_on = true;

    for (size_t i = 0; i < p->count; i++) {
        Container *c = &p->containers[i];
        if (may_go_on || c->state != CONTAINER_IDLE) /* what is being pulled is started, too */
            step_container(p, c, now_ms);
        may_go_on = may_go_on && (c->role == ROLE_MAIN || p->has_begun || container_is_passed(c));
    }
    if (is_finished(p))
        pod_stop(p, p->grace_s, now_ms);
}

static void kill_all(Pod *p, int64_t now_ms)
{
    for (size_t i = 0; i < p->count; i++)
        pod_crash(p, &p->containers[i], EXIT_KILLED, now_ms);
}

/* True when it still runs. */
static bool step_stopping_container(Pod *p, Container *c, int64_t now_ms)
{
    if (c->state == CONTAINER_RUNNING)
        terminate(p, c, now_ms);
    if (c->state == CONTAINER_STOPPING && c->due_ms <= now_ms)
        exit_container(p, c, terminated_code(p, c), now_ms);
    return container_is_running(c);
}

static void step_stopping(Pod *p, int64_t now_ms)
{
    bool runs = false;

    if (now_ms >= p->deadline_ms)
        kill_all(p, now_ms);
    for (size_t i = 0; i < p->count; i++)
        if (p->containers[i].role != ROLE_NATIVE)
            runs = step_stopping_container(p, &p->containers[i], now_ms) || runs;
    for (size_t i = p->count; i-- > 0 && !runs;)
        if (p->containers[i].role == ROLE_NATIVE)
            runs = step_stopping_container(p, &p->containers[i], now_ms);
    if (!runs)
        p->stage = POD_STOPPED;
}

void pod_stop(Pod *p, int64_t grace_s, int64_t now_ms)
{
    int64_t deadline_ms = now_ms + (grace_s > 1 ? grace_s : 1) * 1000;

    if (p->stage == POD_STOPPED)
        return;
    if (p->stage == POD_STOPPING) {
        p->deadline_ms = least(p->deadline_ms, deadline_ms);
        return;
    }
    p->stage = POD_STOPPING;
    p->deadline_ms = deadline_ms;
    step_stopping(p, now_ms);
}

void pod_mount(Pod *p, Volume *volume, int64_t now_ms)
{
    const Chain *chain = outside_chain(p->host->outside, p->sidecar.chain_id);

    p->volume = volume;
    p->seid.chain = chain;
    p->seid.volume = volume;
    p->sidecar.name = p->key_text;
    p->sidecar.volume = volume;
    p->sidecar.seid = &p->seid;
    p->sidecar.outside = p->host->outside;
    p->sidecar.script = &p->script->sidecar;
    p->sidecar.hazards = p->host->hazards;
    p->sidecar.clock = p->host->clock;
    p->sidecar.rng = p->host->rng;
    p->proxy.reviewer = p->host->reviewer;
    p->proxy.reviewer_self = p->host->reviewer_self;
    p->stage = POD_ACTIVE;
    step_active(p, now_ms);
}

static int64_t next_due(const Pod *p)
{
    int64_t due_ms = p->stage == POD_STOPPING ? p->deadline_ms : INT64_MAX;

    for (size_t i = 0; i < p->count; i++) {
        const Container *c = &p->containers[i];
        bool counts = p->stage == POD_ACTIVE || c->state == CONTAINER_STOPPING;
        if (counts)
            due_ms = least(due_ms, c->due_ms);
        if (p->stage == POD_ACTIVE)
            due_ms = least(due_ms, pod_probe_due(c));
    }
    return least(due_ms, least(seid_due(&p->seid), sidecar_due(&p->sidecar)));
}

int64_t pod_step(Pod *p, int64_t now_ms)
{
    if (p->stage != POD_ACTIVE && p->stage != POD_STOPPING)
        return INT64_MAX;
    seid_step(&p->seid, now_ms);
    sidecar_step(&p->sidecar, now_ms);
    if (p->stage == POD_ACTIVE)
        step_active(p, now_ms);
    else
        step_stopping(p, now_ms);
    return p->stage == POD_STOPPED ? INT64_MAX : next_due(p);
}
