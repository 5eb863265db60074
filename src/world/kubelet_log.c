/* KubeletLog. A reader holds no pod: it remembers which run of which container it reads and up to
 * when, and looks again. */
#include "world/kubelet_log.h"

#include "base/draft.h"
#include "base/str.h"
#include "world/kubelet_state.h"
#include "world/pod_log.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256, UID_SIZE = 64 };

struct KubeletLog {
    Kubelet *kubelet;
    char key[2 * NAME_SIZE], uid[UID_SIZE], container[NAME_SIZE];
    bool follow, previous, timestamps;
    int64_t run;        /* which run of the container */
    int64_t after_ms;   /* given up to here, by the wall's clock */
    int64_t lines_max;  /* of what was there at the beginning; -1: all */
    int64_t bytes_left; /* -1: no limit */
};

/* --- refusals --- */

static void refuse(Answer *ret, Arena *a, int status, const char *reason, const char *message)
{
    ret->status = status;
    ret->body = json_seal(a,
        draft(a,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(a)),
            str("status", "Failure"),
            str("message", message),
            str("reason", reason),
            num("code", status)));
}

/* True when a number of the query cannot be. */
static bool refuse_numbers(Answer *ret, Arena *a, const KubeletLogQuery *q)
{
    const struct {
        bool is_given;
        int64_t value, least;
        const char *field, *why;
    } numbers[] = {
        {q->has_tail, q->tail_lines, 0, "tailLines", "must be greater than or equal to 0"},
        {q->has_limit, q->limit_bytes, 1, "limitBytes", "must be greater than 0"},
        {q->has_since, q->since_seconds, 1, "sinceSeconds", "must be greater than 0"},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].is_given && numbers[i].value < numbers[i].least) {
            refuse(ret,
                a,
                422,
                "Invalid",
                str_format(a,
                    "PodLogOptions \"%s\" is invalid: %s: Invalid value: %lld: %s",
                    q->pod.name,
                    numbers[i].field,
                    (long long)numbers[i].value,
                    numbers[i].why));
            return true;
        }
    return false;
}

static const char *names(Arena *a, const Pod *p, bool of_init)
{
    const char *all = "";

    for (size_t i = 0; i < p->count; i++)
        if ((p->containers[i].role != ROLE_MAIN) == of_init)
            all = str_format(a, "%s%s%s", all, *all ? " " : "", p->containers[i].name);
    return all;
}

/* The container of a name, or the only one; NULL after a refusal. */
static const Container *choose(Answer *ret, Arena *a, const Pod *p, const char *name)
{
    const Container *only = NULL;
    size_t count = 0;

    for (size_t i = 0; i < p->count; i++) {
        const Container *c = &p->containers[i];
        if (!str_empty(name) && str_eq(c->name, name))
            return c;
        only = c->role == ROLE_MAIN ? c : only;
        count += c->role == ROLE_MAIN;
    }
    if (str_empty(name) && count == 1)
        return only;
    const char *init = names(a, p, true);
    refuse(ret,
        a,
        400,
        "BadRequest",
        str_empty(name)
            ? str_format(a,
                  "a container name must be specified for pod %s, choose one of: [%s]%s%s%s",
                  p->key.name,
                  names(a, p, false),
                  *init ? " or one of the init containers: [" : "",
                  init,
                  *init ? "]" : "")
            : str_format(a, "container %s is not valid for pod %s", name, p->key.name));
    return NULL;
}

static bool is_initialized(const Pod *p)
{
    for (size_t i = 0; !p->has_begun && i < p->count; i++)
        if (p->containers[i].role != ROLE_MAIN && !container_is_passed(&p->containers[i]))
            return false;
    return true;
}

/* Why there is nothing to read yet; NULL when there is. */
static const char *missing(Arena *a, const Pod *p, const Container *c, bool previous)
{
    bool is_init = c->role != ROLE_MAIN;
    const char *reason;

    if (previous && !c->has_last && c->state != CONTAINER_CRASH_BACKOFF)
        return str_format(a,
            "previous terminated container \"%s\" in pod \"%s\" not found",
            c->name,
            p->key.name);
    if (c->has_begun)
        return NULL;
    reason = container_waiting_reason(c, is_init || is_initialized(p));
    if (c->state == CONTAINER_PULL_FAILED)
        reason = "image can't be pulled";
    if (c->state == CONTAINER_PULL_BACKOFF)
        reason = "trying and failing to pull image";
    return str_format(a,
        "container \"%s\" in pod \"%s\" is waiting to start: %s",
        c->name,
        p->key.name,
        reason ? reason : "no logs yet");
}

