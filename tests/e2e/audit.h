/* Audit: what the API server says that it was asked, line by line.
 *
 * The server writes the line of a request before it ends the answer, so whoever has got an answer
 * finds its line in the log. Requests that stream (watch) have two lines: ResponseStarted when they
 * begin and ResponseComplete when they end; all others have ResponseComplete alone. A list that is
 * asked for as a stream (WatchList) appears as "watch". */
#ifndef TESTS_E2E_AUDIT_H
#define TESTS_E2E_AUDIT_H

#include "base/err.h"
#include "base/json.h"

#include <stddef.h>
#include <stdint.h>

/* One line, borrowed from the log's arena. Texts are NULL where the line has none. */
typedef struct AuditLine {
    const char *stage; /* "ResponseComplete", "ResponseStarted", "Panic" */
    const char *user;
    const char *user_agent;
    const char *verb; /* "get", "list", "watch", "create", "update", "patch", "delete", ... */
    const char *group;
    const char *resource; /* plural: "pods" */
    const char *subresource;
    const char *namespace;
    const char *name;
    const char *uri;
    int64_t code;                  /* HTTP status; 0 when none was sent */
    int64_t received_us, stage_us; /* by the server's clock, since 1970 */
    const Json *event;             /* the line itself: "requestObject", ... */
} AuditLine;

typedef struct AuditLog {
    const AuditLine *lines; /* in the order written */
    size_t count;
    int64_t end; /* of the last whole line: the mark to go on from */
} AuditLog;

/* Where the last whole line of the log ends now: what is read from this mark on is what happens
 * next. 0 when there is no log yet. */
int64_t audit_mark(const char *path);

/* Reads the whole lines from a mark on. ERR_TERMINAL when one is not an audit line. */
Err *audit_read(Arena *a, const char *path, int64_t mark, AuditLog *ret) MUST_CHECK;

/* How many lines have everything that `like` has: NULL texts, code 0 and times match anything. */
size_t audit_count(const AuditLog *log, const AuditLine *like);

/* The first such line, or NULL. */
const AuditLine *audit_find(const AuditLog *log, const AuditLine *like);

/* --- of a log that keeps the objects (ControlplaneOptions.audit_level) */

/* The version of the object that a write (create, patch, update) has left; 0 for any other request,
 * for one that was refused, and for one that ended the object. Versions grow with every change of
 * anything. */
int64_t audit_version(const AuditLine *line);

/* Writes of a user that changed nothing: the version that they left is not newer than what the
 * server had answered to some other write before they came. What readers were answered proves
 * nothing: their line may stand before that of the writer. */
size_t audit_empty_writes(const AuditLog *log, const char *user);

#endif
