/* Fleets: SeiNodeDeployments in a namespace of nodes.h, and what became of their pods, by the audit
 * log of an API server that keeps the objects.
 *
 *     Nodes n = fleets_open(a, "images");
 *     fleets_create(&n, "rpc", 3, "{}");
 *     eventually(fleets_settled(&n, "rpc"));
 *     int64_t mark = scene_mark(n.cp);
 *     fleets_change(&n, "rpc", FLEETS_IMAGE("v2"));
 *     eventually(fleets_settled(&n, "rpc"));
 *     then_int(fleets_story(&n, "rpc", 3, mark).down_max, 1);
 */
#ifndef TESTS_E2E_FLEETS_H
#define TESTS_E2E_FLEETS_H

#include "tests/e2e/nodes.h"

#define FLEETS_PLURAL "seinodedeployments"

enum { FLEETS_REPLICAS_MAX = 100 };

/* nodes_open on the program's own control plane, whose audit log keeps the objects; pods live 60
 * times faster than ours. */
Nodes fleets_open(Arena *a, const char *namespace);

/* --- a person */

/* Full nodes with the image seid:v1; `more` is merged into its spec, in JSON. */
void fleets_create(const Nodes *n, const char *name, int replicas, const char *more);

/* The namespace, with a fleet "rpc" of FLEETS_GIVEN nodes that has settled. */
enum { FLEETS_GIVEN = 3 };
Nodes fleets_given(Arena *a, const char *namespace, const char *more);

/* kubectl scale; returns when the fleet has settled. */
void fleets_scale(const Nodes *n, const char *name, int replicas);

/* Merges a change into its spec, in JSON. */
void fleets_change(const Nodes *n, const char *name, const char *change);

#define FLEETS_TEMPLATE(spec) "{\"template\": {\"spec\": " spec "}}"
#define FLEETS_IMAGE(tag)     FLEETS_TEMPLATE("{\"image\": \"ghcr.io/example/seid:" tag "\"}")
#define FLEETS_STRATEGY(what) "{\"updateStrategy\": " what "}"

/* --- what there is */

/* Ready, at rest and up to date, as far as the newest generation goes, with as many nodes as it
 * should have, and each of them settled. */
bool fleets_settled(const Nodes *n, const char *name);

/* A condition of the fleet; see nodes_condition. */
bool fleets_condition(
    const Nodes *n, const char *name, const char *type, const char *status, const char *reason);

/* And what it says, "" without it. */
const char *fleets_message(const Nodes *n, const char *name, const char *type);

/* A number in its status; -1 without one. */
int64_t fleets_number(const Nodes *n, const char *name, const char *path);

/* The name of a node, of its pod and of its claim. */
const char *fleets_node(const Nodes *n, const char *fleet, int ordinal);
const char *fleets_pod(const Nodes *n, const char *fleet, int ordinal);
const char *fleets_claim(const Nodes *n, const char *fleet, int ordinal);

/* The UIDs of its first claims, in one line: equal before and after means that none was replaced.
 */
const char *fleets_claims(const Nodes *n, const char *fleet, int replicas);

/* How many of its first pods run this tag of seid. */
int fleets_on(const Nodes *n, const char *fleet, int replicas, const char *tag);

/* --- what happened since a mark at which all pods were ready */

enum { FLEETS_SETTLED_US = 2000000 };

typedef struct FleetStory {
    int down_max;  /* pods that were not ready at one moment, at the worst, whoever stopped them */
    int taken_max; /* the same at a moment when the operator deleted one that was ready */
    int unsettled_max; /* the same, with those that were ready for less than FLEETS_SETTLED_US */
    int deleted[FLEETS_REPLICAS_MAX]; /* pods that the operator deleted, by ordinal */
    int all_deleted;
    int deleted_again;   /* of these, made from what the last one of the same node was made from */
    size_t claims;       /* writes and deletions of claims by the operator */
    size_t empty_writes; /* of the operator */
} FleetStory;

FleetStory fleets_story(const Nodes *n, const char *fleet, int replicas, int64_t mark);

/* Of a fleet of FLEETS_GIVEN: every pod was replaced just once, never two at a time, no claim was
 * touched and no write was empty. */
void fleets_then_rolled(const Nodes *n, const char *fleet, int64_t mark);

/* Of the same: no pod stopped, no claim was touched and no write was empty. */
void fleets_then_nothing_stopped(const Nodes *n, const char *fleet, int64_t mark);

#endif
