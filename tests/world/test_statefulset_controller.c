/* The StatefulSet controller on a stage, where the tester is the kubelet. What it does was looked
 * up in kube-controller-manager 1.34 (pkg/controller/statefulset); cases "as there" were also
 * watched on a running one. */
#include "tests/world/stage.h"

static const char web[] =
    "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'web', annotations: {note: "
    "'x'}},"
    " spec: {serviceName: 'webs', replicas: 1, updateStrategy: {type: 'OnDelete'},"
    "  selector: {matchLabels: {app: 'web'}},"
    "  template: {metadata: {labels: {app: 'web', extra: 'y'}, annotations: {a: 'b'}},"
    "   spec: {nodeName: 'n', terminationGracePeriodSeconds: 30,"
    "    containers: [{name: 'c', image: 'i:1'}]}}}}";

static Stage *web_open_with(const char *changes, bool completes_on_delete)
{
    Stage *s = stage_open();
    StatefulSetControllerOptions options = {
        .base = stage_options(s), .completes_on_delete = completes_on_delete};
    const Json *set = json_merge(
        s->arena, json_fixture(s->arena, web), json_fixture(s->arena, changes ? changes : "{}"));

    world_add(s->world, statefulset_controller_open(&options));
    told(s, (Request){.verb = VERB_CREATE, .kind = kind_statefulset, .body = set});
    pass(s, 5);
    return s;
}

static Stage *web_open(const char *changes)
{
    return web_open_with(changes, false);
}

/* "web-0=1 web-1=2†": pods with the tag of their image, those that are going with a dagger. */
static const char *pods(Stage *s)
{
    const Json *list = told(s, (Request){.verb = VERB_LIST, .kind = kind_pod}), *pod;
    const char *text = "";

    json_each(pod, json_find(list, ".items"))
        text = str_format(s->arena,
            "%s%s%s=%s%s",
            text,
            *text ? " " : "",
            meta_name(pod),
            json_str(pod, ".spec.containers[0].image") + 2,
            meta_deleting(pod) ? "†" : "");
    return text;
}

/* One word of a script, and five seconds. */
static void act(Stage *s, const char *word)
{
    const char *rest = strchr(word, ':');
    rest = rest ? rest + 1 : "";
    const char *pod = str_format(s->arena, "web-%s", rest);

    if (str_has_prefix(word, "run:"))
        run_pod(s, pod);
    else if (str_has_prefix(word, "unready:"))
        unready_pod(s, pod);
    else if (str_has_prefix(word, "fail:"))
        end_pod(s, pod, "Failed");
    else if (str_has_prefix(word, "drop:"))
        drop(s, kind_pod, pod, PROPAGATION_DEFAULT);
    else if (str_has_prefix(word, "bury:"))
        bury_pod(s, pod);
    else if (str_has_prefix(word, "scale:"))
        patch(s, kind_statefulset, "web", str_format(s->arena, "{spec: {replicas: %s}}", rest));
    else if (str_has_prefix(word, "image:"))
        patch(s,
            kind_statefulset,
            "web",
            str_format(s->arena,
                "{spec: {template: {spec: {containers: [{name: 'c', image: 'i:%s'}]}}}}",
                rest));
    else if (str_has_prefix(word, "partition:"))
        patch(s,
            kind_statefulset,
            "web",
            str_format(
                s->arena, "{spec: {updateStrategy: {rollingUpdate: {partition: %s}}}}", rest));
    else
        fail_msg("no such word: %s", word);
    pass(s, 5);
}

static void play(Stage *s, const char *script)
{
    char *rest = NULL, *words = (char *)(uintptr_t)str_copy(s->arena, script);

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        act(s, word);
}

#define ROLLING                                                                                    \
    "{spec: {replicas: 3, updateStrategy: {type: 'RollingUpdate', rollingUpdate: {partition: "     \
    "0}}}}"
#define PARALLEL "{spec: {replicas: 3, podManagementPolicy: 'Parallel'}}"

