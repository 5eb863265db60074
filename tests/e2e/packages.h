/* Package: what a tool would install, as objects that can be compared; and Helm, to render and to
 * install with. */
#ifndef TESTS_E2E_PACKAGES_H
#define TESTS_E2E_PACKAGES_H

#include "tests/e2e/installed.h"

enum { PACKAGE_OBJECTS_MAX = 100 };

typedef struct Package {
    const Json *objects[PACKAGE_OBJECTS_MAX];
    size_t count;
} Package;

/* What a file holds, and what a tool printed. */
Package package_of_file(Arena *a, const char *path);
Package package_of_text(Controlplane *cp, Arena *a, const char *text);

/* What `kubectl kustomize` makes of a folder of the source, and Helm of the chart with these flags.
 */
Package package_of_folder(Controlplane *cp, Arena *a, const char *folder);
Package package_of_chart(Controlplane *cp, Arena *a, const char *const *flags);

/* Its object of a kind, a namespace (NULL: none) and a name; or NULL. */
const Json *package_find(
    const Package *p, const char *kind, const char *namespace, const char *name);

/* Fails the test when an object of the one is not in the other, or another there. */
void package_is_in(Arena *a, const Package *part, const Package *whole);

/* Runs helm as the admin: what it printed, or its complaint. */
Err *helm_run(Controlplane *cp, Arena *a, const char *const *args, const char **ret) MUST_CHECK;
#define helm(cp, a, ...) helm_text((cp), (a), PROCESS_ARGS(__VA_ARGS__))
const char *helm_text(Controlplane *cp, Arena *a, const char *const *args);

#endif
