/* Who uses a data volume besides the node that is being deleted. Caches may not show yet what
 * another operator or a person has just done, so the server is read: all SeiNodes of the namespace,
 * then all pods, page by page. */
#include "sei/reconcile/volumes.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

typedef struct UserSearch {
    Walker port; /* first, so that the port is this */
    Arena *arena;
    const char *node, *claim; /* whose volume it is; the volume */
    const char *found;        /* a sentence about the first user, or NULL */
} UserSearch;

static bool is_other_node(const UserSearch *s, const char *name)
{
    return name && !str_eq(name, s->node);
}

static void see_node(Walker *self, const Json *node)
{
    UserSearch *s = (UserSearch *)(void *)self;
    bool uses = str_eq(json_str(node, ".spec.dataVolume.import.pvcName"), s->claim)
        || str_eq(json_str(node, ".status.dataVolume.name"), s->claim);

    if (!s->found && uses && is_other_node(s, meta_name(node)))
        s->found = str_format(s->arena, "SeiNode %s uses it", meta_name(node));
}

static void see_pod(Walker *self, const Json *pod)
{
    UserSearch *s = (UserSearch *)(void *)self;
    const char *node = meta_label(pod, LABEL_NODE);

    if (!s->found && is_other_node(s, node) && pod_mounts_claim(pod, s->claim)
        && !pod_is_finished(pod))
        s->found = str_format(s->arena, "pod %s of SeiNode %s mounts it", meta_name(pod), node);
}

static Err *search(
    NodePass *p, const Kind *kind, void (*see)(Walker *, const Json *), UserSearch *search)
{
    Request list = {.verb = VERB_LIST, .kind = kind, .key = {.namespace = p->node.key.namespace}};

    if (search->found)
        return OK;
    search->port.see = see;
    return kube_walk_live(p->c, &list, &search->port);
}

Err *find_volume_user(NodePass *p, const char *claim, const char **ret)
{
    UserSearch found = {.arena = p->c->arena, .node = p->node.key.name, .claim = claim};

    TRY(search(p, kind_seinode, see_node, &found));
    TRY(search(p, kind_pod, see_pod, &found));
    *ret = found.found;
    return OK;
}