static const struct {
    const char *name, *set, *script, *pods;
} cases[] = {
    {"a set gets its pod", .pods = "web-0=1"},
    {"in order the second waits for the first", "{spec: {replicas: 3}}", "", "web-0=1"},
    {"in order the third waits for the second",
        "{spec: {replicas: 3}}",
        "run:0 unready:1",
        "web-0=1 web-1=1"},
    {"in order all come", "{spec: {replicas: 3}}", "run:0 run:1", "web-0=1 web-1=1 web-2=1"},
    {"in parallel all come at once", PARALLEL, "", "web-0=1 web-1=1 web-2=1"},
    {"ordinals may start elsewhere", "{spec: {ordinals: {start: 7}}}", "", "web-7=1"},

    {"a pod that is gone is created again", NULL, "run:0 bury:0", "web-0=1"},
    {"a pod that is going is waited for", NULL, "run:0 drop:0", "web-0=1†"},
    {"a terminated pod is created again", NULL, "run:0 drop:0 bury:0", "web-0=1"},
    {"a pod that failed is created again", NULL, "run:0 image:2 fail:0", "web-0=2"},

    {"OnDelete replaces nothing", NULL, "run:0 image:2", "web-0=1"},
    {"OnDelete makes a missing pod from the new template", NULL, "run:0 image:2 bury:0", "web-0=2"},
    {"OnDelete replaces no pod that never got ready", NULL, "image:2", "web-0=1"},

    {"a rolling update begins at the top",
        ROLLING,
        "run:0 run:1 run:2 image:2",
        "web-0=1 web-1=1 web-2=1†"},
    {"it goes on when the new one is ready",
        ROLLING,
        "run:0 run:1 run:2 image:2 bury:2 run:2",
        "web-0=1 web-1=1† web-2=2"},
    {"it waits for the new one",
        ROLLING,
        "run:0 run:1 run:2 image:2 bury:2 unready:2",
        "web-0=1 web-1=1 web-2=2"},
    {"it comes to an end",
        ROLLING,
        "run:0 run:1 run:2 image:2 bury:2 run:2 bury:1 run:1 bury:0 run:0",
        "web-0=2 web-1=2 web-2=2"},
    {"a partition holds it",
        ROLLING,
        "partition:2 run:0 run:1 run:2 image:2 bury:2 run:2",
        "web-0=1 web-1=1 web-2=2"},
    {"below the partition a missing pod is made as it was",
        ROLLING,
        "partition:2 run:0 run:1 run:2 image:2 bury:2 run:2 bury:0",
        "web-0=1 web-1=1 web-2=2"},

    {"scaling down takes the highest first",
        "{spec: {replicas: 3}}",
        "run:0 run:1 run:2 scale:1",
        "web-0=1 web-1=1 web-2=1†"},
    {"and one after the other",
        "{spec: {replicas: 3}}",
        "run:0 run:1 run:2 scale:1 bury:2",
        "web-0=1 web-1=1†"},
    {"with ordered management an unready lower pod stops scaling down",
        "{spec: {replicas: 3}}",
        "run:0 run:1 run:2 unready:0 scale:1",
        "web-0=1 web-1=1 web-2=1"},
    {"in parallel all go at once",
        PARALLEL,
        "run:0 run:1 run:2 scale:1",
        "web-0=1 web-1=1† web-2=1†"},
    {"scaling to none", NULL, "run:0 scale:0 bury:0", ""},
};

TEST(a_statefulset_keeps_the_pods_that_its_spec_requests)
{
    each_case(i, cases) {
        SCOPED_STAGE s = web_open(cases[i].set);

        play(s, cases[i].script ? cases[i].script : "");

        then_str(pods(s), cases[i].pods);
    }
}

TEST(a_pod_has_the_identity_of_its_statefulset)
{
    SCOPED_STAGE s = web_open(NULL);
    const Json *pod = look(s, kind_pod, "web-0"), *set = look(s, kind_statefulset, "web");

    then_str(json_str(pod, ".spec.hostname"), "web-0");
    then_str(json_str(pod, ".spec.subdomain"), "webs");
    then_str(json_str(pod, ".metadata.generateName"), "web-");
    then_str(meta_annotation(pod, "a"), "b");
    then_str(meta_label(pod, "extra"), "y");
    then_str(meta_label(pod, "statefulset.kubernetes.io/pod-name"), "web-0");
    then_str(meta_label(pod, "apps.kubernetes.io/pod-index"), "0");
    then_str(meta_label(pod, "controller-revision-hash"), json_str(set, ".status.updateRevision"));
    then_true(meta_controlled_by(pod, set));
    then_true(json_bool(pod, ".metadata.ownerReferences[0].blockOwnerDeletion", false));
}

/* --- claims --- */

#define WITH_CLAIM                                                                                 \
    "{spec: {volumeClaimTemplates: [{metadata: {name: 'data', labels: {l: 'm'}},"                  \
    " spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'fast',"                            \
    " resources: {requests: {storage: '1Gi'}}}}]}}"

