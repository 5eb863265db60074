/* Sidecar: the engine behind the door: rows on the volume, runs in the process.
 *
 * A run knows its row by id only: the row may be deleted under it, and then its end writes nothing.
 * The readiness flag flips before the row is written, so a reader may see the one without the
 * other, as in the real one. */
#include "world/sidecar.h"

#include "base/draft.h"
#include "base/json.h"
#include "base/str.h"
#include "world/sidecar_tasks.h"

#include <stdio.h>
#include <string.h>

enum {
    INTERRUPTED_FAIL_UNTIL = 61, /* the N of v0.0.N */
    QUICK_MS = 5,                /* what a task takes that has nothing to do */
    JITTER_PERCENT = 20,
    TURN_ARENA_MAX = 4 << 20,
};

static const char no_handler[] = "no handler registered for task type";

static int64_t wall_ns(Sidecar *s)
{
    return s->clock->wall_ns(s->clock);
}

/* --- runs */

static SidecarRun *find_run(Sidecar *s, const char *id)
{
    for (size_t i = 0; i < SIDECAR_RUNS_MAX; i++)
        if (s->runs[i].task && str_eq(s->runs[i].id, id))
            return &s->runs[i];
    return NULL;
}

static SidecarRun *free_run(Sidecar *s)
{
    for (size_t i = 0; i < SIDECAR_RUNS_MAX; i++)
        if (!s->runs[i].task)
            return &s->runs[i];
    return NULL;
}

static SidecarRule *rule_of(Sidecar *s, const char *type)
{
    for (size_t i = 0; i < SIDECAR_RULES_MAX; i++)
        if (s->script->rules[i].type[0] && str_eq(s->script->rules[i].type, type))
            return &s->script->rules[i];
    return NULL;
}

static void note_company(Sidecar *s, const SidecarRun *run)
{
    if (run->task->is_background)
        return;
    for (size_t i = 0; i < SIDECAR_RUNS_MAX; i++) {
        const SidecarRun *other = &s->runs[i];
        if (other != run && other->task && !other->task->is_background)
            hazards_note(s->hazards,
                "%s: %s (%s) began on volume %s while %s (%s) ran",
                s->name,
                run->task->type,
                run->id,
                s->volume->uid,
                other->task->type,
                other->id);
    }
}

static bool has_nothing_to_do(const Sidecar *s, const SidecarTask *task, const char *params)
{
    SCOPED_ARENA a = arena_open(TURN_ARENA_MAX);
    const Json *parsed = NULL;

    if (task->marker && volume_has(s->volume, task->marker))
        return true;
    return (params && json_parse(a, bytes_of(params), &parsed))
        || sidecar_task_check(a, task, parsed);
}

/* Begins a run of a row that is written as running. */
static void begin_run(Sidecar *s, const TaskRow *row, const SidecarTask *task, int64_t now_ms)
{
    SidecarRun *run = free_run(s);
    SidecarRule *rule = rule_of(s, task->type);
    int64_t takes_ms = rule && rule->takes_ms ? rule->takes_ms : task->takes_ms;

    *run = (SidecarRun){.task = task, .began_ms = now_ms};
    snprintf(run->id, sizeof run->id, "%s", row->id);
    if (rule && rule->fail_count > 0) {
        rule->fail_count--;
        run->is_spoiled = true;
        snprintf(run->error, sizeof run->error, "%s", rule->error);
    }
    if (!run->is_spoiled && has_nothing_to_do(s, task, row->params))
        takes_ms = QUICK_MS;
    run->due_ms = now_ms + rng_jitter(s->rng, takes_ms, JITTER_PERCENT);
    note_company(s, run);
}

static void write_end(Sidecar *s, const TaskRow *row, const char *error, const char *result)
{
    TaskRow ended = *row;

    ended.status = error ? ROW_FAILED : ROW_COMPLETED;
    ended.error = error;
    ended.result = result;
    ended.completed_ns = wall_ns(s);
    /* The row is there already, so the store has room for it. */
    if (!task_store_put(s->volume->tasks, &ended))
        BUG("a row that is in the store did not fit into it");
}

static void act(Sidecar *s, const TaskRow *row, TaskTurn *turn)
{
    const SidecarTask *task = turn->run->task;

    if (row->params && json_parse(turn->arena, bytes_of(row->params), &turn->params))
        BUG("stored parameters do not parse");
    turn->error = sidecar_task_check(turn->arena, task, turn->params);
    if (turn->error)
        return;
    if (task->marker && volume_has(s->volume, task->marker))
        return;
    if (turn->run->is_spoiled) {
        turn->error = turn->run->error;
        if (task->spoil)
            task->spoil(turn);
        return;
    }
    task->act(turn);
    if (!turn->goes_on && !turn->error)
        s->volume->files |= (unsigned)task->marker;
}

static void take_turn(Sidecar *s, SidecarRun *run, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(TURN_ARENA_MAX);
    const TaskRow *row = task_store_find(s->volume->tasks, run->id);
    TaskTurn turn = {.sidecar = s, .run = run, .arena = a, .now_ms = now_ms};

    if (!row) {
        run->task = NULL;
        return;
    }
    act(s, row, &turn);
    if (turn.goes_on) {
        run->due_ms = turn.due_ms;
        return;
    }
    bool has_results = s->version > 50;
    const Json *result = has_results ? json_seal(a, turn.result) : NULL;
    write_end(s, row, turn.error, result ? json_write(a, result).data : NULL);
    if (s->script->temper == TEMPER_FORGETFUL)
        task_store_remove(s->volume->tasks, run->id);
    run->task = NULL;
}

