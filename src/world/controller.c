/* The errands of a controller, and the sync of one. An errand that waits for its own write stands
 * in a chain below the identity of the object written; whatever happens to that object is its cue.
 */
#include "world/controller.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "world/object.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    ERRANDS_MAX = 1000000,
    SCRATCH_MAX = 64 << 20,
    PATIENCE_MS = 1000,
    BACKOFF_MIN_MS = 5,
    BACKOFF_MAX_MS = 1000 * 1000,
    DOUBLINGS_MAX = 18,
};

#define WRITER "kube-controller-manager"

struct Errand {
    Turn turn;
    Controller *controller;
    int failures;
    size_t size;
    Errand *next;    /* in the chain of an awaited object */
    bool awaits;     /* its own write */
    bool awaits_end; /* which was a delete */
    char uid[64], version[24];
    char object[VIEW_IDENTITY_SIZE];
    char text[];
};

/* --- waiting for one's own write --- */

static void await(Controller *c, Errand *e)
{
    Errand *first = map_find(c->awaited, e->object);

    e->awaits = true;
    e->next = NULL;
    if (first) {
        e->next = first->next;
        first->next = e;
    } else if (!map_put(c->awaited, e->object, e)) {
        BUG("more errands wait than there are");
    }
}

static void stop_awaiting(Controller *c, Errand *e)
{
    if (!e->awaits)
        return;
    e->awaits = false;
    Errand *first = map_find(c->awaited, e->object);
    if (first == e) {
        map_remove(c->awaited, e->object);
        if (e->next && !map_put(c->awaited, e->next->object, e->next))
            BUG("more errands wait than there are");
        return;
    }
    while (first->next != e)
        first = first->next;
    first->next = e->next;
}

/* An object that is not in the view may not have come, or may have gone: `absent` says which. */
static bool has_come(const Controller *c, const Errand *e, bool absent)
{
    ViewGlance glance;

    if (!view_glance(c->view, e->object, &glance))
        return absent;
    if (e->awaits_end)
        return glance.deleting || (!str_empty(e->uid) && !str_eq(glance.uid, e->uid));
    return meta_version_compare(glance.version, e->version) >= 0;
}

static void cue(Controller *c, const char *identity, int64_t now_ms)
{
    Errand *e = map_remove(c->awaited, identity);

    while (e) {
        Errand *next = e->next;
        e->awaits = false;
        if (has_come(c, e, true))
            agenda_plan(&c->agenda, &e->turn, now_ms);
        else
            await(c, e);
        e = next;
    }
}

/* --- errands --- */

static void sync_errand(void *self, int64_t now_ms);

static Errand *errand_of(Controller *c, const char *text)
{
    Errand *e = map_find(c->errands, text);
    size_t size = sizeof *e + strlen(text) + 1;

    if (e)
        return e;
    e = slab_alloc(c->slab, size);
    *e = (Errand){.turn = {.take = sync_errand, .self = e}, .controller = c, .size = size};
    memcpy(e->text, text, strlen(text) + 1);
    if (!map_put(c->errands, e->text, e))
        BUG("a controller has more errands than it may");
    return e;
}

static void drop_errand(Controller *c, Errand *e)
{
    agenda_cancel(&c->agenda, &e->turn);
    stop_awaiting(c, e);
    map_remove(c->errands, e->text);
    slab_free(c->slab, e, e->size);
}

void controller_want(Controller *c, const char *text, int64_t due_ms)
{
    Errand *e = errand_of(c, text);
    int64_t delay_max_ms = c->options.delay_max_ms;

    if (delay_max_ms > 0)
        due_ms += (int64_t)rng_below(c->options.rng, (uint64_t)delay_max_ms + 1);
    if (!e->awaits)
        agenda_hasten(&c->agenda, &e->turn, due_ms);
}

void controller_want_key(Controller *c, Key key, int64_t due_ms)
{
    char text[VIEW_IDENTITY_SIZE];

    snprintf(text, sizeof text, "%s/%s", key.namespace, key.name);
    controller_want(c, text, due_ms);
}

static int64_t backoff_ms(int failures)
{
    int doublings = failures - 1 < DOUBLINGS_MAX ? failures - 1 : DOUBLINGS_MAX;
    int64_t ms = (int64_t)BACKOFF_MIN_MS << doublings;

    return ms < BACKOFF_MAX_MS ? ms : BACKOFF_MAX_MS;
}

static void sync_errand(void *self, int64_t now_ms)
{
    Errand *e = self;
    Controller *c = e->controller;
    Sync *s = c->step;

    agenda_cancel(&c->agenda, &e->turn);
    stop_awaiting(c, e);
    s->errand = e->text;
    Err *err = c->traits.sync(s);
    if (err && !s->wrote) {
        e->failures++;
        agenda_hasten(&c->agenda, &e->turn, now_ms + backoff_ms(e->failures));
        return;
    }
    if (!err)
        e->failures = 0;
    if (e->awaits)
        agenda_plan(&c->agenda,
            &e->turn,
            now_ms + (has_come(c, e, e->awaits_end) ? BACKOFF_MIN_MS : PATIENCE_MS));
    else if (s->again_ms > 0)
        agenda_hasten(&c->agenda, &e->turn, s->again_ms);
    else if (!e->turn.planned)
        drop_errand(c, e);
}

/* --- the actor --- */

