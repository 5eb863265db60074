/* SidecarDoor: first the proxy (who are you, may you), then Go's mux (which path, which method),
 * then the handlers. What goes wrong before the handlers is plain text, after them JSON: a client
 * that takes every 404 for "no such task" is caught here. */
#include "world/sidecar_door.h"

#include "base/draft.h"
#include "base/json.h"
#include "base/str.h"
#include "kube/timestamp.h"
#include "kube/uuid.h"
#include "world/sidecar_tasks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HUGE_BYTES = 32 << 20, ESCAPE_LEN = 6 };

static const char type_json[] = "application/json";
static const char type_text[] = "text/plain; charset=utf-8";

/* One request on its way in. */
typedef struct Visit {
    Sidecar *sidecar;
    const SidecarProxy *proxy;
    Arena *arena;
    const SidecarRequest *request;
    const char *path;  /* without query */
    const char *query; /* or NULL */
    SidecarAnswer *ret;
} Visit;

static void say_text(Visit *v, int status, const char *text)
{
    v->ret->status = status;
    v->ret->body = bytes_of(text);
    v->ret->content_type = v->ret->body.len ? type_text : NULL;
}

static const char *escape_of(char c)
{
    return c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : NULL;
}

/* JSON as Go's encoder writes it: <, > and & escaped, a newline at the end. */
static void say_json(Visit *v, int status, const Json *value)
{
    Bytes plain = json_write(v->arena, value);
    size_t len = 0;
    void *room = NULL;

    v->ret->status = status;
    v->ret->content_type = type_json;
    if (arena_try(v->arena, plain.len * ESCAPE_LEN + 1, &room)) {
        say_text(v, 500, "");
        return;
    }
    char *text = room;
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.data[i];
        const char *escaped = escape_of(c);
        if (escaped)
            memcpy(text + len, escaped, ESCAPE_LEN);
        else
            text[len] = c;
        len += escaped ? ESCAPE_LEN : 1;
    }
    text[len++] = '\n';
    v->ret->body = (Bytes){text, len};
}

static void say_error(Visit *v, int status, const char *text)
{
    say_json(v, status, json_seal(v->arena, draft(v->arena, str("error", text))));
}

/* --- tasks */

/* RFC 3339 with as many digits of the second as are not zero. */
static const char *nano_text(Arena *a, int64_t wall_ns)
{
    char whole[TIMESTAMP_SIZE], fraction[16];
    int64_t rest = wall_ns % 1000000000;

    timestamp_format(wall_ns, whole);
    if (rest <= 0)
        return str_copy(a, whole);
    size_t len = (size_t)snprintf(fraction, sizeof fraction, "%09lld", (long long)rest);
    while (fraction[len - 1] == '0')
        len--;
    return str_format(a, "%.*s.%.*sZ", (int)strlen(whole) - 1, whole, (int)len, fraction);
}

static const Json *parse_stored(Arena *a, const char *text)
{
    const Json *value = NULL;

    if (text && json_parse(a, bytes_of(text), &value))
        return NULL;
    return value;
}

static Draft *render_row(Arena *a, const TaskRow *row)
{
    return draft(a,
        str("id", row->id),
        str("type", row->type),
        str("status", task_status_text(row->status)),
        num("run", row->run),
        draft_json("params", parse_stored(a, row->params)),
        draft_json("result", parse_stored(a, row->result)),
        str("error", row->error),
        str("submittedAt", nano_text(a, row->submitted_ns)),
        str("completedAt", row->completed_ns ? nano_text(a, row->completed_ns) : NULL));
}

static bool is_wedged(const Visit *v)
{
    return v->sidecar->script->temper == TEMPER_WEDGED;
}

static void get_task(Visit *v, const char *id)
{
    const TaskStore *tasks = v->sidecar->volume->tasks;
    const TaskRow *row = is_wedged(v) ? NULL : task_store_find(tasks, id);

    if (row && v->sidecar->script->temper == TEMPER_LYING) {
        TaskRow lie = *row;
        lie.id = "00000000-0000-4000-8000-000000000bad";
        lie.status = ROW_COMPLETED;
        lie.error = NULL;
        lie.completed_ns = row->submitted_ns;
        say_json(v, 200, json_seal(v->arena, render_row(v->arena, &lie)));
        return;
    }
    if (!row)
        say_error(v, 404, "task not found");
    else
        say_json(v, 200, json_seal(v->arena, render_row(v->arena, row)));
}

static void list_tasks(Visit *v)
{
    const TaskStore *tasks = v->sidecar->volume->tasks;
    Draft *list = draft_array(v->arena);
    const TaskRow *row = is_wedged(v) ? NULL : task_store_next(tasks, NULL);

    for (; row && draft_count(list) < DOOR_LIST_MAX; row = task_store_next(tasks, row))
        draft_push(list, render_row(v->arena, row));
    say_json(v, 200, json_seal(v->arena, list));
}

