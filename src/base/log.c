/* Log: a line is put together on the stack and handed to the sink in one piece.
 *
 * Text from outside (names, messages of servers) never reaches a terminal raw: what could move a
 * cursor or hide text is shown as an escape. A line that is too long loses its end but stays well
 * formed: room for what closes it is set aside. */
#include "base/log.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CLOSING_MAX = 16, /* "…", quote, brace, newline */
    PLAIN_MAX = 256,  /* longer text is quoted, so that it shows where it ends */
};

typedef struct Line {
    char data[LOG_LINE_MAX];
    size_t len;
    bool cut;
    bool human;
} Line;

/* What closes a line; there is always room for it. */
static void put_closing(Line *l, const char *text)
{
    size_t len = strlen(text);
    memcpy(l->data + l->len, text, len);
    l->len += len;
}

/* Puts all of it, or nothing from here on. */
static void put(Line *l, const char *text, size_t len)
{
    l->cut = l->cut || l->len + len > sizeof l->data - CLOSING_MAX;
    if (l->cut)
        return;
    memcpy(l->data + l->len, text, len);
    l->len += len;
}

static void put_text(Line *l, const char *text)
{
    put(l, text, strlen(text));
}

static bool is_control(uint32_t code)
{
    bool turns_text_around =
        (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || turns_text_around;
}

/* One character, escaped if it has to be. Bytes that are no UTF-8 become U+FFFD in JSON. */
static size_t put_character(Line *l, const char *text, size_t left)
{
    char escape[16];
    uint32_t code = 0;
    size_t len = utf8_character(text, left, &code);

    if (len == 0) {
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)*text);
        put_text(l, l->human ? escape : "\uFFFD");
        return 1;
    }
    if (is_control(code)) {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)code);
        put_text(l, escape);
    } else if (code == '"' || code == '\\') {
        put(l, (char[]){'\\', *text}, 2);
    } else {
        put(l, text, len);
    }
    return len;
}

/* As much of the text as there is room for; "…" says that it was more. */
static void put_escaped(Line *l, const char *text)
{
    size_t left = strlen(text);
    while (left > 0 && !l->cut) {
        size_t taken = put_character(l, text, left);
        text += taken;
        left -= taken;
    }
    if (l->cut)
        put_closing(l, "…");
}

static void put_quoted(Line *l, const char *text)
{
    put(l, "\"", 1);
    if (l->cut)
        return;
    put_escaped(l, text);
    put_closing(l, "\"");
}

static bool is_plain(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > PLAIN_MAX)
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text >= 0x7F || *text == '"' || *text == '\\' || *text == '=')
            return false;
    return true;
}

static void put_number(Line *l, int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)number);
    put_text(l, digits);
}

static void put_field(Line *l, const LogField *field)
{
    size_t before = l->len;

    if (!field->is_number && !field->text)
        return;
    put_text(l, l->human ? " " : ",\"");
    put_text(l, field->key);
    put_text(l, l->human ? "=" : "\":");
    size_t begun = l->len;
    if (field->is_number)
        put_number(l, field->number);
    else if (l->human && is_plain(field->text))
        put_text(l, field->text);
    else
        put_quoted(l, field->text);
    /* A key without a value would not be JSON. */
    if (l->cut && l->len == begun)
        l->len = before;
}

static void put_time(Line *l, Clock *clock)
{
    if (!clock)
        return;
    int64_t ms = clock_wall_ms(clock);
    time_t seconds = ms / 1000;
    struct tm utc;
    char text[64];
    gmtime_r(&seconds, &utc);
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text + len, sizeof text - len, ".%03d", (int)(ms % 1000));
    if (l->human) {
        put_text(l, text + strlen("YYYY-MM-DDT"));
        put_text(l, " ");
    } else {
        put_text(l, "\"time\":\"");
        put_text(l, text);
        put_text(l, "Z\",");
    }
}

static void put_level(Line *l, LogLevel level)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    static const char *const padded[] = {"DEBUG ", "INFO  ", "WARN  ", "ERROR "};

    if (l->human) {
        put_text(l, padded[level]);
        return;
    }
    put_text(l, "\"level\":\"");
    put_text(l, names[level]);
    put_text(l, "\",\"event\":");
}

void log_line(const Log *log, LogLevel level, const char *event, const LogField *fields)
{
    if (!log || !log->sink || level < log->level)
        return;
    Line line;
    line.len = 0;
    line.cut = false;
    line.human = log->human;

    put_text(&line, log->human ? "" : "{");
    put_time(&line, log->clock);
    put_level(&line, level);
    if (log->human)
        put_escaped(&line, event);
    else
        put_quoted(&line, event);
    for (size_t i = 0; i < LOG_FIELDS_MAX && log->fields[i].key; i++)
        put_field(&line, &log->fields[i]);
    for (; fields->key; fields++)
        put_field(&line, fields);
    put_closing(&line, log->human ? "\n" : "}\n");
    log->sink->write(log->sink, line.data, line.len);
}

static void write_to_stderr(LogSink *self, const char *line, size_t len)
{
    (void)self;
    /* A log that cannot be written has nowhere to say so. */
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written;
}

LogSink *log_stderr(void)
{
    static const LogSink sink = {.write = write_to_stderr};
    return (LogSink *)&sink;
}

bool log_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}

LogField log_str(const char *key, const char *text)
{
    return (LogField){.key = key, .text = text};
}

LogField log_num(const char *key, int64_t number)
{
    return (LogField){.key = key, .number = number, .is_number = true};
}

Log log_with(const Log *log, LogField field)
{
    Log with = *log;
    size_t count = 0;
    while (count < LOG_FIELDS_MAX && with.fields[count].key)
        count++;
    if (count < LOG_FIELDS_MAX)
        with.fields[count] = field;
    return with;
}
