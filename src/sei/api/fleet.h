/* Fleet: a SeiNodeDeployment as C. A number of SeiNodes that are made from one template, and how an
 * edit of that template reaches them. Decoded once, at the border.
 *
 * Absent strings are NULL, absent numbers what the schema says of them. Everything is borrowed from
 * the object. */
#ifndef SEI_API_FLEET_H
#define SEI_API_FLEET_H

#include "kube/int_or_percent.h"
#include "sei/api/node.h"

enum { FLEET_REPLICAS_MAX = 100 };

#define FLEET_STRATEGY "InPlace" /* the only type of updateStrategy */

/* How a change of the template reaches the nodes. */
typedef struct FleetStrategy {
    const char *type;
    IntOrPercent max_unavailable;
    int64_t partition, min_ready_seconds, progress_deadline_seconds;
    bool hold;
    bool rolls_back; /* onFailure: Rollback */
} FleetStrategy;

/* With what the nodes found a chain together. */
typedef struct FleetGenesis {
    bool is_set;
    const char *chain_id, *staking_amount, *account_balance;
    const Json *accounts, *overrides;
    const char *duration_max; /* maxCeremonyDuration, as written, or NULL */
} FleetGenesis;

typedef struct FleetSpec {
    int64_t replicas;
    const Json *template;             /* as it stands, {metadata, spec} */
    const Json *labels, *annotations; /* of the template */
    NodeSpec node;                    /* the template's spec, read */
    FleetStrategy strategy;
    FleetGenesis genesis;
    bool has_http, has_tcp; /* the tiers of networking that are asked for */
    bool retains;           /* deletionPolicy: Retain */
    bool paused;
} FleetSpec;

typedef enum FleetPhase {
    FLEET_NONE,
    FLEET_PENDING,
    FLEET_INITIALIZING,
    FLEET_READY,
    FLEET_UPGRADING,
    FLEET_PAUSED,
    FLEET_DEGRADED,
    FLEET_FAILED,
    FLEET_TERMINATING,
    FLEET_PHASE_COUNT,
} FleetPhase;

/* How far a node has come in a rollout. */
typedef enum RolloutState {
    ROLLOUT_PENDING,  /* its turn has not come */
    ROLLOUT_UPDATING, /* written, and not available yet */
    ROLLOUT_UPDATED,  /* on the target, and available */
    ROLLOUT_SKIPPED,  /* paused, failed, or below the partition */
    ROLLOUT_STATE_COUNT,
} RolloutState;

typedef struct RolloutNode {
    const char *name;
    bool has_state;
    RolloutState state;
    const char *updated_at; /* when this rollout wrote it, or NULL */
    const char *message;    /* what it waits for, or why it was skipped, or NULL */
} RolloutNode;

typedef struct FleetRollout {
    const char *target_hash; /* NULL: no rollout */
    const char *started_at;
    const char *failed_hash; /* what is not tried again, or NULL */
    bool has_nodes;          /* the list is there, be it empty */
    RolloutNode nodes[FLEET_REPLICAS_MAX];
    size_t node_count;
} FleetRollout;

typedef struct FleetNode { /* one entry of status.nodes */
    const char *name;
    const char *phase;    /* as spelt, or NULL */
    const char *revision; /* of the template that it is kept at, or NULL */
    const char *adopted;  /* its own, when it was taken over as it is and differs; or NULL */
} FleetNode;

/* Counts: -1 when they are not stored. */
typedef struct FleetCounts {
    int64_t replicas, ready, available, unavailable, updated;
} FleetCounts;

typedef struct FleetStatus {
    FleetPhase phase;
    int64_t observed_generation;
    FleetCounts counts;
    const char *selector, *state;  /* the latter by condition_state() */
    const char *template_hash;     /* by the reference's algorithm */
    const char *complete_revision; /* hash of the last template that every node has reached */
    const char *resuming_since; /* a pause has ended, and not every node could be told; or NULL */
    FleetRollout rollout;
    bool has_nodes; /* the list is there, be it empty */
    FleetNode nodes[FLEET_REPLICAS_MAX];
    size_t node_count;
    const Json *incumbents; /* names; or NULL */
    bool has_plan;
    Plan plan;
    PlanHistory history;
    const char *genesis_hash, *genesis_uri;
    const Json *internal_service, *pod_services, *endpoints, *networking, *founder_volumes;
    Conds conds;
    const Json *kept; /* members that could not be read: written back as they are; or NULL */
} FleetStatus;

typedef struct Fleet {
    const Json *object;
    Key key;
    const char *uid;
    int64_t generation;
    bool deleting;
    const char *retry; /* annotation sei.io/retry, or NULL */
    FleetSpec spec;
    FleetStatus status;
} Fleet;

/* Reads a whole object. ERR_TERMINAL names the path and what was expected there; `ret` then still
 * has everything but the spec, as far as it could be read: see node_decode. */
Err *fleet_decode(Arena *a, const Json *object, Fleet *ret) MUST_CHECK;

/* "Ready"; "" for FLEET_NONE. And back: FLEET_NONE for anything else. */
const char *fleet_phase_text(FleetPhase phase);
FleetPhase fleet_phase_parse(const char *text);

/* "Updating" */
const char *rollout_state_text(RolloutState state);

/* "<fleet>-<ordinal>": the name of a child. */
const char *fleet_child_name(Arena *a, const char *fleet, int64_t ordinal);

/* The ordinal in the name of a child; -1 for any other name. */
int64_t fleet_name_ordinal(Arena *a, const char *fleet, const char *name);

/* The ordinal of a SeiNode that is called as a child of this fleet is and labelled so; -1 for any
 * other. Whose it is, its owner says. */
int64_t fleet_child_ordinal(Arena *a, const char *fleet, const Json *node);

#endif
