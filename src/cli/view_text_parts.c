/* ViewTextParts: each piece ends the lines that it begins. */
#include "cli/view_text_parts.h"

#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/api/condition.h"

#include <string.h>

enum {
    INDENT = 2,
    CAUSE_ROWS = 4, /* of one cause */
    REMEDY_ROWS = 3,
    FIELD_COLUMN = 4,
};

const char *text_since(const Writing *w, const char *from, const char *to)
{
    char text[TIMESTAMP_SIZE];
    int64_t from_ns, to_ns;
    const char *end = to ? to : w->now;

    if (!from || !end || !timestamp_parse(from, &from_ns) || !timestamp_parse(end, &to_ns))
        return NULL;
    /* Clocks differ: what is about to have been is now. */
    return str_copy(w->page->arena, timestamp_elapsed(to_ns > from_ns ? to_ns - from_ns : 0, text));
}

Mark text_mark(const char *word)
{
    static const struct {
        const char *word;
        Mark mark;
    } marks[] = {
        {"good", MARK_GOOD},
        {"done", MARK_GOOD},
        {"busy", MARK_BUSY},
        {"current", MARK_BUSY},
        {"bad", MARK_BAD},
        {"failed", MARK_BAD},
        {"idle", MARK_IDLE},
    };

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (str_eq(marks[i].word, word))
            return marks[i].mark;
    return MARK_NONE;
}

const char *text_short_id(Arena *a, const char *id)
{
    return id ? str_slice(a, id, strcspn(id, "-")) : "?";
}

const char *text_tag(Arena *a, const char *image)
{
    const char *slash = image ? strrchr(image, '/') : NULL;
    const char *name = slash ? slash + 1 : image;
    const char *digest = name ? strchr(name, '@') : NULL;

    if (!name)
        return NULL;
    const char *colon = strchr(name, ':');
    if (!colon || (digest && colon > digest))
        return digest ? digest + 1 : name;
    return digest ? str_slice(a, colon + 1, (size_t)(digest - colon - 1)) : colon + 1;
}

const char *text_count(Arena *a, int64_t count)
{
    const char *digits = str_format(a, "%lld", (long long)count);
    size_t len = strlen(digits), sign = *digits == '-';
    char *text = arena_alloc(a, 2 * len + 1), *end = text;

    for (size_t i = 0; i < len; i++) {
        *end++ = digits[i];
        if (i >= sign && i + 1 < len && (len - i - 1) % 3 == 0)
            *end++ = ',';
    }
    *end = '\0';
    return text;
}

/* "sei/rpc  3 full  pacific-1" */
static const char *head_facts(Arena *a, const Json *view)
{
    const char *namespace = json_str(view, ".object.namespace"),
               *name = json_str(view, ".object.name");
    const char *chain = json_str(view, ".chainId"), *mode = json_str(view, ".mode");
    const Json *wanted = json_find(view, ".counts.wanted");
    const char *count = wanted ? str_format(a, "%lld ", (long long)json_int(wanted, "", 0)) : "";

    return str_format(a,
        "%s/%s  %s%s  %s",
        namespace ? namespace : "?",
        name ? name : "?",
        count,
        mode ? mode : "?",
        chain ? chain : "?");
}

/* Where the state begins: at the right edge, and where there is none, behind the facts. */
static size_t head_room(const Page *p, const char *facts, size_t needed)
{
    if (p->style.columns >= PAGE_ENDLESS)
        return PAGE_LABEL + glyph_width(facts);
    return p->style.columns > needed ? p->style.columns - needed : 0;
}

