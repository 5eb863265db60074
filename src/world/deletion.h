/* Deletion: how an object goes: at once, after its grace, or when its last finalizer is taken. */
#ifndef WORLD_DELETION_H
#define WORLD_DELETION_H

#include "world/call.h"

/* Does to an object what a DELETE without preconditions does. The call's request says how it goes;
 * its resource is that of the object. */
Err *deletion_begin(Call *c, const Json *before) MUST_CHECK;

/* 409 when the object is not the one that the request is about, by UID or version. */
Err *deletion_check(Call *c, const Json *object) MUST_CHECK;

#endif
