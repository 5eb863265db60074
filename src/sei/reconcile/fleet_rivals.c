/* FleetRivals: two fleets that found a chain of one id. The sidecar keeps what a ceremony hands in
 * under <chain id>/<node name> of one bucket, without a namespace: two ceremonies of one chain id
 * overwrite each other's files.
 *
 * One fleet owns the chain id: one that has published a genesis before one that has not; then the
 * older one, by creationTimestamp, namespace and name. It owns it for as long as it exists. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_status.h"
#include "sei/reconcile/fleet_parts.h"

#include <string.h>

enum { RIVAL_LOOK_MS = 30000 }; /* no event of this fleet follows when the other one goes */

typedef struct Rivals {
    Walker port; /* first, so that the port is this */
    FleetPass *p;
    const char *chain_id;
    const char *owner; /* "namespace/name", in the arena of the pass; NULL: no rival */
} Rivals;

/* The chain id that the sidecars of a fleet use. NULL: it founds no chain. */
static const char *founded_chain(const Json *fleet)
{
    const char *of_nodes = json_str(fleet, ".spec.template.spec.chainId");

    if (json_type(json_find(fleet, ".spec.genesis")) != JSON_OBJECT)
        return NULL;
    return str_empty(of_nodes) ? json_str(fleet, ".spec.genesis.chainId") : of_nodes;
}

static bool has_published(Arena *a, const Json *fleet)
{
    FleetStatus *status = arena_new(a, FleetStatus);
    Err *unreadable = fleet_status_decode(a, fleet, status);

    (void)unreadable; /* what could be read counts */
    return status->genesis_uri || conds_is_true(&status->conds, COND_GENESIS_COMPLETE);
}

static int compare_age(const Json *left, const Json *right)
{
    const char *lefts[] = {
        json_str(left, ".metadata.creationTimestamp"), meta_namespace(left), meta_name(left)};
    const char *rights[] = {
        json_str(right, ".metadata.creationTimestamp"), meta_namespace(right), meta_name(right)};
    int order = 0;

    for (size_t i = 0; !order && i < sizeof lefts / sizeof lefts[0]; i++)
        order = strcmp(lefts[i] ? lefts[i] : "", rights[i] ? rights[i] : "");
    return order;
}

static bool owns_before(Arena *a, const Json *other, const Json *own)
{
    bool is_other_published = has_published(a, other), is_own_published = has_published(a, own);

    if (is_other_published != is_own_published)
        return is_other_published;
    return compare_age(other, own) < 0;
}

static void see(Walker *self, const Json *other)
{
    Rivals *r = (Rivals *)self;
    Arena *a = r->p->c->arena;
    const Json *own = r->p->fleet.object;

    if (r->owner || str_eq(meta_uid(other), meta_uid(own))
        || !str_eq(founded_chain(other), r->chain_id) || !owns_before(a, other, own))
        return;
    r->owner = key_text(a, meta_key(other));
}

Err *refuse_second_founding(FleetPass *p)
{
    Arena *a = p->c->arena;
    Rivals rivals = {
        .port = {.see = see},
        .p = p,
        .chain_id = founded_chain(p->fleet.object),
    };

    if (str_empty(rivals.chain_id) || conds_is_true(&p->fleet.status.conds, COND_GENESIS_COMPLETE))
        return OK;
    TRY(kube_walk(p->c, kind_seinodedeployment, &rivals.port));
    if (!rivals.owner)
        return OK;
    const char *bucket = p->app->settings->genesis_bucket;
    fleet_look_again(p, RIVAL_LOOK_MS);
    return err_terminal(a,
        "SeiNodeDeployment %s founds a chain with the id %s as well, and the files of both "
        "ceremonies have the same names in %s%s: create this SeiNodeDeployment again with "
        "another spec.genesis.chainId, or delete the other one",
        rivals.owner,
        rivals.chain_id,
        str_empty(bucket) ? "the genesis bucket" : "bucket ",
        str_empty(bucket) ? "" : bucket);
}
