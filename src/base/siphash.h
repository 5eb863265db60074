/* SipHash-1-3: a keyed hash for tables. Who does not know the key cannot choose texts that
 * collide. */
#ifndef SRC_BASE_SIPHASH_H
#define SRC_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const char *text, size_t len);

#endif
