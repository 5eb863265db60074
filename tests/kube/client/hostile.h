/* Hostile: an API server that misbehaves by script.
 *
 * A script is an array of steps that ends with the zero value. It runs in a child process, so that
 * the client under test may block; nothing waits for a time, each step waits for what it needs: a
 * connection, a request, or that the client has taken all that was sent so far. What the server saw
 * comes back through hostile_next. The server is gone at the latest when the arena closes. */
#ifndef TESTS_KUBE_CLIENT_HOSTILE_H
#define TESTS_KUBE_CLIENT_HOSTILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "tests/pki.h"

#include <stddef.h>

typedef enum StepType {
    STEP_END,
    STEP_ACCEPT,  /* a connection, and its TLS handshake where the options ask for one */
    STEP_REQUEST, /* one whole request, which is noted */
    STEP_BYTES,   /* waits until something arrives, without reading it */
    STEP_SEND,    /* in one piece */
    STEP_SPLIT,   /* in two pieces; the second once the client has taken the first */
    STEP_DRIP,    /* byte by byte, each once the client has taken the one before */
    STEP_FLOOD,   /* `count` times, as fast as the client takes it */
    STEP_TAKEN,   /* waits until the client has taken all that was sent */
    STEP_CLOSE,   /* in order */
    STEP_DROP,    /* without the farewell that TLS wants */
    STEP_RESET,   /* the hard way */
    STEP_STALL,   /* says nothing until the client hangs up */
    STEP_HOLD,    /* does nothing more, and keeps everything open */
    STEP_DEAF,    /* goes dead without a word: what arrives is not even acknowledged */
    STEP_REFUSE,  /* takes no further connection */
    STEP_NOTE,    /* notes its text */
} StepType;

enum { HOSTILE_WIRES = 4 };

typedef struct Step {
    StepType type;
    const char *text;
    size_t len; /* of the text; 0: up to its NUL */
    size_t at;  /* where STEP_SPLIT splits */
    size_t count;
    size_t wire; /* which connection; 0 is enough for most */
} Step;

typedef struct HostileOptions {
    const PkiCert *cert;   /* NULL: no TLS */
    const char *client_ca; /* PEM: asks for a client certificate and notes its name */
    int tls_version;       /* the only one to speak, as OpenSSL numbers them; 0: any */
} HostileOptions;

typedef struct Hostile Hostile;

/* Starts a server on a free port of 127.0.0.1. Script and texts are the child's own copy. */
Hostile *hostile_start(Arena *a, const Step *script, const HostileOptions *options);

/* "127.0.0.1:port". */
const char *hostile_address(const Hostile *h);

/* The next thing that the server noted; waits for it. NULL once the script has ended, or after
 * hostile_stop, and all notes were given. */
const char *hostile_next(Arena *a, Hostile *h);

/* Ends the server wherever it is. */
void hostile_stop(Hostile *h);

#endif
