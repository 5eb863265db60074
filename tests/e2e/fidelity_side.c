/* One side of the comparison: fills in what it saw before, and asks. The real server is asked
 * through the Streams port, which shows the answer as it came: status, and bytes. */
#include "tests/e2e/fidelity.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/str.h"
#include "kube/meta.h"
#include "tests/crds/crds.h"
#include "tests/e2e/scene.h"

enum { BODY_MAX = 16 << 20, POLL_MS = 1000 };

const char *const fidelity_names[FIDELITY_NAMES] = {"a", "b", "c"};
static const char wrong_uid[] = "00000000-0000-4000-8000-000000000000";

/* --- asking --- */

typedef struct Waiting {
    StreamSink sink;
    int status;
    Buf body;
    bool ended, failed;
} Waiting;

static void on_head(StreamSink *sink, int status, int64_t retry_after_ms)
{
    (void)retry_after_ms;
    link_owner(Waiting, sink, sink)->status = status;
}

static void on_bytes(StreamSink *sink, const char *bytes, size_t len)
{
    then_true(buf_append(&link_owner(Waiting, sink, sink)->body, bytes, len));
}

static void on_end(StreamSink *sink, const Err *why)
{
    Waiting *w = link_owner(Waiting, sink, sink);

    w->ended = true;
    w->failed = why != NULL;
}

static void ask(Side *side, const Request *request, Answer *ret)
{
    Waiting w = {.sink = {on_head, on_bytes, on_end}, .body = {.ceiling = BODY_MAX}};
    StreamId id;

    then_ok(stream_start(side->streams, side->arena, request, &w.sink, &id));
    while (!w.ended)
        then_ok(stream_poll(side->streams, side->arena, POLL_MS));
    then_true(!w.failed);
    *ret = (Answer){.status = w.status};
    then_ok(json_parse(side->arena, buf_bytes(&w.body), &ret->body));
    buf_close(&w.body);
}

void side_call(Side *side, const Request *request, Answer *ret)
{
    if (side->server)
        server_call(side->server, side->arena, "admin", request, ret);
    else
        ask(side, request, ret);
}

/* --- the beginning --- */

static void make(Side *side, const Kind *kind, const char *name)
{
    Arena *a = side->arena;
    char api_version[KIND_API_VERSION_SIZE];
    Answer answer;
    Request request = {.verb = VERB_CREATE, .kind = kind, .manager = "setup"};

    if (kind->namespaced)
        request.key.namespace = side->namespace;
    request.body = json_seal(a,
        draft(a,
            str("apiVersion", kind_api_version(kind, api_version)),
            str("kind", kind->name),
            obj("metadata", str("name", name))));
    side_call(side, &request, &answer);
    then_int(answer.status, 201);
}

void side_begin(Side *side)
{
    make(side, kind_namespace, side->namespace);
    make(side, kind_serviceaccount, "default");
    if (side->server)
        server_compact(side->server);
}

/* So that what the sequence has seen is older than what is kept, whoever else writes meanwhile. */
static void write_in_vain(Side *side)
{
    static const char *const notes[] = {"one", "two"};
    Answer answer;

    for (size_t i = 0; i < array_count(notes); i++) {
        Request request = {
            .verb = VERB_MERGE_PATCH,
            .kind = kind_namespace,
            .key.name = side->namespace,
            .manager = "setup",
            .body = json_seal(side->arena,
                draft(side->arena, obj("metadata", obj("annotations", str("note", notes[i]))))),
        };
        side_call(side, &request, &answer);
        then_int(answer.status, 200);
    }
}

static const char *compact(Side *side)
{
    if (side->watch_count > 0)
        return "somebody watches";
    write_in_vain(side);
    if (side->server)
        server_compact(side->server);
    else
        then_ok(controlplane_compact(side->cp, side->arena));
    return "compacted";
}

/* --- the request --- */

static const Json *seen_object(const Side *side, const Step *step, Seen seen)
{
    if (seen == SEEN_FIRST)
        return side->first[step->kind][step->name];
    return side->last[step->kind][step->name];
}

static const char *seen_uid(const Side *side, const Step *step)
{
    if (step->uid == SEEN_NONE)
        return NULL;
    const char *uid = step->uid == SEEN_WRONG ? NULL : meta_uid(seen_object(side, step, step->uid));
    return uid ? uid : wrong_uid;
}

static const char *seen_version(const Side *side, const Step *step)
{
    const char *version = NULL;

    if (step->version == SEEN_NONE)
        return NULL;
    if (step->version == SEEN_LISTED)
        version = side->listed;
    else if (step->version != SEEN_WRONG)
        version = meta_resource_version(seen_object(side, step, step->version));
    return version ? version : "1";
}

/* The step's text; in it "<namespace>" is the one of the sequence. */
static const Json *said(Side *side, const char *text)
{
    static const char sign[] = "<namespace>";
    const char *at;

    for (at = strstr(text, sign); at; at = strstr(text, sign))
        text = str_format(
            side->arena, "%.*s%s%s", (int)(at - text), text, side->namespace, at + strlen(sign));
    return json_fixture(side->arena, text);
}

