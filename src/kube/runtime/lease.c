/* Lease: the election as three questions asked again and again: read, create, or write the record.
 *
 * The record is compatible with client-go's: a Go program and this one may stand for the same
 * lease. What surprises: every write differs from what it replaces, even when the wall clock stands
 * still, because the API server drops a write that changes nothing and nobody would see it; every
 * write carries the uid, because an update of a deleted Lease would create it; and a write whose
 * outcome is unknown is never believed, only read again and written anew. */
#include "kube/runtime/lease.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/timestamp.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    RANDOM_DIGITS = 16,
    RECORD_ARENA_MAX = 1 << 20,
    JITTER_PERCENT = 20,
    NS_PER_US = 1000,
};

typedef enum Question { ASK_NOTHING, ASK_READ, ASK_CREATE, ASK_WRITE } Question;

struct Lease {
    Arena *own;
    LeaseOptions options;
    const char *self;

    Arena *record_arena;
    const Json *record;   /* as last seen; NULL when absent or never seen */
    int64_t free_from_ms; /* when others than its holder may take it */
    bool must_read;       /* the record may be another than the one we know */
    bool first;           /* the first attempt is not over */

    Question asked; /* the request under way */
    int64_t next_ms;
    unsigned failures;
    unsigned conflicts; /* in a row: more than one, and we do not hurry */

    bool held, lost, released;
    int64_t renewed_ms; /* before the last successful write was sent */
};

static Err *check_options(Arena *a, const LeaseOptions *o)
{
    if (str_empty(o->identity) || strlen(o->identity) > LEASE_IDENTITY_MAX)
        return err_terminal(a,
            "lease %s: the identity must have 1 to %d bytes",
            key_text(a, o->key),
            LEASE_IDENTITY_MAX);
    if (str_empty(o->key.name) || str_empty(o->key.namespace))
        return err_terminal(a, "the lease needs a namespace and a name");
    bool fits = o->duration_ms > o->renew_ms && o->renew_ms > o->retry_ms && o->retry_ms > 0;
    if (!fits || o->duration_ms > LEASE_DURATION_MAX_MS)
        return err_terminal(a,
            "lease %s: duration (%lld ms), renew deadline (%lld ms) and retry period (%lld ms) must"
            " each be shorter than the one before, and the duration at most a day",
            key_text(a, o->key),
            (long long)o->duration_ms,
            (long long)o->renew_ms,
            (long long)o->retry_ms);
    return OK;
}

Err *lease_open(Arena *a, const LeaseOptions *options, Lease **ret)
{
    LeaseOptions o = *options;
    o.duration_ms = o.duration_ms ? o.duration_ms : 15000;
    o.renew_ms = o.renew_ms ? o.renew_ms : 10000;
    o.retry_ms = o.retry_ms ? o.retry_ms : 2000;
    TRY(check_options(a, &o));
    assert(o.clock && o.rng);

    Arena *own = arena_open(1 << 16);
    Lease *l = arena_new(own, Lease);
    o.key = key_copy(own, o.key);
    o.identity = str_copy(own, o.identity);
    *l = (Lease){
        .own = own,
        .options = o,
        .self = str_format(own, "%s_%016llx", o.identity, (unsigned long long)o.rng->next(o.rng)),
        .record_arena = arena_open(RECORD_ARENA_MAX),
        .must_read = true,
        .first = true,
        .next_ms = INT64_MIN,
    };
    *ret = l;
    return OK;
}

void lease_close(Lease *l)
{
    if (!l)
        return;
    arena_close(l->record_arena);
    arena_close(l->own);
}

/* The record. */

static const char *holder_of(const Json *record)
{
    const char *holder = json_str(record, ".spec.holderIdentity");
    return holder ? holder : "";
}

static bool is_ours(const Lease *l)
{
    return str_eq(holder_of(l->record), l->self);
}

/* A holder of our identity that is another process. The random part has a form of its own, so that
 * "a_b" is never taken for an earlier "a". */
static bool is_namesake(const Lease *l, const char *holder)
{
    size_t len = strlen(l->options.identity);
    return strlen(holder) == strlen(l->self) && strncmp(holder, l->self, len + 1) == 0
        && strspn(holder + len + 1, "0123456789abcdef") == RANDOM_DIGITS
        && !str_eq(holder, l->self);
}

static int64_t duration_of(const Lease *l, const Json *record)
{
    int64_t seconds = json_int(record, ".spec.leaseDurationSeconds", 0);
    return seconds > 0 && seconds <= INT32_MAX ? seconds * 1000 : l->options.duration_ms;
}

static bool is_same_record(const Json *left, const Json *right)
{
    return left && str_eq(meta_resource_version(left), meta_resource_version(right))
        && str_eq(meta_uid(left), meta_uid(right)) && str_eq(holder_of(left), holder_of(right))
        && str_eq(json_str(left, ".spec.renewTime"), json_str(right, ".spec.renewTime"));
}

