/* Scenes: states of nodes and fleets that kubectl-sei may meet. Each is taken from a run of the
 * operator in the simulator, so that no expectation of kubectl-sei is about a state that cannot
 * occur.
 *
 *     build/release/tests/sim/scenes FOLDER [SCENE...]
 *
 * plays the scenes and writes what the commands read of each to FOLDER/<scene>.json. The build does
 * so for the tests of kubectl-sei. */
#ifndef TESTS_SIM_SCENES_H
#define TESTS_SIM_SCENES_H

#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"

typedef struct Scene {
    const char *name;      /* "fleet-..." shows the fleet, others the node */
    void (*play)(Play *p); /* up to the moment at which the state is read */
} Scene;

/* Ended by a row without a name. */
extern const Scene node_scenes[], fleet_scenes[];

#define SCENE_NODE  "rpc-0"
#define SCENE_FLEET "rpc"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS };

#define IMAGE(tag) "{spec: {image: '" PLAY_IMAGE(tag) "'}}"
#define PAUSED     "{spec: {paused: true}}"
#define UNPAUSED   "{spec: {paused: null}}"

/* Plays it and writes its state. What fails ends the process. */
void scene_write(const Scene *scene, const char *path);

/* A finalizer beside the operator's: without it a deleted node is gone within milliseconds. */
#define HELD_BACK "{metadata: {finalizers: ['" NODE_FINALIZER "', 'example.com/backup']}}"

/* Ends the operator; replica_start() starts it again. */
void scene_stop_operator(Play *p);

/* The chain halts for an upgrade of seid, and ten minutes pass. */
void scene_halt_chain(Play *p);

#endif
