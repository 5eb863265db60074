/* What is read because the planner asks for it: of what template a pod was made whose hash is right
 * and whose revision is another. */
#include "kube/meta.h"
#include "sei/reconcile/parts.h"
#include "tests/sei/pods.h"

#define RUNNING                                                                                    \
    "{status: {phase: 'Running', currentImage: 'ghcr.io/example/seid:v6.4.1',"                     \
    " identity: {chainId: 'pacific-1', mode: 'fullNode'},"                                         \
    " dataVolume: {name: 'data-rpc-0', uid: 'u'}}}"

/* A revision of the wanted template, changed. */
static void given_revision(TaskWorld *w, const char *name, const char *patch)
{
    const Json *template = json_find(w->wanted.statefulset, ".spec.template");
    const char *object = str_format(w->arena,
        "{metadata: {name: '%s', namespace: 'sei'}, revision: 1,"
        " data: {spec: {template: %s}}}",
        name,
        json_write(w->arena, template).data);

    given(w, kind_controllerrevision, object, patch);
}

/* The StatefulSet as a cache keeps it: just as we applied it. */
static const Json *statefulset_as_applied(TaskWorld *w)
{
    const char *hash =
        str_format(w->arena, "{'" META_OWNED_HASH_MEMBER "': '%s'}", w->wanted.statefulset_owned);

    return json_merge(w->arena, stored(w, kind_statefulset, "rpc-0"), json_fixture(w->arena, hash));
}

static const struct {
    const char *name, *of_pod, *of_set;
    HandEdit want;
} cases[] = {
    {"a label",
        .of_set = "{data: {spec: {template: {metadata: {labels: {a: 'b'}}}}}}",
        .want = EDIT_METADATA_ONLY},
    {"fields that other managers have added since",
        .of_set = "{data: {spec: {template: {spec: {hostAliases: [{ip: '1.1.1.1'}]}}}}}",
        .want = EDIT_METADATA_ONLY},
    {"fields that other managers had added",
        .of_pod = "{data: {spec: {template: {spec: {priorityClassName: 'high'}}}}}",
        .want = EDIT_METADATA_ONLY},
    {"what is ours, edited",
        .of_pod = "{data: {spec: {template: {spec: {serviceAccountName: 'root'}}}}}",
        .want = EDIT_TEMPLATE},
    {"what is ours, taken away",
        .of_pod = "{data: {spec: {template: {spec: {securityContext: null}}}}}",
        .want = EDIT_TEMPLATE},
    {"a revision that no longer exists", .of_pod = ABSENT, .want = EDIT_METADATA_ONLY},
};

TEST(a_pod_of_another_revision_counts_as_edited_only_if_our_fields_differ)
{
    each_case(i, cases) {
        SCOPED_WORLD w = world_of(RUNNING);
        given_statefulset(w);
        given_pod(w,
            str_format(w->arena,
                "{metadata: {annotations: {'sei.io/template-hash': '%s'}}}",
                w->wanted.template_hash));
        given_revision(w, "rpc-0-old", cases[i].of_pod);
        given_revision(w, "rpc-0-new", cases[i].of_set);
        App app = {.guard = guard_none(), .edits = edits_open()};
        NodePass p = {.c = &w->ctx, .app = &app, .node = w->node, .wanted = w->wanted};
        p.snapshot = (NodeSnapshot){.node = &p.node,
            .settings = sample_settings(),
            .wanted = &p.wanted,
            .statefulset = statefulset_as_applied(w),
            .pod = stored(w, kind_pod, "rpc-0-0"),
            .volume = json_fixture(w->arena,
                "{metadata: {name: 'data-rpc-0', uid: 'u', ownerReferences: [{uid: '" SAMPLE_UID
                "', controller: true}]}}"),
            .statefulset_was_right = true,
            .may_disrupt = true,
            .plan_id = "11111111-2222-4333-8444-555555555555",
            .now = "2026-01-01T00:00:00Z"};

        then_ok(decide_node(&p));

        then_int(p.snapshot.hand_edit, cases[i].want);
        edits_close(app.edits);
    }
}

static const struct {
    const char *name, *edit, *made_from, *said;
} explained[] = {
    {"an image can be rendered as it was", "{spec: {image: 'ghcr.io/example/seid:v7'}}"},
    {"an image beside something else is looked up",
        "{spec: {image: 'ghcr.io/example/seid:v7', sidecar: {image: 'seictl:v2'}}}",
        .said = "get statefulsets rpc-0"},
    {"so is what another version has rendered",
        "{spec: {image: 'ghcr.io/example/seid:v7'}}",
        .made_from = "of-another-version",
        .said = "get statefulsets rpc-0"},
};

TEST(drift_of_the_image_alone_is_explained_without_an_api_call)
{
    each_case(i, explained) {
        SCOPED_WORLD w = world_of(RUNNING);
        given_statefulset(w);
        const char *made_from =
            explained[i].made_from ? explained[i].made_from : w->wanted.template_hash;
        given_pod(w,
            str_format(
                w->arena, "{metadata: {annotations: {'sei.io/template-hash': '%s'}}}", made_from));
        const Json *applied = statefulset_as_applied(w);
        world_set_node(w,
            json_write(w->arena,
                json_merge(w->arena,
                    json_fixture(w->arena, RUNNING),
                    json_fixture(w->arena, explained[i].edit)))
                .data);
        App app = {.guard = guard_none()};
        NodePass p = {.c = &w->ctx, .app = &app, .node = w->node, .wanted = w->wanted};
        p.snapshot = (NodeSnapshot){.node = &p.node,
            .settings = sample_settings(),
            .wanted = &p.wanted,
            .statefulset = applied,
            .pod = stored(w, kind_pod, "rpc-0-0"),
            .volume = json_fixture(w->arena,
                "{metadata: {name: 'data-rpc-0', uid: 'u', ownerReferences: [{uid: '" SAMPLE_UID
                "', controller: true}]}}"),
            .statefulset_was_right = true,
            .may_disrupt = true,
            .plan_id = "11111111-2222-4333-8444-555555555555",
            .now = "2026-01-01T00:00:00Z"};
        w->said = NULL;

        then_ok(decide_node(&p));

        then_str(w->said, explained[i].said);
        then_int(p.decision.status.plan.kind, PLAN_NODE_UPDATE);
        const Drift *drift = &p.decision.status.drift;
        bool is_named = false;
        for (size_t k = 0; k < drift->count; k++)
            is_named = is_named
                || (str_eq(drift->fields[k].path, "spec.containers[seid].image")
                    && str_eq(drift->fields[k].have, "ghcr.io/example/seid:v6.4.1")
                    && str_eq(drift->fields[k].want, "ghcr.io/example/seid:v7"));
        then_true(is_named);
        then_true(explained[i].said || drift->count == 2); /* seid-init has it, too */
    }
}