TEST(a_pod_gets_its_pvcs_first_and_they_are_never_deleted)
{
    SCOPED_STAGE s = web_open(WITH_CLAIM);
    const Json *claim = look(s, kind_pvc, "data-web-0"), *pod = look(s, kind_pod, "web-0");

    then_str(json_str(claim, ".spec.resources.requests.storage"), "1Gi");
    then_str(meta_label(claim, "app"), "web");
    then_str(meta_label(claim, "l"), "m");
    then_true(!json_find(claim, ".metadata.ownerReferences"));
    then_str(json_str(pod, ".spec.volumes[0].name"), "data");
    then_str(json_str(pod, ".spec.volumes[0].persistentVolumeClaim.claimName"), "data-web-0");
    then_true(meta_version_compare(meta_resource_version(claim), meta_resource_version(pod)) < 0);

    play(s, "run:0 scale:0 bury:0");
    then_str(meta_uid(look(s, kind_pvc, "data-web-0")), meta_uid(claim));
}

TEST(a_terminating_pvc_prevents_the_creation_of_its_pod)
{
    SCOPED_STAGE s = web_open(WITH_CLAIM);

    drop(s, kind_pvc, "data-web-0", PROPAGATION_DEFAULT);
    play(s, "run:0 bury:0");
    then_str(pods(s), "");
    patch(s, kind_pvc, "data-web-0", "{metadata: {finalizers: null}}");
    pass(s, 30);
    then_str(pods(s), "web-0=1");
    then_true(!meta_deleting(look(s, kind_pvc, "data-web-0")));
}

/* --- revisions --- */

static const char *revision_of(Stage *s, const char *which)
{
    return json_text(json_member(json_find(look(s, kind_statefulset, "web"), ".status"), which));
}

TEST(a_controller_revision_has_the_template_and_the_annotations_of_its_statefulset)
{
    SCOPED_STAGE s = web_open(NULL);
    const Json *revision = look(s, kind_controllerrevision, revision_of(s, "updateRevision"));

    then_int(json_int(revision, ".revision", 0), 1);
    then_str(json_str(revision, ".data.spec.template.$patch"), "replace");
    then_str(json_str(revision, ".data.spec.template.spec.containers[0].image"), "i:1");
    then_str(meta_annotation(revision, "note"), "x");
    then_str(meta_label(revision, "app"), "web");
    then_true(
        str_has_suffix(meta_name(revision), meta_label(revision, "controller.kubernetes.io/hash")));
    then_true(meta_controlled_by(revision, look(s, kind_statefulset, "web")));
}

/* As there. */
TEST(with_on_delete_the_current_revision_never_changes)
{
    SCOPED_STAGE s = web_open(NULL);
    const char *first = revision_of(s, "updateRevision");

    then_str(revision_of(s, "currentRevision"), first);
    play(s, "run:0 image:2 bury:0 run:0");
    then_true(!str_eq(revision_of(s, "updateRevision"), first));
    then_str(revision_of(s, "currentRevision"), first);
    then_json(json_find(look(s, kind_statefulset, "web"), ".status.currentReplicas"), NULL);
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.updatedReplicas", 0), 1);
}

TEST(with_the_fixed_controller_the_current_revision_follows_when_all_pods_are_updated)
{
    SCOPED_STAGE s = web_open_with(NULL, true);
    const char *first = revision_of(s, "updateRevision");

    play(s, "run:0 image:2");
    then_str(revision_of(s, "currentRevision"), first);
    play(s, "bury:0");
    then_str(revision_of(s, "currentRevision"), first);
    play(s, "run:0");
    then_str(revision_of(s, "currentRevision"), revision_of(s, "updateRevision"));
    then_true(!str_eq(revision_of(s, "currentRevision"), first));
}

TEST(a_rolling_update_changes_the_current_revision_when_it_ends)
{
    SCOPED_STAGE s = web_open("{spec: {updateStrategy: {type: 'RollingUpdate'}}}");
    const char *first = revision_of(s, "updateRevision");

    play(s, "run:0 image:2 bury:0");
    then_str(revision_of(s, "currentRevision"), first);
    play(s, "run:0");
    then_str(revision_of(s, "currentRevision"), revision_of(s, "updateRevision"));
}

