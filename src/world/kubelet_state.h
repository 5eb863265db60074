/* What a kubelet remembers; shared by its files alone. */
#ifndef WORLD_KUBELET_STATE_H
#define WORLD_KUBELET_STATE_H

#include "base/link.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "world/agenda.h"
#include "world/disks.h"
#include "world/event_teller.h"
#include "world/kubelet.h"

enum { NODE_NAME_SIZE = 32, IMAGE_TEXT_SIZE = 256 };

typedef struct Node {
    char name[NODE_NAME_SIZE];
    char address[POD_ADDRESS_SIZE];
    bool is_registered, is_shown; /* the object is there; it has a status */
    bool is_lost;
    int64_t lost_ms;
} Node;

/* What people were told of a container, and of a pod. */
typedef struct ContainerTold {
    ContainerState state;
    int64_t restarts;
    bool has_begun;
    int64_t startup_failures, liveness_failures, readiness_failures;
} ContainerTold;

typedef struct PodTold {
    bool is_scheduled, is_evicted;
    const char *unschedulable;
    ContainerTold containers[POD_CONTAINERS_MAX];
} PodTold;

/* A pod in the kubelet's hands. */
typedef struct Tenant {
    Pod pod;
    Turn turn;
    Link all;                      /* in Kubelet.tenants, in the order of their coming */
    Link unmounted;                /* in Kubelet.unmounted until it has its disk */
    Node *node;                    /* NULL: not bound */
    Disk *disk;                    /* NULL: not mounted, or let go */
    bool is_deleting;              /* a deletionTimestamp was seen */
    bool is_gone;                  /* the API has forgotten it: it stops, and nothing is written */
    bool is_given_up;              /* the node controller has deleted it */
    unsigned listens;              /* a bit for each port on which it listened */
    int64_t retry_ms;              /* what it waits after a failed write; 0: none failed */
    PodTold *told;                 /* NULL: nothing, or nobody is told */
    char written[SHA256_HEX_SIZE]; /* the hash of the status that was written last, or "" */
} Tenant;

typedef struct NamedScript {
    PodScript script;
    char key[];
} NamedScript;

struct Kubelet {
    Actor actor;
    KubeletOptions options;
    PodHost host;
    Hazards hazards;
    EventTeller *teller; /* NULL: nobody is told */
    Outside *own_outside;
    Slab *slab;
    Agenda agenda;
    Disks *disks;
    Map *by_key, *by_address, *scripts;
    Link tenants, unmounted;
    size_t tenant_count;
    Node nodes[KUBELET_NODES_MAX];
    char bad_images[KUBELET_BAD_IMAGES_MAX][IMAGE_TEXT_SIZE];
    unsigned next_address;
    uint64_t endpoints_version;
};

/* The script of the pods of a name, made at its first mention; NULL when there are too many. */
PodScript *kubelet_script(Kubelet *k, const char *key);

/* Gives a pod a turn at a time. */
void kubelet_call(Kubelet *k, Tenant *t, int64_t at_ms);

/* Counts a change of the ports on which a pod listens. */
void kubelet_note_ports(Kubelet *k, Tenant *t);

/* What a pod did to its disk is told to whoever keeps it. */
void kubelet_note(Kubelet *k, const Tenant *t);

/* The node of a name, or NULL. */
Node *kubelet_node(Kubelet *k, const char *name);

/* Every Secret that the pod mounts is there. One request for each. */
bool kubelet_has_secrets(const Tenant *t, Arena *a, Api *api);

/* Posts Events about what has happened to a pod since it was last called: kubelet_events.c. */
void kubelet_tell(Kubelet *k, Tenant *t, Arena *a, Api *api);

/* Writes about a pod: kubelet_writes.c. Each is one request; false when it must be tried again. */
bool kubelet_write_status(Tenant *t, Arena *a, Api *api, bool *ret_wrote);
bool kubelet_write_binding(Tenant *t, const Node *node, Arena *a, Api *api);
bool kubelet_write_delete(Tenant *t, bool is_last, Arena *a, Api *api);
bool kubelet_write_node(const Node *node, Arena *a, Api *api);
bool kubelet_write_node_status(const Node *node, Arena *a, Api *api, const char *now);

#endif
