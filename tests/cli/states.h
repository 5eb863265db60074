/* The states of nodes and fleets that kubectl-sei is tested with: the build takes them from runs of
 * the operator in the simulator (tests/sim/scenes.h). What is expected of each is in
 * tests/golden/cli. */
#ifndef TESTS_CLI_STATES_H
#define TESTS_CLI_STATES_H

#include "tests/sei/golden.h"

enum { STATES_MAX = 200, STATES_ARENA_MAX = 256 << 20 };

/* A file that the build made for the scenes; "" when there is none. */
static inline const char *state_file(Arena *a, const char *path)
{
    const char *folder = getenv("SEI_STATES");

    return file_read(a, str_format(a, "%s/%s", folder ? folder : "build/release/tests/sim", path));
}

/* The names of all of them, ended by NULL. */
static inline const char *const *states(Arena *a)
{
    const char *list = state_file(a, "states.txt");
    const char **names = arena_array(a, const char *, STATES_MAX + 1);
    size_t count = 0;

    while (*list) {
        size_t len = strcspn(list, "\n");
        then_true(count < STATES_MAX);
        names[count++] = str_slice(a, list, len);
        list += len + (list[len] == '\n');
    }
    if (!count)
        test_fail(__FILE__,
            __LINE__,
            "there are no states: build the release variant first, with all its targets");
    names[count] = NULL;
    return names;
}

/* One of them as a Sight; failures from here on name it. */
static inline const Json *sight_of_state(Arena *a, const char *state)
{
    const Json *sight;
    const char *text = state_file(a, str_format(a, "states/%s.json", state));

    test_name_case(state);
    if (!*text)
        test_fail(__FILE__,
            __LINE__,
            "the scene failed:\n%s",
            state_file(a, str_format(a, "states/%s.error", state)));
    then_ok(json_parse(a, bytes_of(text), &sight));
    return sight;
}

#endif
