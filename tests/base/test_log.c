/* Log: one line per event, for people and for machines, whatever is in the text. */
#include "base/log.h"

#include "tests/test.h"

typedef struct Capture {
    LogSink sink;
    char text[2 * LOG_LINE_MAX];
    size_t len;
    int lines;
} Capture;

static void capture(LogSink *self, const char *line, size_t len)
{
    Capture *c = (Capture *)self;
    then_true(c->len + len < sizeof c->text);
    memcpy(c->text + c->len, line, len);
    c->len += len;
    c->text[c->len] = '\0';
    c->lines++;
}

/* A world of one log, at 2026-03-04 05:06:07.089. */
typedef struct World {
    Capture capture;
    ManualClock clock;
    Log log;
} World;

static void world_init(World *w, bool human)
{
    *w = (World){.capture.sink.write = capture};
    clock_manual_init(&w->clock, 0, INT64_C(1772600767089) * 1000000);
    w->log = (Log){
        .sink = &w->capture.sink,
        .clock = &w->clock.port,
        .level = LOG_INFO,
        .human = human,
    };
}

TEST(a_log_line_for_machines_is_json)
{
    World w;
    world_init(&w, false);
    Log with = log_with(&w.log, log_str("kind", "SeiNode"));

    log_info(&with, "pod deleted", log_str("pod", "n-0"), log_num("attempt", -2));

    then_str(w.capture.text,
        "{\"time\":\"2026-03-04T05:06:07.089Z\",\"level\":\"info\",\"event\":\"pod deleted\","
        "\"kind\":\"SeiNode\",\"pod\":\"n-0\",\"attempt\":-2}\n");
    then_int(w.capture.lines, 1);
}

TEST(a_log_line_for_people_is_text)
{
    World w;
    world_init(&w, true);
    Log with = log_with(&w.log, log_str("kind", "SeiNode"));

    log_warn(&with, "pod deleted", log_str("message", "two words"), log_num("attempt", 2));

    then_str(w.capture.text,
        "05:06:07.089 WARN  pod deleted kind=SeiNode message=\"two words\" attempt=2\n");
}

TEST(each_log_level_has_its_name_and_lower_levels_are_dropped)
{
    World w;
    world_init(&w, true);
    w.log.clock = NULL;
    log_debug(&w.log, "a");
    log_info(&w.log, "b");
    log_warn(&w.log, "c");
    log_error(&w.log, "d");
    w.log.level = LOG_DEBUG;
    log_debug(&w.log, "e");

    then_str(w.capture.text, "INFO  b\nWARN  c\nERROR d\nDEBUG e\n");

    w.log.sink = NULL;
    log_error(&w.log, "nobody listens");
    log_error(NULL, "nobody is there");
    then_int(w.capture.lines, 4);
}

TEST(logged_text_cannot_control_the_terminal)
{
    static const struct {
        const char *name, *text, *human, *json;
    } cases[] = {
        {"plain", "n-0", "x=n-0", "\"n-0\""},
        {"empty", "", "x=\"\"", "\"\""},
        {"a colour", "\x1B[31mred", "x=\"\\u001b[31mred\"", "\"\\u001b[31mred\""},
        {"a new line", "a\nb", "x=\"a\\u000ab\"", "\"a\\u000ab\""},
        {"delete", "a\x7F", "x=\"a\\u007f\"", "\"a\\u007f\""},
        {"a control of Latin-1", "a\xC2\x9B", "x=\"a\\u009b\"", "\"a\\u009b\""},
        {"text turned around", "a\u202E-\u202C", "x=\"a\\u202e-\\u202c\"", "\"a\\u202e-\\u202c\""},
        {"quotes", "say \"hi\\\"", "x=\"say \\\"hi\\\\\\\"\"", "\"say \\\"hi\\\\\\\"\""},
        {"letters of the world", "é€\U0001F600", "x=\"é€\U0001F600\"", "\"é€\U0001F600\""},
        {"a backslash", "a\\b", "x=\"a\\\\b\"", "\"a\\\\b\""},
        {"text set apart", "\u2066a\u2069", "x=\"\\u2066a\\u2069\"", "\"\\u2066a\\u2069\""},
        {"no UTF-8", "a\xFF", "x=\"a\\xff\"", "\"a\uFFFD\""},
        {"what looks like a field", "a=b", "x=\"a=b\"", "\"a=b\""},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        World human, json;
        world_init(&human, true);
        world_init(&json, false);
        log_info(&human.log, "e", log_str("x", cases[i].text));
        log_info(&json.log, "e", log_str("x", cases[i].text));

        then_str(human.capture.text, str_format(a, "05:06:07.089 INFO  e %s\n", cases[i].human));
        const Json *line = NULL;
        then_ok(json_parse(a, bytes_of(json.capture.text), &line));
        then_true(strstr(json.capture.text, str_format(a, "\"x\":%s}", cases[i].json)) != NULL);
    }
}

