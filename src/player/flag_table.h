/* FlagTable: a command line read by a table, "--name value" or "--name=value", and the same table
 * as the part of --help that lists flags. */
#ifndef PLAYER_FLAG_TABLE_H
#define PLAYER_FLAG_TABLE_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FlagType { FLAG_TEXT, FLAG_NUMBER, FLAG_SWITCH } FlagType;

typedef struct FlagRow {
    const char *name;  /* "--port"; NULL ends the table */
    const char *value; /* what stands behind it, in a word; NULL of a switch */
    const char *about;
    FlagType type;
    size_t offset;              /* of the value: const char *, int64_t or bool */
    int64_t min, max, fallback; /* of a number */
    const char *fallback_text;  /* of a text, or NULL */
} FlagRow;

/* The words of a command line. */
typedef struct FlagWords {
    char *const *words;
    int count;
    int at; /* the next one */
} FlagWords;

/* Sets every value to its fallback. */
void flag_table_reset(const FlagRow *rows, void *ret);

/* Reads flags up to the end, or up to a word that begins with no dash. "-h" is "--help".
 * ERR_TERMINAL names the flag and what it could be. Texts are borrowed. */
Err *flag_table_read(Arena *a, const FlagRow *rows, FlagWords *words, void *ret) MUST_CHECK;

/* Appends every flag with what it is about. */
void flag_table_help(const FlagRow *rows, Buf *ret);

#endif
