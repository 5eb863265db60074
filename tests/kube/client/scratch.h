/* A folder for one test, with small files in it. It goes when the test's arena closes. */
#ifndef TESTS_KUBE_CLIENT_SCRATCH_H
#define TESTS_KUBE_CLIENT_SCRATCH_H

#include "base/arena.h"

/* An empty folder below /tmp. */
const char *scratch_folder(Arena *a);

/* Writes folder/name anew and gives its path. The file is a new one (another inode) each time, as
 * when the kubelet replaces a token. */
const char *scratch_write(Arena *a, const char *folder, const char *name, const char *text);

#endif
