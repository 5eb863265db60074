/* The fields of built-in kinds that stay as they were made. The real server adds to the refusals of
 * Pods and claims a difference of its own Go structures; only what stands before it is said here.
 */
#include "world/validity.h"

#include "base/str.h"
#include "world/object.h"

#include <string.h>

static const char invalid[] = "FieldValueInvalid";
static const char forbidden[] = "FieldValueForbidden";

/* The spec without the members that may change. */
static const Json *without(Arena *a, const Json *spec, const char *const *members)
{
    for (; *members; members++)
        spec = object_with(a, spec, *members, NULL);
    return spec;
}

static bool differs(Arena *a, const Json *object, const Json *before, const char *const *may_change)
{
    return !json_equal(without(a, json_find(object, ".spec"), may_change),
        without(a, json_find(before, ".spec"), may_change));
}

static void check_statefulset(const Json *object, const Json *before, Faults *f)
{
    static const char *const may_change[] = {"replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
        NULL};

    if (differs(f->arena, object, before, may_change))
        faults_add(f,
            forbidden,
            "spec",
            "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
            "'template', 'updateStrategy', 'revisionHistoryLimit', "
            "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

/* A claim gets its volume and its class once; only a bound one may grow. */
static void check_claim(const Json *object, const Json *before, Faults *f)
{
    bool bound = str_eq(json_str(object, ".status.phase"), "Bound");
    bool has_volume = !str_empty(json_str(before, ".spec.volumeName"));
    bool has_class = json_find(before, ".spec.storageClassName") != NULL;
    const char *may_change[5];
    size_t count = 0;

    if (!has_volume)
        may_change[count++] = "volumeName";
    if (!has_class)
        may_change[count++] = "storageClassName";
    if (bound)
        may_change[count++] = "resources";
    if (bound)
        may_change[count++] = "volumeAttributesClassName";
    may_change[count] = NULL;
    if (differs(f->arena, object, before, may_change))
        faults_add(f,
            forbidden,
            "spec",
            "Forbidden: spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims");
}

/* Without a selector a headless Service has both families, even where there is but one. */
static void check_families(const Json *object, Faults *f)
{
    if (!str_eq(json_str(object, ".spec.clusterIP"), "None")
        || json_count(json_find(object, ".spec.selector")) == 0
        || json_count(json_find(object, ".spec.ipFamilies")) < 2)
        return;
    faults_add(f,
        invalid,
        "spec.ipFamilyPolicy",
        "Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack "
        "services");
    faults_add(f,
        invalid,
        "spec.ipFamilies[1]",
        "Invalid value: \"IPv6\": not configured on this cluster");
}

static void check_service(const Json *object, const Json *before, Faults *f)
{
    const char *address = json_str(object, ".spec.clusterIP");
    const char *was = json_str(before, ".spec.clusterIP");

    if (!str_empty(was) && !str_eq(address, was)
        && !str_eq(json_str(object, ".spec.type"), "ExternalName"))
        faults_add(f,
            invalid,
            "spec.clusterIPs[0]",
            "Invalid value: [\"%s\"]: may not change once set",
            address ? address : "");
    check_families(object, f);
}

static void check_job(const Json *object, const Json *before, Faults *f)
{
    static const struct {
        const char *path, *field;
    } fixed[] = {
        {".spec.completions", "spec.completions"},
        {".spec.selector", "spec.selector"},
        {".spec.template", "spec.template"},
        {".spec.completionMode", "spec.completionMode"},
        {".spec.backoffLimitPerIndex", "spec.backoffLimitPerIndex"},
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const Json *value = json_find(object, fixed[i].path);
        if (!json_equal(value, json_find(before, fixed[i].path)))
            faults_add(f,
                invalid,
                fixed[i].field,
                "Invalid value: %s: field is immutable",
                json_write(f->arena, value).data);
    }
}

/* Images apart, the list of containers is as it was. */
static const Json *without_images(Arena *a, const Json *spec, const char *member)
{
    const Json *containers = json_member(spec, member), *container;
    Draft *list = draft_array(a);

    if (!containers)
        return spec;
    json_each(container, containers)
        draft_push_json(list, object_with(a, container, "image", NULL));
    return object_with(a, spec, member, json_seal(a, list));
}

static const Json *fixed_pod_spec(Arena *a, const Json *pod)
{
    static const char *const may_change[] = {"activeDeadlineSeconds", "tolerations", NULL};
    const Json *spec = without(a, json_find(pod, ".spec"), may_change);

    spec = without_images(a, spec, "containers");
    return without_images(a, spec, "initContainers");
}

static void check_pod_deadline(const Json *object, const Json *before, Faults *f)
{
    static const char path[] = ".spec.activeDeadlineSeconds";
    int64_t seconds = json_int(object, path, 0), was = json_int(before, path, 0);

    if (was > 0 && seconds > was)
        faults_add(f,
            invalid,
            path + 1,
            "Invalid value: %lld: must be less than or equal to previous value",
            (long long)seconds);
    if (was > 0 && !json_find(object, path))
        faults_add(f,
            invalid,
            path + 1,
            "Invalid value: null: must not update from a positive integer to nil value");
}

/* Whether there are more or fewer containers than there were, which says all. */
static bool is_pod_regrouped(const Json *object, const Json *before, Faults *f)
{
    static const char *const lists[] = {".spec.containers", ".spec.initContainers"};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (json_count(json_find(object, lists[i])) == json_count(json_find(before, lists[i])))
            continue;
        faults_add(
            f, forbidden, lists[i] + 1, "Forbidden: pod updates may not add or remove containers");
        return true;
    }
    return false;
}

static void check_pod(const Json *object, const Json *before, Faults *f)
{
    if (is_pod_regrouped(object, before, f))
        return;
    check_pod_deadline(object, before, f);
    if (!json_equal(fixed_pod_spec(f->arena, object), fixed_pod_spec(f->arena, before)))
        faults_add(f,
            forbidden,
            "spec",
            "Forbidden: pod updates may not change fields other than "
            "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`"
            ",`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
            "previously negative)");
}

static void check_frozen(
    const Json *object, const Json *before, const char *const *members, Faults *f)
{
    if (!json_bool(before, ".immutable", false))
        return;
    if (!json_bool(object, ".immutable", false))
        faults_add(
            f, forbidden, "immutable", "Forbidden: field is immutable when `immutable` is set");
    for (; *members; members++)
        if (!json_equal(json_member(object, *members), json_member(before, *members)))
            faults_add(
                f, forbidden, *members, "Forbidden: field is immutable when `immutable` is set");
}

static void check_configmap(const Json *object, const Json *before, Faults *f)
{
    static const char *const members[] = {"data", "binaryData", NULL};

    check_frozen(object, before, members, f);
}

static void check_secret(const Json *object, const Json *before, Faults *f)
{
    static const char *const members[] = {"data", NULL};
    const char *type = json_str(object, ".type");

    if (!str_eq(type, json_str(before, ".type")))
        faults_add(
            f, invalid, "type", "Invalid value: \"%s\": field is immutable", type ? type : "");
    check_frozen(object, before, members, f);
}

static void check_revision(const Json *object, const Json *before, Faults *f)
{
    const Json *data = json_member(object, "data");

    if (!json_equal(data, json_member(before, "data")))
        faults_add(f,
            invalid,
            "data",
            "Invalid value: %s: field is immutable",
            json_write(f->arena, data).data);
}

/* As the real server prints it: all of its own fields. */
static const Json *whole_reference(Arena *a, const Json *reference)
{
    static const struct {
        const char *own, *member;
    } names[] = {
        {"Kind", "kind"},
        {"Namespace", "namespace"},
        {"Name", "name"},
        {"UID", "uid"},
        {"APIVersion", "apiVersion"},
        {"ResourceVersion", "resourceVersion"},
        {"FieldPath", "fieldPath"},
    };
    Draft *whole = draft_object(a);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = json_text(json_member(reference, names[i].member));
        draft_set(whole, str(names[i].own, text ? text : ""));
    }
    return json_seal(a, whole);
}

