/* Manifest: files of objects as people write them: YAML, document after document. */
#ifndef SANDBOX_MANIFEST_H
#define SANDBOX_MANIFEST_H

#include "base/err.h"
#include "base/json.h"

enum { MANIFEST_MAX = 4 << 20, MANIFEST_FILES_MAX = 1000 };

typedef Err *ManifestVisit(void *self, Arena *a, const Json *object);

/* Visits every object of a file, or of every .yaml, .yml and .json file of a folder in the order of
 * their names; empty documents are passed over. ERR_TERMINAL names the file. */
Err *manifest_each(Arena *a, const char *path, ManifestVisit *visit, void *self) MUST_CHECK;

#endif
