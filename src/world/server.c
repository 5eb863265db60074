/* The server: its parts put together, and requests handed to them. */
#include "world/server.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/reviews.h"
#include "world/rights.h"

enum { SCRATCH_MAX = 16 << 20, SETUP_MAX = 1 << 20 };

/* --- opening and closing --- */

static void add_namespace(Server *s, const char *name)
{
    SCOPED_ARENA a = arena_open(SETUP_MAX);
    Answer answer;
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_namespace,
        .body = json_seal(a,
            draft(a,
                str("apiVersion", "v1"),
                str("kind", "Namespace"),
                obj("metadata", str("name", name)))),
        .manager = "kube-apiserver",
    };

    server_call(s, a, "system:apiserver", &request, &answer);
    if (answer.status != 201)
        BUG("a new server refuses its own namespaces");
}

Server *server_open(const ServerOptions *options)
{
    Slab *slab = slab_open();
    Server *s = slab_alloc(slab, sizeof *s);
    const Traits *traits;

    *s = (Server){
        .clock = options->clock,
        .rng = options->rng,
        .slab = slab,
        .scratch = arena_open(SCRATCH_MAX),
        .packing = options->is_compact ? arena_open(SCRATCH_MAX) : NULL,
        .history =
            history_open(slab, options->history_max ? options->history_max : SERVER_HISTORY_MAX),
        .keeps_events = options->keeps_events,
        .events_marked_ns = options->clock->wall_ns(options->clock),
        .objects_max = options->objects_max ? options->objects_max : SERVER_OBJECTS_MAX,
    };
    sha256_hex(bytes_of(options->token_key ? options->token_key : ""), s->token_key);
    link_init(&s->watches);
    while ((traits = resource_built_in(s->resource_count)))
        s->resources[s->resource_count++] = resource_open(slab, traits);
    add_namespace(s, "default");
    add_namespace(s, "kube-system");
    return s;
}

void server_close(Server *s)
{
    Slab *slab;

    if (!s)
        return;
    if (!link_is_alone(&s->watches))
        BUG("a server is closed before its watches");
    for (size_t i = 0; i < s->resource_count; i++)
        arena_close(s->resources[i]->arena);
    arena_close(s->scratch);
    arena_close(s->packing);
    rights_close(s->rights);
    /* Everything else lives in the slab, and so does the server. */
    slab = s->slab;
    slab_close(slab);
}

/* --- finding --- */

const char *call_key(Arena *a, const char *namespace, const char *name)
{
    return str_empty(namespace) ? name : str_format(a, "%s/%s", namespace, name);
}

const Json *call_find(Call *c)
{
    Record *record = shelf_find(c->resource->shelf, c->key);

    return record ? record_object(c->arena, record) : NULL;
}

Resource *server_resource(const Server *s, const Kind *kind)
{
    for (size_t i = 0; i < s->resource_count; i++)
        if (s->resources[i]->traits.kind == kind)
            return s->resources[i];
    for (size_t i = 0; i < s->resource_count; i++)
        if (!s->resources[i]->is_gone && resource_serves(s->resources[i], kind))
            return s->resources[i];
    return NULL;
}

/* --- calling --- */

Err *call_get(Call *c)
{
    const Json *object = call_find(c);

    if (!object)
        return refuse_not_found(c);
    c->status = 200;
    c->body = object;
    return OK;
}

static Err *raw_get(Call *c)
{
    const char *path = c->request->raw_path;

    c->status = 200;
    if (str_eq(path, "/version"))
        c->body = json_seal(c->arena,
            draft(c->arena,
                str("major", "1"),
                str("minor", "34"),
                str("gitVersion", "v1.34.0"),
                str("platform", "linux/amd64")));
    else if (!str_eq(path, "/readyz") && !str_eq(path, "/livez") && !str_eq(path, "/healthz"))
        c->status = 404;
    return OK;
}

static Err *carry_out(Call *c)
{
    switch (c->request->verb) {
    case VERB_GET:
        return call_get(c);
    case VERB_LIST:
        return call_list(c);
    case VERB_CREATE:
        return call_create(c);
    case VERB_UPDATE:
        return call_update(c);
    case VERB_APPLY:
    case VERB_MERGE_PATCH:
    case VERB_JSON_PATCH:
    case VERB_STRATEGIC_PATCH:
        return call_patch(c);
    case VERB_DELETE:
        return call_delete(c);
    case VERB_WATCH:
    case VERB_RAW_GET:
        break;
    }
    BUG("a watch is opened, not called");
}

static Err *dispatch(Call *c)
{
    const char *subresource = c->request->subresource;

    if (c->request->verb == VERB_RAW_GET)
        return raw_get(c);
    if (review_is(c->request->kind))
        return call_review(c);
    c->resource = server_resource(c->server, c->request->kind);
    if (!c->resource)
        return refuse_path(c);
    if (c->request->key.name)
        c->key = call_key(c->arena, c->request->key.namespace, c->request->key.name);
    if (!subresource)
        return carry_out(c);
    if (str_eq(subresource, "scale"))
        return call_scale(c);
    if (str_eq(subresource, "token"))
        return call_token(c);
    if (str_eq(subresource, "binding"))
        return call_binding(c);
    if (str_eq(subresource, "eviction"))
        return call_eviction(c);
    if (str_eq(subresource, "finalize"))
        return call_finalize(c);
    if (!str_eq(subresource, "status") || !c->resource->traits.has_status)
        return refuse_path(c);
    return carry_out(c);
}

