/* The log of a run: each line once, the newest always, and never at the cost of the run. */
#include "tests/cli/maintain_play.h"

static const char *log_text;

static Err *answer_logs(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (request->verb != VERB_RAW_GET || !strstr(request->raw_path, "/log?container=maintain"))
        return t->api->call(t->api, a, request, ret);
    Draft *texts = draft_array(a);
    draft_push_str(texts, log_text);
    *ret = json_first(json_seal(a, texts));
    return OK;
}

static void log_grows(Terminal *t, int naps)
{
    (void)t;
    if (naps == 4)
        log_text = "2026-01-01T00:00:01.5Z begins\n2026-01-01T00:00:01.50Z \n";
    if (naps == 5)
        log_text = "2026-01-01T00:00:01.5Z begins\n2026-01-01T00:00:02.25Z is done\n";
    stage_turn(at_work);
}

TEST(the_log_of_a_maintenance_run_is_printed_as_it_grows_and_each_line_once)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    t->faulty.call = answer_logs;
    t->during = log_grows;
    log_text = "2026-01-01T00:00:01Z first\n2026-01-01T00:00:01.000000001Z second\n";

    then_int(type(t, MAINTAIN), EXIT_FINE);
    const char *first = strstr(said(t), "first\nsecond\n");
    then_true(first != NULL);
    then_str(strstr(first + 1, "first"), NULL);
}

/* A log of many lines, of which the last few are asked for first. */
typedef struct LongLog {
    int all;          /* how many it has */
    int first, count; /* what is answered to the question for many: these lines */
    int64_t takes_ms; /* longer than a request may: it fails */
    const char *tail; /* of that answer: a line that was cut off */
} LongLog;

static const LongLog *long_log;

enum { LINES_FEW = 200 };

static void append_lines(Arena *a, const char **text, int first, int count)
{
    char *lines = arena_array(a, char, (size_t)count * 64 + 1);
    size_t len = 0;

    for (int i = first; i < first + count; i++)
        len += (size_t)snprintf(lines + len,
            64,
            "2026-01-01T%02d:%02d:%02dZ line %d.\n",
            i / 3600,
            i / 60 % 60,
            i % 60,
            i);
    *text = str_format(a, "%s%s", *text, lines);
}

static Err *answer_long_log(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    const char *text = "";

    if (request->verb != VERB_RAW_GET)
        return t->api->call(t->api, a, request, ret);
    if (strstr(request->raw_path, "tailLines=200&")) {
        append_lines(a, &text, long_log->all - LINES_FEW, LINES_FEW);
    } else if (long_log->takes_ms) {
        world_run_until(t->world, world_now_ms(t->world) + long_log->takes_ms);
        return err_retry(a, "no answer in time");
    } else {
        append_lines(a, &text, long_log->first, long_log->count);
        text = str_format(a, "%s%s", text, long_log->tail);
    }
    Draft *texts = draft_array(a);
    draft_push_str(texts, text);
    *ret = json_first(json_seal(a, texts));
    return OK;
}

static const struct {
    const char *name;
    LongLog log;
    int shown; /* the first line that is, of the last few */
    bool is_whole;
} long_logs[] = {
    {"all of it comes", {.all = 1000, .count = 1000, .tail = ""}, 0, true},
    {"it does not come in time", {.all = 1000, .takes_ms = 6000}, 800, false},
    {"its end is cut off",
        {.all = 1000, .count = 500, .tail = "2026-01-01T00:08:20Z li"},
        0,
        false},
    {"it is cut off within what was asked for first",
        {.all = 1000, .count = 900, .tail = "2026-01-01T00:15:00Z li"},
        0,
        true},
    {"it has more lines than can be asked for",
        {.all = 30000, .first = 10000, .count = 20000, .tail = ""},
        10000,
        false},
};

TEST(a_long_log_is_printed_up_to_its_end_and_does_not_delay_the_run)
{
    each_case(i, long_logs) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        t->faulty.call = answer_long_log;
        long_log = &long_logs[i].log;

        then_int(type(t, MAINTAIN), EXIT_FINE);
        then_true(!is_marked(&s) && !is_paused(&s));
        then_said(t, str_format(t->arena, "line %d.\n", long_logs[i].shown));
        int last = long_log->all - 1;
        const char *end = str_format(t->arena, "line %d.\nline %d.\n", last - 1, last);
        then_said(t, end);
        then_str(strstr(strstr(said(t), end) + 1, end), NULL);
        then_said(t, str_format(t->arena, "line %d.\nline %d.\n", last - 101, last - 100));
        then_true(!strstr(said(t), "li\n"));
        const char *warning = strstr(talked(t),
            "warning: lines of the log are left out: kubectl "
            "logs -n default n-maintain-");
        then_true((warning == NULL) == long_logs[i].is_whole);
        then_true(!warning || !strstr(strchr(warning, '\n'), "are left out"));
        s.fails = true;
        then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
        then_int(type(t, "maintain n --abort"), EXIT_FINE);
        then_said(t, end);
        then_true(!strstr(talked(t), "trying again"));
    }
}
