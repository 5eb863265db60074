/* Journal: an append-only file of JSON values, one a line, each with a checksum.
 *
 * A value is with the kernel when journal_append returns, so it outlasts the process however that
 * ends; journal_sync puts it on the disk, so that it outlasts the machine. A last line that was cut
 * off in the middle of its writing is taken away and told; one that is damaged and has good ones
 * behind it is no accident of writing, and refused. */
#ifndef SANDBOX_JOURNAL_H
#define SANDBOX_JOURNAL_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

#include <stddef.h>

typedef struct Journal Journal;

/* One is not made longer: it would take too long to read. */
enum { JOURNAL_BYTES_MAX = 1 << 30 };

/* Who is given every value, in order; its arena is emptied after each. */
typedef void JournalVisitor(void *self, Arena *a, const Json *value, size_t number);

/* Reads a file of any length that may not be there, and tells how many bytes of a torn end it took
 * away. ERR_TERMINAL names the file and what is wrong with it. */
Err *journal_read(
    Arena *a, const char *path, JournalVisitor *visit, void *self, size_t *ret_torn) MUST_CHECK;

/* Begins a file anew, beside the old one, which it replaces with journal_commit. Accepts NULL to
 * close. ERR_TERMINAL names the file and why not. */
Err *journal_begin(Arena *a, const char *path, Journal **ret) MUST_CHECK;
Err *journal_commit(Arena *a, Journal *j) MUST_CHECK;
void journal_close(Journal *j);

/* Adds a value. ERR_TERMINAL when it cannot be written, or the journal would be too long; then
 * nothing of it is there. */
Err *journal_append(Arena *a, Journal *j, const Json *value) MUST_CHECK;

/* Puts everything on the disk. */
Err *journal_sync(Arena *a, Journal *j) MUST_CHECK;

/* Bytes now. */
size_t journal_size(const Journal *j);

#endif
