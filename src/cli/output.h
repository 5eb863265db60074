/* Output: where a command speaks. Results go to stdout, talk goes to stderr; a program has the two
 * file descriptors behind it, a test two buffers. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/bytes.h"
#include "base/json.h"
#include "cli/color.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Output Output;
typedef struct Cli Cli;

struct Output {
    void (*write)(Output *self, bool is_talk, Bytes text);
    bool color;         /* escape sequences are welcome on stdout */
    bool is_terminal;   /* stdout is one: a screen may be redrawn */
    bool is_utf8;       /* it shows more than ASCII */
    int columns, lines; /* of that terminal; see look_measure */
};

/* Result: to stdout. */
void output_say(Cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Talk: to stderr. */
void output_talk(Cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A paragraph to stdout, in lines of at most 96 columns, or of the terminal where that is narrower,
 * each behind the indent. */
void output_wrap(Cli *cli, const char *indent, const char *text);

/* The text in a colour, or as it is where colours are not welcome. */
const char *output_paint(Cli *cli, Color color, const char *text);

/* "error: ..." to stderr; gives the exit code that belongs to the error. */
int output_error(Cli *cli, const Err *err);

/* Says to stderr how to get the rest of an answer of which time was over; gives the exit code. */
int output_part(Cli *cli);

/* One value in the format of -o: json, yaml or jsonpath. Only for those three. ERR_TERMINAL for a
 * jsonpath that is not understood. */
Err *output_value(Cli *cli, const Json *value) MUST_CHECK;

/* True when -o asks for one of the three forms of output_value. */
bool output_is_value(const Cli *cli);

/* Columns that a terminal needs for a text: one for each character, none for those that combine or
 * for escape sequences. */
size_t output_width(const char *text);

#endif
