/* Flags: the command line of the sandbox as values. One table says what there is; parsing and
 * --help read that. */
#ifndef SANDBOX_FLAGS_H
#define SANDBOX_FLAGS_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Flags {
    const char *command;    /* "up" or "ctl"; NULL: none was given */
    const char *kubeconfig; /* where up writes it, and ctl reads it; NULL: not said */
    char *const *words;     /* of ctl: what stands behind it */
    int word_count;
    const char *state; /* a folder; NULL: nothing is kept */
    int64_t nodes, speed, port, network;
    bool help;
} Flags;

/* Reads the words of a command line, the first being the program's name. ERR_TERMINAL names the
 * word and what it could be. Texts are borrowed. */
Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret) MUST_CHECK;

/* What --help says. */
void flags_help(Buf *ret);

#endif