static bool request_is_read(const Request *request)
{
    return request->verb == VERB_GET || request->verb == VERB_LIST;
}

void server_call_as(Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret)
{
    Call c = {.server = s, .arena = a, .user = caller->user, .caller = caller, .request = request};

    c.now_ns = s->clock->wall_ns(s->clock);
    timestamp_format(c.now_ns, c.now);
    /* A refusal is in the call already; its error only ended it. */
    Err *refused = dispatch(&c);
    if (refused && c.status < 400)
        BUG("a call ended without an answer");
    /* What a write answers may borrow from the request, which need not live as long. */
    *ret = (Answer){.status = c.status,
        .body = request_is_read(request) ? c.body : json_copy(a, c.body),
        .warnings = c.warnings};
}

void server_call(Server *s, Arena *a, const char *user, const Request *request, Answer *ret)
{
    server_call_as(s, a, &(Caller){.user = user}, request, ret);
}

Err *server_add_crd(Arena *a, Server *s, const Json *crd)
{
    Request request = {.verb = VERB_CREATE, .kind = kind_crd, .body = crd};
    Answer answer;

    server_call(s, a, "kubectl", &request, &answer);
    return status_err(a, &request, &answer);
}

/* --- looking on --- */

/* Row by row the kinds that are served, and behind them the reviews, which are never stored; NULL
 * behind the last. A kind whose definition is gone is passed over. */
static const Kind *kind_at(const Server *s, size_t *row)
{
    while (*row < s->resource_count) {
        const Resource *r = s->resources[(*row)++];
        if (!r->is_gone)
            return r->traits.kind;
    }
    return review_kind((*row)++ - s->resource_count);
}

const Kind *server_find_kind(
    const Server *s, const char *group, const char *version, const char *plural)
{
    size_t row = 0;

    for (const Kind *kind = kind_at(s, &row); kind; kind = kind_at(s, &row))
        if (str_eq(kind->plural, plural) && str_eq(kind->group, group)
            && str_eq(kind->version, version))
            return kind;
    return NULL;
}

bool server_has_group(const Server *s, const char *group, const char *version)
{
    size_t row = 0;

    for (const Kind *kind = kind_at(s, &row); kind; kind = kind_at(s, &row))
        if (str_eq(kind->group, group) && str_eq(kind->version, version))
            return true;
    return false;
}

uint64_t server_version(const Server *s)
{
    return s->version;
}

void server_compact(Server *s)
{
    history_forget(s->history, s->version);
}

void server_need(Server *s, uint64_t version)
{
    history_need(s->history, version);
}

void server_shrink(Server *s, size_t bytes)
{
    history_shrink(s->history, bytes);
}

void server_each(const Server *s, Arena *a,
    void (*visit)(void *self, const Kind *kind, const Json *object), void *self)
{
    for (size_t i = 0; i < s->resource_count; i++) {
        const Resource *r = s->resources[i];
        for (const ShelfPlace *place = shelf_seek(r->shelf, NULL); place; place = shelf_next(place))
            visit(self, r->traits.kind, record_object(a, shelf_record(place)));
    }
}

void server_each_alone(
    const Server *s, void (*visit)(void *self, const Kind *kind, const Json *object), void *self)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);

    for (size_t i = 0; i < s->resource_count; i++) {
        const Resource *r = s->resources[i];
        const ShelfPlace *place = shelf_seek(r->shelf, NULL);
        for (; place; place = shelf_next(place), arena_reset(a))
            visit(self, r->traits.kind, record_object(a, shelf_record(place)));
    }
}

static Served served(const Resource *r)
{
    return (Served){
        .kind = r->traits.kind,
        .schema = r->schema,
        .definition = r->definition,
        .has_status = r->traits.has_status,
        .has_scale = r->scale.spec_replicas != NULL,
        .is_closing = r->is_closing,
    };
}

bool server_next_served(const Server *s, size_t *cursor, Served *ret)
{
    while (*cursor < s->resource_count) {
        const Resource *r = s->resources[(*cursor)++];
        if (r->is_gone)
            continue;
        *ret = served(r);
        return true;
    }
    return false;
}

bool server_find_served(const Server *s, const Kind *kind, Served *ret)
{
    const Resource *r = server_resource(s, kind);

    if (!r || r->is_gone)
        return false;
    *ret = served(r);
    return true;
}

void server_mutate(Server *s, ServerMutate *mutate, void *self)
{
    s->mutate = mutate;
    s->mutate_self = self;
}

void server_on_write(Server *s, ServerWrote *wrote, void *self)
{
    s->wrote = wrote;
    s->wrote_self = self;
}
