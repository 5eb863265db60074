/* Scan: where the pass over a text is, and what it knows of the line so far; and how far a value
 * reaches that begins somewhere in it.
 *
 * What surprises: a quote counts with the backslashes before it. JSON within a text has one before
 * each of its own quotes, JSON within that three, and only a quote with as many ends a string. */
#ifndef CLI_REPORT_REDACT_SCAN_H
#define CLI_REPORT_REDACT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* A quote of a string: which, behind how many backslashes; '\0': of none. */
typedef struct Quote {
    char mark;
    size_t escapes;
} Quote;

typedef struct Scan {
    const char *begin, *at;
    const char *line; /* where the line begins, behind the time that a log has there */
    Quote inside;     /* the string that `at` is in */
    /* For redact_find_named: the last place before here, and the first from here on, that names
     * another's value; and up to where that was looked for. */
    const char *naming_before, *naming_behind, *looked;
} Scan;

/* A secret with what announces it: its bytes, and how many of them stay. No bytes: none. */
typedef struct Found {
    size_t len, kept;
} Found;

Scan scan_of(const char *text);

/* Goes on by so many bytes. */
void scan_step(Scan *s, size_t len);

/* Whether the \n, \r or \t of a text within a string stands before. */
bool scan_is_behind_break(const Scan *s);

/* Whether a word begins here: no letter or digit stands before. */
bool scan_begins_word(const Scan *s);

/* Whether a member begins here that has its line for itself: nothing stands before but what
 * indents, quotes, comments out or exports it. The line may be one of a text within a string. */
bool scan_begins_line(const Scan *s);

/* Behind the time that a log has before each line. */
const char *scan_behind_time(const char *line);

/* The quote that a text begins with, behind its backslashes. */
Quote scan_quote(const char *text);

/* How far it is to one of these letters, or to the end of the string that the text is in. */
size_t scan_until(const char *text, Quote inside, const char *ends);

/* How far it is to the end of the line or of the string that the text is in. */
size_t scan_line_rest(const char *text, Quote inside);

/* To the end of the word, over blanks that are quoted in it; or to one of the letters that end it,
 * or about as far as is said. */
size_t scan_word(const char *text, Quote inside, const char *ends, size_t max);

/* From behind a quote to the one that closes it; and over what is glued to that. Three quotes are
 * closed by three. */
size_t scan_quoted(const char *text, Quote quote, Quote inside);

/* From a brace or bracket to the one that closes it, which is not in a string. */
size_t scan_nested(const char *text, Quote inside);

/* From within a line over the lines that follow and are indented by more than `column`; with
 * `items`, also over those of a list that are indented just so. */
size_t scan_block(const char *text, size_t column, bool items);

#endif
