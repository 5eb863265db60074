/* kubectl sei watch: one node, one fleet, or all of a namespace or a cluster, as they change. On a
 * terminal a screen that is drawn anew with every change and every half second; elsewhere a line
 * for each change that a person would notice.
 *
 * A server that goes away ends nothing: what was last seen stays, with a word on since when. */
#include "base/draft.h"
#include "base/link.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/live.h"
#include "cli/look.h"
#include "cli/pulse_round.h"
#include "cli/screen.h"
#include "cli/sight.h"
#include "cli/target.h"
#include "cli/view.h"
#include "cli/view_text.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/fleet.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <stdio.h>
#include <string.h>

enum {
    POLL_MS = 200,  /* how late a key may be heard */
    FRAME_MS = 500, /* how old a frame may be */
    FRAME_ARENA_MAX = 64 << 20,
    AROUND_ARENA_MAX = 32 << 20,
    AROUND_MS = 10000, /* how old claim, volume and events may be */
    AROUND_PATIENCE_MS = 1000,
    CALM_MS = 3000, /* a connection is not missed before */
    LINE_SIZE = 4096,
    ROWS_BELOW_NOTE = 12,
};

/* What was last said of an object. */
typedef struct Told {
    char key[LINE_SIZE / 4], line[LINE_SIZE];
} Told;

typedef struct Watching {
    LiveSink sink;
    Cli *cli;
    Target target; /* kind NULL: all of the namespace, or of all of them */
    Live *live;
    Screen *screen; /* NULL: lines */
    Arena *frame;   /* reset before each */
    Arena *around_arena, *told_arena;
    const Json *around; /* of a node: what is not watched */
    int64_t around_ms;
    PulseRound *round; /* of one node or fleet: how far it is */
    Map *told;
    bool is_changed, trouble_is_told;
    const char *drawn; /* in drawn_arena: what the terminal shows */
    Arena *drawn_arena;
} Watching;

/* --- what is watched: 0 is the object itself, or all fleets */

enum { WATCH_OBJECT = 0, WATCH_PARTS = 1 };

static bool is_of_all(const Watching *w)
{
    return !w->target.kind;
}

static const char *selector_of(const Watching *w)
{
    return str_empty(w->cli->flags.selector) ? NULL : w->cli->flags.selector;
}

static LiveOptions options_of(Watching *w)
{
    Arena *a = w->cli->arena;
    const char *namespace = w->cli->namespace, *name = w->target.key.name;
    const char *labels = selector_of(w);
    LiveOptions options = {
        .transport = w->cli->transport, .clock = w->cli->clock, .sink = &w->sink};

    if (is_of_all(w)) {
        options.watches[WATCH_OBJECT] =
            (LiveWatch){kind_seinodedeployment, namespace, labels, NULL};
        options.watches[WATCH_PARTS] = (LiveWatch){kind_seinode, namespace, labels, NULL};
        return options;
    }
    bool is_fleet = target_is_fleet(&w->target);
    options.watches[WATCH_OBJECT] =
        (LiveWatch){w->target.kind, namespace, NULL, str_format(a, "metadata.name=%s", name)};
    options.watches[WATCH_PARTS] = (LiveWatch){is_fleet ? kind_seinode : kind_pod,
        namespace,
        str_format(a, "%s=%s", is_fleet ? LABEL_FLEET : LABEL_NODE, name),
        NULL};
    return options;
}

/* --- the view of now */

/* What is not watched is read again now and then, as long as the server answers. */
static void look_around(Watching *w, const Json *object)
{
    int64_t now_ms = clock_mono_ms(w->cli->clock);

    if (target_is_fleet(&w->target) || !live_health(w->live).is_connected
        || (w->around && now_ms - w->around_ms < AROUND_MS))
        return;
    arena_reset(w->around_arena);
    w->around_ms = now_ms;
    w->around = sight_take(
        &(SightPort){
            .arena = w->around_arena,
            .api = w->cli->api,
            .clock = w->cli->clock,
            .deadline_ms = now_ms + AROUND_PATIENCE_MS,
        },
        object);
}

