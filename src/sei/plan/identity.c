/* Identity: which chain, mode and volume a node is. Recorded once it runs; a spec that asks for
 * another one of them is not carried out, because it would start a chain on another's data. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/parts.h"

static NodeMode mode_of_role(const char *role, NodeMode fallback)
{
    static const NodeMode modes[] = {MODE_FULL, MODE_ARCHIVE, MODE_REPLAYER, MODE_VALIDATOR};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (role && str_eq(node_role_text(modes[i]), role))
            return modes[i];
    return fallback;
}

/* What lives says what it is, by its labels. */
static NodeIdentity identity_of_living(const Planning *p)
{
    const Json *living = p->pod ? p->pod : p->s->statefulset;
    const char *chain = meta_label(living, LABEL_CHAIN);

    return (NodeIdentity){
        .chain_id = str_empty(chain) ? p->node->spec.chain_id : chain,
        .mode = mode_of_role(meta_label(living, LABEL_ROLE), p->node->spec.mode),
    };
}

static bool differs_in_chain(const Planning *p)
{
    return !str_eq(p->status->identity.chain_id, p->node->spec.chain_id);
}

static bool differs_in_mode(const Planning *p)
{
    return p->status->identity.mode != p->node->spec.mode;
}

/* The claim of the spec is not the recorded one; or, while none is recorded, not the one that the
 * pod of another operator lives on. */
static bool differs_in_volume(const Planning *p)
{
    const char *import = p->node->spec.import_claim;
    const char *asked = import ? import : name_data_volume(p->a, p->node->key.name);

    if (p->status->volume.uid)
        return !str_eq(p->status->volume.name, asked);
    return p->pod && !meta_annotation(p->pod, ANNOTATION_TEMPLATE_HASH)
        && !pod_mounts_claim(p->pod, asked);
}

static void tell(Planning *p, const char *what, const char *have, const char *want)
{
    plan_stall(p,
        REASON_IDENTITY_CHANGED,
        str_format(p->a,
            "%s of a running node cannot be changed from %s to %s; the node keeps running as it "
            "was: take the edit back, or create another SeiNode",
            what,
            have,
            want));
}

static const char *mode_text(NodeMode mode)
{
    const char *text = node_mode_text(mode);
    return text ? text : "none";
}

/* An import is what saves a node whose volume is gone. */
static bool is_rescued_by_import(const Planning *p)
{
    return p->node->spec.import_claim && plan_volume_is_lost(p);
}

void plan_tell_identity(Planning *p)
{
    const NodeSpec *spec = &p->node->spec;
    const NodeIdentity *identity = &p->status->identity;

    if (!p->identity_changed)
        return;
    if (differs_in_chain(p))
        tell(p, "spec.chainId", identity->chain_id, spec->chain_id);
    if (differs_in_mode(p))
        tell(p, "the mode", mode_text(identity->mode), mode_text(spec->mode));
    tell(p,
        "spec.dataVolume",
        p->status->volume.name ? p->status->volume.name : "the claim of its pod",
        spec->import_claim ? spec->import_claim : "a claim of its own");
}

void plan_identity(Planning *p)
{
    if (p->status->phase != PHASE_RUNNING)
        return;
    if (!p->status->identity.chain_id) {
        p->status->identity = identity_of_living(p);
        p->rendering_is_old = differs_in_chain(p) || differs_in_mode(p);
    }
    p->claim_is_other = differs_in_volume(p) && !is_rescued_by_import(p);
    if (p->claim_is_other && !p->status->volume.uid)
        p->rendering_is_old = true;
    p->identity_changed = differs_in_chain(p) || differs_in_mode(p) || p->claim_is_other;
}