static void see(Actor *self, const Sight *sight, int64_t now_ms)
{
    Controller *c = (Controller *)(void *)self;
    char identity[VIEW_IDENTITY_SIZE];
    Change change = {
        .kind = sight->kind,
        .key = sight->key,
        .before = view_find(c->view, c->scratch, sight->kind, sight->key),
        .after = sight->object,
        .arena = c->scratch,
        .now_ms = now_ms,
    };

    view_see(c->view, c->scratch, sight);
    cue(c, view_identity(sight->kind, sight->key, identity), now_ms);
    c->traits.notice(c, &change);
    arena_reset(c->scratch);
}

static int64_t step(Actor *self, Arena *a, Api *api, int64_t now_ms)
{
    Controller *c = (Controller *)(void *)self;
    Sync s = {.controller = c, .arena = a, .api = api, .now_ms = now_ms};
    const Turn *turn = agenda_first(&c->agenda);

    if (turn && turn->due_ms <= now_ms) {
        c->step = &s;
        turn->take(turn->self, now_ms);
        c->step = NULL;
        turn = agenda_first(&c->agenda);
    }
    return turn ? turn->due_ms : INT64_MAX;
}

static void close_actor(Actor *self)
{
    Controller *c = (Controller *)(void *)self;

    if (c->traits.close)
        c->traits.close(c);
    event_teller_close(c->teller);
    view_close(c->view);
    arena_close(c->scratch);
    map_close(c->errands);
    map_close(c->awaited);
    slab_close(c->slab);
}

Controller *controller_open(const ControllerTraits *traits, const ControllerOptions *options)
{
    Slab *slab = slab_open();
    Controller *c = slab_alloc(slab, traits->size);

    memset(c, 0, traits->size);
    *c = (Controller){
        .actor = {.name = traits->name,
            .kinds = traits->kinds,
            .see = see,
            .step = step,
            .close = close_actor},
        .traits = *traits,
        .options = *options,
        .slab = slab,
        .view = view_open(&(ViewOptions){.objects_max = options->objects_max,
            .tag = traits->tag,
            .is_compact = options->is_compact,
            .metadata_only = traits->metadata_only}),
        .scratch = arena_open(SCRATCH_MAX),
        .teller = options->tells_events ? event_teller_open(options->clock) : NULL,
        .errands = map_open(ERRANDS_MAX),
        .awaited = map_open(ERRANDS_MAX),
    };
    agenda_init(&c->agenda, options->rng);
    return c;
}

const char *controller_now(const Controller *c, Arena *a)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(a, timestamp_format(c->options.clock->wall_ns(c->options.clock), text));
}

/* --- what a sync does --- */

static void copy_text(char *to, size_t size, const char *text)
{
    size_t len = text ? strnlen(text, size - 1) : 0;

    if (len > 0)
        memcpy(to, text, len);
    to[len] = '\0';
}

static void expect(Sync *s, const Request *request, const Json *answer)
{
    Controller *c = s->controller;
    Errand *e = errand_of(c, s->errand);
    Key key = {
        .namespace = request->key.namespace,
        .name = request->key.name ? request->key.name : meta_name(answer),
    };

    view_identity(request->kind, key, e->object);
    e->awaits_end = request->verb == VERB_DELETE;
    copy_text(e->uid, sizeof e->uid, request->uid);
    copy_text(e->version, sizeof e->version, meta_resource_version(answer));
    await(c, e);
}

Err *sync_write(Sync *s, Request request, const Json **ret)
{
    const Json *answer = NULL;

    assert(!s->wrote);
    request.manager = WRITER;
    TRY(api_call(s->api, s->arena, &request, &answer));
    s->wrote = true;
    expect(s, &request, answer);
    if (ret)
        *ret = answer;
    return OK;
}

Err *sync_update(
    Sync *s, const Kind *kind, const Json *seen, const Json *wanted, const char *subresource)
{
    static const MemberPath version = {"metadata", "resourceVersion"};

    if (json_equal(seen, wanted))
        return OK;
    const Json *unlocked = object_with_inner(s->arena, seen, version, NULL);
    return sync_write(s,
        (Request){
            .verb = VERB_MERGE_PATCH,
            .kind = kind,
            .key = meta_key(seen),
            .subresource = subresource,
            .body = json_merge_diff(s->arena, unlocked, wanted),
        },
        NULL);
}

Err *sync_delete(Sync *s, const Kind *kind, const Json *seen)
{
    return sync_write(s, (Request){.verb = VERB_DELETE, .kind = kind, .key = meta_key(seen)}, NULL);
}

void sync_tell(
    Sync *s, const Kind *kind, const Json *object, const char *reason, const char *message)
{
    event_tell(s->controller->teller,
        s->arena,
        s->api,
        &(EventSaid){
            .kind = kind,
            .key = meta_key(object),
            .uid = meta_uid(object),
            .is_warning = str_has_prefix(reason, "Failed"),
            .reason = reason,
            .message = message,
            .component = s->controller->traits.name,
        });
}

Err *sync_get(Sync *s, const Kind *kind, Key key, const Json **ret)
{
    Request request = {.verb = VERB_GET, .kind = kind, .key = key};
    Err *err = api_call(s->api, s->arena, &request, ret);

    if (!status_is_not_found(err))
        return err;
    *ret = NULL;
    return OK;
}
