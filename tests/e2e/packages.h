/* Package: what a tool would install, as objects that can be compared; and Helm, to render and to
 * install with. */
#ifndef TESTS_E2E_PACKAGES_H
#define TESTS_E2E_PACKAGES_H

#include "tests/e2e/installed.h"

enum { PACKAGE_OBJECTS_MAX = 100 };

/* The annotation of the chart's pod template that changes with the settings. */
#define SETTINGS_CHECKSUM_PATH ".spec.template.metadata.annotations['checksum/settings']"

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

/* Writes what a tool rendered into a file of this name; its path. */
const char *package_write(Controlplane *cp, Arena *a, const char *name, const char *text);

/* How many objects of a file the cluster has. */
size_t package_present(Controlplane *cp, Arena *a, const char *path);

/* Its object of a kind, a namespace (NULL: none) and a name; or NULL. */
const Json *package_find(
    const Package *p, const char *kind, const char *namespace, const char *name);

/* Fails the test if an object of `part` is missing in `whole` or differs there. Annotations that
 * only the chart has do not count. */
void package_is_in(Arena *a, const Package *part, const Package *whole);

/* The cluster gets to know the two kinds of the Prometheus Operator that we have objects of, as
 * their authors define them; and forgets them, and all such objects. */
void prometheus_comes(Controlplane *cp, Arena *a);
void prometheus_goes(Controlplane *cp, Arena *a);

/* Runs helm as the admin: what it printed, or its complaint. */
Err *helm_run(Controlplane *cp, Arena *a, const char *const *args, const char **ret) MUST_CHECK;
#define helm(cp, a, ...) helm_text((cp), (a), PROCESS_ARGS(__VA_ARGS__))
const char *helm_text(Controlplane *cp, Arena *a, const char *const *args);

#endif