/* A node and two of its fleet to compare it with, or the nodes of a fleet. */
static void nodes_of(Watching *w, const Json *object, const Json *parts, PulseNodes *ret)
{
    const char *fleet = meta_label(object, LABEL_FLEET), *name = meta_name(object);
    const Json *child;

    *ret = (PulseNodes){.namespace = meta_namespace(object)};
    if (!target_is_fleet(&w->target)) {
        ret->own = ret->names[ret->count++] = name;
        for (int64_t ordinal = 0; fleet && ret->count < 1 + SIGHT_SIBLINGS_MAX; ordinal++) {
            const char *sibling = fleet_child_name(w->frame, fleet, ordinal);
            if (!str_eq(sibling, name))
                ret->names[ret->count++] = sibling;
        }
        return;
    }
    json_each(child, parts)
        if (ret->count < PULSE_ROUND_MAX)
            ret->names[ret->count++] = meta_name(child);
}

static Draft *ask_seids(Watching *w, const Json *object, const Json *parts)
{
    PulseNodes nodes;

    nodes_of(w, object, parts, &nodes);
    if (live_health(w->live).is_connected)
        pulse_round_step(w->round,
            &(PulsePort){.arena = w->frame, .api = w->cli->api, .clock = w->cli->clock},
            &nodes);
    return pulse_round_draft(w->round, w->frame, &nodes);
}

static const Json *sight_of_target(Watching *w, const Json *object)
{
    Arena *a = w->frame;
    bool is_fleet = target_is_fleet(&w->target);
    const Json *parts = live_list(w->live, a, WATCH_PARTS);
    const char *usual = str_empty(w->cli->flags.namespace) ? w->cli->namespace : "";

    look_around(w, object);
    const Json *around = json_seal(a,
        draft(a,
            draft_json(is_fleet ? "children" : "pods", parts),
            sub("pulses", ask_seids(w, object, parts)),
            draft_json("statefulSet", json_find(w->around, ".statefulSet")),
            draft_json("claim", json_find(w->around, ".claim")),
            draft_json("volume", json_find(w->around, ".volume")),
            draft_json("events", json_find(w->around, ".events")),
            draft_json("missing", json_find(w->around, ".missing"))));
    return sight_of(a, w->cli->clock, usual, object, around);
}

static const char *now_text(const Watching *w)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(w->frame, timestamp_format(w->cli->clock->wall_ns(w->cli->clock), text));
}

static const Json *view_of_now(Watching *w)
{
    Arena *a = w->frame;

    if (is_of_all(w))
        return view_overview(a,
            json_seal(a,
                draft(a,
                    str("now", now_text(w)),
                    str("namespace", w->cli->namespace),
                    str("selector", selector_of(w)),
                    draft_json("fleets", live_list(w->live, a, WATCH_OBJECT)),
                    draft_json("nodes", live_list(w->live, a, WATCH_PARTS)))));
    const Json *object = live_only(w->live, WATCH_OBJECT);
    return object ? view_status(a, sight_of_target(w, object)) : NULL;
}

/* --- the screen */

/* "reconnecting since 12s: connection refused"; NULL while all is well. */
static const char *trouble_text(const Watching *w)
{
    LiveHealth health = live_health(w->live);
    int64_t lost_ms = clock_mono_ms(w->cli->clock) - health.since_ms;
    char text[TIMESTAMP_SIZE];

    if (health.is_connected || lost_ms < CALM_MS)
        return NULL;
    return str_format(w->frame,
        "%s since %s%s%s",
        health.is_synced ? "reconnecting" : "connecting",
        timestamp_elapsed(lost_ms * 1000000, text),
        health.trouble ? ": " : "",
        health.trouble ? health.trouble : "");
}

static size_t rows_of(const char *text)
{
    size_t rows = 0;

    for (; *text; text++)
        rows += *text == '\n';
    return rows;
}

