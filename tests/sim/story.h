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

typedef struct StoryOptions {
    uint64_t seed;
    bool is_storm;  /* two operators that also freeze, slow watches and calls, a longer story */
    LogSink *print; /* where the trace goes; NULL: nowhere */
} StoryOptions;

/* The complaint is in memory of `a`. */
StoryEnd node_story(Arena *a, const StoryOptions *how);
StoryEnd fleet_story(Arena *a, const StoryOptions *how);

/* --- for those who tell one -------------------------------------------------------------------
 */

typedef struct Story {
    Play *play;
    SeededRng person;
    Rough network;
    bool is_storm;
    int replicas; /* of the operator */
    int length;   /* how many things happen */
} Story;

/* Opens the play. The network is good until it is switched on. */
void story_open(Story *s, const StoryOptions *how);

/* Closes the play. */
StoryEnd story_close(Story *s, Arena *a, const char *wrong);

/* What the person chooses: 0 to `below` - 1. */
int story_chance(Story *s, int below);

/* Which of so many deeds; the last one is done in storms alone. */
int story_deed(Story *s, size_t count);

/* What the person does next, for who reads the trace. */
void story_tell(Story *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The person waits. Often the next thing happens while this one is being noticed. */
void story_wait(Story *s);

/* What is refused is no matter: the object may not be there. */
void story_try(Story *s, Request request, const char *name, const char *body);

/* An operator dies, and comes back; or stands still for a while without knowing it. */
void story_crash_operator(Story *s);
void story_freeze_operator(Story *s);

/* The kubelet is told something. */
void story_order(Story *s, const KubeletOrder *order);

#endif
