/* Plays the scenes and writes their states: see scenes.h. */
#include "tests/sim/scenes.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process of its own. What a failed scene prints is in <scene>.error, in place of its state:
 * a test reports it, and the other states are there. */
static void play_scene(const Scene *scene, const char *folder)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *state = str_format(a, "%s/%s.json", folder, scene->name);
    const char *error = str_format(a, "%s/%s.error", folder, scene->name);

    unlink(state);
    if (!freopen(error, "w", stderr) || !freopen(error, "a", stdout))
        exit(2);
    scene_write(scene, state);
    unlink(error);
}

static void start(const Scene *scene, const char *folder)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        perror("scenes: fork");
        exit(2);
    }
    if (pid == 0) {
        play_scene(scene, folder);
        exit(0);
    }
}

/* Whether the words after the folder name it, or there are none. */
static bool is_wanted(const Scene *scene, char **names)
{
    for (char **name = names; *name; name++)
        if (str_eq(*name, scene->name))
            return true;
    return !*names;
}

static void play_all(const Scene *scenes, const char *folder, char **names)
{
    static long running;

    for (; scenes->name; scenes++) {
        if (!is_wanted(scenes, names))
            continue;
        printf("%s\n", scenes->name);
        if (running++ >= sysconf(_SC_NPROCESSORS_ONLN))
            wait(NULL);
        start(scenes, folder);
    }
}

/* Prints the names of the scenes. */
int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: scenes FOLDER [SCENE...]\n");
        return 2;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        perror(argv[1]);
        return 2;
    }
    play_all(node_scenes, argv[1], argv + 2);
    play_all(fleet_scenes, argv[1], argv + 2);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
