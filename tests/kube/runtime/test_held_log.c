/* Lines that arise under the guard: all are written after it, in order, and not without bound. */
#include "base/str.h"
#include "kube/runtime/held_log.h"
#include "tests/test.h"

typedef struct Page {
    LogSink sink; /* first, so that the sink is this */
    Arena *arena;
    const char *text;
    int lines;
} Page;

static void write_line(LogSink *sink, const char *line, size_t len)
{
    Page *p = (Page *)sink;

    p->lines++;
    p->text = str_slice(p->arena, line, len);
}

TEST(held_log_lines_are_written_one_by_one_and_only_once)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Page page = {.sink = {write_line}, .arena = a, .text = ""};
    Log log = {.sink = &page.sink};
    HeldLog held;

    held_log_open(&held, &log);
    log_info(&held.log, "first");
    log_info(&held.log, "second", log_num("count", 2));
    then_int(page.lines, 0);
    held_log_write(&held, guard_none());
    then_int(page.lines, 2);
    then_str(page.text, "{\"level\":\"info\",\"event\":\"second\",\"count\":2}\n");
    held_log_write(&held, guard_none());
    then_int(page.lines, 2);
    held_log_close(&held);
}

TEST(log_lines_beyond_the_buffer_are_counted_as_lost)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Page page = {.sink = {write_line}, .arena = a, .text = ""};
    Log log = {.sink = &page.sink};
    HeldLog held;
    int kept = 0;

    held_log_open(&held, &log);
    for (; held.lost == 0; kept++)
        log_info(&held.log, "a line");
    held_log_write(&held, guard_none());
    then_true(strstr(page.text, "log lines were lost") && strstr(page.text, "\"lines\":1"));
    then_int(page.lines, kept);
    log_info(&held.log, "a line");
    held_log_write(&held, guard_none());
    then_int(page.lines, kept + 1);
    held_log_close(&held);
}

TEST(a_held_log_without_a_sink_writes_nothing)
{
    HeldLog held;

    held_log_open(&held, &(Log){0});
    log_error(&held.log, "nothing");
    then_int(held.lines.len, 0);
    held_log_write(&held, guard_none());
    held_log_close(&held);
}
