/* All objects of a node, and what they are known by. */
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/render/pod.h"

Subject subject_of(Arena *a, const SeiNode *node, const Settings *settings, ReplicaRule replicas)
{
    const NodeStatus *status = &node->status;
    bool has_identity = status->identity.chain_id != NULL, has_volume = status->volume.uid != NULL;
    const char *wished = node->spec.import_claim;

    return (Subject){
        .node = node,
        .settings = settings,
        .chain_id = has_identity ? status->identity.chain_id : node->spec.chain_id,
        .mode = has_identity ? status->identity.mode : node->spec.mode,
        .claim = has_volume ? status->volume.name
            : wished        ? wished
                            : name_data_volume(a, node->key.name),
        .imported = has_volume ? status->volume.imported : wished != NULL,
        .restarted_at = node_restarted_at(node),
        .replicas = replicas,
    };
}

/* A node that runs has its first stage behind it. */
static bool needs_bootstrap(const SeiNode *node)
{
    return node_has_bootstrap(&node->spec) && node->status.phase != PHASE_RUNNING;
}

static Err *render_bootstrap(Arena *a, const Subject *s, Wanted *ret)
{
    TRY(render_bootstrap_job(a, s, ret->config_hash, &ret->bootstrap_job));
    ret->bootstrap_service = json_seal(a, render_bootstrap_service(a, s));
    ret->bootstrap_hash = meta_annotation(ret->bootstrap_job, ANNOTATION_TEMPLATE_HASH);
    return OK;
}

Err *render_node(Arena *a, const Subject *s, Wanted *ret)
{
    TRY(render_check(a, s));
    const Json *config = json_seal(a, render_proxy_config(a, s));
    const char *config_hash = hash_json(a, json_find(config, ".data"));
    const Json *statefulset = NULL, *service = json_seal(a, render_headless_service(a, s));

    TRY(render_statefulset(a, s, config_hash, &statefulset));
    *ret = (Wanted){
        .statefulset = statefulset,
        .service = service,
        .proxy_config = config,
        .volume = s->imported ? NULL : json_seal(a, render_data_volume(a, s)),
        .claim = s->claim,
        .image = s->node->spec.image,
        .template_hash =
            json_text(json_member(json_find(statefulset, ".spec.template.metadata.annotations"),
                ANNOTATION_TEMPLATE_HASH)),
        .config_hash = config_hash,
        .statefulset_owned = hash_owned_of_rendered(a, statefulset),
        .service_owned = hash_owned_of_rendered(a, service),
        .proxy_config_owned = hash_owned_of_rendered(a, config),
    };
    return needs_bootstrap(s->node) ? render_bootstrap(a, s, ret) : OK;
}
