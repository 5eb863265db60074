/* Definition: what a CustomResourceDefinition does to the server: its kind is served while it is
 * there, and its objects go before it goes. For calls about other kinds these do nothing. */
#ifndef WORLD_DEFINITION_H
#define WORLD_DEFINITION_H

#include "world/call.h"

/* 422 for a definition that cannot be served. */
Err *definition_check(Call *c, const Json *object, const Json *before) MUST_CHECK;

/* 403 for a new object of a kind that is on its way out. */
Err *definition_check_open(Call *c, const char *name) MUST_CHECK;

/* Serves the kind of a new definition, and says so in its status. */
Err *definition_created(Call *c, const Json *object, const Json **ret) MUST_CHECK;

/* Serves the kind of a definition that another process stored; false when it cannot be. */
bool definition_restore(Server *s, Arena *a, const Json *crd) MUST_CHECK;

/* Serves the kind as it is described now. */
Err *definition_changed(Call *c, const Json *object) MUST_CHECK;

/* Begins to delete a definition: its objects first. */
Err *definition_delete(Call *c, const Json *crd) MUST_CHECK;

/* After an object was deleted: when it was the last one of a kind on its way out, the definition
 * goes; when it was a definition, its kind is served no more. */
Err *definition_deleted(Call *c, const Json *object) MUST_CHECK;

#endif
