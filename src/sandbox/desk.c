/* Desk: authenticate, authorize, route, carry out: in the order of the real server, so that a
 * request with two faults is refused for the same one. */
#include "sandbox/desk.h"

#include "base/draft.h"
#include "base/str.h"
#include "sandbox/caller.h"
#include "sandbox/late.h"
#include "sandbox/list_stream.h"
#include "sandbox/log_stream.h"
#include "sandbox/orders.h"
#include "sandbox/pages.h"
#include "sandbox/route.h"
#include "sandbox/shape.h"
#include "sandbox/silence.h"
#include "sandbox/sweep.h"
#include "sandbox/table.h"
#include "sandbox/warning.h"
#include "sandbox/watch.h"
#include "world/kubelet_proxy.h"
#include "world/refusal.h"
#include "world/rights.h"

#include <string.h>

enum { WATCH_DEFAULT_S = 1800 };

struct Desk {
    DeskOptions options;
    const char *address;
};

/* One request on its way. */
typedef struct Visit {
    const Desk *desk;
    Arena *arena;
    const HallRequest *in;
    Route route;
    Caller caller;
    HallAnswer *answer;
} Visit;

/* --- answers */

static void say_json(Visit *v, int status, const Json *body)
{
    v->answer->status = status;
    v->answer->content_type = "application/json";
    v->answer->body = body ? json_write(v->arena, body) : (Bytes){0};
}

static void say_text(Visit *v, int status, const char *text)
{
    v->answer->status = status;
    v->answer->content_type = "text/plain; charset=utf-8";
    v->answer->body = bytes_of(text);
}

static void refuse(Visit *v, int status, const char *reason, const char *message)
{
    say_json(v, status, refusal_status(v->arena, status, reason, message, NULL));
}

/* --- rights */

static RightsQuestion question_of(const Visit *v)
{
    const Route *r = &v->route;

    return (RightsQuestion){
        .user = v->caller.user,
        .groups = v->caller.groups,
        .verb = r->verb,
        .group = r->group,
        .resource = r->resource,
        .subresource = r->subresource,
        .namespace = r->namespace,
        .name = r->name,
        .path = r->is_resource ? NULL : r->path,
    };
}

/* False with the refusal as the answer. */
static bool may(Visit *v)
{
    RightsQuestion question = question_of(v);
    const char *reason = "";

    if (rights_allow(world_server(v->desk->options.cast->world), v->arena, &question, &reason))
        return true;
    say_json(v, 403, rights_refusal(v->arena, &question, reason));
    return false;
}

/* --- resources */

static void refuse_for(Visit *v, const Err *err)
{
    refuse(v, err->status, err->reason, err->message);
}

static void open_watch(Visit *v, Request *request, const Shape *shape)
{
    Answer refusal;

    if (request->timeout_seconds <= 0)
        request->timeout_seconds = WATCH_DEFAULT_S;
    if (request->timeout_seconds < INT32_MAX)
        request->timeout_seconds *= v->desk->options.tempo->speed;
    v->answer->stream =
        watch_open(v->desk->options.cast->world, v->arena, request, shape, &refusal);
    if (v->answer->stream)
        v->answer->content_type = "application/json";
    else
        say_json(v, refusal.status, refusal.body);
}

static void stream_list(Visit *v, const Request *request)
{
    Answer refusal;

    v->answer->stream =
        list_stream_open(world_server(v->desk->options.cast->world), v->arena, request, &refusal);
    v->answer->status = refusal.status;
    v->answer->content_type = "application/json";
    if (!v->answer->stream)
        say_json(v, refusal.status, refusal.body);
}