/* The run that is due first, by time and then by place. */
static SidecarRun *next_run(Sidecar *s, int64_t now_ms)
{
    SidecarRun *first = NULL;

    for (size_t i = 0; i < SIDECAR_RUNS_MAX; i++) {
        SidecarRun *run = &s->runs[i];
        if (run->task && run->due_ms <= now_ms && (!first || run->due_ms < first->due_ms))
            first = run;
    }
    return first;
}

void sidecar_step(Sidecar *s, int64_t now_ms)
{
    SidecarRun *run;

    if (!s->is_up)
        return;
    for (size_t i = 0; i < SIDECAR_RUNS_MAX; i++)
        if (s->runs[i].task && s->runs[i].step > 0)
            s->runs[i].due_ms = now_ms;
    /* Each turn ends a run or moves it into the future: a bound all the same. */
    for (size_t turns = 0; turns < 4 * SIDECAR_RUNS_MAX && (run = next_run(s, now_ms)); turns++)
        take_turn(s, run, now_ms);
}

int64_t sidecar_due(const Sidecar *s)
{
    int64_t due_ms = INT64_MAX;

    for (size_t i = 0; s->is_up && i < SIDECAR_RUNS_MAX; i++)
        if (s->runs[i].task && s->runs[i].due_ms < due_ms)
            due_ms = s->runs[i].due_ms;
    return due_ms;
}

/* --- submitting */

const char *sidecar_submit(Sidecar *s, Arena *a, const SidecarOffer *offer, int64_t now_ms)
{
    const SidecarTask *task = sidecar_task_find(offer->type, s->version);
    const TaskRow *old = task_store_find(s->volume->tasks, offer->id);
    TaskRow row = {.id = offer->id,
        .type = offer->type,
        .status = ROW_RUNNING,
        .run = old ? old->run + 1 : 1,
        .submitted_ns = wall_ns(s),
        .params = offer->params};

    if (!task)
        return str_format(a, "unknown task type: %s", offer->type);
    if (s->volume->is_full || s->script->temper == TEMPER_WEDGED)
        return "persist task: database or disk is full (13)";
    if (old && old->status != ROW_FAILED)
        return NULL;
    if (!free_run(s) || !task_store_put(s->volume->tasks, &row))
        return "persist task: database or disk is full (13)";
    begin_run(s, &row, task, now_ms);
    return NULL;
}

bool sidecar_remove(Sidecar *s, const char *id)
{
    SidecarRun *run = find_run(s, id);

    if (run)
        run->task = NULL;
    return task_store_remove(s->volume->tasks, id);
}

/* --- starting */

static bool is_held(const Sidecar *s, const TaskRow *mark_ready)
{
    const TaskStore *tasks = s->volume->tasks;

    for (const TaskRow *row = task_store_next(tasks, NULL); row; row = task_store_next(tasks, row))
        if (str_eq(row->type, "mark-not-ready") && row->submitted_ns >= mark_ready->submitted_ns)
            return true;
    return false;
}

/* Runs a row anew, or ends it when it may not run. */
static void run_again(Sidecar *s, const TaskRow *row, int64_t now_ms)
{
    const SidecarTask *task = sidecar_task_find(row->type, s->version);

    if (!task)
        write_end(s, row, no_handler, NULL);
    else if (str_eq(row->type, "mark-ready") && is_held(s, row))
        write_end(s, row, "superseded by hold", NULL);
    else if (free_run(s))
        begin_run(s, row, task, now_ms);
}

/* The next row at or after `row` that was left running and runs not yet. */
static const TaskRow *stale_from(Sidecar *s, const TaskRow *row, const char *type)
{
    for (; row; row = task_store_next(s->volume->tasks, row))
        if (row->status == ROW_RUNNING && !find_run(s, row->id)
            && (!type || str_eq(row->type, type)))
            return row;
    return NULL;
}

static const TaskRow *stale(Sidecar *s, const char *type)
{
    return stale_from(s, task_store_next(s->volume->tasks, NULL), type);
}

void sidecar_start(Sidecar *s, int64_t now_ms)
{
    const TaskRow *row;

    s->is_up = true;
    s->is_ready = false;
    memset(s->runs, 0, sizeof s->runs);
    while (s->script->temper == TEMPER_FORGETFUL && (row = task_store_next(s->volume->tasks, NULL)))
        task_store_remove(s->volume->tasks, row->id);

    /* A hold comes first and is done before anybody can ask. */
    while (sidecar_task_find("mark-not-ready", s->version) && (row = stale(s, "mark-not-ready"))) {
        run_again(s, row, now_ms);
        take_turn(s, find_run(s, row->id), now_ms);
    }
    while (free_run(s) && (row = stale(s, NULL)))
        run_again(s, row, now_ms);
}

void sidecar_stop(Sidecar *s)
{
    for (size_t i = 0; s->version <= INTERRUPTED_FAIL_UNTIL && i < SIDECAR_RUNS_MAX; i++) {
        const SidecarRun *run = &s->runs[i];
        const TaskRow *row = run->task ? task_store_find(s->volume->tasks, run->id) : NULL;
        if (row && run->task->heeds_stop)
            write_end(s, row, "context canceled", NULL);
    }
    sidecar_end(s);
}

void sidecar_end(Sidecar *s)
{
    s->is_up = false;
    s->is_ready = false;
    memset(s->runs, 0, sizeof s->runs);
}
