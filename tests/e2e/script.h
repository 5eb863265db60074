/* Script: what happens to a cluster from outside, told step by step, and what the cluster looks
 * like when it has come to rest. The same script is played to the world and to a real control
 * plane, each of them an Api.
 *
 * Scripts are the .json5 files of tests/e2e/scripts: a sentence, and its steps.
 *
 *     'a pod that is deleted by hand comes back': [
 *         ['create', 'statefulset/web', {spec: {replicas: 2}}],
 *         ['ready', 'web-0'],
 *         ['delete', 'pod/web-0'],
 *     ],
 *
 * An object is "kind/name", or "kind/other/name" in the script's second namespace. `create` merges
 * its patch onto the object of that kind in objects.json5. The steps are:
 *
 *     create, patch,            an object and a merge patch, of itself
 *     status, scale             or of a subresource
 *     delete                    an object, and "background", "foreground" or "orphan"
 *     bind, ready, unready,     the node's part: that it has the pods, their state, and that
 *     failed, succeeded, bury   they are gone; "j-*" is some pod of the Job j that is not over
 *
 *     evict                     asks pods to go
 *
 * After a step whose verb has a question mark nothing is compared: the state depends on which of
 * two controllers was first. The last step never has one.
 *
 * In a body `owners: ['configmap/a', 'job/b blocking controller']` become owner references,
 * "<uid configmap/a>" the UID of that object now, and "<ns>" the script's namespace, which also
 * stands before the names of objects that have none. */
#ifndef TESTS_E2E_SCRIPT_H
#define TESTS_E2E_SCRIPT_H

#include "base/clock.h"
#include "base/json.h"
#include "kube/api.h"

#include <stddef.h>

enum { SCRIPTS_MAX = 256 };

typedef struct Script {
    const char *name;      /* the sentence */
    const char *namespace; /* its own: "s017" */
    const Json *steps;
    size_t count; /* of steps */
} Script;

typedef struct Scripts {
    Script items[SCRIPTS_MAX];
    size_t count;
    size_t steps_max; /* of the longest */
    const Json *objects;
} Scripts;

/* All of them, with those names that have `part` in them; NULL for all. In the arena. */
Scripts *scripts_load(Arena *a, const char *part);

/* Someone who can be played to. */
typedef struct Place {
    Api *api;
    Clock *clock; /* for the times that nodes write */
    /* Every object that was ever created, as "namespace/plural/name" and a newline each. */
    const char *(*made)(struct Place *place, Arena *a);
} Place;

/* The kinds that scripts speak of and that are compared; ended by NULL. */
extern const Kind *const script_kinds[];

/* Makes the script's namespaces; they are ready when their accounts are there. */
void script_begin(Place *place, Arena *a, const Script *script);
bool script_has_begun(Place *place, Arena *a, const Script *script);

/* Plays one step and gives what came of it: "" or the reason of a refusal. */
const char *script_play(Place *place, Arena *a, const Scripts *scripts, size_t script, size_t step);

/* Whether the state after a step depends on who was first, in the real cluster too. */
bool script_is_race(const Script *script, size_t step);

/* One step, for people; the last one when there are no more. */
const char *script_step_text(Arena *a, const Script *script, size_t step);

/* What the place holds, by script: sorted lines, one for each object with all that it says but
 * UIDs, times and versions, and one for each time that one was made, revisions aside. */
typedef struct States {
    const char *texts[SCRIPTS_MAX];
} States;

const States *script_states(Place *place, Arena *a, const Scripts *scripts);

#endif
