/* Folder: a temporary folder that does not stay behind, not even when its test is killed: whoever
 * opens the next one removes those whose owner is gone. */
#ifndef TESTS_E2E_FOLDER_H
#define TESTS_E2E_FOLDER_H

#include "base/err.h"

#include <stdbool.h>

typedef struct Folder Folder;

/* Makes a folder of a new name below `parent`, for its owner alone, in the arena given. ERR_FAILED
 * says why not. */
Err *folder_open(Arena *a, const char *parent, Folder **ret) MUST_CHECK;

/* Removes the folder with all that is in it, unless it is to be kept. Accepts NULL. */
void folder_close(Folder *folder, bool keep);

/* Where it is. */
const char *folder_path(const Folder *folder);

#endif
