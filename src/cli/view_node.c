/* ViewNode: the status of one node, from its SeiNode and what stands around it. */
#include "base/str.h"
#include "cli/view.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

/* The pod of the StatefulSet; else that of a bootstrap Job, or whatever there is. */
static const Json *pod_of(const Seen *seen)
{
    const char *usual = name_pod(seen->arena, seen->name);
    const Json *pod, *found = NULL;

    json_each(pod, json_find(seen->sight, ".pods")) {
        if (str_eq(meta_name(pod), usual))
            return pod;
        if (!found || pod_is_finished(found))
            found = pod;
    }
    return found;
}

static Draft *pod_view(Arena *a, const Json *pod, const char *trouble)
{
    const Json *container;
    int64_t ready = 0, restarts = 0;

    if (!pod)
        return NULL;
    json_each(container, json_find(pod, ".status.containerStatuses")) {
        ready += json_bool(container, ".ready", false);
        restarts += json_int(container, ".restartCount", 0);
    }
    return draft(a,
        str("name", meta_name(pod)),
        str("phase", json_str(pod, ".status.phase")),
        flag("ready", pod_is_ready(pod)),
        flag("terminating", meta_deleting(pod)),
        num("containersReady", ready),
        num("containers", (int64_t)json_count(json_find(pod, ".spec.containers"))),
        num("restarts", restarts),
        str("node", json_str(pod, ".spec.nodeName")),
        str("startedAt", json_str(pod, ".status.startTime")),
        str("trouble", trouble));
}

static Draft *volume_view(const Seen *seen)
{
    const Json *claim = json_find(seen->sight, ".claim"), *pv = json_find(seen->sight, ".volume");
    const Json *recorded = json_find(seen->object, ".status.dataVolume");
    const char *name = claim ? meta_name(claim) : json_str(recorded, ".name");
    const char *uid = json_str(recorded, ".uid");
    const char *asked = json_str(seen->object, ".spec.dataVolume.import.pvcName");
    bool is_other = claim && uid && !str_eq(uid, meta_uid(claim));

    return draft(seen->arena,
        str("claim", name ? name : asked),
        flag("found", claim != NULL),
        flag("imported", json_bool(recorded, ".imported", asked != NULL)),
        draft_flag_if("replaced", is_other), /* not the claim that holds the data */
        str("phase", json_str(claim, ".status.phase")),
        flag("terminating", meta_deleting(claim)),
        str("capacity", json_str(claim, ".status.capacity.storage")),
        str("storageClass", json_str(claim, ".spec.storageClassName")),
        str("volume", meta_name(pv)),
        str("reclaimPolicy", json_str(pv, ".spec.persistentVolumeReclaimPolicy")));
}

/* What people have set against the usual course. */
static Draft *overrides_view(const Seen *seen)
{
    Arena *a = seen->arena;
    Draft *list = draft_array(a);
    const Json *set = json_find(seen->sight, ".statefulSet");
    const char *policy = meta_annotation(seen->object, ANNOTATION_VOLUME_POLICY);
    bool is_paused = json_bool(seen->object, ".spec.paused", false);

    if (is_paused)
        draft_push_str(list, view_is_paused_with_fleet(seen) ? "paused with the fleet" : "paused");
    if (set && !is_paused && json_int(set, ".spec.replicas", 1) == 0)
        draft_push_str(list, "StatefulSet scaled to 0");
    if (policy)
        draft_push_str(list, str_format(a, "volume policy %s", policy));
    return list;
}

const Json *view_node(Arena *a, const Json *sight)
{
    Seen seen;
    seen_read(a, sight, &seen);
    const Json *spec = json_find(seen.object, ".spec"), *pod = pod_of(&seen);
    const char *trouble = meta_deleting(pod) ? NULL : pod_trouble(a, pod);
    Draft *view = view_begin(&seen, VIEW_NODE_STATUS);

    draft_set(view, str("mode", view_mode(spec)));
    draft_set(view, str("chainId", json_str(spec, ".chainId")));
    draft_set(view, str("fleet", meta_label(seen.object, LABEL_FLEET)));
    draft_set(view, sub("state", view_state(&seen)));
    draft_set(view, sub("why", view_why_node(&seen, trouble)));
    draft_set(view,
        obj("image",
            str("wanted", json_str(spec, ".image")),
            str("running", json_str(seen.object, ".status.currentImage"))));
    draft_set(view, sub("chain", view_chain_of_node(&seen)));
    draft_set(view, sub("volume", volume_view(&seen)));
    draft_set(view, sub("pod", pod_view(a, pod, trouble)));
    draft_set(view, sub("overrides", overrides_view(&seen)));
    draft_set(view, sub("plan", view_plan_of(&seen, seen.plan, false)));
    draft_set(view, sub("drift", view_drift_of(a, seen.object)));
    draft_set(view, draft_json("lastPlan", view_last_plan(&seen)));
    draft_set(view, sub("next", view_next_of_node(&seen, trouble)));
    view_add_rest(view, &seen);
    return json_seal(a, view);
}
