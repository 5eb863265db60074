/* Flags: the command line of the player as values. One table says what there is; parsing and --help
 * read that. */
#ifndef PLAYER_FLAGS_H
#define PLAYER_FLAGS_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Flags {
    const char *kubeconfig, *orders; /* NULL: not given */
    int64_t network, nodes, seed, speed;
    bool any_token;
    bool help;
} Flags;

/* Reads the words of a command line, the first being the program's name. ERR_TERMINAL names the
 * flag and what it could be. Texts are borrowed. */
Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret) MUST_CHECK;

/* What --help says: flags, orders, examples. */
void flags_help(Buf *ret);

#endif
