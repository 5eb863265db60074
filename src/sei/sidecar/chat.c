/* Chat: the rules of the conversation, one function for each thing that can happen. */
#include "sei/sidecar/chat.h"

#include "base/draft.h"
#include "base/str.h"
#include "sei/api/task_type.h"
#include "sei/sidecar/sidecars.h"

#include <stdio.h>
#include <string.h>

enum { MISSING_TWICE = 2 };

void chat_close(Chat *c, Slab *slab)
{
    slab_text_set(slab, &c->body, NULL);
    slab_text_set(slab, &c->message, NULL);
    slab_text_set(slab, &c->result, NULL);
}

/* --- what is wanted ----------------------------------------------------------------------------
 */

static bool is_at_work(const Chat *c)
{
    return c->id[0] && c->phase != CHAT_ENDED && c->may_be_there && !c->submit_and_go;
}

/* The task is not the wanted one any more. Of two that may be at work the older one was handed over
 * by us; the other one, which is said to have been, must have ended before that. */
static void put_behind(Chat *c)
{
    if (is_at_work(c) && !c->previous[0]) {
        memcpy(c->previous, c->id, sizeof c->previous);
        c->previous_missing = 0;
    }
    c->id[0] = '\0';
}

static void begin(Chat *c, const ChatPorts *p, ChatPhase phase)
{
    c->phase = phase;
    c->state = SIDECAR_ASKED;
    c->submitted = c->submitted && phase == CHAT_ASK;
    c->missing = 0;
    c->pause_ms = SIDECAR_QUICK_POLL_MS;
    c->backoff_ms = 0;
    c->renewed = false;
    c->due_ms = p->now_ms;
    slab_text_set(p->slab, &c->message, NULL);
    slab_text_set(p->slab, &c->result, NULL);
}

static const char *body_of(Arena *a, const SidecarJob *job)
{
    Draft *body =
        draft(a, str("id", job->id), str("type", job->type), draft_json("params", job->params));

    return json_write(a, json_seal(a, body)).data;
}

static void begin_new(Chat *c, const ChatPorts *p, const SidecarJob *job, const char *body)
{
    bool was_previous = str_eq(c->previous, job->id);

    put_behind(c);
    if (was_previous)
        c->previous[0] = '\0';
    snprintf(c->id, sizeof c->id, "%s", job->id);
    slab_text_set(p->slab, &c->body, body);
    c->attempt = job->attempt;
    c->failed_run = c->retried_run = 0;
    c->submit_and_go = job->submit_and_go;
    c->only_awaited = job->only_awaited;
    c->is_mark_ready = task_type_parse(job->type) == TASK_MARK_READY;
    c->submitted = false;
    c->may_be_there = job->submitted || was_previous;
    /* What is only awaited is never handed over by us: it may not be there at all. */
    begin(c, p, c->may_be_there || c->only_awaited ? CHAT_ASK : CHAT_HAND_OVER);
}

bool chat_want(Chat *c, const ChatPorts *p, Arena *a, const SidecarJob *job)
{
    if (str_empty(job->id) || strlen(job->id) >= CHAT_ID_SIZE)
        return false;
    if (!str_eq(c->id, job->id)) {
        const char *body = body_of(a, job);
        if (strlen(body) > SIDECAR_BODY_MAX)
            return false;
        begin_new(c, p, job, body);
        return true;
    }
    c->only_awaited = job->only_awaited;
    if (c->only_awaited && c->phase == CHAT_HAND_OVER)
        begin(c, p, CHAT_ASK);
    bool is_next = job->attempt > c->attempt;
    c->attempt = job->attempt;
    if (is_next && c->phase != CHAT_POLL && !c->only_awaited) {
        c->retried_run = c->failed_run;
        begin(c, p, CHAT_HAND_OVER);
    }
    return true;
}

void chat_rest(Chat *c, const ChatPorts *p)
{
    put_behind(c);
    c->phase = CHAT_IDLE;
    c->state = SIDECAR_ASKED;
    c->submitted = c->may_be_there = false;
    c->due_ms = INT64_MAX;
    slab_text_set(p->slab, &c->body, NULL);
    slab_text_set(p->slab, &c->message, NULL);
    slab_text_set(p->slab, &c->result, NULL);
}

void chat_move(Chat *c, const ChatPorts *p)
{
    c->previous_missing = 0;
    if (!c->id[0])
        return;
    bool is_known = c->submitted || c->may_be_there || c->only_awaited;
    begin(c, p, is_known ? CHAT_ASK : CHAT_HAND_OVER);
}

void chat_renew(Chat *c, const ChatPorts *p)
{
    if (!c->id[0] || c->state != SIDECAR_UNAUTHORIZED || c->renewed)
        return;
    c->renewed = true;
    c->state = SIDECAR_ASKED;
    c->due_ms = p->now_ms;
    slab_text_set(p->slab, &c->message, NULL);
}

/* --- what is asked -----------------------------------------------------------------------------
 */

Errand chat_errand(const Chat *c, const char **ret_id)
{
    bool is_over = !c->id[0] || c->phase == CHAT_ENDED;

    *ret_id = c->previous[0] ? c->previous : c->id;
    if (is_over)
        return ERRAND_NONE;
    return c->previous[0] || c->phase != CHAT_HAND_OVER ? ERRAND_ASK : ERRAND_SUBMIT;
}

void chat_sent(Chat *c, Errand errand)
{
    if (errand == ERRAND_SUBMIT)
        c->may_be_there = true;
}

/* --- what is heard -----------------------------------------------------------------------------
 */

