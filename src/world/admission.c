/* Admission of new objects. */
#include "world/admission.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "world/refusal.h"

#include <inttypes.h>

Err *admission_check_namespace(Call *c, Key key)
{
    Resource *namespaces = server_resource(c->server, kind_namespace);
    const Json *namespace;
    Record *record;

    if (!c->resource->traits.kind->namespaced)
        return OK;
    record = shelf_find(namespaces->shelf, key.namespace);
    if (!record)
        return refuse_namespace(c, key.namespace);
    arena_reset(c->server->scratch);
    namespace = record_glance(c->server->scratch, record);
    if (!str_eq(json_str(namespace, ".status.phase"), "Terminating"))
        return OK;
    return refuse_forbidden(c,
        key.name,
        str_format(c->arena,
            "unable to create new content in namespace %s because it is being terminated",
            key.namespace),
        &(RefusalCause){.reason = "NamespaceTerminating",
            .message = str_format(c->arena, "namespace %s is being terminated", key.namespace),
            .field = "metadata.namespace"});
}

static bool grows(Arena *a, const Json *claim, const Json *before)
{
    static const char path[] = ".spec.resources.requests.storage";
    const char *size = json_str(claim, path), *was = json_str(before, path);
    Quantity wanted, had;

    if (!size || !was || quantity_parse(a, size, &wanted) || quantity_parse(a, was, &had))
        return false;
    return quantity_compare(wanted, had) > 0;
}

Err *admission_check_growth(Call *c, const Json *object, const Json *before)
{
    if (c->resource->traits.kind != kind_pvc || c->request->subresource
        || !str_eq(json_str(before, ".status.phase"), "Bound") || !grows(c->arena, object, before)
        || !str_empty(json_str(before, ".spec.storageClassName")))
        return OK;
    return refuse_forbidden(c,
        meta_name(before),
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
        "pvc must support resize",
        NULL);
}

static const Json *protected(Arena *a, const Json *object, const char *finalizer)
{
    const Json *finalizers = json_find(object, ".metadata.finalizers"), *each;
    Draft *list = draft_array(a);

    if (meta_has_finalizer(object, finalizer))
        return object;
    json_each(each, finalizers)
        draft_push_json(list, each);
    draft_push_str(list, finalizer);
    return object_with_inner(a, object, (MemberPath){"metadata", "finalizers"}, json_seal(a, list));
}

/* Addresses are given in order, but for the first, which all dry runs show. A headless Service gets
 * none, and both IP families. */
static const Json *with_address(Call *c, const Json *service)
{
    const Json *spec = json_member(service, "spec");
    const char *address = json_str(spec, ".clusterIP");
    bool headless = str_eq(address, "None");
    Draft *families = draft_array(c->arena);

    if (str_eq(json_str(spec, ".type"), "ExternalName"))
        return service;
    if (str_empty(address)) {
        uint64_t number = c->request->dry_run ? 0 : ++c->server->addresses;
        address = str_format(c->arena,
            "10.%" PRIu64 ".%" PRIu64 ".%" PRIu64,
            96 + number / 62500 % 16,
            number / 250 % 250,
            number % 250 + 1);
    }
    spec = object_with(c->arena, spec, "clusterIP", object_text(c->arena, address));
    spec = object_with(c->arena,
        spec,
        "clusterIPs",
        json_find(json_seal(c->arena, draft(c->arena, strs("list", address))), ".list"));
    draft_push_str(families, "IPv4");
    if (headless && !json_find(spec, ".selector"))
        draft_push_str(families, "IPv6");
    if (!json_find(spec, ".ipFamilies"))
        spec = object_with(c->arena, spec, "ipFamilies", json_seal(c->arena, families));
    if (!json_find(spec, ".ipFamilyPolicy"))
        spec = object_with(c->arena,
            spec,
            "ipFamilyPolicy",
            object_text(c->arena,
                json_count(json_find(spec, ".ipFamilies")) > 1 ? "RequireDualStack"
                                                               : "SingleStack"));
    return object_with(c->arena, service, "spec", spec);
}

/* Old and new name of what a claim is filled from: each stands for the other. */
static const Json *with_data_source(Arena *a, const Json *claim)
{
    const Json *spec = json_member(claim, "spec");
    const Json *old = json_member(spec, "dataSource"), *new = json_member(spec, "dataSourceRef");

    if (old && !new)
        spec = object_with(a, spec, "dataSourceRef", old);
    else if (new && !old && !json_member(new, "namespace"))
        spec = object_with(a, spec, "dataSource", new);
    return object_with(a, claim, "spec", spec);
}

