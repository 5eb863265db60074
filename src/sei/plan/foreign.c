/* Foreign objects: of our name, but of somebody else. They are told, never touched. An object
 * without a controller is ours to take when it selects our pods; a ConfigMap selects nothing, so
 * its label speaks for it. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/plan/parts.h"

/* Of an earlier SeiNode of this name: the garbage collector takes it away, and tasks wait for it.
 */
static bool is_of_earlier_node(const Planning *p, const Json *controller)
{
    return controller && str_eq(json_str(controller, ".kind"), kind_seinode->name)
        && str_eq(json_str(controller, ".name"), p->node->key.name);
}

static bool is_foreign(const Planning *p, const Json *object, const Json *selector)
{
    const Json *controller = meta_controller(object);

    if (!object || is_of_earlier_node(p, controller))
        return false;
    if (controller)
        return !meta_controlled_by(object, p->node->object);
    const char *selects =
        selector ? json_text(json_member(selector, LABEL_NODE)) : meta_label(object, LABEL_NODE);
    return !str_eq(selects, p->node->key.name);
}

static bool tell_if_foreign(Planning *p, const char *kind, const Json *object, const Json *selector)
{
    if (!is_foreign(p, object, selector))
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

    p->statefulset_foreign = tell_if_foreign(
        p, "StatefulSet", statefulset, json_find(statefulset, ".spec.selector.matchLabels"));
    p->service_foreign =
        tell_if_foreign(p, "Service", service, json_find(service, ".spec.selector"));
    p->config_foreign = tell_if_foreign(p, "ConfigMap", config, NULL);
    p->object_foreign = p->service_foreign || p->config_foreign;
    if (p->statefulset_foreign)
        p->d->hold_statefulset = true;
}
