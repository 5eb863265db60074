/* Watches of a side. How far a stream of events goes cannot be asked, so at the end an object is
 * made that the watch must see: what came before it is all there was.
 *
 * Only the real server can lag behind itself: a watch without a version begins with what its memory
 * holds, so that is first made to be as new as the storage. Where it has no memory it answers
 * before it has looked, so such a watch asks to be told when the first state is over, and that is
 * awaited. */
#include "tests/e2e/fidelity.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/str.h"
#include "tests/e2e/scene.h"

enum { LINES_MAX = 16 << 20, POLL_MS = 1000 };

/* --- what comes --- */

static void on_head(StreamSink *sink, int status, int64_t retry_after_ms)
{
    (void)retry_after_ms;
    link_owner(SideWatch, sink, sink)->status = status;
}

static void on_bytes(StreamSink *sink, const char *bytes, size_t len)
{
    then_true(buf_append(&link_owner(SideWatch, sink, sink)->lines, bytes, len));
}

static void on_end(StreamSink *sink, const Err *why)
{
    (void)why;
    link_owner(SideWatch, sink, sink)->ended = true;
}

void side_listen(Side *side)
{
    for (size_t i = 0; side->server && i < side->watch_count; i++) {
        SideWatch *w = &side->watches[i];
        Bytes line;
        while (!w->ended && server_next_event(w->server, side->arena, &line, &w->ended))
            then_true(buf_append(&w->lines, line.data, line.len));
    }
}

/* With the whole line that it stands in. */
static bool has_come(const SideWatch *w, const char *text)
{
    const char *at = w->lines.data ? strstr(w->lines.data, text) : NULL;

    return at && strchr(at, '\n');
}

/* Waits for a text, or the end of the stream. */
static void await(Side *side, SideWatch *w, const char *text)
{
    Deadline soon = deadline_in_ms(SCENE_SOON_MS);

    side_listen(side);
    while (side->streams && !w->ended && !has_come(w, text)) {
        then_true(deadline_left_ms(&soon) > 0);
        then_ok(stream_poll(side->streams, side->arena, POLL_MS));
    }
}

/* --- opening --- */

static void catch_up(Side *side, const Kind *kind)
{
    Deadline soon = deadline_in_ms(SCENE_SOON_MS);
    Request list = {.verb = VERB_LIST, .kind = kind, .key.namespace = side->namespace};
    Answer answer;

    side_call(side, &list, &answer);
    Request no_older = {
        .verb = VERB_RAW_GET,
        .raw_path = str_format(side->arena,
            "/%s%s/%s/namespaces/%s/%s?resourceVersion=%s&resourceVersionMatch=NotOlderThan",
            *kind->group ? "apis/" : "api",
            kind->group,
            kind->version,
            side->namespace,
            kind->plural,
            json_str(answer.body, ".metadata.resourceVersion")),
    };
    do
        side_call(side, &no_older, &answer);
    while (answer.status != 200 && deadline_wait(&soon));
    then_int(answer.status, 200);
}

static const char *refused(Side *side, const SideWatch *w)
{
    Answer answer = {.status = w->status};

    then_ok(json_parse(side->arena, buf_bytes(&w->lines), &answer.body));
    return answer_text(side, w->step, &answer);
}

static const char *open_real(Side *side, SideWatch *w, const Request *request)
{
    if (!request->resource_version)
        catch_up(side, request->kind);
    then_ok(stream_start(side->streams, side->arena, request, &w->sink, &w->id));
    while (w->status == 0 || (w->status != 200 && !w->ended))
        then_ok(stream_poll(side->streams, side->arena, POLL_MS));
    if (w->status != 200)
        return refused(side, w);
    if (request->bookmarks && !request->resource_version)
        await(side, w, "k8s.io/initial-events-end");
    return NULL;
}

static const char *open_world(Side *side, SideWatch *w, const Request *request)
{
    Answer answer;

    w->server = server_open_watch(side->server, side->arena, request, &answer);
    return w->server ? NULL : answer_text(side, w->step, &answer);
}