static void call_server(Visit *v, const Routed *routed, const Shape *shape)
{
    World *w = v->desk->options.cast->world;
    Clock *clock = world_clock(w);
    const char *warning;
    Answer answer = {0};
    size_t count = 0;

    v->caller.is_stranger = true;
    if (routed->is_sweep)
        sweep(world_server(w), v->arena, &v->caller, &routed->request, &answer);
    else
        server_call_as(world_server(w), v->arena, &v->caller, &routed->request, &answer);
    world_notice(w);
    int64_t retry_s = json_int(answer.body, ".details.retryAfterSeconds", 0);
    const Err *err =
        shape_body(v->arena, shape, world_server(w), clock->wall_ns(clock), &answer.body);
    if (err)
        refuse_for(v, err);
    else
        say_json(v, answer.status, answer.body);
    warning = warning_header(v->arena, answer.warnings);
    if (warning)
        v->answer->headers[count++] = (HallHeader){"Warning", warning};
    if (retry_s > 0)
        v->answer->headers[count++] =
            (HallHeader){"Retry-After", str_format(v->arena, "%d", (int)retry_s)};
}

static void carry_out(Visit *v, Routed *routed)
{
    Shape shape = shape_of(v->arena,
        v->in->accept,
        query_find(&v->route.query, "includeObject"),
        routed->request.kind);
    const Err *err = table_check_include(v->arena, shape.include);

    if (shape.negotiated.form == FORM_NOT_ACCEPTABLE)
        say_json(v, 406, negotiation_refusal(v->arena));
    else if (shape.negotiated.form == FORM_TABLE && err)
        refuse_for(v, err);
    else if (routed->request.verb == VERB_WATCH)
        open_watch(v, &routed->request, &shape);
    else if (routed->request.verb == VERB_LIST && shape.negotiated.form == FORM_PLAIN)
        stream_list(v, &routed->request);
    else
        call_server(v, routed, &shape);
}

static void answer_resource(Visit *v)
{
    Routed routed;

    route_request(v->arena, world_server(v->desk->options.cast->world), v->in, &v->route, &routed);
    if (routed.is_page)
        say_text(v, 404, "404 page not found\n");
    else if (routed.refusal.status)
        say_json(v, routed.refusal.status, routed.refusal.body);
    else
        carry_out(v, &routed);
}

/* --- logs */

static bool is_log(const Route *r)
{
    return str_eq(r->group, "") && str_eq(r->resource, "pods") && str_eq(r->subresource, "log")
        && str_eq(r->verb, "get");
}

static void answer_log(Visit *v)
{
    Answer refusal;

    v->answer->stream =
        log_stream_open(v->desk->options.cast->kubelet, v->arena, &v->route, &refusal);
    if (v->answer->stream)
        v->answer->content_type = "text/plain";
    else
        say_json(v, refusal.status, refusal.body);
}

/* --- what is in a pod */

static bool is_proxy(const Route *r)
{
    return str_eq(r->group, "") && str_eq(r->resource, "pods") && str_eq(r->subresource, "proxy");
}

static void answer_proxy(Visit *v)
{
    const Cast *cast = v->desk->options.cast;
    KubeletProxyQuery query = {
        .namespace = v->route.namespace,
        .id = v->route.name,
        .path = v->route.rest,
        .now_ms = world_now_ms(cast->world),
    };
    Answer answer = {0};

    if (!str_eq(v->route.verb, "get")) {
        refuse(v, 405, "MethodNotAllowed", "a pod is only asked here, with GET");
    } else if (kubelet_proxy(cast->kubelet, v->arena, &query, &answer)) {
        v->answer->stream = silence_open(v->arena);
        v->answer->content_type = "application/json";
    } else if (answer.body) {
        say_json(v, answer.status, answer.body);
    } else {
        say_text(v, answer.status, "404 page not found\n");
    }
}

/* --- orders */

