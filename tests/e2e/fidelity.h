/* Fidelity: the same requests played to the world's server and to a real one, and the answers laid
 * side by side.
 *
 * A step says what is meant ("update a with the version seen last"); each side fills in the UIDs,
 * versions and page tokens that it gave out itself, so both get the same request up to those. */
#ifndef TESTS_E2E_FIDELITY_H
#define TESTS_E2E_FIDELITY_H

#include "base/bytes.h"
#include "base/rng.h"
#include "kube/request.h"
#include "kube/status.h"
#include "kube/stream.h"
#include "tests/e2e/controlplane.h"
#include "world/server.h"

enum {
    FIDELITY_STEPS_MAX = 50,
    FIDELITY_NAMES = 3,
    FIDELITY_KINDS = 21,
    FIDELITY_WATCHES = 3,     /* open ones of one sequence; more are not opened */
    FIDELITY_SEEN_MAX = 1024, /* UIDs, versions or addresses of one sequence */
};

/* --- steps */

/* Which UID or version of the object a step gives along. */
typedef enum Seen {
    SEEN_NONE,
    SEEN_LAST,   /* of the last answer about it */
    SEEN_FIRST,  /* of the first: stale, mostly */
    SEEN_WRONG,  /* of nothing at all; as a version one that is forgotten */
    SEEN_LISTED, /* the version of the last list */
} Seen;

typedef struct Step {
    Request request;  /* but for namespace, uid, version, token and the names in the body */
    size_t kind;      /* row of fidelity_kinds */
    size_t name;      /* 0 … FIDELITY_NAMES - 1 */
    const char *text; /* JSON5 of the body, or NULL */
    Seen uid, version;
    bool goes_on;  /* of a list: with the token of the page before */
    bool compacts; /* no request: the server forgets all history; nothing while somebody watches */
} Step;

typedef struct Steps {
    Step items[FIDELITY_STEPS_MAX];
    size_t count;
} Steps;

/* What the steps may be about: a kind and texts (JSON5) that fit it, each list ended by NULL. */
typedef struct KindRow {
    const Kind *kind;
    const char *const
        *objects; /* whole ones, to create; the first has no labels and no finalizers */
    const char *const *changes;   /* merge patches */
    const char *const *applies;   /* what managers apply */
    const char *const *patches;   /* JSON patches */
    const char *const *strategic; /* strategic merge patches beyond the changes, or NULL */
    const char *const *status;    /* merge patches of the subresource; NULL: it has none */
    const char *const *fields;    /* field selectors */
    const char *const *evictions; /* what evicts it, or NULL: nothing does */
    bool scales;
    bool uncached; /* the real server keeps none of it in memory, or is told so: it feels compaction
                    */
} KindRow;

extern const KindRow *const fidelity_kinds[FIDELITY_KINDS];
/* Rows of that table. */
extern const KindRow fidelity_seinode, fidelity_seinodedeployment;
extern const KindRow fidelity_role, fidelity_rolebinding, fidelity_deployment, fidelity_replicaset,
    fidelity_cronjob, fidelity_pdb, fidelity_networkpolicy, fidelity_endpointslice;

extern const char *const fidelity_names[FIDELITY_NAMES];

/* Label selectors, and labels that each of them picks (JSON5). */
typedef struct SelectorRow {
    const char *selector, *labels;
} SelectorRow;

enum { FIDELITY_SELECTORS = 7 };
extern const SelectorRow fidelity_selectors[FIDELITY_SELECTORS];

/* A sequence of 1 to FIDELITY_STEPS_MAX steps: the same seed, the same steps. */
void fidelity_steps(uint64_t seed, Steps *ret);

/* One step as a line of JSON5, and all of them from {why: …, steps: […]}. The test fails when the
 * text cannot be understood. */
const char *step_text(Arena *a, const Step *step);
void steps_read(Arena *a, const char *text, Steps *ret);

/* --- sides */

/* Values in the order in which they first appeared: "<uid 3>" means the same on both sides. */
typedef struct Appeared {
    const char *values[FIDELITY_SEEN_MAX];
    size_t count;
} Appeared;

/* A watch that a step has opened. */
typedef struct SideWatch {
    StreamSink sink;
    StreamId id;
    ServerWatch *server;
    const Step *step;
    int status; /* 0: not known yet */
    bool ended;
    Buf lines; /* what came so far */
} SideWatch;

/* One of the two that are compared: a real one has streams and a control plane, the world's a
 * server. */
typedef struct Side {
    Arena *arena;
    Streams *streams;
    Controlplane *cp;
    Server *server;
    const char *namespace;
    const Json *first[FIDELITY_KINDS][FIDELITY_NAMES];
    const Json *last[FIDELITY_KINDS][FIDELITY_NAMES];
    const char *token, *listed;
    Appeared uids, versions, addresses;
    SideWatch watches[FIDELITY_WATCHES];
    size_t watch_count;
} Side;

/* Makes the namespace and what its controllers would put there. */
void side_begin(Side *side);

/* Plays one step and gives the answer as text in which nothing is left that may differ. */
const char *side_play(Side *side, const Step *step);

/* What a watch saw, up to an object that is made for it to see: its place among those opened. Ends
 * the watch. */
const char *side_saw(Side *side, size_t place);

/* What the namespace holds now of the kinds that the steps are about, in the same manner. */
const char *side_store(Side *side, const Steps *steps);

/* Closes what is open. */
void side_end(Side *side);

/* --- parts of a side */

/* Asks and waits for the whole answer. */
void side_call(Side *side, const Request *request, Answer *ret);

/* Opens a watch. */
const char *side_watch(Side *side, const Step *step, const Request *request);

/* Takes what the world's watches have to say, before more happens. */
void side_listen(Side *side);

/* The body of a step: its text over `base` (NULL: nothing), with the names that belong to it. */
const Json *side_body(Side *side, const Step *step, const Json *base);

/* --- what is compared */

/* The answer to a step, and one event of a watch, without what may differ. */
const char *answer_text(Side *side, const Step *step, const Answer *answer);
const char *event_text(Side *side, const Step *step, const Json *event);

/* The text with UIDs, times, versions, addresses and tokens replaced by signs. */
const char *signs_for(Side *side, const char *text);

/* True when an explained difference makes a step pointless, or two kinds in one sequence: the
 * generator draws others; and when it makes an event count for nothing. */
bool explained_avoids(const Step *step);
bool explained_parts(const Kind *left, const Kind *right);
bool explained_drops(const Json *event);

/* The names of the explained differences, ended by NULL: each has its line in docs/FIDELITY.md. */
const char *const *explained_names(Arena *a);

#endif
