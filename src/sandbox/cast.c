/* Cast: who is in a cluster, and what its storage is called. */
#include "sandbox/cast.h"

#include "sei/api/node.h"
#include "world/controllers.h"
#include "world/rights.h"
#include "world/token.h"

enum {
    LAG_MAX_MS = 10,
    DELAY_MAX_MS = 20,
    PROVISION_MAX_MS = 500,
    /* The real server keeps the changes of 75 s, but no more than 102,400 of a kind: in these are
     * the 75 s in which a thousand nodes come up. */
    HISTORY_CHANGES = 1 << 17,
    HISTORY_BYTES = 48 << 20,
};

/* What may own or be owned, and what goes with its namespace. */
static const Kind *const kinds[] = {
    kind_statefulset,
    kind_controllerrevision,
    kind_job,
    kind_pod,
    kind_service,
    kind_configmap,
    kind_secret,
    kind_serviceaccount,
    kind_pvc,
    kind_lease,
    kind_event,
    kind_core_event,
    kind_deployment,
    kind_replicaset,
    kind_cronjob,
    kind_pdb,
    kind_networkpolicy,
    kind_endpointslice,
    kind_role,
    kind_rolebinding,
    kind_namespace,
    kind_seinode,
    kind_seinodedeployment,
    kind_httproute,
    NULL,
};

static const VolumeClass classes[] = {
    {.name = "standard"},
    {.name = "gp3"},
    {.name = "gp3-10k-750"},
    {.name = "gp3-archive"},
    {0},
};

static void add_controllers(World *w)
{
    ControllerOptions base = {.clock = world_clock(w),
        .rng = world_rng(w),
        .delay_max_ms = DELAY_MAX_MS,
        .tells_events = true,
        .is_compact = true};

    world_add(w, statefulset_controller_open(&(StatefulSetControllerOptions){.base = base}));
    world_add(w, job_controller_open(&base));
    world_add(w, garbage_collector_open(&base, kinds));
    world_add(w,
        volume_controller_open(&(VolumeControllerOptions){
            .base = base, .classes = classes, .provision_max_ms = PROVISION_MAX_MS}));
    world_add(w, volume_protection_open(&base));
    world_add(w, disruption_controller_open(&base));
    world_add(w, role_aggregation_open(&base));
    world_add(w, namespace_controller_open(&base, kinds));
}

void cast_open(const CastOptions *options, Cast *ret)
{
    World *w = world_open(&(WorldOptions){.seed = options->seed,
        .wall_ms = options->wall_ms,
        .lag_max_ms = LAG_MAX_MS,
        .history_max = HISTORY_CHANGES,
        .history_bytes = HISTORY_BYTES,
        .keeps_events = true,
        .is_compact = true,
        .token_key = options->token_key});

    rights_bootstrap(world_server(w));
    if (options->fill)
        options->fill(options->self, w);
    ret->world = w;
    ret->kubelet = kubelet_open(&(KubeletOptions){
        .clock = world_clock(w),
        .rng = world_rng(w),
        .nodes = (size_t)options->nodes,
        .network = (int)options->network,
        .tells_events = true,
        .reviewer = token_review_rights,
        .reviewer_self = w,
    });
    add_controllers(w);
    world_add(w, kubelet_actor(ret->kubelet));
}
