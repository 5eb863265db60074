/* Report: an archive that is being filled. What does not fit or cannot be read is noted, and the
 * rest goes on: half a report is better than none. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "cli/report/redact.h"
#include "cli/target.h"

typedef struct Report {
    Cli *cli;
    Target target;
    Redactor redactor;
    Buf tar, listed, missing; /* the archive; the lines of its manifest */
    size_t files, left_out;
    int64_t now_s;
} Report;

/* Adds a file, redacted. */
void report_add_text(Report *r, const char *name, const char *text);
void report_add_object(Report *r, const Kind *kind, const Json *object);

/* Notes what is not in it, and why. */
void report_leave_out(Report *r, const char *what, const char *why);

/* Everything that can be read in the cluster about the target: objects, events, logs, the operator.
 */
void report_gather(Report *r);

#endif
