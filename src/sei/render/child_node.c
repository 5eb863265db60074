/* The child of a fleet. The origins in spec_field.h say which members come from the template and
 * which from the revision; those that the fleet sets stand here by name. */
#include "sei/render/child_node.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/fleet_network.h"
#include "sei/api/names.h"
#include "sei/api/spec_field.h"

typedef struct Child {
    Arena *a;
    const Fleet *fleet;
    const Settings *settings;
    const ChildSource *source;
    const Json *revision; /* never NULL */
    const char *name, *chain_id, *label;
} Child;

static bool is_there(const Json *value)
{
    return value && json_type(value) != JSON_NULL;
}

static bool is_one_of(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (str_eq(key, *keys))
            return true;
    return false;
}

/* Every member of an object but those. */
static void copy_but(Draft *to, const Json *from, const char *const *but)
{
    const Json *member;

    json_each(member, from)
        if (is_there(member) && !is_one_of(json_key(member), but))
            draft_add(to, draft_json(json_key(member), member));
}

/* The members that come from the revision, in .spec or in the block of a mode. */
static void copy_revision(const Child *c, Draft *to, const Json *revision, NodeMode mode)
{
    for (const char *const *name = spec_members(c->a, mode, SPEC_FROM_REVISION); *name; name++)
        if (is_there(json_member(revision, *name)))
            draft_set(to, draft_json(*name, json_member(revision, *name)));
}

/* A member that no field is known of comes from the template. */
static void copy_template(const Child *c, Draft *to, const Json *template, NodeMode mode)
{
    const char *const *of_revision = spec_members(c->a, mode, SPEC_FROM_REVISION);
    const char *const *of_fleet = spec_members(c->a, mode, SPEC_FROM_FLEET);
    const Json *member;

    json_each(member, template)
        if (is_there(member) && !is_one_of(json_key(member), of_revision)
            && !is_one_of(json_key(member), of_fleet)
            && node_mode_parse(json_key(member)) == MODE_NONE)
            draft_add(to, draft_json(json_key(member), member));
}

/* --- networking --- */

/* Whoever has the networking now keeps the name; and a setting that is missing is no wish. */
static bool keeps_address(const Child *c)
{
    return c->source->child
        && (fleet_is_orphaned(c->fleet)
            || (c->fleet->spec.has_tcp && str_empty(c->settings->p2p_endpoint_domain)));
}

static const char *external_address(const Child *c)
{
    if (keeps_address(c))
        return json_str(c->source->child, ".spec.externalAddress");
    const char *host = fleet_p2p_host(c->a, c->fleet, c->settings, c->name);
    return host ? str_format(c->a, "%s:%d", host, (int)P2P_PORT) : NULL;
}

/* --- the mode --- */

static Draft *ceremony(const Child *c)
{
    const FleetGenesis *genesis = &c->fleet->spec.genesis;

    return draft(c->a,
        str("chainId", genesis->chain_id),
        str("stakingAmount", genesis->staking_amount),
        str("accountBalance", genesis->account_balance),
        num("index", c->source->ordinal));
}

/* Snapshots and the like from the template, keys from the revision. */
static Draft *validator_block(const Child *c, const Json *template, const Json *revision)
{
    const Json *of_template = json_member(template, "genesisCeremony");
    Draft *block = draft_object(c->a);

    copy_template(c, block, template, MODE_VALIDATOR);
    if (c->fleet->spec.genesis.is_set)
        draft_set(block, sub("genesisCeremony", ceremony(c)));
    else if (is_there(of_template))
        draft_set(block, draft_json("genesisCeremony", of_template));
    copy_revision(c, block, revision, MODE_VALIDATOR);
    return block;
}

/* The block of the revision's mode, filled from the template when that has the same mode. */
static void put_mode(const Child *c, Draft *spec)
{
    for (int mode = MODE_FULL; mode <= MODE_VALIDATOR; mode++) {
        const char *name = node_mode_text((NodeMode)mode);
        const Json *of_revision = json_member(json_member(c->revision, "spec"), name);
        const Json *of_template = json_member(json_find(c->fleet->spec.template, ".spec"), name);
        if (!is_there(of_revision))
            continue;
        const Json *block = is_there(of_template) ? of_template : of_revision;
        if (mode == MODE_VALIDATOR)
            draft_set(spec, sub(name, validator_block(c, block, of_revision)));
        else
            draft_set(spec, draft_json(name, block));
    }
}

/* --- labels and annotations --- */

/* What the fleet says of a child wins over what the template says, `over` over `first`. */
static Draft *labels(const Child *c, const Json *first, const Json *over, const char *const *ours)
{
    Draft *d = draft_object(c->a);
    const Json *label;

    json_each(label, first)
        if (!is_one_of(json_key(label), ours) && !json_member(over, json_key(label)))
            draft_add(d, draft_json(json_key(label), label));
    copy_but(d, over, ours);
    draft_set(d, str(LABEL_FLEET, c->fleet->key.name));
    draft_set(d, str(LABEL_FLEET_REVISION, c->label));
    return d;
}

