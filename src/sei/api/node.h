/* SeiNode: one node as C. Decoded once, at the border; after that nobody touches the JSON of a
 * SeiNode again, except to name it (events, patches, owner references).
 *
 * Absent strings are NULL, absent numbers 0. Everything is borrowed from the object. */
#ifndef SEI_API_NODE_H
#define SEI_API_NODE_H

#include "base/draft.h"
#include "base/json.h"
#include "kube/cond.h"
#include "kube/key.h"
#include "kube/kind.h"
#include "sei/api/maintenance.h"
#include "sei/api/plan.h"
#include "sei/api/snapshot.h"
#include "sei/api/validator.h"

#include <stdbool.h>
#include <stdint.h>

extern const Kind kind_seinode[1];
extern const Kind kind_seinodedeployment[1];

typedef enum NodeMode {
    MODE_NONE,
    MODE_FULL,
    MODE_ARCHIVE,
    MODE_REPLAYER,
    MODE_VALIDATOR
} NodeMode;

typedef enum NodePhase {
    PHASE_NONE,
    PHASE_PENDING,
    PHASE_INITIALIZING,
    PHASE_RUNNING,
    PHASE_FAILED,
    PHASE_TERMINATING,
} NodePhase;

typedef struct NodeSpec {
    const char *chain_id, *image;
    NodeMode mode;
    int mode_count; /* how many mode blocks there are; 1 is right */
    SnapshotSource snapshot;
    SnapshotGeneration generates;
    KeySource signing_key, node_key; /* these four of validators alone */
    KeyringSource keyring;
    GenesisCeremony ceremony;
    bool result_export_is_empty; /* a replayer's resultExport without what it should be */
    const Json *peers, *overrides, *pod_labels;
    const char *sidecar_image; /* NULL: the platform's */
    int64_t sidecar_port;      /* never 0 */
    const Json *sidecar_resources;
    const char *import_claim; /* dataVolume.import.pvcName */
    const char *external_address;
    const Json *validator; /* the block, for the modes that read it */
    bool paused;
} NodeSpec;

/* What people ask for by annotations. */
typedef struct NodeWishes {
    const char *restarted_at, *retry, *adopt_volume, *allow_new_volume, *volume_policy;
} NodeWishes;

typedef struct NodeIdentity { /* as recorded: chain_id NULL when it was not yet */
    const char *chain_id;
    NodeMode mode;
    bool chain_unverified; /* from the end of the init until seid itself reports chain_id */
} NodeIdentity;

typedef struct NodeVolume { /* as recorded: uid NULL when it was not yet */
    const char *name, *uid;
    bool imported;
} NodeVolume;
typedef struct NodeSeid { /* since NULL: condition Ready is True, or seid never was Ready */
    bool is_ready;
    const char *since;
} NodeSeid;

typedef struct NodeAdopted { /* pod_uid NULL: none */
    const char *pod_uid, *template_hash, *spec_hash;
} NodeAdopted;

typedef struct NodeStatus {
    NodePhase phase;
    const char *state, *phase_transition_time; /* the former by condition_state() */
    int64_t observed_generation;
    const char *current_image, *pod_template_hash, *spec_hash, *setup_hash, *restarted_at;
    const char *statefulset_name, *statefulset_uid;
    NodeIdentity identity;
    NodeVolume volume;
    NodeAdopted adopted;
    NodeSeid seid;
    Drift drift;
    bool has_plan;
    Plan plan;
    PlanHistory history;
    const Json *resolved_peers;
    Conds conds;
    const Json *kept; /* members that could not be read: written back as they are; or NULL */
} NodeStatus;

typedef struct SeiNode {
    const Json *object;
    Key key;
    const char *uid;
    int64_t generation;
    bool deleting;
    NodeSpec spec;
    NodeWishes wishes;
    const char *released_spec; /* to what its fleet has let it roll, or NULL */
    bool in_maintenance;       /* by the mark that follows; spec.paused is then true, too */
    Maintenance maintenance;   /* empty: it cannot be read */
    NodeStatus status;
} SeiNode;

/* Reads a whole object. ERR_TERMINAL names the path and what was expected there. `ret` then has
 * object, key, uid, generation, wishes and what could be read of the status. Nothing of that is
 * lost when the status is encoded again. */
Err *node_decode(Arena *a, const Json *object, SeiNode *ret) MUST_CHECK;

/* Reads .spec of an object: of a SeiNode, or of the template of a fleet. */
Err *node_spec_decode(Arena *a, const Json *object, NodeSpec *ret) MUST_CHECK;

/* The whole .status. What was decoded and not changed is encoded as it was stored. */
const Json *node_status_encode(Arena *a, const NodeStatus *status);

/* "Running"; "" for PHASE_NONE. And back: PHASE_NONE for anything else. */
const char *node_phase_text(NodePhase phase);
NodePhase node_phase_parse(const char *text);

/* "fullNode", as in the spec; NULL for MODE_NONE. And back. */
const char *node_mode_text(NodeMode mode);
NodeMode node_mode_parse(const char *text);

/* "node", "archive", "replayer", "validator": the label sei.io/role. */
const char *node_role_text(NodeMode mode);

/* "full": what sei-config calls it. */
const char *node_config_mode_text(NodeMode mode);

/* Its init has two stages: a Job runs another image up to a height, then the StatefulSet is made.
 */
bool node_has_bootstrap(const NodeSpec *spec);

/* The phase, with its time only when it changes. */
void node_set_phase(NodeStatus *status, NodePhase phase, const char *now);

#endif
