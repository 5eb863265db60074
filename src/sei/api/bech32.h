/* Bech32: addresses of accounts, as BIP-173 writes them: a prefix, "1", and letters of which the
 * last six prove the rest. A slip of the pen is found here, before a chain is founded with it. */
#ifndef SEI_API_BECH32_H
#define SEI_API_BECH32_H

#include "base/err.h"

enum { BECH32_TEXT_MAX = 90 };

/* OK when the text is one, of this prefix (in small letters; the text may be in capitals as a
 * whole). ERR_TERMINAL says what is wrong with it, without naming it. */
Err *bech32_check(Arena *a, const char *text, const char *prefix) MUST_CHECK;

#endif
