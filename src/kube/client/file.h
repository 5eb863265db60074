/* File: small files that others replace while we run: tokens, certificates, kubeconfigs. */
#ifndef KUBE_CLIENT_FILE_H
#define KUBE_CLIENT_FILE_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* What tells one state of a file from another without reading it. The zero value is no file. */
typedef struct FileStamp {
    uint64_t device;
    uint64_t inode;
    int64_t modified_ns;
    int64_t size;
} FileStamp;

/* The stamp of what stands at the path now; the zero value when nothing can be seen there. */
FileStamp file_stamp(const char *path);

/* Both stamps are of the same state of the same file. */
bool file_stamp_eq(FileStamp left, FileStamp right);

/* Appends the whole file to `ret`, whose ceiling is the largest size allowed. The stamp is of
 * exactly what was read; it may be NULL. ERR_TERMINAL names the path and the cause, with ENOENT's
 * words when there is no such file. */
Err *file_read(Arena *a, const char *path, Buf *ret, FileStamp *ret_stamp) MUST_CHECK;

/* True when nothing stands at the path. */
bool file_is_missing(const char *path);

/* `path`, taken from the folder of `beside` when it is relative. */
const char *file_beside(Arena *a, const char *beside, const char *path);

#endif
