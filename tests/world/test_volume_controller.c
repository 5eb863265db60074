/* The volume controllers on a stage: binding, making and taking back volumes, and keeping what is
 * in use. The facts were looked up in kube-controller-manager 1.34 (pkg/controller/volume); the
 * annotations and fields of a binding, Released volumes and cases "as there" were also watched on a
 * running one. */
#include "tests/world/stage.h"

static const VolumeClass classes[] = {{.name = "fast"},
    {.name = "kept", .retains = true},
    {.name = "late", .waits_for_consumer = true},
    {0}};

static Stage *volumes_open(void)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    world_add(s->world,
        volume_controller_open(&(VolumeControllerOptions){
            .base = options, .classes = classes, .provision_max_ms = 2000}));
    world_add(s->world, volume_protection_open(&options));
    return s;
}

/* A claim "c" of a class and size; and what differs. */
static const Json *claim(Stage *s, const char *class, const char *changes)
{
    const Json *body = json_fixture(s->arena,
        str_format(s->arena,
            "{metadata: {name: 'c'}, spec: {accessModes: ['ReadWriteOnce'], storageClassName: '%s',"
            " resources: {requests: {storage: '10Gi'}}}}",
            class));

    body = json_merge(s->arena, body, json_fixture(s->arena, changes ? changes : "{}"));
    return told(s, (Request){.verb = VERB_CREATE, .kind = kind_pvc, .body = body});
}

static void volume(Stage *s, const char *name, const char *size, const char *spec)
{
    const Json *body = json_fixture(s->arena,
        str_format(s->arena,
            "{metadata: {name: '%s'}, spec: {accessModes: ['ReadWriteOnce'],"
            " capacity: {storage: '%s'}, storageClassName: '',"
            " persistentVolumeReclaimPolicy: 'Retain', hostPath: {path: '/x'}}}",
            name,
            size));

    body = json_merge(s->arena, body, json_fixture(s->arena, spec ? spec : "{}"));
    told(s, (Request){.verb = VERB_CREATE, .kind = kind_pv, .body = body});
}

static void mount(Stage *s, const char *pod, const char *node)
{
    create(s,
        kind_pod,
        str_format(s->arena,
            "{metadata: {name: '%s'}, spec: {%s%s%s terminationGracePeriodSeconds: 30,"
            " containers: [{name: 'c', image: 'i'}],"
            " volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'c'}}]}}",
            pod,
            node ? "nodeName: '" : "",
            node ? node : "",
            node ? "'," : ""));
}

static const char *phase(Stage *s)
{
    return json_str(look(s, kind_pvc, "c"), ".status.phase");
}

/* The phase of the only volume, and a dagger if it is going; "" without one. */
static const char *volume_phase(Stage *s)
{
    const Json *list = json_find(told(s, (Request){.verb = VERB_LIST, .kind = kind_pv}), ".items");

    then_true(json_count(list) < 2);
    if (json_count(list) == 0)
        return "";
    return str_format(s->arena,
        "%s%s",
        json_str(json_first(list), ".status.phase"),
        meta_deleting(json_first(list)) ? "†" : "");
}

TEST(a_pvc_with_a_storage_class_gets_a_volume_of_its_size)
{
    SCOPED_STAGE s = volumes_open();
    const Json *bound, *made;

    claim(s, "fast", NULL);
    then_str(phase(s), "Pending");
    pass(s, 5);
    bound = look(s, kind_pvc, "c");
    made = look(s, kind_pv, json_str(bound, ".spec.volumeName"));
    then_str(meta_name(made), str_format(s->arena, "pvc-%s", meta_uid(bound)));
    then_json(json_find(bound, ".status"),
        "{phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: {storage: '10Gi'}}");
    then_str(meta_annotation(bound, "pv.kubernetes.io/bind-completed"), "yes");
    then_str(meta_annotation(bound, "pv.kubernetes.io/bound-by-controller"), "yes");
    then_str(json_str(made, ".spec.claimRef.uid"), meta_uid(bound));
    then_str(json_str(made, ".spec.persistentVolumeReclaimPolicy"), "Delete");
    then_str(json_str(made, ".status.phase"), "Bound");
    then_true(!meta_annotation(made, "pv.kubernetes.io/bound-by-controller"));
}

