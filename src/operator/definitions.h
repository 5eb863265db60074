/* Definitions: whether the installed CRDs know the fields that this operator stores. The server
 * drops the others without a word; so a definition of an older release or of another operator makes
 * what was stored look as if it never had been, and nothing else would tell. */
#ifndef OPERATOR_DEFINITIONS_H
#define OPERATOR_DEFINITIONS_H

#include "base/json.h"
#include "base/log.h"
#include "kube/kind.h"
#include "kube/transport.h"

enum { DEFINITIONS_DEADLINE_MS = 3000 }; /* of one question */

/* The fields that `definition`, the CRD of `kind`, lacks: "status.history, status.drift and 3
 * more"; NULL: none. */
const char *definition_lacks(Arena *a, const Kind *kind, const Json *definition);

/* Asks the server for the definitions of both kinds, and warns of what they lack. A server that
 * does not answer is no reason not to start. */
void definitions_look(Transport *transport, const Log *log);

#endif
