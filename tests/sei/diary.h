/* Diary: what was logged of transitions, in the words of an event: "Normal PlanStarted: ...", a
 * line each. A line that is about a condition is kept in `conditions`, too: "Ready=False
 * PodNotReady". Anything but a transition is a mistake. */
#ifndef TESTS_SEI_DIARY_H
#define TESTS_SEI_DIARY_H

#include "tests/sei/world.h"

typedef struct Diary {
    LogSink port; /* first, so that the sink is this */
    Arena *arena;
    const char *text;       /* NULL: nothing */
    const char *conditions; /* NULL: nothing */
} Diary;

/* One text below another; either may be NULL. */
static inline const char *diary_join(Arena *a, const char *above, const char *below)
{
    if (!above || !below)
        return above ? above : below;
    return str_format(a, "%s\n%s", above, below);
}

static inline void diary_write(LogSink *self, const char *line, size_t len)
{
    Diary *d = (Diary *)(void *)self;
    Arena *a = d->arena;
    const Json *entry = NULL;

    then_ok(json_parse(a, (Bytes){line, len}, &entry));
    then_str(json_str(entry, ".event"), "transition");
    const char *reason = json_str(entry, ".reason"), *type = json_str(entry, ".condition");
    bool is_warning = str_eq(json_str(entry, ".level"), "warn");
    d->text = diary_join(a,
        d->text,
        str_format(a,
            "%s %s: %s",
            is_warning ? "Warning" : "Normal",
            reason,
            json_str(entry, ".message")));
    if (type)
        d->conditions = diary_join(
            a, d->conditions, str_format(a, "%s=%s %s", type, json_str(entry, ".status"), reason));
}

/* Has the world log into the diary, as a program does by default. */
static inline void diary_open(Diary *d, TaskWorld *w)
{
    *d = (Diary){.port = {diary_write}, .arena = w->arena};
    w->log = (Log){.sink = &d->port, .clock = &w->clock.port, .level = LOG_INFO};
}

#endif