void text_head(Writing *w)
{
    Page *p = w->page;
    const char *word = json_str(w->view, ".state.word"), *ready = json_str(w->view, ".state.ready");
    const char *since = text_since(w, json_str(w->view, ".state.since"), NULL);
    const char *state = str_format(p->arena,
        "%s %s",
        glyph_mark(text_mark(json_str(w->view, ".state.mark")), p->style.is_utf8),
        word ? word : "?");
    const char *said = str_format(p->arena,
        "%sReady: %s%s%s%s",
        "   ",
        str_eq(ready, "True")        ? "yes"
            : str_eq(ready, "False") ? "no"
                                     : "unknown",
        since ? " (" : "",
        since ? since : "",
        since ? ")" : "");
    const char *facts = head_facts(p->arena, w->view);
    size_t room = head_room(p, facts, glyph_width(state) + glyph_width(said) + INDENT);

    page_label(p, str_eq(json_str(w->view, ".object.kind"), "SeiNode") ? "SeiNode" : "Fleet");
    page_put_cut(p, COLOR_BOLD, facts, room > PAGE_LABEL ? room - PAGE_LABEL : 0);
    page_tab(p, room + INDENT);
    page_put(p, page_mark_color(text_mark(json_str(w->view, ".state.mark"))), state);
    page_put(p, COLOR_PLAIN, said);
    page_end(p);
}

size_t text_rows_left(const Writing *w, const Page *tail)
{
    size_t used = w->page->count + tail->count + 1; /* the prompt */

    return used < w->page->style.rows ? w->page->style.rows - used : 0;
}

/* --- why */

