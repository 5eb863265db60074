/* The verbs that write: what they write, and what they say. */
#include "tests/cli/cast.h"

static const struct {
    const char *name, *fleet, *line;
    const char *want; /* of .spec.updateStrategy and .spec.paused afterwards */
    const char *said;
    int writes;
} verbs[] = {
    {"hold",
        "{}",
        "rollout hold a",
        "{updateStrategy: {type: 'InPlace', hold: true}}",
        "fleet/a is held",
        1},
    {"hold once more",
        "{spec: {updateStrategy: {type: 'InPlace', hold: true}}}",
        "rollout hold a",
        "{updateStrategy: {type: 'InPlace', hold: true}}",
        "fleet/a is held already",
        0},
    {"resume",
        "{spec: {updateStrategy: {type: 'InPlace', hold: true, maxUnavailable: 2}}}",
        "rollout resume a",
        "{updateStrategy: {type: 'InPlace', hold: false, maxUnavailable: 2}}",
        "fleet/a goes on",
        1},
    {"resume what is not held",
        "{}",
        "rollout resume a",
        "{updateStrategy: {type: 'InPlace'}}",
        "fleet/a is not held",
        0},
    {"promote",
        "{spec: {updateStrategy: {type: 'InPlace', partition: 2}}}",
        "rollout promote a",
        "{updateStrategy: {type: 'InPlace', partition: 0}}",
        "ordinals below 2",
        1},
    {"promote without a partition",
        "{}",
        "rollout promote a",
        "{updateStrategy: {type: 'InPlace'}}",
        "fleet/a has no partition",
        0},
    {"pause",
        "{}",
        "pause a --yes",
        "{updateStrategy: {type: 'InPlace'}, paused: true}",
        "fleet/a is to pause",
        1},
    {"unpause",
        "{spec: {paused: true}}",
        "unpause snd/a",
        "{updateStrategy: {type: 'InPlace'}, paused: false}",
        "fleet/a is unpaused",
        1},
};

TEST(each_rollout_command_writes_exactly_its_field)
{
    static const char *const paths[] = {".updateStrategy", ".paused", NULL};

    each_case(i, verbs) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t, "a", verbs[i].fleet);
        const Json *before = seen(t, kind_seinodedeployment, "a");

        then_int(type(t, verbs[i].line), EXIT_FINE);
        then_said(t, verbs[i].said);
        then_int(t->writes, verbs[i].writes);
        const Json *after = seen(t, kind_seinodedeployment, "a");
        then_json(json_project(t->arena, json_find(after, ".spec"), paths), verbs[i].want);
        then_true(
            json_equal(json_find(before, ".spec.template"), json_find(after, ".spec.template")));
        then_true(json_equal(json_find(before, ".status"), json_find(after, ".status")));
        then_talked(t, "next: kubectl sei ");
    }
}

#define ONE_CONDITION(type, status, reason)                                                        \
    "{status: {conditions: [{type: '" type "', status: '" status "', reason: '" reason             \
    "', message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}"

static const struct {
    const char *name, *patch;
} failures[] = {
    {"the init", "{status: {phase: 'Failed'}}"},
    {"a plan", "{status: {plan: {id: 'x', phase: 'Failed', tasks: []}}}"},
    {"only a person can go on", ONE_CONDITION("Stalled", "True", "NeedsReset")},
    {"an update", ONE_CONDITION("NodeUpdateInProgress", "False", "UpdateFailed")},
    {"a Secret that holds no key", ONE_CONDITION("SigningKeyReady", "False", "SigningKeyInvalid")},
};

TEST(rollout_retry_applies_to_a_failed_node_or_fleet)
{
    each_case(i, failures) {
        SCOPED_TERMINAL t = terminal_open();
        given_node(t, "n", failures[i].patch);

        then_int(type(t, "rollout retry n"), EXIT_FINE);
        then_said(t, "node/n is tried again");
        then_int(t->writes, 1);
    }
}

TEST(rollout_retry_is_refused_if_nothing_has_failed)
{
    static const char *const lines[] = {"rollout retry n", "rollout retry a"};
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_fleet(t, "a", "{}");

    for (size_t i = 0; i < array_count(lines); i++) {
        then_int(type(t, lines[i]), EXIT_FINE);
        then_said(t, "has nothing that failed: nothing was changed");
        then_int(t->writes, 0);
    }
}

