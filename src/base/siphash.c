/* SipHash with one round per word and three to finish, as hash tables elsewhere use it. */
#include "base/siphash.h"

#include <string.h>

static uint64_t rotate_left(uint64_t number, int bits)
{
    return number << bits | number >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

Siphash siphash_begin(const uint64_t key[2])
{
    return (Siphash){{
        key[0] ^ 0x736F6D6570736575U,
        key[1] ^ 0x646F72616E646F6DU,
        key[0] ^ 0x6C7967656E657261U,
        key[1] ^ 0x7465646279746573U,
    }};
}

void siphash_word(Siphash *h, uint64_t word)
{
    take_word(h->v, word);
}

/* The whole words of a text; what is left of it comes back as the low bytes of one. */
static uint64_t take_words(Siphash *h, const char *text, size_t len)
{
    uint64_t word, last = 0;

    for (const char *end = text + len / 8 * 8; text < end; text += 8) {
        memcpy(&word, text, 8);
        take_word(h->v, word);
    }
    for (size_t i = 0; i < len % 8; i++)
        last |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return last;
}

void siphash_text(Siphash *h, const char *text, size_t len)
{
    uint64_t last = take_words(h, text, len);

    if (len % 8)
        take_word(h->v, last);
}

uint64_t siphash_end(Siphash *h)
{
    h->v[2] ^= 0xFF;
    for (int i = 0; i < 3; i++)
        sip_round(h->v);
    return h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3];
}

uint64_t siphash(const uint64_t key[2], const char *text, size_t len)
{
    Siphash h = siphash_begin(key);
    uint64_t last = take_words(&h, text, len);

    take_word(h.v, last | (uint64_t)len << 56);
    return siphash_end(&h);
}
