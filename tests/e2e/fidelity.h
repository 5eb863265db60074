/* Fidelity: the same requests played to the world's server and to a real one, and the answers laid
 * side by side.
 *
 * A step says what is meant ("update a with the version seen last"); each side fills in the UIDs,
 * versions and page tokens that it gave out itself, so both get the same request up to those. */
#ifndef TESTS_E2E_FIDELITY_H
#define TESTS_E2E_FIDELITY_H

#include "base/rng.h"
#include "kube/api.h"
#include "kube/request.h"
#include "world/server.h"

enum {
    FIDELITY_STEPS_MAX = 50,
    FIDELITY_NAMES = 3,
    FIDELITY_KINDS = 7,
    FIDELITY_SEEN_MAX = 1024, /* UIDs, versions or addresses of one sequence */
};

/* Which UID or version of the object a step gives along. */
typedef enum Seen {
    SEEN_NONE,
    SEEN_LAST,  /* of the last answer about it */
    SEEN_FIRST, /* of the first: stale, mostly */
    SEEN_WRONG, /* of nothing at all */
} Seen;

typedef struct Step {
    Request request;  /* but for namespace, uid, version, token and the names in the body */
    size_t kind;      /* row of fidelity_kinds */
    size_t name;      /* 0 … FIDELITY_NAMES - 1 */
    const char *text; /* JSON5 of the body, or NULL */
    Seen uid, version;
    bool goes_on; /* of a list: with the token of the page before */
} Step;

typedef struct Steps {
    Step items[FIDELITY_STEPS_MAX];
    size_t count;
} Steps;

/* What the steps may be about: a kind and texts (JSON5) that fit it, each list ended by NULL. */
typedef struct KindRow {
    const Kind *kind;
    const char *const *objects; /* whole ones, to create */
    const char *const *changes; /* merge patches */
    const char *const *applies; /* what managers apply */
    const char *const *patches; /* JSON patches */
    const char *const *status;  /* merge patches of the subresource; NULL: it has none */
    const char *const *fields;  /* field selectors */
    bool scales;
} KindRow;

extern const KindRow *const fidelity_kinds[FIDELITY_KINDS];

/* A sequence of 1 to FIDELITY_STEPS_MAX steps: the same seed, the same steps. */
void fidelity_steps(uint64_t seed, Steps *ret);

/* Values in the order in which they first appeared: "<uid 3>" means the same on both sides. */
typedef struct Appeared {
    const char *values[FIDELITY_SEEN_MAX];
    size_t count;
} Appeared;

/* One of the two that are compared. Exactly one of api and server is set. */
typedef struct Side {
    Arena *arena;
    Api *api;
    Server *server;
    const char *namespace;
    const Json *first[FIDELITY_KINDS][FIDELITY_NAMES];
    const Json *last[FIDELITY_KINDS][FIDELITY_NAMES];
    const char *token;
    Appeared uids, versions, addresses;
} Side;

/* Makes the namespace and what its controllers would put there. */
Err *side_begin(Side *side) MUST_CHECK;

/* Plays one step and gives the answer as text in which nothing is left that may differ. */
const char *side_play(Side *side, const Step *step);

/* All that the namespace holds now, kind by kind, in the same manner. */
const char *side_store(Side *side);

/* For people: what the step asks for. */
const char *step_text(Arena *a, const Step *step);

#endif