TEST(a_revert_reuses_the_old_revision_with_a_new_number)
{
    SCOPED_STAGE s = web_open(NULL);
    const char *first = revision_of(s, "updateRevision");

    play(s, "run:0 image:2 image:1");
    then_str(revision_of(s, "updateRevision"), first);
    then_int(json_int(look(s, kind_controllerrevision, first), ".revision", 0), 3);
    then_true(strchr(names(s, kind_controllerrevision), ' '));
}

TEST(the_number_of_unused_revisions_is_limited)
{
    SCOPED_STAGE s = web_open("{spec: {revisionHistoryLimit: 1}}");
    const Json *list;

    play(s, "run:0 image:2 image:3 image:4 image:5");
    list =
        json_find(told(s, (Request){.verb = VERB_LIST, .kind = kind_controllerrevision}), ".items");
    then_int(json_count(list), 3);
    then_true(look(s, kind_controllerrevision, revision_of(s, "currentRevision")));
    then_true(look(s, kind_controllerrevision, revision_of(s, "updateRevision")));
}

TEST(a_revision_name_that_is_taken_increments_the_collision_count)
{
    SCOPED_STAGE s = web_open(NULL);
    const char *second;

    play(s, "image:2");
    second = revision_of(s, "updateRevision");
    play(s, "image:1");
    drop(s, kind_controllerrevision, second, PROPAGATION_DEFAULT);
    create(s,
        kind_controllerrevision,
        str_format(s->arena, "{metadata: {name: '%s'}, data: {}, revision: 1}", second));
    play(s, "image:2");
    then_true(!str_eq(revision_of(s, "updateRevision"), second));
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.collisionCount", 0), 1);
    /* as there: the label is of the name that was tried first */
    then_str(str_format(s->arena,
                 "web-%s",
                 meta_label(look(s, kind_controllerrevision, revision_of(s, "updateRevision")),
                     "controller.kubernetes.io/hash")),
        second);
}

TEST(an_orphaned_revision_with_the_right_name_and_data_is_used)
{
    SCOPED_STAGE s = web_open(NULL);
    const char *first = revision_of(s, "updateRevision");

    patch(s, kind_controllerrevision, first, "{metadata: {labels: null, ownerReferences: null}}");
    play(s, "scale:2 run:0");
    then_str(pods(s), "web-0=1 web-1=1");
    then_str(revision_of(s, "updateRevision"), first);
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.collisionCount", 0), 0);
    then_str(names(s, kind_controllerrevision), first);
}

/* --- status --- */

static const struct {
    const char *name, *set, *script, *status;
} statuses[] = {
    {"a new pod counts as current and updated",
        NULL,
        "",
        "{observedGeneration: 1, replicas: 1, currentReplicas: 1, updatedReplicas: 1,"
        " availableReplicas: 0, collisionCount: 0}"},
    {"a ready one as ready and available",
        NULL,
        "run:0",
        "{observedGeneration: 1, replicas: 1, readyReplicas: 1, currentReplicas: 1,"
        " updatedReplicas: 1, availableReplicas: 1, collisionCount: 0}"},
    {"one of the old template as current only",
        NULL,
        "run:0 image:2",
        "{observedGeneration: 2, replicas: 1, readyReplicas: 1, currentReplicas: 1,"
        " availableReplicas: 1, collisionCount: 0}"},
    {"one that is going as a replica that is ready",
        NULL,
        "run:0 drop:0",
        "{observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1,"
        " collisionCount: 0}"},
    {"and none as nothing",
        NULL,
        "run:0 scale:0 bury:0",
        "{observedGeneration: 2, replicas: 0, availableReplicas: 0, collisionCount: 0}"},
};

TEST(the_status_of_a_statefulset_counts_its_pods_by_state_and_revision)
{
    each_case(i, statuses) {
        SCOPED_STAGE s = web_open(statuses[i].set);

        play(s, statuses[i].script);

        const Json *without =
            json_fixture(s->arena, "{currentRevision: null, updateRevision: null}");
        const Json *status = json_find(look(s, kind_statefulset, "web"), ".status");
        then_json(json_merge(s->arena, status, without), statuses[i].status);
    }
}

TEST(the_observed_generation_of_a_statefulset_lags_behind)
{
    SCOPED_STAGE s = web_open(NULL);

    patch(s, kind_statefulset, "web", "{spec: {template: {metadata: {annotations: {a: 'c'}}}}}");
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.observedGeneration", 0), 1);
    pass(s, 5);
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.observedGeneration", 0), 2);
}