const Json *side_body(Side *side, const Step *step, const Json *base)
{
    Arena *a = side->arena;
    const Kind *kind = fidelity_kinds[step->kind]->kind;
    char api_version[KIND_API_VERSION_SIZE];
    const char *part = step->request.subresource;
    bool scale = str_eq(part, "scale"), eviction = str_eq(part, "eviction");
    const Json *identity = json_seal(a,
        draft(a,
            str("apiVersion",
                scale          ? "autoscaling/v1"
                    : eviction ? "policy/v1"
                               : str_copy(a, kind_api_version(kind, api_version))),
            str("kind",
                scale          ? "Scale"
                    : eviction ? "Eviction"
                               : kind->name),
            obj("metadata",
                str("name", fidelity_names[step->name]),
                str("namespace", side->namespace))));

    return json_merge(a, json_merge(a, base, said(side, step->text)), identity);
}

static const Json *with_seen(Side *side, const Step *step, const Json *body)
{
    Arena *a = side->arena;
    const char *uid = seen_uid(side, step), *version = seen_version(side, step);

    if (!uid && !version)
        return body;
    return json_merge(a,
        body,
        json_seal(a, draft(a, obj("metadata", str("uid", uid), str("resourceVersion", version)))));
}

static const Json *updated(Side *side, const Step *step)
{
    const Json *base = side->last[step->kind][step->name];
    const Json *without = json_fixture(side->arena, "{metadata: {resourceVersion: null}}");

    if (!base)
        base = said(side, fidelity_kinds[step->kind]->objects[0]);
    if (str_eq(step->request.subresource, "scale"))
        base = NULL;
    return with_seen(
        side, step, side_body(side, step, base ? json_merge(side->arena, base, without) : NULL));
}

static void fill_in(Side *side, const Step *step, Request *ret)
{
    *ret = step->request;
    ret->kind = fidelity_kinds[step->kind]->kind;
    ret->key.namespace = side->namespace;
    ret->key.name = fidelity_names[step->name];
    switch (ret->verb) {
    case VERB_CREATE:
    case VERB_APPLY:
        ret->body = with_seen(side, step, side_body(side, step, NULL));
        break;
    case VERB_UPDATE:
        ret->body = updated(side, step);
        break;
    case VERB_MERGE_PATCH:
    case VERB_STRATEGIC_PATCH:
        ret->body = with_seen(side, step, said(side, step->text));
        break;
    case VERB_JSON_PATCH:
        ret->body = said(side, step->text);
        break;
    case VERB_DELETE:
        ret->uid = seen_uid(side, step);
        ret->resource_version = seen_version(side, step);
        break;
    case VERB_LIST:
        ret->key.name = NULL;
        ret->continue_key = step->goes_on ? side->token : NULL;
        break;
    case VERB_WATCH:
        ret->key.name = NULL;
        ret->resource_version = seen_version(side, step);
        break;
    default:
        break;
    }
}

/* --- playing --- */

static void remember(Side *side, const Step *step, const Answer *answer)
{
    const Json **last = &side->last[step->kind][step->name], *body = answer->body;

    if (step->request.verb == VERB_LIST) {
        side->token = json_str(body, ".metadata.continue");
        if (str_empty(side->token))
            side->token = NULL;
        if (answer->status == 200)
            side->listed = meta_resource_version(body);
    }
    if (answer->status >= 300 || step->request.dry_run || step->request.verb == VERB_LIST
        || !meta_uid(body) || str_eq(step->request.subresource, "scale"))
        return;
    if (!side->first[step->kind][step->name])
        side->first[step->kind][step->name] = body;
    *last = body;
}

const char *side_play(Side *side, const Step *step)
{
    Request request;
    Answer answer = {0};

    if (step->compacts)
        return compact(side);
    fill_in(side, step, &request);
    if (request.verb == VERB_WATCH)
        return side_watch(side, step, &request);
    side_call(side, &request, &answer);
    side_listen(side);
    remember(side, step, &answer);
    return answer_text(side, step, &answer);
}

static bool is_about(const Steps *steps, size_t kind)
{
    for (size_t i = 0; i < steps->count; i++)
        if (!steps->items[i].compacts && steps->items[i].kind == kind)
            return true;
    return false;
}

const char *side_store(Side *side, const Steps *steps)
{
    const char *store = "";

    for (size_t i = 0; i < FIDELITY_KINDS; i++) {
        if (!is_about(steps, i))
            continue;
        Step step = {.request = {.verb = VERB_LIST, .kind = fidelity_kinds[i]->kind}, .kind = i};
        Answer answer;
        step.request.key.namespace = side->namespace;
        side_call(side, &step.request, &answer);
        store = str_format(side->arena, "%s%s\n", store, answer_text(side, &step, &answer));
    }
    return store;
}