static int64_t free_from(const Lease *l, const Json *record, int64_t now_ms)
{
    const char *holder = holder_of(record);
    bool former_self = l->first && is_namesake(l, holder);
    if (str_empty(holder) || str_eq(holder, l->self) || former_self)
        return now_ms;
    return now_ms + duration_of(l, record);
}

/* What others wrote counts from when we saw it first: wall clocks are never compared. */
static void observe(Lease *l, const Json *record, int64_t now_ms)
{
    static const char *const kept[] = {".apiVersion",
        ".kind",
        ".metadata.name",
        ".metadata.namespace",
        ".metadata.uid",
        ".metadata.resourceVersion",
        ".metadata.labels",
        ".metadata.annotations",
        ".metadata.ownerReferences",
        ".metadata.finalizers",
        ".spec",
        NULL};

    if (is_same_record(l->record, record))
        return;
    arena_reset(l->record_arena);
    l->record = json_project(l->record_arena, json_copy(l->record_arena, record), kept);
    l->free_from_ms = free_from(l, record, now_ms);
}

/* The requests. */

static bool is_led(const Lease *l, int64_t now_ms)
{
    return l->held && now_ms < l->renewed_ms + l->options.renew_ms;
}

/* A lease that once was lost never comes back, whatever answers are still under way. */
static void notice_loss(Lease *l, int64_t now_ms)
{
    if (l->held && !is_led(l, now_ms)) {
        l->held = false;
        l->lost = true;
    }
}

static const char *stamp(const Lease *l, Arena *a)
{
    char text[TIMESTAMP_SIZE];
    int64_t wall_ns = l->options.clock->wall_ns(l->options.clock);

    timestamp_format_micro(wall_ns, text);
    if (str_eq(text, json_str(l->record, ".spec.renewTime")))
        timestamp_format_micro(wall_ns + NS_PER_US, text);
    return str_copy(a, text);
}

static const Json *render_record(const Lease *l, Arena *a)
{
    const char *now = stamp(l, a);
    const char *acquired = is_ours(l) ? json_str(l->record, ".spec.acquireTime") : NULL;
    int64_t transitions = json_int(l->record, ".spec.leaseTransitions", 0);
    if (l->record && !is_ours(l) && transitions < INT32_MAX)
        transitions++;

    return json_seal(a,
        draft(a,
            str("apiVersion", "coordination.k8s.io/v1"),
            str("kind", "Lease"),
            obj("metadata",
                str("namespace", l->options.key.namespace),
                str("name", l->options.key.name)),
            obj("spec",
                str("holderIdentity", l->self),
                num("leaseDurationSeconds", (l->options.duration_ms + 999) / 1000),
                str("acquireTime", acquired ? acquired : now),
                str("renewTime", now),
                num("leaseTransitions", transitions))));
}

static int64_t deadline_of(const Lease *l, int64_t now_ms)
{
    int64_t deadline = l->options.renew_ms / 2;
    int64_t left = l->renewed_ms + l->options.renew_ms - now_ms;
    if (l->held && left < deadline)
        deadline = left;
    return deadline > 0 ? deadline : 1;
}

/* Nothing in a request is borrowed from the machine: it may outlive it. */
static Request request_of(const Lease *l, Arena *a, Verb verb)
{
    return (Request){.verb = verb, .kind = kind_lease, .key = key_copy(a, l->options.key)};
}

static Question question_of(const Lease *l, int64_t now_ms)
{
    bool may_write = l->held || now_ms >= l->free_from_ms;
    if (l->must_read || !may_write)
        return ASK_READ;
    return l->record ? ASK_WRITE : ASK_CREATE;
}

bool lease_step(Lease *l, Arena *a, int64_t now_ms, Request *ret, int64_t *ret_next)
{
    notice_loss(l, now_ms);
    bool idle = l->asked != ASK_NOTHING || l->lost || l->released;
    if (idle || now_ms < l->next_ms) {
        int64_t loss_ms = l->held ? l->renewed_ms + l->options.renew_ms : INT64_MAX;
        *ret_next = idle || loss_ms < l->next_ms ? loss_ms : l->next_ms;
        return false;
    }

    static const Verb verbs[] = {
        [ASK_READ] = VERB_GET, [ASK_CREATE] = VERB_CREATE, [ASK_WRITE] = VERB_UPDATE};
    l->asked = question_of(l, now_ms);
    *ret = request_of(l, a, verbs[l->asked]);
    ret->deadline_ms = deadline_of(l, now_ms);
    if (l->asked != ASK_READ)
        ret->body = json_copy(a, json_merge(a, l->record, render_record(l, a)));
    return true;
}

/* The answers. */