TEST(rollout_retry_sets_an_annotation_with_the_current_time)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{status: {phase: 'Failed'}}");
    given_fleet(t,
        "a",
        "{status: {rollout: {targetHash: 'x', startedAt: '2026-01-01T00:00:00Z', failedHash: 'x', "
        "nodes: []}}}");

    then_int(type(t, "rollout retry n"), EXIT_FINE);
    then_str(json_str(seen(t, kind_seinode, "n"), ".metadata.annotations['sei.io/retry']"),
        "2026-01-01T00:00:02Z");
    then_int(type(t, "rollout retry a"), EXIT_FINE);
    then_true(meta_annotation(seen(t, kind_seinodedeployment, "a"), "sei.io/retry") != NULL);
}

TEST(rollout_restart_edits_the_template_of_the_fleet)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_fleet(t, "a", "{}");

    then_int(type(t, "rollout restart a"), EXIT_FINE);
    then_str(json_str(seen(t, kind_seinodedeployment, "a"),
                 ".spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt']"),
        "2026-01-01T00:00:02Z");
    then_int(type(t, "rollout restart n"), EXIT_FINE);
    then_true(
        meta_annotation(seen(t, kind_seinode, "n"), "kubectl.kubernetes.io/restartedAt") != NULL);
}

/* A fleet whose template was OLD_IMAGE everywhere and is being rolled to NEW_IMAGE. */
static void given_rollout(Terminal *t)
{
    given_fleet(t, "a", "{spec: {template: {metadata: {labels: {team: 'x'}}}}}");
    const char *hash = given_kept_template(t, "a");

    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena, "{status: {completeRevision: '%s'}}", hash));
    given_patch(t,
        kind_seinodedeployment,
        "a",
        NULL,
        "{spec: {template: {metadata: {labels: {team: 'y', new: 'z'}},"
        " spec: {image: '" NEW_IMAGE "', sidecar: {image: 'side:2'}}}}}");
}

static const char old_template[] = "{metadata: {labels: {team: 'x'}}, spec: {chainId: 'pacific-1', "
                                   "image: '" OLD_IMAGE "', fullNode: {}}}";

TEST(rollout_abort_restores_the_last_complete_template)
{
    static const char *const lines[] = {"rollout abort a", "rollout undo a"};

    for (size_t i = 0; i < array_count(lines); i++) {
        SCOPED_TERMINAL t = terminal_open();
        given_rollout(t);

        then_int(type(t, lines[i]), EXIT_FINE);
        then_said(t, "goes back to the template of a-");
        then_said(t, OLD_IMAGE);
        then_json(json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template"), old_template);
    }
}

TEST(rollout_undo_after_a_complete_rollout_restores_the_previous_template)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rollout(t);
    const char *hash = given_kept_template(t, "a");
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena, "{status: {completeRevision: '%s'}}", hash));

    then_int(type(t, "rollout abort a"), EXIT_FINE);
    then_said(t, "has no rollout to give up");
    then_int(t->writes, 0);
    then_int(type(t, "rollout undo a"), EXIT_FINE);
    then_json(json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template"), old_template);
}

TEST(rollout_undo_never_restores_a_failed_template)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rollout(t);
    const char *failed = given_kept_template(t, "a");
    given_patch(t,
        kind_seinodedeployment,
        "a",
        NULL,
        "{spec: {template: {spec: {image: 'ghcr.io/sei-protocol/sei:v3'}}}}");
    const char *complete = given_kept_template(t, "a");
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena,
            "{status: {completeRevision: '%s', rollout: {targetHash: 'x', startedAt: "
            "'2026-01-01T00:00:00Z', nodes: [], failedHash: '%s'}}}",
            complete,
            failed));

    then_int(type(t, "rollout undo a"), EXIT_FINE);
    then_str(
        json_str(seen(t, kind_seinodedeployment, "a"), ".spec.template.spec.image"), OLD_IMAGE);
}

/* The fleet has forgotten the failure once it is whole again; what was kept of it is the latest. */
TEST(a_second_rollout_undo_does_not_restore_a_template_that_never_completed)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rollout(t);
    given_kept_template(t, "a");
    then_int(type(t, "rollout undo a"), EXIT_FINE);

    then_int(type(t, "rollout undo a"), EXIT_MISUSED);
    then_talked(t, "has no template of before that every node had reached");
    then_int(t->writes, 0);
    then_json(json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template"), old_template);
}

/* A fleet that was rolled from OLD_IMAGE to NEW_IMAGE, and all nodes have reached that. */
static void given_rolled_out(Terminal *t)
{
    given_rollout(t);
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena, "{status: {completeRevision: '%s'}}", given_kept_template(t, "a")));
}

#define TO_CHAIN "{spec: {template: {spec: {chainId: 'atlantic-2', overrides: {'a.b': '1'}}}}}"