/* The first lines of the note: as many as fit, and at least one. */
static const char *header(Watching *w, const PageStyle *style, size_t rows_max)
{
    const char *text = w->cli->flags.note;
    Page *p = page_new(w->frame, style);

    while (*text && (p->count == 0 || p->count < rows_max)) {
        size_t len = strcspn(text, "\n");
        page_put(p, COLOR_PLAIN, str_slice(w->frame, text, len));
        page_end(p);
        text += len + (text[len] == '\n');
    }
    return page_text(p, 0);
}

/* What else ends with the screen, the note says. */
static const char *footer(Watching *w, const PageStyle *style)
{
    Page *p = page_new(w->frame, style);
    const char *trouble = trouble_text(w);
    bool is_alone = str_empty(w->cli->flags.note) && !trouble;

    page_put(p, COLOR_DIM, is_alone ? "q quit (nodes and rollouts go on)" : "q quit");
    page_gap(p, 2);
    page_put(p, trouble ? COLOR_BUSY : COLOR_DIM, trouble ? trouble : now_text(w));
    page_end(p);
    return page_text(p, 0);
}

static const char *body(Watching *w, const Json *view, const PageStyle *style)
{
    if (view)
        return view_text(w->frame, view, style);
    return live_health(w->live).is_synced
        ? str_format(w->frame, "%s is gone\n", target_text(w->frame, &w->target))
        : "";
}

/* The note gets the rows that the view does not need, and all but ROWS_BELOW_NOTE if it needs
 * more. */
static const char *page_of_now(Watching *w, PageStyle style)
{
    const Json *view = view_of_now(w);
    const char *text = body(w, view, &style), *foot = footer(w, &style);
    size_t used = rows_of(text) + 1;

    if (str_empty(w->cli->flags.note))
        return str_format(w->frame, "%s%s", text, foot);
    used = used < ROWS_BELOW_NOTE ? used : ROWS_BELOW_NOTE;
    const char *note = header(w, &style, style.rows - used);
    style.rows -= rows_of(note);
    return str_format(w->frame, "%s%s%s", note, body(w, view, &style), foot);
}

static void draw(Watching *w)
{
    Output *out = w->cli->out;

    w->screen->measure(w->screen, &out->columns, &out->lines);
    const char *page = page_of_now(w, look_style(w->cli));
    w->is_changed = false;
    if (str_eq(page, w->drawn))
        return;
    arena_reset(w->drawn_arena);
    w->drawn = str_copy(w->drawn_arena, page);
    output_say(w->cli, "%s", screen_frame(w->frame, page));
}

static bool wants_to_leave(Watching *w)
{
    int key;

    while ((key = w->screen->key(w->screen)))
        if (key == 'q' || key == 'Q' || key == KEY_INTERRUPT)
            return true;
    return false;
}

static Err *run_screen(Watching *w)
{
    int64_t drawn_ms = INT64_MIN / 2;

    while (!wants_to_leave(w)) {
        arena_reset(w->frame);
        TRY(live_poll(w->live, w->frame, POLL_MS));
        int64_t now_ms = clock_mono_ms(w->cli->clock);
        if (!w->is_changed && now_ms - drawn_ms < FRAME_MS)
            continue;
        draw(w);
        drawn_ms = now_ms;
    }
    return OK;
}

/* --- lines */

static Told *told_of(Watching *w, const char *key)
{
    Told *told = map_find(w->told, key);

    if (told || map_count(w->told) == LIVE_OBJECTS_MAX)
        return told;
    told = arena_new(w->told_arena, Told);
    snprintf(told->key, sizeof told->key, "%s", key);
    if (!map_put(w->told, told->key, told))
        BUG("a map that was not full is full");
    return told;
}