/* Of an Event only the series goes on. */
static void check_event(const Json *object, const Json *before, Faults *f)
{
    static const struct {
        const char *member, *field;
    } fixed[] = {
        {"regarding", "involvedObject"},
        {"reason", "reason"},
        {"note", "message"},
        {"deprecatedSource", "source"},
        {"deprecatedFirstTimestamp", "firstTimestamp"},
        {"deprecatedLastTimestamp", "lastTimestamp"},
        {"deprecatedCount", "count"},
        {"type", "type"},
        {"eventTime", "eventTime"},
        {"action", "action"},
        {"related", "related"},
        {"reportingController", "reportingController"},
        {"reportingInstance", "reportingInstance"},
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const Json *value = json_member(object, fixed[i].member);
        if (json_equal(value, json_member(before, fixed[i].member)))
            continue;
        if (json_type(value) == JSON_OBJECT)
            value = whole_reference(f->arena, value);
        faults_add(f,
            invalid,
            fixed[i].field,
            "Invalid value: %s: field is immutable",
            value ? json_write(f->arena, value).data : "\"\"");
    }
}

/* As the real server prints it: by the names of its own fields. */
static void check_binding(const Json *object, const Json *before, Faults *f)
{
    const Json *ref = json_member(object, "roleRef");
    Draft *shown;

    if (json_equal(ref, json_member(before, "roleRef")))
        return;
    shown = draft(f->arena,
        str("APIGroup", json_str(ref, ".apiGroup")),
        str("Kind", json_str(ref, ".kind")),
        str("Name", json_str(ref, ".name")));
    faults_add(f,
        invalid,
        "roleRef",
        "Invalid value: %s: cannot change roleRef",
        json_write(f->arena, json_seal(f->arena, shown)).data);
}

