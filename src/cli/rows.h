/* Rows: a node or a fleet as one line of `get`. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli/command.h"
#include "cli/table.h"
#include "kube/kind.h"

typedef struct RowOptions {
    const Kind *kind;
    bool has_namespace; /* a column for it, in front */
    bool is_wide;
    bool names_kind; /* node/NAME instead of NAME */
} RowOptions;

/* The columns for these options; the list is static or in the arena. */
const TableColumn *rows_columns(Arena *a, const RowOptions *options);

/* Adds an object to a table of those columns. */
void rows_add(Cli *cli, const RowOptions *options, Table *table, const Json *object);

#endif