/* No node has followed, so the image is none of its business. */
TEST(rollout_undo_after_an_edit_of_the_chain_id_restores_only_the_chain_id)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rolled_out(t);
    given_patch(t, kind_seinodedeployment, "a", NULL, TO_CHAIN);

    then_int(type(t, "rollout abort a"), EXIT_FINE);
    then_talked(t, "next: kubectl sei rollout undo fleet/a");
    then_int(type(t, "rollout undo a"), EXIT_FINE);
    then_said(t, "puts spec.template.spec.chainId back to pacific-1");
    const Json *spec = json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template.spec");
    then_str(json_str(spec, ".chainId"), "pacific-1");
    then_str(json_str(spec, ".image"), NEW_IMAGE);
    then_str(json_str(spec, ".overrides['a.b']"), "1");
    then_int(type(t, "rollout undo a"), EXIT_FINE);
    then_said(t, "goes back to the template of a-");
}

TEST(rollout_undo_of_a_chain_id_edit_during_a_rollout_continues_the_rollout)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rollout(t);
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena,
            "{status: {plan: {id: 'p', phase: 'Active', tasks: [], targetHash: '%s'}}}",
            given_kept_template(t, "a")));
    given_patch(t, kind_seinodedeployment, "a", NULL, TO_CHAIN);

    then_int(type(t, "rollout undo a"), EXIT_FINE);
    const Json *spec = json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template.spec");
    then_str(json_str(spec, ".chainId"), "pacific-1");
    then_str(json_str(spec, ".image"), NEW_IMAGE);
}

/* What was edited in the same breath was never rolled, so all of it goes. */
TEST(rollout_undo_after_an_edit_of_chain_and_image_restores_the_complete_template)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rolled_out(t);
    given_patch(t,
        kind_seinodedeployment,
        "a",
        NULL,
        "{spec: {template: {spec: {chainId: 'atlantic-2', image: '" OLD_IMAGE "'}}}}");

    then_int(type(t, "rollout undo a"), EXIT_FINE);
    const Json *spec = json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template.spec");
    then_str(json_str(spec, ".chainId"), "pacific-1");
    then_str(json_str(spec, ".image"), NEW_IMAGE);
}

TEST(rollout_abort_suggests_no_undo_that_would_be_refused)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena, "{status: {completeRevision: '%s'}}", given_kept_template(t, "a")));

    then_int(type(t, "rollout undo a"), EXIT_MISUSED);
    then_int(type(t, "rollout abort a"), EXIT_FINE);
    then_said(t, "has no rollout to give up");
    then_talked(t, "next: kubectl sei status fleet/a");
}

TEST(an_impossible_rollout_undo_or_abort_is_refused_with_the_cause)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_fleet(t, "a", "{}");

    then_int(type(t, "rollout undo n"), EXIT_MISUSED);
    then_talked(t, "node/n is a node, and rollout undo is about fleets");
    then_int(type(t, "rollout undo a"), EXIT_MISUSED);
    then_talked(t, "has no template of before that every node had reached");
    then_int(type(t, "rollout abort a"), EXIT_MISUSED);
    then_talked(t, "has no template that every node has reached");
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        "{status: {completeRevision: '0123456789abcdef'}}");
    then_int(type(t, "rollout abort a"), EXIT_MISUSED);
    then_talked(t, "ControllerRevision a-0123456789abcdef");
    then_talked(t, "is gone");
    then_int(t->writes, 0);
}

/* Somebody edits between our look and our write. */
static Err *edit_first(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    if (request_is_write(request) && t->writes++ == 0)
        given_patch(t,
            kind_seinodedeployment,
            "a",
            NULL,
            "{spec: {template: {spec: {image: 'ghcr.io/sei-protocol/sei:v3'}}}}");
    return t->api->call(t->api, a, request, ret);
}

TEST(rollout_abort_is_repeated_if_the_fleet_changed_meanwhile)
{
    SCOPED_TERMINAL t = terminal_open();
    given_rollout(t);
    t->faulty.call = edit_first;

    then_int(type(t, "rollout abort a"), EXIT_FINE);
    then_int(t->writes, 2);
    then_json(json_find(seen(t, kind_seinodedeployment, "a"), ".spec.template"), old_template);
}

TEST(set_image_writes_the_image_of_a_node_or_of_a_template)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_fleet(t, "a", "{}");

    then_int(type(t, "set image n " NEW_IMAGE), EXIT_FINE);
    then_str(json_str(seen(t, kind_seinode, "n"), ".spec.image"), NEW_IMAGE);
    then_said(t, "node/n image " OLD_IMAGE " -> " NEW_IMAGE);
    then_int(type(t, "set image a " NEW_IMAGE), EXIT_FINE);
    then_str(
        json_str(seen(t, kind_seinodedeployment, "a"), ".spec.template.spec.image"), NEW_IMAGE);
    then_int(type(t, "set image a " NEW_IMAGE), EXIT_FINE);
    then_said(t, "has the image " NEW_IMAGE " already");
    then_int(t->writes, 0);
}

