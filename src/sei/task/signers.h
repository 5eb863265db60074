/* Signers: which nodes have to do with which signing key, and who is about to start with one.
 *
 * A key that signs twice costs a validator everything. So before a pod is started with one, the
 * others that name or mount its Secret are looked for, without a walk over all nodes:
 *
 *     node ── uses ──► key ("namespace/secret") ◄── uses ── another node
 *                       │
 *                       └── starter: who was let through, and is not yet seen to have started
 *
 * What stands here is whom to look at, and never how they are: twins.h looks. It may name somebody
 * too many, and nobody too few: it is filled from the caches before the first question, and each
 * node is noted at the beginning of each of its passes, before it could start anything.
 *
 * A key has one starter. He is it from before he writes until his next pass, which begins only when
 * the caches show what he wrote: so of two that come at once the second sees either the starter or
 * his StatefulSet. A write of which nobody knows what became of it may still be on its way: then he
 * is it until what he wrote is seen, or for SIGNER_DOUBT_MS.
 *
 * All functions take the guard themselves. */
#ifndef SEI_TASK_SIGNERS_H
#define SEI_TASK_SIGNERS_H

#include "base/arena.h"
#include "kube/attendant.h"
#include "kube/guard.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Signers Signers;

enum {
    SIGNERS_NODES_MAX = 100000,
    SIGNER_SECRETS_MAX = 8,
    SIGNER_DOUBT_MS = 120000, /* twice as long as the server works on a request */
    SIGNERS_OTHERS_MAX = 64,  /* of one key; whoever shares it with more is not started at all */
};

Signers *signers_open(void);
void signers_close(Signers *s);

/* Whom to wake with; before that nobody is. */
void signers_bind(Signers *s, Guard *guard, Waker *waker);

/* --- filling --- */

/* True: nobody has filled it, and the caller does: signers_see for all there is, then
 * signers_filled. Until then nobody is let through. */
bool signers_must_be_filled(Signers *s);
void signers_see(Signers *s, Key node, const char *secret);
void signers_filled(Signers *s, bool is_whole);

/* --- what is known of nodes --- */

/* The Secrets in which a node may have its signing key: the one that its spec names, and those that
 * its StatefulSet or its pod mounts. */
typedef struct SignerNote {
    const char *secrets[SIGNER_SECRETS_MAX];
    size_t count;
    unsigned standing; /* of the caller's making: when it changes, the others are woken */
    bool is_seen;      /* what it started, if it did, is there */
    int64_t now_ms;    /* of the monotonic clock */
} SignerNote;

void signer_note_add(SignerNote *note, const char *secret);

/* A node as it is now; it starts nothing from here on until it asks again. Without Secrets it is
 * forgotten. */
void signers_note(Signers *s, Key node, const SignerNote *note);

/* Whether it was noted with any Secret. */
bool signers_knows(Signers *s, Key node);

/* --- starting --- */

typedef enum SignerTurn {
    SIGNER_MAY_LOOK,  /* it is the starter now: it looks at the others, and starts or gives up */
    SIGNER_MUST_WAIT, /* another one is */
    SIGNER_UNKNOWN,   /* not all nodes are known yet, or there are more than can be */
} SignerTurn;

SignerTurn signers_take(Signers *s, Key node, const char *secret, int64_t now_ms);
void signers_give_up(Signers *s, Key node, const char *secret);

/* It has written, and does not know whether that has come to the server. */
void signers_doubt(Signers *s, Key node, const char *secret, int64_t now_ms);

/* The other nodes that have to do with a key, in the arena; one more than SIGNERS_OTHERS_MAX when
 * there are too many. */
size_t signers_others(Signers *s, Arena *a, Key node, const char *secret, Key **ret);

#endif