static const struct {
    const char *name, *class, *changes;
    const char *phase;
} claims[] = {
    {"an unknown class", "unknown", NULL, "Pending"},
    {"no class at all", "", NULL, "Pending"},
    {"no word about a class: the default", "fast", "{spec: {storageClassName: null}}", "Bound"},
    {"a volume that is not there", "fast", "{spec: {volumeName: 'nowhere'}}", "Pending"},
    {"a class that waits", "late", NULL, "Pending"},
};

TEST(the_requests_of_a_pvc_decide_whether_it_is_bound)
{
    each_case(i, claims) {
        SCOPED_STAGE s = volumes_open();

        claim(s, claims[i].class, claims[i].changes);
        pass(s, 60);

        then_str(phase(s), claims[i].phase);
    }
}

TEST(a_class_with_late_binding_creates_the_volume_for_the_first_pod)
{
    SCOPED_STAGE s = volumes_open();

    claim(s, "late", NULL);
    pass(s, 60);
    then_str(phase(s), "Pending");
    mount(s, "p", NULL);
    pass(s, 5);
    then_str(phase(s), "Bound");
}

TEST(a_pvc_without_a_class_gets_the_smallest_volume_that_fits)
{
    SCOPED_STAGE s = volumes_open();

    volume(s, "small", "5Gi", NULL);
    for (int i = 1; i <= 8; i++)
        volume(s, str_format(s->arena, "large%d", i), str_format(s->arena, "%dGi", 20 + i), NULL);
    volume(s, "right", "20Gi", NULL);
    volume(s, "other", "10Gi", "{spec: {accessModes: ['ReadWriteMany']}}");
    pass(s, 5);
    then_str(json_str(look(s, kind_pv, "right"), ".status.phase"), "Available");
    claim(s, "", NULL);
    pass(s, 5);
    then_str(json_str(look(s, kind_pvc, "c"), ".spec.volumeName"), "right");
    then_str(json_str(look(s, kind_pvc, "c"), ".status.capacity.storage"), "20Gi");
    then_str(
        meta_annotation(look(s, kind_pv, "right"), "pv.kubernetes.io/bound-by-controller"), "yes");
    then_str(json_str(look(s, kind_pv, "small"), ".status.phase"), "Available");
}

TEST(a_volume_that_is_reserved_for_another_pvc_is_not_used)
{
    SCOPED_STAGE s = volumes_open();

    volume(s, "v", "20Gi", "{spec: {claimRef: {namespace: 'default', name: 'other'}}}");
    claim(s, "", NULL);
    pass(s, 5);
    then_str(phase(s), "Pending");
    then_str(json_str(look(s, kind_pv, "v"), ".status.phase"), "Available");
}

TEST(a_pvc_that_names_a_volume_is_bound_to_it)
{
    SCOPED_STAGE s = volumes_open();

    volume(s, "v", "20Gi", "{spec: {claimRef: {namespace: 'default', name: 'c'}}}");
    volume(s, "w", "10Gi", NULL);
    claim(s, "", "{spec: {volumeName: 'v'}}");
    pass(s, 5);
    then_str(phase(s), "Bound");
    then_true(!meta_annotation(look(s, kind_pvc, "c"), "pv.kubernetes.io/bound-by-controller"));
    then_str(json_str(look(s, kind_pv, "v"), ".status.phase"), "Bound");
    then_str(json_str(look(s, kind_pv, "w"), ".status.phase"), "Available");
}

static const struct {
    const char *name, *changes, *phase;
} patient_claims[] = {
    {"one that names it", "{spec: {volumeName: 'v'}}", "Bound"},
    {"one that takes any", "{}", "Bound"},
    {"one that names another", "{spec: {volumeName: 'w'}}", "Pending"},
    {"one of another class", "{spec: {storageClassName: 'unknown'}}", "Pending"},
};

/* As there: at the latest when all claims are looked at again. */
TEST(a_pending_pvc_is_bound_to_a_volume_that_is_created_later)
{
    each_case(i, patient_claims) {
        SCOPED_STAGE s = volumes_open();

        claim(s, "", patient_claims[i].changes);
        pass(s, 60);
        then_str(phase(s), "Pending");
        volume(s, "v", "10Gi", NULL);
        pass(s, 20);
        then_str(phase(s), patient_claims[i].phase);
    }
}

