/* State: what outlasts a sandbox: every object with its version and UID, what time it is, and who
 * it is itself (its certificates, the administrator's token, the key of the accounts' tokens), so
 * that the kubeconfigs of its clients stay good.
 *
 * A write is in the journal before it is answered: killing the process loses nothing. The disk is
 * made to know once a second: a machine that loses power loses at most that. What pods have on
 * their volumes is not kept: a sandbox that is started again begins with empty disks. */
#ifndef SANDBOX_STATE_H
#define SANDBOX_STATE_H

#include "base/err.h"
#include "base/log.h"
#include "kube/serve/authority.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

typedef struct State State;

/* Who the sandbox is. All secrets but the certificates. */
typedef struct StateSelf {
    Authority authority;
    const char *admin_token, *token_key;
} StateSelf;

/* Reads what a folder holds, which is made when it is not there; NULL: nothing is kept. The folder
 * is ours alone until state_close. What was torn is told to the log. ERR_TERMINAL names what is
 * wrong, also that the folder is another's. */
Err *state_open(Arena *a, const char *folder, const Log *log, State **ret) MUST_CHECK;

/* Who it was; false when it is new. Borrowed from the state. */
bool state_self(const State *s, StateSelf *ret);

/* Fills a world that nobody lives in yet with what was read; from then on keeps what is written
 * there. */
Err *state_keep(Arena *a, State *s, World *w, const StateSelf *self) MUST_CHECK;

/* Does what is due: the disk, the time, and a shorter journal when it has grown long. */
void state_step(State *s, int64_t now_ms);

/* Accepts NULL. */
void state_close(State *s);

#endif
