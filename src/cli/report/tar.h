/* Tar: an archive as every tar reads it (POSIX ustar), in memory. */
#ifndef CLI_REPORT_TAR_H
#define CLI_REPORT_TAR_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { TAR_NAME_MAX = 99 };

/* Adds a file that its owner alone may read. False, with the archive as it was, when it would pass
 * the ceiling of the buffer, or when the name is longer than TAR_NAME_MAX. */
bool tar_add(Buf *tar, const char *name, Bytes content, int64_t modified_s);

/* The two empty blocks at the end. False when they do not fit. */
bool tar_end(Buf *tar);

#endif
