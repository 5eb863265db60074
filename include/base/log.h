/* Log: one line per event: level, what happened, and fields.
 *
 * Human-readable when the sink is a terminal, one JSON object per line otherwise. A Log value
 * carries the fields that every line of one piece of work shares (kind, namespace, name). Nothing
 * below the manager and the command line logs; secrets never do. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR } LogLevel;

typedef struct LogField {
    const char *key; /* NULL ends a list; a field whose text is NULL is left out */
    const char *text;
    int64_t number;
    bool is_number;
} LogField;

/* Where lines go: one call per line, with the newline. Must be callable from any thread. */
typedef struct LogSink LogSink;
struct LogSink {
    void (*write)(LogSink *self, const char *line, size_t len);
};

enum { LOG_FIELDS_MAX = 8, LOG_LINE_MAX = 8192 };

typedef struct Log {
    LogSink *sink; /* NULL: silent */
    Clock *clock;
    LogLevel level; /* lines below it are dropped */
    bool human;
    LogField fields[LOG_FIELDS_MAX]; /* shared by every line; ends with a NULL key or at the end */
} Log;

/* Standard error of the process: one write(2) per line. */
LogSink *log_stderr(void);

/* True when standard error is a terminal. */
bool log_stderr_is_terminal(void);

/* A text field; NULL leaves it out. */
LogField log_str(const char *key, const char *text);
/* A number field. */
LogField log_num(const char *key, int64_t number);

/* A Log that carries one field more. Past LOG_FIELDS_MAX the field is dropped. */
Log log_with(const Log *log, LogField field);

/* For the macros below alone. `fields` ends with a NULL key. Over-long lines are cut. */
void log_line(const Log *log, LogLevel level, const char *event, const LogField *fields);

#define log_debug(log, ...) log_line_of((log), LOG_DEBUG, __VA_ARGS__, {0})
#define log_info(log, ...)  log_line_of((log), LOG_INFO, __VA_ARGS__, {0})
#define log_warn(log, ...)  log_line_of((log), LOG_WARN, __VA_ARGS__, {0})
#define log_error(log, ...) log_line_of((log), LOG_ERROR, __VA_ARGS__, {0})

/* log_info(log, "pod deleted", log_str("pod", name), log_num("attempt", 2)); */
#define log_line_of(log, level, event, ...)                                                        \
    log_line((log), (level), (event), (const LogField[]){__VA_ARGS__})

#endif