static void set_news(Chat *c, const ChatPorts *p, SidecarState state, const char *message)
{
    c->state = state;
    slab_text_set(p->slab, &c->message, message);
}

static void end(Chat *c, const ChatPorts *p, SidecarState state, const Reading *reading)
{
    set_news(c, p, state, reading->message);
    slab_text_set(p->slab, &c->result, reading->result);
    c->phase = CHAT_ENDED;
    c->submitted = state != SIDECAR_REFUSED;
    c->may_be_there = false;
    c->due_ms = INT64_MAX;
}

/* It goes well: the next look after a pause that grows. */
static void go_on(Chat *c, const ChatPorts *p)
{
    c->backoff_ms = 0;
    c->renewed = false;
    c->due_ms = p->now_ms + c->pause_ms;
    c->pause_ms = c->pause_ms * 2 < SIDECAR_POLL_MS ? c->pause_ms * 2 : SIDECAR_POLL_MS;
}

static void poll(Chat *c, const ChatPorts *p)
{
    set_news(c, p, SIDECAR_RUNNING, NULL);
    c->phase = CHAT_POLL;
    c->submitted = c->may_be_there = true;
    c->missing = 0;
    go_on(c, p);
}

/* It does not go well: asked again after a back-off. What was to be handed over and may have
 * arrived is asked for first. */
static void trouble(Chat *c, const ChatPorts *p, Errand errand, const Reading *reading)
{
    bool is_refused = reading->kind == READING_UNAUTHORIZED;

    set_news(c, p, is_refused ? SIDECAR_UNAUTHORIZED : SIDECAR_UNREACHABLE, reading->message);
    if (errand == ERRAND_SUBMIT && (is_refused || reading->is_undone))
        c->may_be_there = false;
    else if (errand == ERRAND_SUBMIT)
        c->phase = CHAT_ASK;
    c->renewed = c->renewed && is_refused;
    c->due_ms = p->now_ms + backoff_next_ms(&c->backoff_ms, p->rng);
}

/* 404: a store that cannot be read says so, too, so once is not enough. */
static void miss(Chat *c, const ChatPorts *p)
{
    if (++c->missing < MISSING_TWICE) {
        c->pause_ms = SIDECAR_POLL_MS;
        go_on(c, p);
        return;
    }
    c->may_be_there = false;
    if (c->only_awaited)
        end(c, p, SIDECAR_FAILED, &(Reading){.message = "it is not known to the sidecar"});
    else
        begin(c, p, CHAT_HAND_OVER);
}

static void fail(Chat *c, const ChatPorts *p, const Reading *reading)
{
    if (c->retried_run > 0 && reading->run == c->retried_run) {
        c->may_be_there = false;
        begin(c, p, CHAT_HAND_OVER); /* the failure of the attempt before: this one never arrived */
        return;
    }
    if (c->submit_and_go) {
        c->may_be_there = false;
        begin(
            c, p, CHAT_HAND_OVER); /* it never ends by itself: a restart of the sidecar ended it */
        return;
    }
    c->failed_run = reading->run;
    end(c, p, SIDECAR_FAILED, reading);
}

static void hear_wanted(Chat *c, const ChatPorts *p, Errand errand, const Reading *reading)
{
    switch (reading->kind) {
    case READING_ACCEPTED:
    case READING_RUNNING:
        if (c->submit_and_go)
            end(c, p, SIDECAR_COMPLETED, &(Reading){0});
        else
            poll(c, p);
        return;
    case READING_COMPLETED:
        end(c, p, SIDECAR_COMPLETED, reading);
        return;
    case READING_FAILED:
        fail(c, p, reading);
        return;
    case READING_MISSING:
        miss(c, p);
        return;
    case READING_REFUSED:
        end(c, p, SIDECAR_REFUSED, reading);
        return;
    default:
        trouble(c, p, errand, reading);
    }
}

static void forget_previous(Chat *c, const ChatPorts *p)
{
    c->previous[0] = '\0';
    c->backoff_ms = 0;
    c->pause_ms = SIDECAR_QUICK_POLL_MS;
    c->due_ms = p->now_ms;
    if (c->id[0])
        set_news(c, p, SIDECAR_ASKED, NULL);
}

static void hear_previous(Chat *c, const ChatPorts *p, Errand errand, const Reading *reading)
{
    bool is_undone =
        errand == ERRAND_SUBMIT && (reading->is_undone || reading->kind == READING_UNAUTHORIZED);

    switch (reading->kind) {
    case READING_COMPLETED:
    case READING_FAILED:
    case READING_REFUSED:
        forget_previous(c, p);
        return;
    case READING_MISSING:
        c->pause_ms = SIDECAR_POLL_MS;
        go_on(c, p);
        if (++c->previous_missing >= MISSING_TWICE)
            forget_previous(c, p);
        return;
    case READING_ACCEPTED:
    case READING_RUNNING:
        c->previous_missing = 0;
        set_news(c, p, SIDECAR_ASKED, "an earlier task of this node is still at work there");
        go_on(c, p);
        return;
    default:
        if (is_undone)
            forget_previous(c, p);
        else
            trouble(c, p, ERRAND_ASK, reading);
    }
}

void chat_hear(Chat *c, const ChatPorts *p, Errand errand, const char *id, const Reading *reading)
{
    if (c->id[0] && str_eq(id, c->id))
        hear_wanted(c, p, errand, reading);
    else if (c->previous[0] && str_eq(id, c->previous))
        hear_previous(c, p, errand, reading);
}
