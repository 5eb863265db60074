/* Copies: what the example is about, as scenarios say it: a source, where it is to go, what the
 * copies hold. Sources stand in namespace "home". */
#ifndef TESTS_E2E_COPIES_H
#define TESTS_E2E_COPIES_H

#include "tests/e2e/scene.h"

#define COPIES_FINALIZER "copy.example.io/copies"

/* Makes home and the namespaces of copies: red, green, blue. */
void copies_prepare(Controlplane *cp, Arena *a);

/* Makes or changes a source: data.key is `value`, copies go to the namespaces of `to` ("red,blue").
 */
void copies_put_source(
    Controlplane *cp, Arena *a, const char *name, const char *to, const char *value);

/* Deletes a source and does not wait until it is gone. */
void copies_delete_source(Controlplane *cp, Arena *a, const char *name);

/* "/api/v1/namespaces/red/configmaps/x" */
const char *copies_path(Arena *a, const char *namespace, const char *name);

/* The copy in a namespace is there and holds this value. */
bool copies_hold(Controlplane *cp, const char *namespace, const char *name, const char *value);

/* There is no ConfigMap of that name there. */
bool copies_lack(Controlplane *cp, const char *namespace, const char *name);

/* The source's status annotation has this phrase. */
bool copies_status_says(Controlplane *cp, const char *name, const char *phrase);

/* The resourceVersion of an object, "" without one. */
const char *copies_version(Controlplane *cp, Arena *a, const char *namespace, const char *name);

#endif
