/* The states of tests/golden/cli, which were taken from runs of the simulator (tests/sim/scenes.c).
 */
#ifndef TESTS_CLI_STATES_H
#define TESTS_CLI_STATES_H

#include "tests/sei/golden.h"

#include <dirent.h>

enum { STATES_MAX = 200, STATES_ARENA_MAX = 256 << 20 };

static inline int states_by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The names of all of them, by name, ended by NULL. */
static inline const char *const *states(Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT");
    DIR *folder = opendir(str_format(a, "%s/tests/golden/cli", root ? root : "."));
    const char **names = arena_array(a, const char *, STATES_MAX + 1);
    size_t count = 0;
    struct dirent *entry;

    then_true(folder != NULL);
    while ((entry = readdir(folder)))
        if (str_has_suffix(entry->d_name, ".objects.json")) {
            then_true(count < STATES_MAX);
            names[count++] =
                str_slice(a, entry->d_name, strlen(entry->d_name) - strlen(".objects.json"));
        }
    closedir(folder);
    qsort(names, count, sizeof *names, states_by_name);
    names[count] = NULL;
    return names;
}

/* One of them as a Sight; failures from here on name it. */
static inline const Json *sight_of_state(Arena *a, const char *state)
{
    const Json *sight;
    const char *text = golden_read(a, str_format(a, "cli/%s.objects.json", state));

    test_program.running = state;
    then_ok(json_parse(a, bytes_of(text), &sight));
    return sight;
}

#endif