/* --- what keeps a change from the pods --- */

#define FLEET_IS(what) "{spec: {" what ", replicas: 3}}"
#define HOLD           "updateStrategy: {type: 'InPlace', hold: true}"

static const struct {
    const char *name, *fleet, *line, *warning, *next;
} kept_back[] = {
    {"an image of a held fleet",
        FLEET_IS(HOLD),
        "set image a " NEW_IMAGE,
        "warning: fleet/a is held (spec.updateStrategy.hold): no node is updated until `kubectl "
        "sei rollout resume fleet/a`\n",
        "next: kubectl sei rollout resume fleet/a\n"},
    {"an image of a paused fleet",
        FLEET_IS("paused: true"),
        "set image a " NEW_IMAGE,
        "warning: fleet/a is paused (spec.paused): no node is updated until `kubectl sei unpause "
        "fleet/a`\n",
        "next: kubectl sei status fleet/a\n"},
    {"an image of a fleet that is both",
        FLEET_IS("paused: true, " HOLD),
        "set image a " NEW_IMAGE,
        "warning: fleet/a is paused (spec.paused): ",
        "next: kubectl sei status fleet/a\n"},
    {"a restart of a held fleet",
        FLEET_IS(HOLD),
        "rollout restart a",
        "warning: fleet/a is held (spec.updateStrategy.hold): ",
        "next: kubectl sei rollout resume fleet/a\n"},
    {"a promotion of a held fleet",
        FLEET_IS("updateStrategy: {type: 'InPlace', hold: true, partition: 2}"),
        "rollout promote a",
        "warning: fleet/a is held (spec.updateStrategy.hold): ",
        "next: kubectl sei rollout resume fleet/a\n"},
    {"an image of a held fleet, not sent",
        FLEET_IS(HOLD),
        "set image a " NEW_IMAGE " --dry-run",
        "warning: fleet/a is held (spec.updateStrategy.hold): ",
        "nothing was changed\n"},
};

TEST(a_change_of_a_held_or_paused_fleet_warns_that_no_node_gets_it_yet)
{
    each_case(i, kept_back) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t, "a", kept_back[i].fleet);

        then_int(type(t, kept_back[i].line), EXIT_FINE);
        then_talked(t, kept_back[i].warning);
        then_talked(t, kept_back[i].next);
    }
}

TEST(set_image_of_a_paused_node_warns_that_its_pod_gets_it_later)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{spec: {paused: true}}");

    then_int(type(t, "set image n " NEW_IMAGE), EXIT_FINE);
    then_talked(t,
        "warning: node/n is paused (spec.paused): its pod is not updated until `kubectl sei "
        "unpause node/n`\n");
}

TEST(set_image_of_a_running_fleet_prints_no_warning)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");

    then_int(type(t, "set image a " NEW_IMAGE), EXIT_FINE);
    then_str(talked(t), "next: kubectl sei rollout status fleet/a\n");
}

TEST(set_image_accepts_a_registry_with_an_ip_address)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");

    then_int(type(t, "set image n [::1]:5000/sei:v1"), EXIT_FINE);
    then_str(json_str(seen(t, kind_seinode, "n"), ".spec.image"), "[::1]:5000/sei:v1");
}

TEST(set_image_refuses_an_invalid_image)
{
    static const char *const images[] = {"''", "'a b'", "foo:", "foo@sha256:zz", "foo@sha256:0123"};
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");

    for (size_t i = 0; i < array_count(images); i++) {
        then_int(type(t, str_format(t->arena, "set image a %s", images[i])), EXIT_MISUSED);
        then_talked(t, "is no image: say one such as registry/sei:v6.4.2");
        then_int(t->writes, 0);
    }
}

TEST(set_image_of_a_node_in_a_fleet_is_refused_and_names_the_fleet)
{
    SCOPED_TERMINAL t = terminal_open();
    const Json *fleet = given_fleet(t, "a", "{}");

    given_node(t,
        "a-0",
        str_format(t->arena,
            "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: "
            "'SeiNodeDeployment', name: 'a', uid: '%s', controller: true}]}}",
            meta_uid(fleet)));
    then_int(type(t, "set image a-0 " NEW_IMAGE), EXIT_MISUSED);
    then_talked(t, "node/a-0 belongs to fleet/a");
    then_talked(t, "kubectl sei set image fleet/a " NEW_IMAGE);
    then_int(t->writes, 0);
}

