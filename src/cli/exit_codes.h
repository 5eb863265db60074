/* ExitCodes: what each exit code means, for the pages that say so. */
#ifndef CLI_EXIT_CODES_H
#define CLI_EXIT_CODES_H

#include "cli/command.h"

typedef struct ExitCodeRow {
    ExitCode code;
    const char *meaning; /* NULL ends the table */
} ExitCodeRow;

extern const ExitCodeRow exit_code_rows[];

#endif