TEST(a_log_field_without_a_value_is_omitted)
{
    World w;
    world_init(&w, false);
    log_info(&w.log, "e", log_str("namespace", NULL), log_num("zero", 0));
    then_true(str_has_suffix(w.capture.text, "\"event\":\"e\",\"zero\":0}\n"));
}

TEST(a_log_has_at_most_eight_fields)
{
    World w;
    world_init(&w, false);
    Log log = w.log;
    for (int i = 0; i < 10; i++)
        log = log_with(&log, log_num("n", i));
    log_info(&log, "e", log_str("own", "yes"));

    then_true(strstr(w.capture.text, "\"n\":7,\"own\":\"yes\"}") != NULL);
    then_true(strstr(w.capture.text, "\"n\":8") == NULL);
    then_true(w.log.fields[0].key == NULL);
}

/* Text of `len` bytes, an escape as its last. */
static const char *long_text(Arena *a, size_t len)
{
    char *text = arena_alloc(a, len + 1);
    memset(text, 'x', len);
    text[len - 1] = '\x1B';
    return text;
}

TEST(a_log_line_that_is_too_long_is_cut_and_stays_well_formed)
{
    for (int human = 0; human < 2; human++)
        for (size_t len = LOG_LINE_MAX - 200; len < LOG_LINE_MAX + 10; len++) {
            SCOPED_ARENA a = arena_open(1 << 20);
            World w;
            world_init(&w, human);
            log_info(&w.log, "e", log_str("x", long_text(a, len)), log_num("last", 1234567));

            then_int(w.capture.lines, 1);
            then_true(w.capture.len <= LOG_LINE_MAX);
            then_true(str_has_suffix(w.capture.text, "\n"));
            const Json *line = NULL;
            if (!human)
                then_ok(json_parse(a, bytes_of(w.capture.text), &line));
        }
}

TEST(a_log_event_name_that_is_too_long_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w;
    world_init(&w, false);
    log_info(&w.log, long_text(a, 3 * LOG_LINE_MAX / 2), log_str("x", "y"));

    const Json *line = NULL;
    then_ok(json_parse(a, bytes_of(w.capture.text), &line));
    then_true(str_has_suffix(json_str(line, ".event"), "x…"));
    then_true(json_find(line, ".x") == NULL);

    world_init(&w, true);
    log_info(&w.log, long_text(a, 3 * LOG_LINE_MAX / 2), log_str("x", "y"));
    then_true(w.capture.len <= LOG_LINE_MAX && w.capture.len > LOG_LINE_MAX / 2);
    then_true(strchr(w.capture.text, '\x1B') == NULL);
}

TEST(each_log_line_is_one_write_to_standard_error)
{
    TestChild child = test_fork();
    if (child.pid == 0) {
        log_stderr()->write(log_stderr(), "line\n", 5);
        _exit(log_stderr_is_terminal() ? 1 : 0);
    }
    char said[16] = "";
    int status = -1;
    waitpid(child.pid, &status, 0);
    then_int(status, 0);
    then_int(read(child.said, said, sizeof said), 5);
    then_str(said, "line\n");
    close(child.said);
}