static Draft *node_labels(const Child *c)
{
    static const char *const ours[] = {
        LABEL_FLEET, LABEL_FLEET_ORDINAL, LABEL_FLEET_REVISION, LABEL_CHAIN, NULL};
    const char *ordinal = str_format(c->a, "%lld", (long long)c->source->ordinal);
    Draft *d = labels(c, NULL, c->fleet->spec.labels, ours);

    draft_set(d, str(LABEL_FLEET_ORDINAL, ordinal));
    draft_set(d, str(LABEL_CHAIN, c->chain_id));
    return d;
}

static Draft *pod_labels(const Child *c)
{
    static const char *const ours[] = {LABEL_FLEET, LABEL_FLEET_REVISION, NULL};
    return labels(c, c->fleet->spec.labels, c->fleet->spec.node.pod_labels, ours);
}

/* A restart that was asked of the child by somebody else is theirs. */
static const char *restarted_at(const Child *c)
{
    bool is_ours = c->revision != c->source->child || c->source->keeps_restart
        || json_member(c->fleet->spec.annotations, ANNOTATION_RESTARTED_AT);
    return is_ours ? meta_annotation(c->revision, ANNOTATION_RESTARTED_AT) : NULL;
}

/* A child that is rendered from itself is let go no further than it was. */
static const char *released_spec(const Child *c)
{
    NodeSpec *spec = arena_new(c->a, NodeSpec);

    if (c->revision == c->source->child)
        return meta_annotation(c->source->child, ANNOTATION_RELEASED_SPEC);
    return node_spec_decode(c->a, c->revision, spec) ? NULL : fleet_released_spec(c->a, spec);
}

static const char *asked_spec(const Child *c)
{
    bool is_kept = c->revision == c->source->child;

    return is_kept ? meta_annotation(c->source->child, ANNOTATION_ASKED_SPEC) : NULL;
}

static Draft *annotations(const Child *c)
{
    static const char *const ours[] = {
        ANNOTATION_RESTARTED_AT, ANNOTATION_RELEASED_SPEC, ANNOTATION_ASKED_SPEC, NULL};
    static const char *const ours_and_policy[] = {ANNOTATION_RESTARTED_AT,
        ANNOTATION_RELEASED_SPEC,
        ANNOTATION_ASKED_SPEC,
        ANNOTATION_VOLUME_POLICY,
        NULL};
    bool retains = c->fleet->spec.retains;
    Draft *d = draft_object(c->a);

    copy_but(d, c->fleet->spec.annotations, retains ? ours_and_policy : ours);
    draft_set(d, str(ANNOTATION_RESTARTED_AT, restarted_at(c)));
    draft_set(d, str(ANNOTATION_RELEASED_SPEC, released_spec(c)));
    draft_set(d, str(ANNOTATION_ASKED_SPEC, asked_spec(c)));
    draft_set(d, str(ANNOTATION_VOLUME_POLICY, retains ? "Retain" : NULL));
    return draft_count(d) ? d : NULL;
}

/* --- the object --- */

static Draft *spec_of(const Child *c)
{
    const Json *template = json_find(c->fleet->spec.template, ".spec");
    const Json *peers = c->fleet->spec.node.peers;
    Draft *spec = draft(c->a,
        str("chainId", c->chain_id),
        draft_json("peers", c->fleet->spec.genesis.is_set ? NULL : peers),
        str("externalAddress", external_address(c)),
        draft_flag_if("paused", c->fleet->spec.paused),
        sub("podLabels", pod_labels(c)));

    copy_revision(c, spec, json_member(c->revision, "spec"), MODE_NONE);
    put_mode(c, spec);
    copy_template(c, spec, template, MODE_NONE);
    return spec;
}

/* A node never moves to another chain. */
static const char *chain_id_of(const Fleet *fleet, const Json *child)
{
    const char *own = json_str(child, ".spec.chainId");
    return str_empty(own) ? fleet_chain_id(fleet) : own;
}

/* sei.io/revision: moves with the revision alone, because it is on the pod as well. */
static const char *label_of(Arena *a, const Fleet *fleet, const Json *revision)
{
    const char *own = meta_label(revision, LABEL_FLEET_REVISION);
    return str_empty(own) ? str_format(a, "%lld", (long long)fleet->generation) : own;
}

const Json *render_child_node(
    Arena *a, const Fleet *fleet, const Settings *settings, const ChildSource *source)
{
    const Json *revision = source->revision ? source->revision : fleet->spec.template;
    const Child child = {
        .a = a,
        .fleet = fleet,
        .settings = settings,
        .source = source,
        .revision = revision,
        .name = fleet_child_name(a, fleet->key.name, source->ordinal),
        .chain_id = chain_id_of(fleet, source->child),
        .label = label_of(a, fleet, source->revision),
    };

    return json_seal(a,
        draft(a,
            str("apiVersion", "sei.io/v1alpha1"),
            str("kind", "SeiNode"),
            obj("metadata",
                str("name", child.name),
                str("namespace", fleet->key.namespace),
                sub("labels", node_labels(&child)),
                sub("annotations", annotations(&child)),
                list("ownerReferences",
                    meta_owner_reference(a, kind_seinodedeployment, fleet->object))),
            sub("spec", spec_of(&child))));
}