/* A condition has the time of its status, which may be older than its reason. */
static const char *lasting_text(const char *condition)
{
    static const struct {
        const char *condition, *text;
    } texts[] = {
        {COND_READY, "not ready"},
        {COND_STALLED, "stalled"},
        {COND_UP_TO_DATE, "out of date"},
        {COND_RECONCILING, "worked at"},
        {COND_ROLLOUT, "rolling out"},
        {COND_NODE_UPDATE, "not updating"},
        {COND_SIDECAR_READY, "sidecar not ready"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (str_eq(texts[i].condition, condition))
            return texts[i].text;
    return NULL;
}

static const char *cause_text(Writing *w, const Json *cause)
{
    const char *reason = json_str(cause, ".reason"), *text = json_str(cause, ".text");
    const char *since = text_since(w, json_str(cause, ".since"), NULL);
    const char *lasting = lasting_text(json_str(cause, ".about"));

    if (reason && since && lasting)
        return str_format(w->page->arena, "%s (%s for %s): %s", reason, lasting, since, text);
    if (reason)
        return str_format(w->page->arena, "%s: %s", reason, text);
    return since ? str_format(w->page->arena, "%s (%s)", text, since) : text;
}

static Color cause_color(const Json *cause)
{
    const char *about = json_str(cause, ".about");

    if (str_eq(about, "Stalled"))
        return COLOR_BAD;
    return str_eq(about, "plan") || str_eq(about, "pod") || str_eq(about, "seid") ? COLOR_BUSY
                                                                                  : COLOR_PLAIN;
}

static const char *remedy(const Json *why)
{
    const Json *cause;

    json_each(cause, why)
        if (json_str(cause, ".advice"))
            return json_str(cause, ".advice");
    return NULL;
}

void text_why(Writing *w, size_t rows_max)
{
    const Json *why = json_find(w->view, ".why"), *cause;
    const char *advice = remedy(why), *label = "Why";
    size_t begin = w->page->count, kept = advice ? page_wrapped_rows(w->page, advice) : 0;

    kept = kept < REMEDY_ROWS ? kept : REMEDY_ROWS;
    json_each(cause, why) {
        size_t used = w->page->count - begin + kept;
        size_t left = used < rows_max ? rows_max - used : 0;
        page_wrap(w->page,
            label,
            cause_color(cause),
            cause_text(w, cause),
            left < CAUSE_ROWS ? left : CAUSE_ROWS);
        label = "";
    }
    page_wrap(w->page, "Do", COLOR_PLAIN, advice, REMEDY_ROWS);
}

/* --- the last lines */

static void text_last(Writing *w)
{
    Page *p = w->page;
    const Json *last = json_find(w->view, ".lastPlan");
    const char *id = json_str(last, ".id"), *message = json_str(last, ".message");
    const char *ago = text_since(w, json_str(last, ".finishedAt"), NULL);
    const char *took = text_since(w, json_str(last, ".startedAt"), json_str(last, ".finishedAt"));
    bool is_same = id && str_eq(id, json_str(w->view, ".plan.id"));

    if (!last || is_same)
        return;
    page_label(p, "Before");
    page_putf(p,
        COLOR_PLAIN,
        "%s %s %s",
        json_str(last, ".kind") ? json_str(last, ".kind") : "?",
        text_short_id(p->arena, id),
        json_str(last, ".result") ? json_str(last, ".result") : "?");
    if (ago)
        page_putf(p, COLOR_PLAIN, " %s ago", ago);
    if (took)
        page_putf(p, COLOR_PLAIN, ", took %s", took);
    if (message)
        page_putf(p, COLOR_PLAIN, ": %s", message);
    page_end(p);
}

static bool is_cause(const Json *view, const char *reason)
{
    const Json *cause;

    json_each(cause, json_find(view, ".why"))
        if (str_eq(json_str(cause, ".reason"), reason))
            return true;
    return false;
}

/* The newest that was a warning, unless it is told already: what went well is seen. */
static void text_event(Writing *w)
{
    Page *p = w->page;
    const Json *event;

    json_each(event, json_find(w->view, ".events")) {
        const char *ago = text_since(w, json_str(event, ".at"), NULL);
        const char *reason = json_str(event, ".reason"), *note = json_str(event, ".note");
        if (!str_eq(json_str(event, ".type"), "Warning") || is_cause(w->view, reason))
            continue;
        page_label(p, "Event");
        page_putf(p,
            COLOR_PLAIN,
            "%s ago %s: %s",
            ago ? ago : "?",
            reason ? reason : "?",
            note ? note : "");
        page_end(p);
        return;
    }
}

void text_missing(Writing *w)
{
    const Json *missing = json_find(w->view, ".missing"), *entry;
    const char *all = "", *why = NULL;

    json_each(entry, missing) {
        const char *what = json_str(entry, ".what");
        all = str_format(w->page->arena, "%s%s%s", all, *all ? ", " : "", what ? what : "?");
        why = why ? why : json_str(entry, ".why");
    }
    if (*all)
        page_wrap(w->page,
            "Unknown",
            COLOR_BUSY,
            str_format(w->page->arena, "could not read %s: %s", all, why ? why : "?"),
            2);
}

static void text_next(Writing *w)
{
    Page *p = w->page;
    const Json *command;
    bool is_first = true;

    json_each(command, json_find(w->view, ".next")) {
        const char *text = json_text(command);
        if (!is_first && text && page_room(p) < glyph_width(text) + 3) {
            page_end(p);
            page_gap(p, PAGE_LABEL);
        } else if (is_first) {
            page_label(p, "Next");
        } else {
            page_gap(p, 3);
        }
        page_put(p, COLOR_BOLD, text);
        is_first = false;
    }
    if (!is_first)
        page_end(p);
}

Page *text_tail(const Writing *w)
{
    Writing tail = *w;

    tail.page = page_new(w->page->arena, &w->page->style);
    text_last(&tail);
    text_event(&tail);
    text_missing(&tail);
    text_next(&tail);
    return tail.page;
}

/* --- drift */

void text_field(Writing *w, const Json *field)
{
    Page *p = w->page;
    const char *path = json_str(field, ".path"), *have = json_str(field, ".have");
    const char *want = json_str(field, ".want");
    const char *sign = !have ? "+" : !want ? "-" : "~";
    size_t room = (p->style.columns - FIELD_COLUMN - 4) / 2;

    page_gap(p, INDENT);
    page_putf(p, COLOR_BUSY, "%s ", sign);
    page_put_tail(p, path ? path : "?", p->style.columns);
    page_end(p);
    page_gap(p, FIELD_COLUMN + INDENT);
    page_put_tail(p, have ? have : "(absent)", room - INDENT);
    page_putf(p, COLOR_DIM, " %s ", glyph_mark(MARK_ARROW, p->style.is_utf8));
    page_put_tail(p, want ? want : "(absent)", room);
    page_end(p);
}