static void check_set_selector(const Json *object, const Json *before, Faults *f)
{
    const Json *selector = json_find(object, ".spec.selector");

    if (!json_equal(selector, json_find(before, ".spec.selector")))
        faults_add(f,
            invalid,
            "spec.selector",
            "Invalid value: %s: field is immutable",
            selector ? json_write(f->arena, selector).data : "null");
}

static void check_storage_class(const Json *object, const Json *before, Faults *f)
{
    static const char *const fixed[] = {"parameters", "provisioner", "reclaimPolicy"};
    const Json *mode = json_member(object, "volumeBindingMode");

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (!json_equal(json_member(object, fixed[i]), json_member(before, fixed[i])))
            faults_add(f, forbidden, fixed[i], "Forbidden: updates to %s are forbidden.", fixed[i]);
    if (!json_equal(mode, json_member(before, "volumeBindingMode")))
        faults_add(f,
            invalid,
            "volumeBindingMode",
            "Invalid value: %s: field is immutable",
            json_write(f->arena, mode).data);
}

void validity_check_immutable(const Resource *r, const Json *object, const Json *before, Faults *f)
{
    static const struct {
        const Kind *kind;
        void (*check)(const Json *object, const Json *before, Faults *f);
    } rows[] = {
        {kind_clusterrolebinding, check_binding},
        {kind_configmap, check_configmap},
        {kind_controllerrevision, check_revision},
        {kind_deployment, check_set_selector},
        {kind_event, check_event},
        {kind_job, check_job},
        {kind_pod, check_pod},
        {kind_pvc, check_claim},
        {kind_replicaset, check_set_selector},
        {kind_rolebinding, check_binding},
        {kind_secret, check_secret},
        {kind_service, check_service},
        {kind_statefulset, check_statefulset},
        {kind_storageclass, check_storage_class},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (r->traits.kind == rows[i].kind)
            rows[i].check(object, before, f);
}
