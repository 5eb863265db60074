/* Pages: what the program says about itself: its help, how it ends, and what it would run with. */
#ifndef OPERATOR_PAGES_H
#define OPERATOR_PAGES_H

#include "base/bytes.h"
#include "operator/launch.h"

enum { PAGE_MAX = 1 << 16 };

typedef enum OperatorExit {
    OPERATOR_FINE = 0,
    OPERATOR_FAULT = 1, /* also what manager_run ends with */
    OPERATOR_CANNOT_START = 2,
} OperatorExit;

typedef struct OperatorExitRow {
    OperatorExit code;
    const char *when; /* NULL ends the table */
} OperatorExitRow;

extern const OperatorExitRow operator_exit_rows[];

/* All flags, all environment variables and all exit codes, out of their tables. */
void page_help(Buf *ret);

/* The effective values, one per line; no secrets are among them. */
void page_config(Arena *a, const Launch *launch, Buf *ret);

#endif