/* --- pods --- */

/* A quantity that is there and not zero. */
static const char *asked(const Json *resources, const char *what, const char *of)
{
    return json_text(json_member(json_member(resources, what), of));
}

/* How safe a pod is from eviction, by what its containers ask for: the containers of both lists. */
typedef struct Asks {
    bool any, all_limited;
} Asks;

static void look_at_asks(const Json *containers, Asks *ret)
{
    static const char *const kinds[] = {"cpu", "memory"};
    const Json *container;

    json_each(container, containers) {
        const Json *resources = json_member(container, "resources");
        for (size_t i = 0; i < 2; i++) {
            const char *request = asked(resources, "requests", kinds[i]);
            const char *limit = asked(resources, "limits", kinds[i]);
            ret->any = ret->any || request || limit;
            ret->all_limited = ret->all_limited && limit && (!request || str_eq(request, limit));
        }
    }
}

static const char *quality_of(const Json *spec)
{
    Asks asks = {.all_limited = true};

    look_at_asks(json_member(spec, "containers"), &asks);
    look_at_asks(json_member(spec, "initContainers"), &asks);
    return !asks.any ? "BestEffort" : asks.all_limited ? "Guaranteed" : "Burstable";
}

/* Pods stay five minutes on a node that is lost, unless they say otherwise. */
static const Json *with_patience(Arena *a, const Json *tolerations)
{
    static const char *const taints[] = {
        "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
    Draft *list = draft_array(a);
    const Json *each;

    json_each(each, tolerations)
        draft_push_json(list, each);
    for (size_t i = 0; i < 2; i++) {
        bool said = false;
        json_each(each, tolerations)
            said = said || str_empty(json_str(each, ".key"))
                || str_eq(json_str(each, ".key"), taints[i]);
        if (!said)
            draft_push(list,
                draft(a,
                    str("key", taints[i]),
                    str("operator", "Exists"),
                    str("effect", "NoExecute"),
                    num("tolerationSeconds", 300)));
    }
    return json_seal(a, list);
}

/* Who changes what a pod tolerates does not change that. */
static const Json *with_patience_kept(Arena *a, const Json *pod, const Json *before)
{
    static const char path[] = ".spec.tolerations";
    const Json *tolerations = json_find(pod, path);

    if (json_equal(tolerations, json_find(before, path)))
        return pod;
    return object_with_inner(
        a, pod, (MemberPath){"spec", "tolerations"}, with_patience(a, tolerations));
}

static const Json *with_pod_parts(Arena *a, const Json *pod)
{
    const Json *spec = json_member(pod, "spec");
    const char *account = json_str(spec, ".serviceAccountName");

    if (str_empty(account))
        account = "default";
    spec = json_merge(a,
        spec,
        json_seal(a,
            draft(a,
                str("serviceAccountName", account),
                str("serviceAccount", account),
                str("preemptionPolicy", "PreemptLowerPriority"),
                num("priority", json_int(spec, ".priority", 0)),
                draft_json("tolerations", with_patience(a, json_member(spec, "tolerations"))))));
    pod = object_with(a, pod, "spec", spec);
    if (json_count(json_member(pod, "status")) > 0)
        return pod;
    return object_with(a,
        pod,
        "status",
        json_seal(a, draft(a, str("phase", "Pending"), str("qosClass", quality_of(spec)))));
}

/* A Job finds its pods by its own UID unless it is told otherwise. One that was sent without labels
 * shares those of its pods, and whatever is added to them. */
static const Json *with_job_selector(Call *c, const Json *job, const Stamp *stamp)
{
    Arena *a = c->arena;
    bool shares = json_count(json_find(c->request->body, ".metadata.labels")) == 0;
    static const char uid_label[] = "batch.kubernetes.io/controller-uid";
    const Json *labels = json_seal(a,
        draft(a,
            str(uid_label, stamp->uid),
            str("batch.kubernetes.io/job-name", stamp->key.name),
            str("controller-uid", stamp->uid),
            str("job-name", stamp->key.name)));

    if (!json_bool(job, ".spec.manualSelector", false))
        job = json_merge(a,
            job,
            json_seal(a,
                draft(a,
                    obj("spec",
                        obj("selector", obj("matchLabels", str(uid_label, stamp->uid))),
                        obj("template", obj("metadata", draft_json("labels", labels)))))));
    if (shares)
        job = object_with_inner(a, job, (MemberPath){"metadata", "labels"}, NULL);
    return admission_labelled(a, job);
}

const Json *admission_labelled(Arena *a, const Json *job)
{
    const Json *labels = json_find(job, ".spec.template.metadata.labels");

    if (json_count(json_find(job, ".metadata.labels")) > 0 || json_count(labels) == 0)
        return job;
    return object_with_inner(a, job, (MemberPath){"metadata", "labels"}, labels);
}

static const Json *with_namespace_parts(Arena *a, const Json *namespace, const Stamp *stamp)
{
    return json_merge(a,
        namespace,
        json_seal(a,
            draft(a,
                obj("metadata", obj("labels", str("kubernetes.io/metadata.name", stamp->key.name))),
                obj("spec", strs("finalizers", "kubernetes")))));
}

/* When a volume came into its phase. The server sets it whenever the phase changes, unless whoever
 * changed it did. */
static const Json *with_phase_time(Call *c, const Json *volume, const Json *before)
{
    static const MemberPath at = {"status", "lastPhaseTransitionTime"};
    const Json *time = json_find(volume, ".status.lastPhaseTransitionTime");
    const Json *earlier = json_find(before, ".status.lastPhaseTransitionTime");

    if (before && str_eq(json_str(volume, ".status.phase"), json_str(before, ".status.phase")))
        return time || !earlier ? volume : object_with_inner(c->arena, volume, at, earlier);
    if (time && !json_equal(time, earlier))
        return volume;
    return object_with_inner(c->arena, volume, at, object_text(c->arena, c->now));
}

/* A role without rules has none, not an empty list of them. */
static const Json *with_rules(Call *c, const Json *role)
{
    const Json *rules = json_member(role, "rules");

    if (json_type(rules) != JSON_ARRAY || json_count(rules) > 0)
        return role;
    return object_with(c->arena, role, "rules", json_fixture(c->arena, "null"));
}

static bool is_role(const Call *c)
{
    const Kind *kind = c->resource->traits.kind;

    return kind == kind_role || kind == kind_clusterrole;
}

const Json *admission_complete(Call *c, const Json *object, const Stamp *stamp)
{
    const Traits *traits = &c->resource->traits;
    const Json *status;

    if (traits->protection)
        object = protected(c->arena, object, traits->protection);
    if (traits->kind == kind_service)
        object = with_address(c, object);
    if (traits->kind == kind_pod)
        object = with_pod_parts(c->arena, object);
    if (traits->kind == kind_pvc)
        object = with_data_source(c->arena, object);
    if (traits->kind == kind_job)
        object = with_job_selector(c, object, stamp);
    if (traits->kind == kind_namespace)
        object = with_namespace_parts(c->arena, object, stamp);
    if (traits->kind == kind_pv)
        object = with_phase_time(c, object, NULL);
    if (is_role(c))
        object = with_rules(c, object);
    if (!traits->new_status || json_count(json_member(object, "status")) > 0)
        return object;
    if (json_parse(c->arena, bytes_of(traits->new_status), &status))
        BUG("the first status of a kind is no JSON");
    return object_with(c->arena, object, "status", status);
}

const Json *admission_carried(Call *c, const Json *object, const Json *before)
{
    static const char *const given[] = {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"};
    const Json *was = json_member(before, "spec"), *spec = json_member(object, "spec");

    if (c->resource->traits.kind == kind_pv)
        return with_phase_time(c, object, before);
    if (is_role(c))
        return with_rules(c, object);
    if (c->resource->traits.kind == kind_pod && !c->request->subresource)
        return with_patience_kept(c->arena, object, before);
    if (c->resource->traits.kind != kind_service)
        return object;
    /* Who changes the first address by its old name means the list as well. */
    if (json_member(spec, "clusterIP")
        && !json_equal(json_member(spec, "clusterIP"), json_member(was, "clusterIP"))
        && json_equal(json_member(spec, "clusterIPs"), json_member(was, "clusterIPs")))
        spec = object_with(c->arena,
            spec,
            "clusterIPs",
            json_find(
                json_seal(c->arena, draft(c->arena, strs("list", json_str(spec, ".clusterIP")))),
                ".list"));
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!json_member(spec, given[i]) && json_member(was, given[i]))
            spec = object_with(c->arena, spec, given[i], json_member(was, given[i]));
    return object_with(c->arena, object, "spec", spec);
}
