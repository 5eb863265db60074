/* Peers: what discover-peers is told, in the spelling of the reference, so that either operator can
 * carry on with it.
 *
 * Peers come and go while a node is set up, so the task is told anew until it may have been handed
 * over: until the sidecar tasks before it are stored as Complete. From then on it stays as it is
 * stored, because an id is never used for other work; but one that names nobody has certainly not
 * been handed over. */
#include "sei/plan/peers.h"

#include "base/str.h"
#include "sei/plan/course.h"

static Draft *static_source(Arena *a, const Json *addresses)
{
    if (json_count(addresses) == 0)
        return NULL;
    return draft(a, str("type", "static"), draft_json("addresses", addresses));
}

static Draft *ec2_source(Arena *a, const Json *ec2)
{
    return draft(a,
        str("type", "ec2Tags"),
        str("region", json_str(ec2, ".region")),
        draft_json("tags", json_find(ec2, ".tags")));
}

/* A source without addresses is left out: the sidecar would refuse all of them for it. */
const Json *plan_peer_sources(Arena *a, const SeiNode *node)
{
    Draft *sources = draft_array(a);
    const Json *peer;
    bool found_by_label = false;

    json_each(peer, node->spec.peers) {
        const Json *ec2 = json_find(peer, ".ec2Tags"), *label = json_find(peer, ".label");
        Draft *source = ec2  ? ec2_source(a, ec2)
            : !label         ? static_source(a, json_find(peer, ".static.addresses"))
            : found_by_label ? NULL /* one source has the peers of all labels */
                             : static_source(a, node->status.resolved_peers);
        found_by_label = found_by_label || label;
        if (source)
            draft_push(sources, source);
    }
    return json_seal(a, draft(a, sub("Sources", sources)));
}

/* --- told anew --- */

/* The reference may have stored it in its own spelling. */
static const Json *sources_of(const Json *params)
{
    const Json *lower = json_member(params, "sources");

    return lower ? lower : json_member(params, "Sources");
}

/* It names somebody, and has no source that every sidecar refuses. */
static bool is_usable(const Json *params)
{
    const Json *source, *sources = sources_of(params);

    json_each(source, sources)
        if (str_eq(json_str(source, ".type"), "static")
            && json_count(json_find(source, ".addresses")) == 0)
            return false;
    return json_count(sources) > 0;
}

/* The sidecar may be at work on it: all that it does before has been stored as done. */
static bool is_in_line(const Plan *plan, const PlannedTask *task)
{
    for (const PlannedTask *before = plan->tasks; before < task; before++)
        if (task_type_is_sidecar(before->type) && before->status != TASK_COMPLETE)
            return false;
    return true;
}

static bool may_be_told(const PlannedTask *task)
{
    return task->type == TASK_DISCOVER_PEERS && task->status == TASK_PENDING && !task->submitted_at
        && !task->retry_count && !task->superseded;
}

void plan_refresh_peers(Planning *p)
{
    Plan *plan = &p->status->plan;

    for (size_t i = 0; i < plan->task_count; i++) {
        PlannedTask *task = &plan->tasks[i];
        bool in_line = is_in_line(plan, task);
        if (!may_be_told(task) || (in_line && is_usable(task->params)))
            continue;
        const Json *now = plan_peer_sources(p->a, p->node);
        if (json_equal(now, task->params))
            continue;
        task->params = now;
        p->d->plan_is_new = p->d->plan_is_new || in_line; /* stored before it is handed over */
    }
}

/* --- checks --- */

static bool is_watched(const char *const *namespaces, const char *name)
{
    if (!namespaces)
        return true;
    for (; *namespaces; namespaces++)
        if (str_eq(*namespaces, name))
            return true;
    return false;
}

static Err *check_label(Arena *a, size_t i, const Json *label, const char *const *namespaces)
{
    const char *namespace = json_str(label, ".namespace");

    if (json_count(json_find(label, ".selector")) > PEER_SELECTOR_MAX)
        return err_terminal(a,
            "spec.peers[%zu].label.selector: has %zu labels, and at most %d can be asked for",
            i,
            json_count(json_find(label, ".selector")),
            PEER_SELECTOR_MAX);
    if (!str_empty(namespace) && !is_watched(namespaces, namespace))
        return err_terminal(a,
            "spec.peers[%zu].label.namespace: this operator does not watch namespace %s, so it "
            "cannot find peers there; name them by static.addresses, or let the operator watch "
            "that namespace (--watch-namespaces)",
            i,
            namespace);
    return OK;
}

Err *plan_check_peers(Arena *a, const SeiNode *node, const char *const *namespaces)
{
    const Json *peer;
    size_t i = 0, labels = 0;

    json_each(peer, node->spec.peers) {
        const Json *label = json_find(peer, ".label");
        if (label)
            TRY(check_label(a, i, label, namespaces));
        labels += label != NULL;
        i++;
    }
    if (labels > PEER_SOURCES_MAX)
        return err_terminal(a,
            "spec.peers: has %zu sources of kind label, and at most %d can be followed",
            labels,
            PEER_SOURCES_MAX);
    return OK;
}
