/* Foreign objects: they have our name, and ownership.h says that they are not ours. They are
 * reported and never touched. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/ownership.h"
#include "sei/plan/parts.h"

/* One of an earlier SeiNode of this name is not: the garbage collector deletes it, and tasks wait.
 */
static bool is_foreign(const Planning *p, const Json *object, const Json *wanted)
{
    const Json *node = p->node->object;
    Standing standing = object ? ownership_standing(node, kind_seinode, object) : STANDING_OURS;

    return standing == STANDING_FOREIGN
        || (standing == STANDING_NOBODYS
            && !ownership_is_adoptable(node, LABEL_NODE, object, wanted));
}

static bool tell_if_foreign(Planning *p, const char *kind, const Json *object, const Json *wanted)
{
    if (!is_foreign(p, object, wanted))
        return false;
    const Json *controller = meta_controller(object);
    const char *owner = json_str(controller, ".name");

    plan_stall(p,
        REASON_FOREIGN_OBJECT,
        str_format(p->a,
            "%s %s belongs to %s and is left alone; move it away, or give the node another name",
            kind,
            meta_name(object),
            owner ? str_format(p->a, "%s %s", json_str(controller, ".kind"), owner)
                  : "somebody else"));
    p->d->stall.look_again_ms = FOREIGN_LOOK_AGAIN_MS;
    return true;
}

static const Json *unless_going(const Json *object)
{
    return meta_deleting(object) ? NULL : object;
}

void plan_foreign(Planning *p)
{
    const Json *statefulset = unless_going(p->s->statefulset);
    const Json *service = unless_going(p->s->service);
    const Json *config = unless_going(p->s->proxy_config);

    p->statefulset_foreign =
        tell_if_foreign(p, "StatefulSet", statefulset, p->s->wanted->statefulset);
    p->service_foreign = tell_if_foreign(p, "Service", service, p->s->wanted->service);
    p->config_foreign = tell_if_foreign(p, "ConfigMap", config, p->s->wanted->proxy_config);
    p->object_foreign = p->service_foreign || p->config_foreign;
    if (p->statefulset_foreign)
        p->d->hold_statefulset = true;
}