TEST(a_pod_is_available_when_it_was_ready_for_min_ready_seconds)
{
    SCOPED_STAGE s = web_open("{spec: {minReadySeconds: 20}}");

    play(s, "run:0");
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.availableReplicas", -1), 0);
    pass(s, 60);
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.availableReplicas", -1), 1);
}

TEST(a_statefulset_at_rest_causes_no_writes)
{
    SCOPED_STAGE s = web_open(NULL);

    play(s, "run:0");
    uint64_t version = server_version(world_server(s->world));
    pass(s, 3600);
    then_int(server_version(world_server(s->world)), version);
}

/* --- whose pods --- */

#define STRAY                                                                                      \
    "{metadata: {name: 'web-0', labels: {app: '%s'}},"                                             \
    " spec: {nodeName: 'n', terminationGracePeriodSeconds: 30,"                                    \
    " containers: [{name: 'c', image: 'i:0'}]}}"

TEST(an_orphaned_pod_that_matches_a_statefulset_is_adopted)
{
    SCOPED_STAGE s = web_open("{spec: {replicas: 0}}");

    create(s, kind_pod, str_format(s->arena, STRAY, "web"));
    play(s, "scale:1 run:0");
    then_true(meta_controlled_by(look(s, kind_pod, "web-0"), look(s, kind_statefulset, "web")));
    then_str(meta_label(look(s, kind_pod, "web-0"), "statefulset.kubernetes.io/pod-name"), "web-0");
    then_str(pods(s), "web-0=0");
}

TEST(a_pod_with_the_expected_name_and_other_labels_blocks_the_statefulset)
{
    SCOPED_STAGE s = web_open("{spec: {replicas: 0}}");

    create(s, kind_pod, str_format(s->arena, STRAY, "other"));
    play(s, "scale:1");
    then_true(!meta_controller(look(s, kind_pod, "web-0")));
    then_str(pods(s), "web-0=0");
}

TEST(a_terminating_orphaned_pod_is_not_adopted)
{
    SCOPED_STAGE s = web_open("{spec: {replicas: 0}}");

    create(s, kind_pod, str_format(s->arena, STRAY, "web"));
    drop(s, kind_pod, "web-0", PROPAGATION_DEFAULT);
    pass(s, 5);
    then_true(meta_deleting(look(s, kind_pod, "web-0")));
    play(s, "scale:1");
    then_true(!meta_controller(look(s, kind_pod, "web-0")));
    play(s, "bury:0");
    pass(s, 30);
    then_str(pods(s), "web-0=1");
}

TEST(a_pod_that_no_longer_matches_its_statefulset_is_released)
{
    SCOPED_STAGE s = web_open(NULL);

    play(s, "run:0");
    patch(s, kind_pod, "web-0", "{metadata: {labels: {app: 'other'}}}");
    pass(s, 5);
    then_true(!meta_controller(look(s, kind_pod, "web-0")));
    then_int(json_int(look(s, kind_statefulset, "web"), ".status.replicas", -1), 0);
}

TEST(a_terminating_statefulset_creates_and_adopts_no_pods)
{
    SCOPED_STAGE s = web_open(NULL);

    patch(s, kind_statefulset, "web", "{metadata: {finalizers: ['test.io/hold']}}");
    drop(s, kind_statefulset, "web", PROPAGATION_BACKGROUND);
    play(s, "run:0 bury:0");
    then_str(pods(s), "");
    create(s, kind_pod, str_format(s->arena, STRAY, "web"));
    pass(s, 5);
    then_true(!meta_controller(look(s, kind_pod, "web-0")));
}

TEST(a_recreated_statefulset_adopts_the_pods_and_revisions_of_the_old_one)
{
    SCOPED_STAGE s = web_open(NULL);
    const Json *set = json_fixture(s->arena, web);
    const char *revision = revision_of(s, "updateRevision");

    play(s, "run:0");
    patch(s, kind_pod, "web-0", "{metadata: {ownerReferences: null}}");
    patch(s, kind_controllerrevision, revision, "{metadata: {ownerReferences: null}}");
    drop(s, kind_statefulset, "web", PROPAGATION_BACKGROUND);
    told(s, (Request){.verb = VERB_CREATE, .kind = kind_statefulset, .body = set});
    pass(s, 10);
    set = look(s, kind_statefulset, "web");
    then_true(meta_controlled_by(look(s, kind_pod, "web-0"), set));
    then_true(meta_controlled_by(look(s, kind_controllerrevision, revision), set));
    then_str(names(s, kind_controllerrevision), revision);
}