/* After a read: write at once when that is ours to do, else look again when it may be. */
static void plan_after_read(Lease *l, int64_t sent_ms, int64_t now_ms)
{
    int64_t retry_ms = now_ms + rng_jitter(l->options.rng, l->options.retry_ms, JITTER_PERCENT);

    l->must_read = false;
    if (l->conflicts > 1)
        l->next_ms = sent_ms + l->options.retry_ms;
    else if (l->held || l->free_from_ms <= now_ms)
        l->next_ms = now_ms;
    else
        l->next_ms = l->free_from_ms < retry_ms ? l->free_from_ms : retry_ms;
}

static void take_read(Lease *l, const Json *record, int64_t sent_ms, int64_t now_ms)
{
    observe(l, record, now_ms);
    if (l->held && !is_ours(l)) {
        l->held = false;
        l->lost = true;
    }
    plan_after_read(l, sent_ms, now_ms);
}

/* A deleted lease frees it for its holder at once, and for others when its time is over. */
static void take_absence(Lease *l, int64_t sent_ms, int64_t now_ms)
{
    l->record = NULL;
    plan_after_read(l, sent_ms, now_ms);
}

static void take_written(Lease *l, const Json *record, int64_t sent_ms, int64_t now_ms)
{
    observe(l, record, now_ms);
    l->failures = 0;
    l->conflicts = 0;
    /* An answer so late that the lease would be lost with it is no beginning: write again. */
    bool late = now_ms >= sent_ms + l->options.renew_ms;
    l->next_ms = late ? now_ms : sent_ms + l->options.retry_ms;
    l->held = !late;
    l->renewed_ms = sent_ms;
}

static void take_conflict(Lease *l, int64_t now_ms)
{
    l->conflicts++;
    l->must_read = true;
    l->next_ms = now_ms;
}

/* Somebody wrote, created or deleted the record since we saw it. */
static bool is_overtaken(Question asked, const Err *err)
{
    return (asked != ASK_READ && err_has_status(err, 409))
        || (asked == ASK_WRITE && status_is_not_found(err));
}

static void take_failure(Lease *l, const Err *err, int64_t sent_ms, int64_t now_ms)
{
    int64_t wait_ms = l->options.retry_ms;
    if (!l->held)
        wait_ms = rng_jitter(l->options.rng, wait_ms, JITTER_PERCENT);
    l->failures++;
    l->must_read = true;
    l->next_ms = sent_ms + wait_ms;

    int64_t asked_ms = err ? err->retry_after_ms : 0;
    int64_t patience_ms = l->options.renew_ms / 2;
    int64_t allowed_ms = now_ms + (asked_ms < patience_ms ? asked_ms : patience_ms);
    if (allowed_ms > l->next_ms)
        l->next_ms = allowed_ms;
}

void lease_answer(Lease *l, const Err *err, const Json *object, int64_t sent_ms, int64_t now_ms)
{
    Question asked = l->asked;
    bool answered = !err && !str_empty(meta_resource_version(object));
    bool written = answered && str_eq(holder_of(object), l->self);
    assert(sent_ms <= now_ms);

    l->asked = ASK_NOTHING;
    notice_loss(l, now_ms);
    if (asked == ASK_NOTHING || l->lost || l->released)
        return;

    if (!l->held && asked == ASK_READ && (answered || status_is_not_found(err)))
        l->failures = 0;
    if (asked == ASK_READ && answered)
        take_read(l, object, sent_ms, now_ms);
    else if (asked == ASK_READ && status_is_not_found(err))
        take_absence(l, sent_ms, now_ms);
    else if (asked != ASK_READ && written)
        take_written(l, object, sent_ms, now_ms);
    else if (is_overtaken(asked, err))
        take_conflict(l, now_ms);
    else
        take_failure(l, err, sent_ms, now_ms);
    l->first = false;
}

bool lease_release(Lease *l, Arena *a, Request *ret)
{
    bool held = l->held && l->record;
    l->held = false;
    l->released = true;
    if (!held)
        return false;

    const char *now = stamp(l, a);
    const Json *spec = json_seal(a,
        draft(a,
            obj("spec",
                str("holderIdentity", ""),
                num("leaseDurationSeconds", 1),
                str("acquireTime", now),
                str("renewTime", now))));
    *ret = request_of(l, a, VERB_UPDATE);
    ret->body = json_copy(a, json_merge(a, l->record, spec));
    ret->deadline_ms = l->options.retry_ms;
    return true;
}

/* What it means. */

int64_t lease_left_ms(const Lease *l, int64_t now_ms)
{
    return is_led(l, now_ms) ? l->renewed_ms + l->options.duration_ms - now_ms : 0;
}

bool lease_is_held(const Lease *l, int64_t now_ms)
{
    return is_led(l, now_ms);
}

bool lease_is_lost(const Lease *l, int64_t now_ms)
{
    return l->lost || (l->held && !is_led(l, now_ms));
}

unsigned lease_failures(const Lease *l)
{
    return l->failures;
}

const char *lease_holder(const Lease *l)
{
    return holder_of(l->record);
}

const char *lease_self(const Lease *l)
{
    return l->self;
}