TEST(a_pvc_whose_volume_is_deleted_is_lost)
{
    SCOPED_STAGE s = volumes_open();

    claim(s, "fast", NULL);
    pass(s, 5);
    const char *name = json_str(look(s, kind_pvc, "c"), ".spec.volumeName");
    drop(s, kind_pv, name, PROPAGATION_DEFAULT);
    pass(s, 5);
    then_str(volume_phase(s), "Bound†");
    patch(s, kind_pv, name, "{metadata: {finalizers: null}}");
    pass(s, 5);
    then_str(phase(s), "Lost");
}

static const struct {
    const char *name, *class, *after;
} reclaims[] = {
    {"a volume goes with its claim", "fast", ""},
    {"unless it is retained: then it is Released", "kept", "Released"},
};

TEST(a_released_volume_is_deleted_or_kept_by_its_reclaim_policy)
{
    each_case(i, reclaims) {
        SCOPED_STAGE s = volumes_open();

        claim(s, reclaims[i].class, NULL);
        pass(s, 5);
        then_str(volume_phase(s), "Bound");
        drop(s, kind_pvc, "c", PROPAGATION_DEFAULT);
        pass(s, 10);

        then_str(names(s, kind_pvc), "");
        then_str(volume_phase(s), reclaims[i].after);
    }
}

/* As there: a pod that has a node holds its claim for as long as it exists. */
static const struct {
    const char *name, *node, *phase, *claims;
} holders[] = {
    {"a pod that runs holds its claim", "n", "Running", "c†"},
    {"a pod that is over holds it, too", "n", "Succeeded", "c†"},
    {"a pod without a node does not", NULL, NULL, ""},
};

TEST(a_pvc_is_protected_while_a_scheduled_pod_uses_it)
{
    each_case(i, holders) {
        SCOPED_STAGE s = volumes_open();

        claim(s, "fast", NULL);
        mount(s, "p", holders[i].node);
        pass(s, 5);
        if (holders[i].phase)
            end_pod(s, "p", holders[i].phase);
        drop(s, kind_pvc, "c", PROPAGATION_DEFAULT);
        pass(s, 60);
        then_str(names(s, kind_pvc), holders[i].claims);

        bury_pod(s, "p");
        pass(s, 5);
        then_str(names(s, kind_pvc), "");
    }
}

TEST(a_terminating_pod_protects_its_pvc_until_the_end_of_its_grace_period)
{
    SCOPED_STAGE s = volumes_open();

    claim(s, "fast", NULL);
    mount(s, "p", "n");
    pass(s, 5);
    run_pod(s, "p");
    drop(s, kind_pvc, "c", PROPAGATION_DEFAULT);
    drop(s, kind_pod, "p", PROPAGATION_DEFAULT);
    pass(s, 20);
    then_str(names(s, kind_pvc), "c†");
    bury_pod(s, "p");
    pass(s, 5);
    then_str(names(s, kind_pvc), "");
}

TEST(a_pod_that_the_controller_has_not_seen_yet_also_protects_its_pvc)
{
    SCOPED_STAGE s = stage_open();
    ControllerOptions options = stage_options(s);
    Actor *keeper = volume_protection_open(&options);
    Sight sight = {.kind = kind_pvc, .key = {"default", "c"}};

    claim(s, "fast", NULL);
    mount(s, "p", "n");
    drop(s, kind_pvc, "c", PROPAGATION_DEFAULT);
    sight.object = look(s, kind_pvc, "c");
    keeper->see(keeper, &sight, 0);
    keeper->step(keeper, s->arena, s->api, 0);
    then_str(names(s, kind_pvc), "c†");

    bury_pod(s, "p");
    keeper->see(keeper, &sight, 1);
    keeper->step(keeper, s->arena, s->api, 1);
    then_str(names(s, kind_pvc), "");
    keeper->close(keeper);
}

TEST(a_removed_protection_finalizer_is_added_again)
{
    SCOPED_STAGE s = volumes_open();

    claim(s, "fast", NULL);
    pass(s, 5);
    patch(s, kind_pvc, "c", "{metadata: {finalizers: null}}");
    pass(s, 5);
    then_true(meta_has_finalizer(look(s, kind_pvc, "c"), "kubernetes.io/pvc-protection"));
}

TEST(volumes_at_rest_cause_no_writes)
{
    SCOPED_STAGE s = volumes_open();

    claim(s, "fast", NULL);
    volume(s, "v", "20Gi", NULL);
    pass(s, 5);
    uint64_t version = server_version(world_server(s->world));
    pass(s, 3600);
    then_int(server_version(world_server(s->world)), version);
}