static void delete_task(Visit *v, const char *id)
{
    if (is_wedged(v)) {
        say_error(v, 503, "task store unavailable");
        v->ret->retry_after_s = 1;
    } else if (sidecar_remove(v->sidecar, id)) {
        say_text(v, 204, "");
    } else {
        say_error(v, 404, "task not found");
    }
}

/* Go matches member names whatever their case. */
static const Json *member_of(const Json *object, const char *key)
{
    const Json *value;

    json_each(value, object)
        if (strcasecmp(json_key(value), key) == 0)
            return value;
    return NULL;
}

/* The first JSON value of a body: Go's decoder does not look at what follows it. */
static Bytes first_value(Bytes body)
{
    int depth = 0;
    bool in_text = false;

    for (size_t i = 0; i < body.len; i++) {
        char c = body.data[i];
        if (in_text) {
            i += c == '\\';
            in_text = c != '"';
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return (Bytes){body.data, i + 1};
        }
    }
    return body;
}

/* Any of the forms that Go's uuid.Parse takes. */
static bool is_uuid(const char *id)
{
    size_t len = strlen(id);
    char inner[UUID_SIZE];

    if (len == 45 && strncasecmp(id, "urn:uuid:", 9) == 0)
        return uuid_is_valid(id + 9);
    if (len == 38 && id[0] == '{' && id[37] == '}') {
        snprintf(inner, sizeof inner, "%.36s", id + 1);
        return uuid_is_valid(inner);
    }
    if (len == 32)
        return strspn(id, "0123456789abcdefABCDEF") == 32;
    return uuid_is_valid(id);
}

static bool is_text_or_absent(const Json *value)
{
    return !value || json_type(value) == JSON_STRING || json_type(value) == JSON_NULL;
}

static bool is_object_or_absent(const Json *value)
{
    return !value || json_type(value) == JSON_OBJECT || json_type(value) == JSON_NULL;
}

static void offer_task(Visit *v, const Json *body)
{
    const Json *params = member_of(body, "params");
    const char *type = json_text(member_of(body, "type"));
    const char *id = json_text(member_of(body, "id"));
    char made[UUID_SIZE];

    if (str_empty(type)) {
        say_error(v, 400, "type is required");
        return;
    }
    if (str_empty(id)) {
        uuid_v4(v->sidecar->rng, made);
        id = str_copy(v->arena, made);
    }
    SidecarOffer offer = {.id = id, .type = type};
    if (json_type(params) == JSON_OBJECT)
        offer.params = json_canonical(v->arena, params).data;
    const char *refused = sidecar_task_find(type, v->sidecar->version) && !is_uuid(id)
        ? str_format(v->arena, "task ID must be a valid UUID: \"%s\"", id)
        : sidecar_submit(v->sidecar, v->arena, &offer, v->request->now_ms);
    if (refused)
        say_error(v, 400, refused);
    else
        say_json(v, 201, json_seal(v->arena, draft(v->arena, str("id", id))));
}

static void post_task(Visit *v)
{
    const Json *body = NULL;
    Bytes text = first_value(v->request->body);
    bool is_parsed = text.len <= DOOR_BODY_MAX && !json_parse(v->arena, text, &body);

    if (!is_parsed || json_type(body) != JSON_OBJECT || !is_text_or_absent(member_of(body, "id"))
        || !is_text_or_absent(member_of(body, "type"))
        || !is_object_or_absent(member_of(body, "params")))
        say_error(v, 400, "invalid request body");
    else
        offer_task(v, body);
}

/* --- the other paths */

static void get_health(Visit *v)
{
    say_text(v, v->sidecar->is_ready ? 200 : 503, "");
}

static void get_livez(Visit *v)
{
    bool is_verbose = v->query && strstr(v->query, "verbose=1");

    if (!is_wedged(v))
        say_text(v, 200, "");
    else if (is_verbose)
        say_error(v, 503, "task store: context deadline exceeded");
    else
        say_text(v, 503, "");
}

static void get_metrics(Visit *v)
{
    say_text(v, 200, "# TYPE seictl_task_submissions_total counter\n");
}

static void get_status(Visit *v)
{
    const char *status = v->sidecar->is_ready ? "Ready" : "Initializing";
    say_json(v, 200, json_seal(v->arena, draft(v->arena, str("status", status))));
}

static void get_node_id(Visit *v)
{
    char id[NODE_ID_SIZE];

    if (!volume_has(v->sidecar->volume, FILE_NODE_KEY)) {
        say_error(v, 500, "node_key.json not found: node identity not generated yet");
        return;
    }
    volume_node_id(v->sidecar->volume, id);
    say_json(v, 200, json_seal(v->arena, draft(v->arena, str("nodeId", id))));
}

static const struct {
    const char *path;
    void (*get)(Visit *v);
} pages[] = {
    {"/v0/healthz", get_health},
    {"/v0/startupz", get_health},
    {"/v0/livez", get_livez},
    {"/v0/metrics", get_metrics},
    {"/v0/status", get_status},
    {"/v0/node-id", get_node_id},
};