TEST(a_dry_run_of_set_image_prints_the_patch_and_changes_nothing)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    const Json *before = seen(t, kind_seinodedeployment, "a");

    then_int(type(t, "set image a " NEW_IMAGE " --dry-run"), EXIT_FINE);
    then_json(
        json_fixture(t->arena, said(t)), "{spec: {template: {spec: {image: '" NEW_IMAGE "'}}}}");
    then_int(t->writes, 0);
    then_int(type(t, "set image a " NEW_IMAGE " --dry-run=server"), EXIT_FINE);
    then_talked(t, "is what the server would accept");
    then_int(
        type(t,
            "set image a " NEW_IMAGE " --dry-run=server -o jsonpath={.spec.template.spec.image}"),
        EXIT_FINE);
    then_str(said(t), NEW_IMAGE);
    then_true(json_equal(before, seen(t, kind_seinodedeployment, "a")));
}

/* The write goes out, and no answer comes. */
static Err *lose_answer(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    Err *err = t->api->call(t->api, a, request, ret);

    if (!request_is_write(request))
        return err;
    err = err_retry(a, "connection reset");
    err->outcome_unknown = true;
    return err;
}

TEST(a_write_whose_answer_was_lost_is_reported_as_possibly_done)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    t->faulty.call = lose_answer;

    then_int(type(t, "rollout hold a"), EXIT_UNREACHABLE);
    then_talked(t, "it may have been done all the same");
    then_str(said(t), "");
}

TEST(a_rollout_command_can_print_the_object)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");

    then_int(type(t, "rollout hold a -o name"), EXIT_FINE);
    then_str(said(t), "seinodedeployment.sei.io/a\n");
    then_int(type(t, "rollout resume a -o json"), EXIT_FINE);
    then_json(json_find(json_fixture(t->arena, said(t)), ".spec.updateStrategy"),
        "{type: 'InPlace', hold: false}");
    then_true(!strstr(said(t), "managedFields"));
}

static const struct {
    const char *name, *metadata, *want;
} managed[] = {
    {"nobody", "{}", NULL},
    {"Flux",
        "{labels: {'kustomize.toolkit.fluxcd.io/name': 'apps', "
        "'kustomize.toolkit.fluxcd.io/namespace': 'flux-system'}}",
        "Flux (Kustomization flux-system/apps)"},
    {"Flux with Helm",
        "{labels: {'helm.toolkit.fluxcd.io/name': 'sei', "
        "'helm.toolkit.fluxcd.io/namespace': 'x'}}",
        "Flux (HelmRelease x/sei)"},
    {"Argo CD by its annotation",
        "{annotations: {'argocd.argoproj.io/tracking-id': 'app:sei.io/SeiNode:x/y'}}",
        "Argo CD (Application app)"},
    {"Argo CD by its label",
        "{labels: {'argocd.argoproj.io/instance': 'app'}}",
        "Argo CD (Application app)"},
    {"Argo CD by its name in an annotation",
        "{annotations: {'argocd.argoproj.io/instance': 'app'}}",
        "Argo CD (Application app)"},
    {"a common label", "{labels: {'app.kubernetes.io/instance': 'app'}}", NULL},
};

TEST(a_change_that_git_will_revert_prints_a_warning)
{
    each_case(i, managed) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t,
            "a",
            str_format(t->arena, "{metadata: %s, status: {phase: 'Failed'}}", managed[i].metadata));

        then_int(type(t, "set image a " NEW_IMAGE), EXIT_FINE);
        if (managed[i].want) {
            then_talked(t, managed[i].want);
            then_talked(t, "  spec.template.spec.image: " NEW_IMAGE "\n");
        }
        then_true(!!managed[i].want == !!strstr(talked(t), "warning"));
        then_int(type(t, "rollout retry a"), EXIT_FINE);
        then_int(t->writes, 1);
        then_true(!strstr(talked(t), "warning"));
    }
}

TEST(argo_cd_is_recognized_by_its_managed_fields)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{metadata: {labels: {'app.kubernetes.io/instance': 'app'}}}");
    terminal_ask(t,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_seinodedeployment,
            .key = {"default", "a"},
            .manager = "argocd-controller",
            .body = json_fixture(t->arena, "{metadata: {annotations: {x: 'y'}}}")});

    then_int(type(t, "rollout hold a"), EXIT_FINE);
    then_talked(t, "Argo CD (Application app)");
    then_talked(t, "  spec.updateStrategy.hold: true\n");
}
