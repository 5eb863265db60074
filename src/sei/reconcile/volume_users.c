/* Who uses a data volume besides the node that is being deleted: SeiNodes of the namespace, then
 * pods with the label of a node.
 *
 * The server is read page by page, up to the first user. Caches cannot take its place, nor name the
 * candidates: they may not show a SeiNode that a person has just created. SeiNodes have no label
 * that names their claim, so all are read. They may be large: a small page keeps memory small. */
#include "sei/reconcile/volumes.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

enum { NODES_PAGE = 16, PODS_PAGE = 100 };

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

    if (!uses || !is_other_node(s, meta_name(node)))
        return;
    s->found = str_format(s->arena, "SeiNode %s uses it", meta_name(node));
    self->is_done = true;
}

static void see_pod(Walker *self, const Json *pod)
{
    UserSearch *s = (UserSearch *)(void *)self;
    const char *node = meta_label(pod, LABEL_NODE);

    if (!is_other_node(s, node) || !pod_uses_claim(pod, s->claim))
        return;
    s->found = str_format(s->arena, "pod %s of SeiNode %s mounts it", meta_name(pod), node);
    self->is_done = true;
}

static Err *search_nodes(NodePass *p, UserSearch *search)
{
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_seinode,
        .key = {.namespace = p->node.key.namespace},
        .limit = NODES_PAGE,
    };

    search->port.see = see_node;
    return kube_walk_live(p->c, &list, &search->port);
}

static Err *search_pods(NodePass *p, UserSearch *search)
{
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_pod,
        .key = {.namespace = p->node.key.namespace},
        .labels = LABEL_NODE,
        .limit = PODS_PAGE,
    };

    search->port.see = see_pod;
    return kube_walk_live(p->c, &list, &search->port);
}

Err *find_volume_user(NodePass *p, const char *claim, const char **ret)
{
    UserSearch search = {.arena = p->c->arena, .node = p->node.key.name, .claim = claim};

    TRY(search_nodes(p, &search));
    if (!search.found)
        TRY(search_pods(p, &search));
    *ret = search.found;
    return OK;
}
