/* MaintainLog: the log of a pod as it grows, line by line, to stdout. */
#ifndef CLI_MAINTAIN_LOG_H
#define CLI_MAINTAIN_LOG_H

#include "cli/command.h"
#include "kube/key.h"

/* How far it was shown. */
typedef struct MaintainLog {
    int64_t last_ns;  /* the time of the last line */
    bool has_shown;   /* there was one */
    bool leaves_out;  /* that some are not shown was said */
    bool has_refused; /* that it cannot be read was said */
} MaintainLog;

/* Shows what is new, the newest line always; that older ones are left out is said once. A log that
 * cannot be read is no fault of the run: it is said once. */
void maintain_log_show(Cli *cli, MaintainLog *log, Key pod);

#endif