static void refuse_method(Visit *v, const char *allow)
{
    say_text(v, 405, "Method Not Allowed\n");
    v->ret->allow = allow;
}

static bool is_get(const Visit *v)
{
    return str_eq(v->request->method, "GET") || str_eq(v->request->method, "HEAD");
}

static void route_tasks(Visit *v, const char *rest)
{
    if (!*rest && is_get(v))
        list_tasks(v);
    else if (!*rest && str_eq(v->request->method, "POST"))
        post_task(v);
    else if (!*rest)
        refuse_method(v, "GET, HEAD, POST");
    else if (rest[0] != '/' || !rest[1] || strchr(rest + 1, '/'))
        say_text(v, 404, "404 page not found\n");
    else if (is_get(v))
        get_task(v, rest + 1);
    else if (str_eq(v->request->method, "DELETE"))
        delete_task(v, rest + 1);
    else
        refuse_method(v, "DELETE, GET, HEAD");
}

static void route(Visit *v)
{
    static const char tasks[] = "/v0/tasks";

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (!str_eq(v->path, pages[i].path))
            continue;
        if (is_get(v))
            pages[i].get(v);
        else
            refuse_method(v, "GET, HEAD");
        return;
    }
    if (str_has_prefix(v->path, tasks))
        route_tasks(v, v->path + sizeof tasks - 1);
    else
        say_text(v, 404, "404 page not found\n");
}

/* --- the proxy */

/* The path stands in a comma separated list. */
static bool is_listed(const char *list, const char *path)
{
    size_t len = strlen(path);

    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == len && strncmp(at, path, len) == 0)
            return true;
    return false;
}

static const char *verb_of(const char *method)
{
    if (str_eq(method, "POST"))
        return "create";
    return str_eq(method, "DELETE") ? "delete" : str_eq(method, "PUT") ? "update" : "get";
}

static bool pass_proxy(Visit *v)
{
    SidecarReview review = {.token = v->request->token,
        .audiences = v->proxy->audiences,
        .verb = verb_of(v->request->method),
        .namespace = v->proxy->namespace,
        .name = v->proxy->name};

    if (is_listed(v->proxy->ignore_paths, v->path))
        return true;
    SidecarVerdict verdict = str_empty(review.token) ? VERDICT_UNAUTHENTICATED
        : v->proxy->reviewer ? v->proxy->reviewer(v->proxy->reviewer_self, &review)
                             : VERDICT_ALLOWED;
    switch (verdict) {
    case VERDICT_ALLOWED:
        return true;
    case VERDICT_UNAUTHENTICATED:
        say_text(v, 401, "Unauthorized\n");
        return false;
    case VERDICT_DENIED:
        say_text(v,
            403,
            str_format(v->arena,
                "Forbidden (user=%s, verb=%s, resource=seinodetasks, subresource=)\n",
                review.user,
                review.verb));
        return false;
    case VERDICT_ERROR:
        break;
    }
    say_text(v, 500, "Authorization error (the API server could not be asked)\n");
    return false;
}

/* --- misbehaviour */

static void fill_huge(Visit *v)
{
    void *room = NULL;

    if (arena_try(v->arena, HUGE_BYTES, &room)) {
        say_text(v, 500, "");
        return;
    }
    memset(room, ' ', HUGE_BYTES);
    v->ret->body = (Bytes){room, HUGE_BYTES};
    v->ret->content_type = type_json;
    v->ret->status = 200;
}

static bool misbehave(Visit *v)
{
    switch (v->sidecar->script->temper) {
    case TEMPER_HANGING:
        v->ret->fate = FATE_HANGS;
        return true;
    case TEMPER_FAILING:
        say_text(v, 503, "upstream connect error\n");
        return true;
    case TEMPER_HUGE:
        fill_huge(v);
        return true;
    case TEMPER_MALFORMED:
        say_text(v, 200, "{\"id\":\"00000000-0000-4000-8000-0000000");
        v->ret->content_type = type_json;
        return true;
    case TEMPER_SLOW:
        v->ret->delay_ms = v->sidecar->script->delay_ms;
        return false;
    default:
        return false;
    }
}

void sidecar_answer(Sidecar *s, const SidecarProxy *proxy, Arena *a, const SidecarRequest *request,
    SidecarAnswer *ret)
{
    const char *query = strchr(request->target, '?');
    size_t path_len = query ? (size_t)(query - request->target) : strlen(request->target);
    Visit v = {.sidecar = s,
        .proxy = proxy,
        .arena = a,
        .request = request,
        .path = str_slice(a, request->target, path_len),
        .query = query ? query + 1 : NULL,
        .ret = ret};

    *ret = (SidecarAnswer){.fate = FATE_ANSWERED};
    if (!pass_proxy(&v))
        return;
    if (!s->is_up) {
        say_text(&v, 502, "");
        return;
    }
    if (misbehave(&v))
        return;
    route(&v);
    if (str_eq(request->method, "HEAD"))
        v.ret->body = (Bytes){0};
}
