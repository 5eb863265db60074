/* Bytes: a borrowed piece of memory; and Buf: one that grows, with a ceiling. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/err.h"

#include <stddef.h>

typedef struct Bytes {
    const char *data; /* not NUL-terminated unless its maker says so */
    size_t len;
} Bytes;

/* The bytes of a C string; NULL gives no bytes. */
Bytes bytes_of(const char *text);

/* True when both hold the same bytes. */
bool bytes_equal(Bytes left, Bytes right);

/* A growing buffer that is used again and again (an HTTP body, a metrics page). `data` is always
 * NUL-terminated behind `len`. The zero value with a ceiling is ready: Buf b = {.ceiling = 1 <<
 * 20}. */
typedef struct Buf {
    char *data;
    size_t len;
    size_t capacity;
    size_t ceiling; /* appending beyond it fails */
} Buf;

/* Appends; false, with the buffer unchanged, when that would pass the ceiling. */
bool buf_append(Buf *b, const void *data, size_t len) MUST_CHECK;

/* Appends formatted text; false when that would pass the ceiling. */
bool buf_format(Buf *b, const char *format, ...) __attribute__((format(printf, 2, 3))) MUST_CHECK;

/* Takes the first `len` bytes away. */
void buf_consume(Buf *b, size_t len);

/* Empties the buffer and keeps its memory up to `keep` bytes; gives back the rest. */
void buf_clear(Buf *b, size_t keep);

/* Overwrites the contents and empties the buffer: for what may have been a key. */
void buf_wipe(Buf *b);

/* Gives back the memory. Accepts a zero Buf. */
void buf_close(Buf *b);

/* The contents, borrowed until the next change. */
Bytes buf_bytes(const Buf *b);

#endif
