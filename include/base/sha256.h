/* SHA-256, as lower-case hex: the only form in which the house stores a hash. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/bytes.h"

enum { SHA256_HEX_SIZE = 65 }; /* 64 digits and the NUL */

/* Writes the 64 hex digits of the hash of `data` and a NUL. */
void sha256_hex(Bytes data, char ret[SHA256_HEX_SIZE]);

/* The code by which whoever has the key knows what they have signed (HMAC-SHA-256), as its bytes:
 * the form in which tokens carry it. */
enum { SHA256_HMAC_SIZE = 32 };
void sha256_hmac(Bytes key, Bytes data, unsigned char ret[SHA256_HMAC_SIZE]);

#endif
