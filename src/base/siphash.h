/* SipHash-1-3: a keyed hash for tables. Who does not know the key cannot choose texts that
 * collide. */
#ifndef SRC_BASE_SIPHASH_H
#define SRC_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const char *text, size_t len);

/* The same over what comes bit by bit, as words of eight bytes. A text is filled up with zeros to
 * whole words: where it ends, something else must say. */
typedef struct Siphash {
    uint64_t v[4];
} Siphash;

Siphash siphash_begin(const uint64_t key[2]);
void siphash_word(Siphash *h, uint64_t word);
void siphash_text(Siphash *h, const char *text, size_t len);
uint64_t siphash_end(Siphash *h);

#endif