static void tell(Watching *w, const Json *object, bool is_gone)
{
    SCOPED_ARENA a = arena_open(FRAME_ARENA_MAX);
    char now[TIMESTAMP_SIZE];
    const Json *row = view_row(a, sight_of(a, w->cli->clock, NULL, object, NULL));
    const char *kind = json_str(row, ".kind");
    const char *line =
        is_gone ? str_format(a, "%s/%s is gone", kind, json_str(row, ".name")) : view_line(a, row);
    Told *told = told_of(w, str_format(a, "%s/%s", kind, key_text(a, meta_key(object))));

    if (!w->cli->namespace)
        line = str_format(a, "%s %s", meta_namespace(object), line);
    line = str_cut(a, line, LINE_SIZE - 1);
    if (told && str_eq(told->line, line))
        return;
    if (told)
        snprintf(told->line, sizeof told->line, "%s", line);
    output_say(
        w->cli, "%s %s\n", timestamp_format(w->cli->clock->wall_ns(w->cli->clock), now), line);
}

static void changed(LiveSink *self, size_t watch, const Json *object, bool is_gone)
{
    Watching *w = link_owner(Watching, sink, self);
    bool is_ours = is_of_all(w) || target_is_fleet(&w->target) || watch == WATCH_OBJECT;

    w->is_changed = true;
    if (!w->screen && is_ours)
        tell(w, object, is_gone);
}

static void tell_trouble(Watching *w)
{
    const char *trouble = trouble_text(w);

    if (trouble && !w->trouble_is_told)
        output_talk(w->cli, "%s\n", trouble);
    if (!trouble && w->trouble_is_told && live_health(w->live).is_connected)
        output_talk(w->cli, "connected again\n");
    w->trouble_is_told = trouble || (w->trouble_is_told && !live_health(w->live).is_connected);
}

static Err *run_lines(Watching *w)
{
    for (;;) {
        arena_reset(w->frame);
        TRY(live_poll(w->live, w->frame, 5 * POLL_MS));
        tell_trouble(w);
    }
}

/* --- the command */

static Err *watch(Watching *w)
{
    LiveOptions options = options_of(w);

    w->live = live_open(&options);
    if (!w->screen) {
        Err *err = run_lines(w);
        live_close(w->live);
        return err;
    }
    w->screen->enter(w->screen);
    output_say(w->cli, "%s", screen_begin);
    Err *err = run_screen(w);
    output_say(w->cli, "%s", screen_end);
    w->screen->leave(w->screen);
    live_close(w->live);
    return err;
}

/* What can be seen at all: a login or a right that is missing does not come by waiting. Anything
 * else may: a server that is away is waited for. */
static Err *try_to_see(Cli *cli)
{
    const Json *page;
    Err *err = connection_call(cli,
        (Request){.verb = VERB_LIST,
            .kind = kind_seinode,
            .key = {.namespace = cli->namespace},
            .limit = 1},
        &page);

    return err && (err->status == 401 || err->status == 403) ? err : OK;
}

int watch_command(Cli *cli)
{
    Watching w = {
        .sink = {changed},
        .cli = cli,
        .screen = !cli->out->is_terminal ? NULL
            : cli->screen                ? cli->screen
                                         : screen_system(),
    };
    Err *err = connection_open(cli);

    if (!err && cli->arg_count > 0 && !str_empty(cli->flags.selector))
        err = err_terminal(cli->arena, "a name or --selector, but not both");
    if (!err && cli->arg_count > 0)
        err = target_get(cli, cli->args[0], &w.target);
    if (!err && cli->arg_count == 0)
        err = try_to_see(cli);
    if (err)
        return output_error(cli, err);
    w.frame = arena_open(FRAME_ARENA_MAX);
    w.around_arena = arena_open(AROUND_ARENA_MAX);
    w.told_arena = arena_open(2 * sizeof(Told) * LIVE_OBJECTS_MAX);
    w.drawn_arena = arena_open(1 << 20);
    w.told = map_open(LIVE_OBJECTS_MAX);
    w.round = pulse_round_open();
    err = err_copy(cli->arena, watch(&w));
    pulse_round_close(w.round);
    map_close(w.told);
    arena_close(w.drawn_arena);
    arena_close(w.told_arena);
    arena_close(w.around_arena);
    arena_close(w.frame);
    return err ? output_error(cli, err) : EXIT_FINE;
}
