/* State: what outlasts a sandbox: every object with its version and UID, what time it is, and who
 * it is itself (its certificates, the administrator's token, the key of the accounts' tokens), so
 * that the kubeconfigs of its clients stay good.
 *
 * What pods have on their volumes is kept, too, and what they find outside of the cluster: the
 * buckets, and the heights at which chains are to stop.
 *
 * A write is in the journal before it is answered, and what a pod did to its volume before anybody
 * is told: killing the process loses nothing. The disk is made to know once a second: a machine
 * that loses power loses at most that. */
#ifndef SANDBOX_STATE_H
#define SANDBOX_STATE_H

#include "base/err.h"
#include "base/log.h"
#include "kube/serve/authority.h"
#include "world/kubelet.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

typedef struct State State;

/* Who the sandbox is. All secrets but the certificates. */
typedef struct StateSelf {
    Authority authority;
    ClientAuthority clients;
    const char *admin_token, *token_key;
} StateSelf;

/* Reads what a folder holds, which is made when it is not there; NULL: nothing is kept. The folder
 * is ours alone until state_close. What was torn is told to the log. ERR_TERMINAL names what is
 * wrong, also that the folder is another's. */
Err *state_open(Arena *a, const char *folder, const Log *log, State **ret) MUST_CHECK;

/* Who it was; false when it is new. Borrowed from the state. */
bool state_self(const State *s, StateSelf *ret);

/* Fills a world that nobody lives in yet with the objects that were read. */
void state_restore(State *s, World *w);

/* Fills the disks of its pods, before anybody has mounted one; from then on keeps what is written
 * there and in the world. The kubelet must outlive the state. */
Err *state_keep(Arena *a, State *s, Kubelet *kubelet, const StateSelf *self) MUST_CHECK;

/* Keeps at which heights chains are to stop, which has changed. */
void state_note_chains(State *s);

/* Does what is due: the disk, the time, and a shorter journal when it has grown long. */
void state_step(State *s, int64_t now_ms);

/* Accepts NULL. */
void state_close(State *s);

#endif