static void close_watch(Side *side, SideWatch *w)
{
    if (side->streams)
        stream_cancel(side->streams, w->id);
    server_close_watch(w->server);
    buf_close(&w->lines);
    w->server = NULL;
    w->id = 0;
}

const char *side_watch(Side *side, const Step *step, const Request *request)
{
    SideWatch *w = &side->watches[side->watch_count];

    if (side->watch_count == FIDELITY_WATCHES)
        return "enough watches";
    *w = (SideWatch){
        .sink = {on_head, on_bytes, on_end}, .step = step, .lines = {.ceiling = LINES_MAX}};
    const char *refusal =
        side->streams ? open_real(side, w, request) : open_world(side, w, request);
    if (refusal) {
        close_watch(side, w);
        return refusal;
    }
    side->watch_count++;
    side_listen(side);
    return "watching";
}

/* --- closing --- */

static void clear(Side *side, const Kind *kind, const char *name)
{
    Key key = {side->namespace, name};
    Request freed = {.verb = VERB_MERGE_PATCH,
        .kind = kind,
        .key = key,
        .manager = "end",
        .body = json_fixture(side->arena, "{metadata: {finalizers: null}}")};
    Request gone = {.verb = VERB_DELETE,
        .kind = kind,
        .key = key,
        .propagation = PROPAGATION_BACKGROUND,
        .has_grace = true};
    Answer answer;

    /* Some kinds get a finalizer with their deletion, or may not be changed before it. */
    side_call(side, &freed, &answer);
    side_call(side, &gone, &answer);
    side_call(side, &freed, &answer);
}

static const Json *labels_for(Arena *a, const char *selector)
{
    for (size_t i = 0; selector && i < FIDELITY_SELECTORS; i++)
        if (str_eq(fidelity_selectors[i].selector, selector))
            return json_fixture(a, fidelity_selectors[i].labels);
    return NULL;
}

/* Makes an object that the watch must see, and gives the text it is known by. */
static const char *show(Side *side, const SideWatch *w, size_t place)
{
    static const char by_name[] = "metadata.name=";
    Arena *a = side->arena;
    const KindRow *row = fidelity_kinds[w->step->kind];
    const char *fields = w->step->request.fields, *mark = str_format(a, "end-%zu", place);
    bool named = fields && str_has_prefix(fields, by_name);
    const char *name = named ? fields + strlen(by_name) : mark;
    Answer answer;
    Step made = {.kind = w->step->kind, .text = row->objects[0]};

    if (named)
        clear(side, row->kind, name);
    const Json *body = json_merge(a,
        side_body(side, &made, NULL),
        json_seal(a,
            draft(a,
                obj("metadata",
                    str("name", name),
                    draft_json("labels", labels_for(a, w->step->request.labels)),
                    obj("annotations", str("end", mark))))));
    Request request = {.verb = VERB_CREATE,
        .kind = row->kind,
        .key.namespace = side->namespace,
        .body = body,
        .manager = "end"};
    side_call(side, &request, &answer);
    then_int(answer.status, 201);
    return str_format(a, "\"end\":\"%s\"", mark);
}

static const char *events_text(Side *side, const SideWatch *w)
{
    const char *text = "", *at = w->lines.data ? w->lines.data : "";
    const Json *event;

    for (size_t len = strcspn(at, "\n"); at[len] == '\n'; len = strcspn(at, "\n")) {
        then_ok(json_parse(side->arena, (Bytes){.data = at, .len = len}, &event));
        if (!explained_drops(event))
            text = str_format(side->arena, "%s%s\n", text, event_text(side, w->step, event));
        at += len + 1;
    }
    return text;
}

const char *side_saw(Side *side, size_t place)
{
    SideWatch *w = &side->watches[place];
    const char *mark;

    side_listen(side);
    mark = show(side, w, place);
    await(side, w, mark);
    const char *text = events_text(side, w);
    close_watch(side, w);
    *w = (SideWatch){.ended = true};
    return text;
}

void side_end(Side *side)
{
    for (size_t i = 0; i < side->watch_count; i++)
        close_watch(side, &side->watches[i]);
    side->watch_count = 0;
    server_close(side->server);
}