/* An order is obeyed or refused; there is nothing to look at afterwards. */
static void answer_order(Visit *v)
{
    const DeskOptions *o = &v->desk->options;
    OrdersScope scope = {o->cast, o->tempo};
    const Json *body = NULL;

    if (!str_eq(v->route.verb, "create") || !str_eq(v->route.resource, kind_order->plural)) {
        refuse(v, 405, "MethodNotAllowed", "an order is created, and that is all");
        return;
    }
    Err *err = json_parse(v->arena, v->in->body, &body);
    const char *line = json_str(body, ".spec.line");
    if (!err)
        err = orders_obey(v->arena, &scope, line ? line : "");
    if (!err && o->on_obeyed)
        o->on_obeyed(o->self);
    if (err)
        refuse(v, 400, "BadRequest", err->message);
    else
        say_json(v, 201, body);
}

/* --- certificates */

static const char *const *texts_of(Arena *a, const Json *said)
{
    const char **texts = arena_array(a, const char *, json_count(said) + 1);
    const Json *each;
    size_t count = 0;

    json_each(each, said)
        if (json_text(each))
            texts[count++] = json_text(each);
    return texts;
}

/* Made for whoever may create them, and kept by nobody here. */
static void answer_certificate(Visit *v)
{
    const Json *body = NULL;
    CertificateTexts made;

    if (!str_eq(v->route.verb, "create")) {
        refuse(v, 405, "MethodNotAllowed", "a certificate is created, and that is all");
        return;
    }
    Err *err = json_parse(v->arena, v->in->body, &body);
    ClientName name = {
        .user = json_str(body, ".spec.user"),
        .groups = texts_of(v->arena, json_find(body, ".spec.groups")),
    };
    if (!err && str_empty(name.user))
        err = err_terminal(v->arena, "a certificate is for somebody: spec.user is missing");
    if (!err)
        err = authority_issue(v->arena, v->desk->options.clients, &name, &made);
    if (err)
        refuse(v, 400, "BadRequest", err->message);
    else
        say_json(v,
            201,
            json_merge(v->arena,
                body,
                json_seal(v->arena,
                    draft(v->arena,
                        obj("status",
                            str("certificate", made.certificate),
                            str("key", made.key))))));
}

static void answer_own(Visit *v)
{
    if (str_eq(v->route.resource, kind_client_certificate->plural))
        answer_certificate(v);
    else
        answer_order(v);
}

static void answer_page(Visit *v)
{
    pages_answer(v->arena,
        world_server(v->desk->options.cast->world),
        &(PageAsk){.path = v->route.path, .accept = v->in->accept, .address = v->desk->address},
        v->answer);
}

/* --- all of it */

static void answer(Visit *v)
{
    const DeskOptions *o = &v->desk->options;
    const Json *refusal = NULL;

    if (v->in->is_too_large)
        refuse(v, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
    else if (!route_read(v->arena, v->in, &v->route))
        say_text(v, 400, "400 Bad Request");
    else if (!caller_read(v->arena, o->cast->world, o->admin_token, v->in, &v->caller))
        refuse(v, 401, "Unauthorized", "Unauthorized");
    else if (!caller_become(v->arena, o->cast->world, v->in, &v->caller, &refusal))
        say_json(v, 403, refusal);
    else if (!may(v))
        return;
    else if (v->route.is_resource && str_eq(v->route.group, kind_order->group))
        answer_own(v);
    else if (is_log(&v->route))
        answer_log(v);
    else if (is_proxy(&v->route))
        answer_proxy(v);
    else if (v->route.is_resource)
        answer_resource(v);
    else
        answer_page(v);
}

void desk_handle(void *desk, Arena *a, const HallRequest *request, HallAnswer *ret)
{
    Visit visit = {.desk = desk, .arena = a, .in = request, .answer = ret};
    const Tempo *tempo = visit.desk->options.tempo;
    Clock *clock = clock_system();

    answer(&visit);
    if (tempo->slow_ms > 0)
        late_make(a, ret, clock, clock_mono_ms(clock) + tempo->slow_ms);
}

Desk *desk_new(Arena *a, const DeskOptions *options)
{
    Desk *d = arena_new(a, Desk);

    d->options = *options;
    d->address = "127.0.0.1";
    return d;
}

void desk_reach(Desk *d, const char *address)
{
    d->address = address;
}
