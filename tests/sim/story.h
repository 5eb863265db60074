/* Story: nodes or a fleet, a clumsy person and a bad network, by chance: whatever they do to each
 * other, no promise is broken on the way, and in the end all is what the specs say.
 *
 * Each seed is another story, and a story is a function of its seed: what went wrong once goes
 * wrong again, and can be read with `sim --scenario NAME --seed N --trace`. */
#ifndef TESTS_SIM_STORY_H
#define TESTS_SIM_STORY_H

#include "tests/sim/play.h"
#include "tests/sim/rough.h"

typedef struct StoryEnd {
    const char *wrong; /* as a sentence; NULL: nothing */
    uint64_t calls, lines, hash;
    int64_t lasted_ms; /* of virtual time */
} StoryEnd;

/* Of `how` the seed is taken, and where the trace goes. The complaint is in memory of `a`. */
StoryEnd node_story(Arena *a, const SimOptions *how);
StoryEnd fleet_story(Arena *a, const SimOptions *how);

/* --- for those who tell one -------------------------------------------------------------------
 */

typedef struct Story {
    Play *play;
    SeededRng person;
    Rough network;
} Story;

/* Opens the play. The network is good until it is switched on. */
void story_open(Story *s, const SimOptions *how);

/* Closes the play. */
StoryEnd story_close(Story *s, Arena *a, const char *wrong);

/* What the person chooses: 0 to `below` - 1. */
int story_chance(Story *s, int below);

/* What the person does next, for who reads the trace. */
void story_tell(Story *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The person waits. Often the next thing happens while this one is being noticed. */
void story_wait(Story *s);

/* What is refused is no matter: the object may not be there. */
void story_try(Story *s, Request request, const char *name, const char *body);

/* The kubelet is told something. */
void story_order(Story *s, const KubeletOrder *order);

#endif
