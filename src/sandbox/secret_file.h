/* SecretFile: a file that only its owner may read, replaced as a whole. */
#ifndef SANDBOX_SECRET_FILE_H
#define SANDBOX_SECRET_FILE_H

#include "base/bytes.h"
#include "base/err.h"

/* Writes a new file beside the path and puts it in its place: whoever reads sees the old or the new
 * one, whole. ERR_TERMINAL names the path and why not. */
Err *secret_file_write(Arena *a, const char *path, Bytes bytes) MUST_CHECK;

/* Makes a new file for its owner alone and opens it for writing. What was there is taken away
 * first: it may have readers. -1, and errno says why, when that cannot be. */
int secret_file_make(const char *path);

#endif
