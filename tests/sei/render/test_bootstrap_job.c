/* The Job of a bootstrap stage: what its pod shares with the node's own, and what not. */
#include "base/draft.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

#include <string.h>

enum { ARENA_MAX = 16 << 20 };

#define FULL_BOOTSTRAP "{spec: {fullNode: {snapshot: {" BOOTSTRAP "}}}}"

static Wanted rendered(Arena *a, const char *patch)
{
    return render_case(a, &(RenderCase){"", patch});
}

static const Json *pod_of(const Wanted *w)
{
    return json_find(w->bootstrap_job, ".spec.template.spec");
}

static const Json *container(const Json *list, const char *name)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_str(each, ".name"), name))
            return each;
    return NULL;
}

static const struct {
    const char *name, *patch;
    bool has_job;
} nodes[] = {
    {"an image and a height", FULL_BOOTSTRAP, true},
    {"no image", "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}}"},
    {"an empty image",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: ''}}}}"},
    {"no height", "{spec: {fullNode: {snapshot: {s3: {}, bootstrapImage: 'x'}}}}"},
    {"no snapshot of S3", "{spec: {fullNode: {snapshot: {stateSync: {}, bootstrapImage: 'x'}}}}"},
    {"a ceremony",
        "{spec: {fullNode: null, validator: {snapshot: {" BOOTSTRAP "},"
        " genesisCeremony: {chainId: 'x', stakingAmount: '1usei'}}}}"},
    {"a node that runs already",
        "{spec: {fullNode: {snapshot: {" BOOTSTRAP "}}}, status: {phase: 'Running'}}"},
};

TEST(a_bootstrap_job_is_rendered_only_for_a_node_with_an_image_and_a_target_height)
{
    each_case(i, nodes) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = rendered(a, nodes[i].patch);

        then_int(w.bootstrap_job != NULL, nodes[i].has_job);
        then_int(w.bootstrap_service != NULL, nodes[i].has_job);
        then_int(w.bootstrap_hash != NULL, nodes[i].has_job);
    }
}

TEST(a_bootstrap_job_has_the_hash_of_its_pod_template)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, FULL_BOOTSTRAP);
    const Json *template = json_find(w.bootstrap_job, ".spec.template");

    then_str(w.bootstrap_hash, render_template_hash(a, template));
    then_str(meta_annotation(w.bootstrap_job, ANNOTATION_TEMPLATE_HASH), w.bootstrap_hash);
    then_str(meta_annotation(template, ANNOTATION_TEMPLATE_HASH), w.bootstrap_hash);
}

static const struct {
    const char *name, *patch;
    bool same;
} edits[] = {
    {"the node's own image", "{spec: {image: 'x'}}", true},
    {"a pod label", "{spec: {podLabels: {team: 'x'}}}", true},
    {"overrides", "{spec: {overrides: {'a.b': 'c'}}}", true},
    {"pausing", "{spec: {paused: true}}", true},
    {"the bootstrap image", "{spec: {fullNode: {snapshot: {bootstrapImage: 'x'}}}}"},
    {"the height", "{spec: {fullNode: {snapshot: {s3: {targetHeight: 7}}}}}"},
    {"the sidecar's image", "{spec: {sidecar: {image: 'x'}}}"},
    {"the claim", "{spec: {dataVolume: {import: {pvcName: 'x'}}}}"},
    {"a restart",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T12:00:00Z'}}}"},
};

TEST(the_hash_of_the_bootstrap_job_changes_only_if_its_pod_would_differ)
{
    SCOPED_ARENA a = arena_open(4 * ARENA_MAX);
    const char *before = rendered(a, FULL_BOOTSTRAP).bootstrap_hash;
    const Json *base = json_fixture(a, FULL_BOOTSTRAP);

    each_case(i, edits) {
        const Json *patch = json_merge(a, base, json_fixture(a, edits[i].patch));
        then_int(
            str_eq(rendered(a, json_write(a, patch).data).bootstrap_hash, before), edits[i].same);
    }
}

TEST(a_bootstrap_job_mounts_the_pvc_of_the_node_also_when_it_is_imported)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a,
        "{spec: {dataVolume: {import: {pvcName: 'old-disk'}},"
        " fullNode: {snapshot: {" BOOTSTRAP "}}}}");

    then_str(json_str(pod_of(&w), ".volumes[0].persistentVolumeClaim.claimName"), "old-disk");
}

TEST(the_pod_of_a_bootstrap_job_has_the_security_context_of_the_pod_of_its_node)
{
    static const char *const names[] = {
        CONTAINER_INIT, CONTAINER_SIDECAR, CONTAINER_PROXY, CONTAINER_SEID};
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, FULL_BOOTSTRAP);
    const Json *own = json_find(w.statefulset, ".spec.template.spec"), *pod = pod_of(&w);

    then_true(json_equal(json_find(pod, ".securityContext"), json_find(own, ".securityContext")));
    for (size_t i = 0; i < array_count(names); i++) {
        const char *list = i < 3 ? ".initContainers" : ".containers";
        const Json *is = container(json_find(pod, list), names[i]);
        const Json *should = container(json_find(own, list), names[i]);
        then_true(json_find(is, ".securityContext") != NULL);
        then_true(
            json_equal(json_find(is, ".securityContext"), json_find(should, ".securityContext")));
    }
}

TEST(a_bootstrap_job_runs_its_pod_once_and_is_kept_after_it_ends)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *job = rendered(a, FULL_BOOTSTRAP).bootstrap_job;

    then_int(json_int(job, ".spec.backoffLimit", -1), 0);
    then_str(json_str(job, ".spec.podReplacementPolicy"), "Failed");
    then_true(json_find(job, ".spec.ttlSecondsAfterFinished") == NULL);
    then_true(json_find(job, ".spec.suspend") == NULL);
}

TEST(seid_in_a_bootstrap_job_runs_the_bootstrap_image_up_to_the_target_height)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, FULL_BOOTSTRAP);
    const Json *seid = container(json_find(pod_of(&w), ".containers"), CONTAINER_SEID);

    then_str(json_str(seid, ".image"), "ghcr.io/example/seid:v6.3.0");
    then_str(json_str(pod_of(&w), ".initContainers[0].image"), "ghcr.io/example/seid:v6.3.0");
    then_true(strstr(json_str(seid, ".args[0]"), " --halt-height 198000000 ") != NULL);
    then_true(json_find(seid, ".ports") == NULL);
    then_true(json_find(seid, ".startupProbe") == NULL);
}

TEST(the_pod_of_a_bootstrap_job_has_the_hostname_of_the_pod_of_its_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, FULL_BOOTSTRAP);

    then_str(json_str(pod_of(&w), ".hostname"), "rpc-0-0");
    then_str(json_str(pod_of(&w), ".subdomain"), "rpc-0");
    then_str(meta_name(w.bootstrap_job), "rpc-0-bootstrap");
}
