/* RedactValue: how far a value goes that a name announces, in whatever the text around it is: JSON
 * (also within texts), YAML, TOML, a command line, a header, or prose. Where that cannot be told it
 * goes further rather than less far. */
#ifndef CLI_REPORT_REDACT_VALUE_H
#define CLI_REPORT_REDACT_VALUE_H

#include <stddef.h>

/* A value, from behind the quotes that open it; len 0: there is none. */
typedef struct Value {
    const char *text;
    size_t len;
} Value;

/* The value that a name at `at`, of so many bytes, has in the text that begins at `begin`. */
Value redact_value_of(const char *begin, const char *at, size_t name_len);

/* Twelve or more small words, as of a mnemonic: their length, or 0. */
size_t redact_words_len(const char *text);

/* The beginning of a line behind the time that logs put there. */
const char *redact_behind_time(const char *line);

#endif