/* --- opening --- */

static const Tenant *find_tenant(const Kubelet *k, const char *key)
{
    return map_find(k->by_key, key);
}

static const Container *find_container(const Pod *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (str_eq(p->containers[i].name, name))
            return &p->containers[i];
    return NULL;
}

static KubeletLog *new_log(Kubelet *k, const Pod *p, const Container *c, const KubeletLogQuery *q)
{
    KubeletLog *l = slab_alloc(k->slab, sizeof *l);
    int64_t now_ms = clock_wall_ms(k->host.clock);
    /* While it waits for its next start, its last run is the one before. */
    bool is_last = q->previous && c->state != CONTAINER_CRASH_BACKOFF;
    bool is_all = !q->has_since || q->since_seconds > now_ms / 1000; /* before all time */

    *l = (KubeletLog){
        .kubelet = k,
        .follow = q->follow,
        .previous = is_last,
        .timestamps = q->timestamps,
        .run = c->restarts,
        .after_ms = is_all ? INT64_MIN : now_ms - q->since_seconds * 1000,
        .lines_max = q->has_tail ? q->tail_lines : -1,
        .bytes_left = q->has_limit ? q->limit_bytes : -1,
    };
    snprintf(l->key, sizeof l->key, "%s", p->key_text);
    snprintf(l->uid, sizeof l->uid, "%s", p->uid);
    snprintf(l->container, sizeof l->container, "%s", c->name);
    return l;
}

KubeletLog *kubelet_open_log(
    Kubelet *k, Arena *a, const KubeletLogQuery *query, Answer *ret_refusal)
{
    const Tenant *t = find_tenant(k, key_text(a, query->pod));
    const Container *c;
    const char *why;

    if (refuse_numbers(ret_refusal, a, query))
        return NULL;
    if (!t) {
        refuse(ret_refusal,
            a,
            404,
            "NotFound",
            str_format(a, "pods \"%s\" not found", query->pod.name));
        return NULL;
    }
    c = choose(ret_refusal, a, &t->pod, query->container);
    if (!c)
        return NULL;
    why = missing(a, &t->pod, c, query->previous);
    if (why) {
        refuse(ret_refusal, a, 400, "BadRequest", why);
        return NULL;
    }
    return new_log(k, &t->pod, c, query);
}

void kubelet_close_log(KubeletLog *l)
{
    if (l)
        slab_free(l->kubelet->slab, l, sizeof *l);
}

/* --- reading --- */

static Bytes limited(KubeletLog *l, Bytes text)
{
    if (l->bytes_left >= 0 && (int64_t)text.len > l->bytes_left)
        text.len = (size_t)l->bytes_left;
    if (l->bytes_left >= 0)
        l->bytes_left -= (int64_t)text.len;
    return text;
}

bool kubelet_next_log(KubeletLog *l, Arena *a, Bytes *ret, bool *ret_ended)
{
    const Tenant *t = find_tenant(l->kubelet, l->key);
    const Container *c = t ? find_container(&t->pod, l->container) : NULL;
    int64_t now_ms = clock_wall_ms(l->kubelet->host.clock);

    *ret = (Bytes){0};
    *ret_ended = true;
    if (!c || !str_eq(t->pod.uid, l->uid) || l->bytes_left == 0)
        return false;
    bool is_over = c->restarts != l->run;
    PodLogQuery query = {
        .container = c,
        .previous = l->previous || (is_over && c->restarts == l->run + 1),
        .timestamps = l->timestamps,
        .after_ms = l->after_ms,
        .until_ms = now_ms,
        .lines_max = l->lines_max >= 0 ? (size_t)l->lines_max : POD_LOG_LINES_MAX,
    };
    if (is_over && !query.previous)
        return false;
    *ret = limited(l, pod_log(&t->pod, a, &query));
    *ret_ended = !l->follow || query.previous || c->has_end;
    l->after_ms = now_ms;
    l->lines_max = -1;
    return ret->len > 0;
}
