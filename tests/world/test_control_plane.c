/* All controllers and a kubelet together: a cluster that nobody touches by hand. */
#include "tests/world/stage.h"
#include "world/kubelet.h"

static const Kind *const kinds[] = {
    kind_namespace,
    kind_serviceaccount,
    kind_configmap,
    kind_pod,
    kind_pvc,
    kind_pv,
    kind_statefulset,
    kind_controllerrevision,
    kind_job,
    NULL,
};

static const VolumeClass classes[] = {{.name = "fast", .waits_for_consumer = true}, {0}};

static Stage *cluster_open(uint64_t seed)
{
    Stage *s = stage_open_seeded(seed);
    ControllerOptions options = stage_options(s), late = options;
    Kubelet *kubelet = kubelet_open(&(KubeletOptions){.clock = options.clock, .rng = options.rng});

    late.delay_max_ms = 3000;
    world_add(
        s->world, statefulset_controller_open(&(StatefulSetControllerOptions){.base = options}));
    world_add(s->world, job_controller_open(&options));
    world_add(s->world, garbage_collector_open(&late, kinds));
    world_add(s->world,
        volume_controller_open(&(VolumeControllerOptions){.base = options, .classes = classes}));
    world_add(s->world, volume_protection_open(&options));
    world_add(s->world, namespace_controller_open(&options, kinds));
    world_add(s->world, kubelet_actor(kubelet));
    return s;
}

static void create_set(Stage *s, const char *name)
{
    create(s,
        kind_statefulset,
        str_format(s->arena,
            "{metadata: {name: '%s'}, spec: {serviceName: 's', replicas: 2,"
            " selector: {matchLabels: {app: '%s'}}, updateStrategy: {type: 'RollingUpdate'},"
            " template: {metadata: {labels: {app: '%s'}},"
            "  spec: {containers: [{name: 'c', image: 'i:1',"
            "   volumeMounts: [{name: 'data', mountPath: '/d'}]}]}},"
            " volumeClaimTemplates: [{metadata: {name: 'data'}, spec: {accessModes:"
            "  ['ReadWriteOnce'], storageClassName: 'fast',"
            "  resources: {requests: {storage: '1Gi'}}}}]}}",
            name,
            name,
            name));
}

static const char *counts(Stage *s, const char *name)
{
    const Json *status = json_find(look(s, kind_statefulset, name), ".status");

    return str_format(s->arena,
        "%d of %d ready, %d updated",
        (int)json_int(status, ".readyReplicas", 0),
        (int)json_int(status, ".replicas", 0),
        (int)json_int(status, ".updatedReplicas", 0));
}

TEST(a_statefulset_is_created_and_updated_and_deleted_by_the_controllers)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SCOPED_STAGE s = cluster_open(seed);

        create_set(s, "web");
        pass(s, 300);
        then_str(counts(s, "web"), "2 of 2 ready, 2 updated");
        then_str(names(s, kind_pvc), "data-web-0 data-web-1");

        patch(
            s, kind_statefulset, "web", "{spec: {template: {metadata: {annotations: {a: 'b'}}}}}");
        pass(s, 600);
        then_str(counts(s, "web"), "2 of 2 ready, 2 updated");
        then_str(meta_annotation(look(s, kind_pod, "web-0"), "a"), "b");

        drop(s, kind_statefulset, "web", PROPAGATION_FOREGROUND);
        pass(s, 300);
        then_str(names(s, kind_statefulset), "");
        then_str(names(s, kind_pod), "");
        then_str(names(s, kind_controllerrevision), "");
        then_str(names(s, kind_pvc), "data-web-0 data-web-1");
    }
}

TEST(a_deleted_pvc_stays_until_its_pod_is_gone_and_is_then_created_again)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SCOPED_STAGE s = cluster_open(seed);

        create_set(s, "web");
        pass(s, 300);
        drop(s, kind_pvc, "data-web-0", PROPAGATION_DEFAULT);
        pass(s, 60);
        then_str(names(s, kind_pvc), "data-web-0† data-web-1");
        const char *uid = meta_uid(look(s, kind_pvc, "data-web-0"));
        drop(s, kind_pod, "web-0", PROPAGATION_DEFAULT);
        pass(s, 300);
        then_str(names(s, kind_pvc), "data-web-0 data-web-1");
        then_true(!str_eq(meta_uid(look(s, kind_pvc, "data-web-0")), uid));
        then_str(counts(s, "web"), "2 of 2 ready, 2 updated");
        then_int(
            json_count(json_find(told(s, (Request){.verb = VERB_LIST, .kind = kind_pv}), ".items")),
            2);
    }
}

/* --- determinism --- */

typedef struct Trace {
    uint64_t hash;
    int writes;
} Trace;

static void note(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Trace *t = self;
    SCOPED_ARENA a = arena_open(1 << 22);
    const char *text =
        str_format(a, "%s %s %s", user, request_text(a, request), json_canonical(a, after).data);

    (void)before;
    t->writes++;
    for (; *text; text++)
        t->hash = (t->hash ^ (unsigned char)*text) * 1099511628211U;
}

static Trace trace_of(uint64_t seed)
{
    SCOPED_STAGE s = cluster_open(seed);
    Trace trace = {.hash = 14695981039346656037U};

    server_on_write(world_server(s->world), note, &trace);
    for (int i = 0; i < 5; i++)
        create_set(s, str_format(s->arena, "web%d", i));
    pass(s, 120);
    for (int i = 0; i < 5; i++)
        drop(s, kind_statefulset, str_format(s->arena, "web%d", i), PROPAGATION_BACKGROUND);
    pass(s, 120);
    return trace;
}

TEST(the_same_seed_gives_the_same_writes_and_another_seed_gives_others)
{
    Trace first = trace_of(3), second = trace_of(3), other = trace_of(4);

    then_true(first.writes > 100);
    then_int(first.writes, second.writes);
    then_true(first.hash == second.hash);
    then_true(first.hash != other.hash);
}
