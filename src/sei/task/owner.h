/* Owner: who makes an object, and whose it may be. A SeiNode and a SeiNodeDeployment apply their
 * objects by the same rules: ours by controller UID is changed; ownerless and for the same pods is
 * taken; of an earlier owner of this name, or Terminating, is waited for; somebody else's is never
 * touched. */
#ifndef SEI_TASK_OWNER_H
#define SEI_TASK_OWNER_H

#include "kube/kube.h"
#include "sei/api/ownership.h"

#include <stdbool.h>

typedef struct Owner {
    const Kind *kind;
    const Json *object;
    const char *manager; /* field manager of its applies */
    const char *label;   /* what it makes carries its name under this key */
} Owner;

/* It is ours, there to stay, and what we own of it is what we want. */
bool owner_has_right(Arena *a, const Owner *owner, const Json *there, const char *owned_hash);

/* What is there under a name: from the cache, or live when it may be there without our label. */
Err *owner_look(Ctx *c, const Kind *kind, Key key, const Json **ret) MUST_CHECK;

/* An object that is to be as wanted, over what is there (NULL: nothing that the cache shows). */
typedef struct Applying {
    const Kind *kind;
    const Json *there, *wanted;
} Applying;

/* Applies it, when it may. ERR_WAIT: not now. ERR_TERMINAL, reason ForeignObject: never. */
Err *owner_apply(Ctx *c, const Owner *owner, const Applying *what, const Json **ret) MUST_CHECK;

#endif
