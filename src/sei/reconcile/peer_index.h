/* PeerIndex: which nodes a selector matches, and which selectors match a node, without a walk over
 * all of either.
 *
 *     node ── wears ──► label ("namespace, key=value") ◄── is asked for by ── group ◄── node
 *
 * A group is one selector in one namespace; nodes that ask for the same share it. Each group hangs
 * at one of its labels, the one that fewest nodes wear: its members are among those, and whoever
 * changes finds its groups at the labels that it wears. So a change costs what it concerns.
 *
 * A machine without threads: its owner guards it. */
#ifndef SEI_RECONCILE_PEER_INDEX_H
#define SEI_RECONCILE_PEER_INDEX_H

#include "base/json.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "kube/key.h"
#include "sei/plan/peers.h"
#include "sei/sidecar/chat.h"
#include "sei/sidecar/timetable.h"

enum {
    PEER_NODES_MAX = 20000,
    PEER_GROUPS_MAX = 20000,
    PEER_LABELS_MAX = 400000,  /* what is beyond is worn by nobody */
    PEER_LABEL_TEXT_MAX = 512, /* 63 + 253 + 1 + 63 + 63 and to spare: longer ones there are not */
};

typedef struct PeerNode PeerNode;
typedef struct PeerGroup PeerGroup;

typedef struct PeerLabel {
    Link wearers; /* PeerWearing.in_label */
    Link groups;  /* PeerGroup.in_label */
    size_t wearer_count, holders, size;
    char text[]; /* namespace, a line feed, key=value */
} PeerLabel;

typedef struct PeerWearing {
    Link in_label;
    PeerLabel *label;
    PeerNode *node;
} PeerWearing;

typedef struct PeerSubscription {
    Link in_group;
    PeerGroup *group;
    PeerNode *node;
    uint64_t seen; /* the group's version that the node has dealt with; 0: none */
} PeerSubscription;

struct PeerGroup {
    Link in_label;
    Link subscribers; /* PeerSubscription.in_group */
    TimetableEntry entry;
    uint64_t version;
    int64_t told_ms, pause_ms; /* when its subscribers were last told of a change, after how long */
    bool asks_members;         /* they are told as well: that somebody wants to know them */
    size_t subscriber_count, label_count, size;
    PeerLabel *hangs_at;
    PeerLabel *labels[PEER_SELECTOR_MAX];
    char text[]; /* of its labels */
};

struct PeerNode {
    PeerWearing *wears;
    PeerSubscription *asks;
    size_t wear_count, wear_max, ask_count, ask_max;
    SlabText address;                /* NULL: none that can be used */
    SlabText pod_uid;                /* of the pod that said the id */
    char id[SIDECAR_NODE_ID_SIZE];   /* "": not known */
    SlabText failed_uid, failure;    /* of the pod whose id could not be read, and why; or NULL */
    int64_t ask_at_ms, ask_pause_ms; /* when that pod is asked again, and after how long */
    uint64_t labels_digest;          /* 0: not worn yet */
    uint64_t sources_digest;         /* 0: nothing is asked for */
    uint64_t resolved_digest;        /* of the peers that were found last */
    bool is_gone;                    /* while the index is being filled */
    size_t size;
    char key[]; /* "namespace/name" */
};

typedef struct PeerIndex {
    Arena *home;
    Slab *slab;
    Map *nodes, *labels, *groups;
    Timetable due; /* PeerGroup.entry */
    uint64_t work; /* nodes and groups that were looked at */
} PeerIndex;

void peer_index_init(PeerIndex *x);
void peer_index_close(PeerIndex *x);

/* The node of a key, or NULL. */
PeerNode *peer_node_find(const PeerIndex *x, Key node);

/* The same, made at its first mention; NULL when there are too many. */
PeerNode *peer_node_meet(PeerIndex *x, Key node);

/* Takes a node out, with all that it wears and asks for. */
void peer_node_remove(PeerIndex *x, PeerNode *node);

/* Whether it wears just these; and what it wears from now on. NULL: nothing. Groups are not told.
 */
bool peer_node_wears(const PeerNode *node, const Json *labels);
void peer_node_wear(PeerIndex *x, PeerNode *node, const Json *labels);

/* What it asks for from now on: the label sources of a spec.peers, or NULL. A new subscription has
 * seen nothing. True when something has changed. */
bool peer_node_ask(PeerIndex *x, PeerNode *node, const Json *peers);

/* The groups that a node is a member of: start with a zero cursor; NULL at the end. No group may
 * come or go meanwhile. */
typedef struct PeerCursor {
    size_t wear;
    Link *at;
} PeerCursor;
PeerGroup *peer_node_next_group(PeerIndex *x, const PeerNode *node, PeerCursor *cursor);

/* The members of a group, in the same way. */
PeerNode *peer_group_next_member(PeerIndex *x, const PeerGroup *group, PeerCursor *cursor);

/* Hangs it at the label that fewest nodes wear by now. */
void peer_group_hang(PeerGroup *group);

/* Whether somebody else than the node itself asks for its group. */
bool peer_group_is_asked_by_others(const PeerGroup *group, const PeerNode *node);

/* --- for the files of the index --- */

/* A label as text: the namespace is the node's or the source's, and no two texts meet because a
 * label has no line feed. NULL for what no object can wear. */
const char *peer_label_text(Arena *a, const char *namespace, const Json *label);

/* The label of a text, held once more; NULL when there are too many. And let go. */
PeerLabel *peer_label_hold(PeerIndex *x, const char *text);
void peer_label_drop(PeerIndex *x, PeerLabel *label);

/* A digest of texts, one after the other; never 0. Begins with 1. */
uint64_t peer_digest(uint64_t seed, const char *text);

#endif
