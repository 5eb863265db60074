/* The Job controller on a stage, where the tester is the kubelet. What it does was looked up in
 * kube-controller-manager 1.34 (pkg/controller/job) and watched on a running one: the order of the
 * writes and the fields of the status are those that were seen there. */
#include "tests/world/stage.h"

static const char job[] = "{apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'j'},"
                          " spec: {backoffLimit: 0, template: {metadata: {labels: {x: 'z'}},"
                          "  spec: {nodeName: 'n', restartPolicy: 'Never',"
                          "   terminationGracePeriodSeconds: 30,"
                          "   containers: [{name: 'c', image: 'i:1'}]}}}}";

static Stage *job_open(const char *changes)
{
    static const Kind *const kinds[] = {kind_job, kind_pod, NULL};
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);
    const Json *body = json_merge(
        s->arena, json_fixture(s->arena, job), json_fixture(s->arena, changes ? changes : "{}"));

    world_add(s->world, job_controller_open(&options));
    world_add(s->world, garbage_collector_open(&options, kinds));
    told(s, (Request){.verb = VERB_CREATE, .kind = kind_job, .body = body});
    pass(s, 5);
    return s;
}

static const Json *pods(Stage *s)
{
    return json_find(told(s, (Request){.verb = VERB_LIST, .kind = kind_pod}), ".items");
}

static bool is_over(const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");

    return str_eq(phase, "Failed") || str_eq(phase, "Succeeded");
}

/* The name of a pod that is not over. */
static const char *live_pod(Stage *s)
{
    const Json *all = pods(s), *pod;

    json_each(pod, all)
        if (!is_over(pod))
            return meta_name(pod);
    fail_msg("no pod lives");
    return NULL;
}

/* "live live! over going": what the pods are; tracked ones have a mark. */
static const char *pods_text(Stage *s)
{
    const char *text = "";
    const Json *all = pods(s), *pod;

    json_each(pod, all)
        text = str_format(s->arena,
            "%s%s%s%s",
            text,
            *text ? " " : "",
            meta_deleting(pod) ? "going"
                : is_over(pod) ? "over"
                               : "live",
            meta_has_finalizer(pod, "batch.kubernetes.io/job-tracking") ? "!" : "");
    return text;
}

/* "active 1, succeeded 2, failed 3; Complete ...": the counts that are not zero, and the conditions
 * that are true. */
static const char *status_text(Stage *s)
{
    static const char *const counts[] = {"active", "ready", "terminating", "succeeded", "failed"};
    const Json *status = json_find(look(s, kind_job, "j"), ".status"), *condition;
    const char *text = "";

    for (size_t i = 0; i < array_count(counts); i++) {
        int64_t count = json_int(json_member(status, counts[i]), "", 0);
        if (count)
            text =
                str_format(s->arena, "%s%s%s %d", text, *text ? ", " : "", counts[i], (int)count);
    }
    json_each(condition, json_find(status, ".conditions"))
        if (str_eq(json_str(condition, ".status"), "True"))
            text = str_format(s->arena, "%s; %s", text, json_str(condition, ".type"));
    return text;
}

static void act(Stage *s, const char *word)
{
    if (str_eq(word, "run"))
        run_pod(s, live_pod(s));
    else if (str_eq(word, "succeed"))
        end_pod(s, live_pod(s), "Succeeded");
    else if (str_eq(word, "fail"))
        end_pod(s, live_pod(s), "Failed");
    else if (str_eq(word, "drop"))
        drop(s, kind_pod, live_pod(s), PROPAGATION_DEFAULT);
    else if (str_eq(word, "bury"))
        bury_pod(s, live_pod(s));
    else if (str_eq(word, "suspend"))
        patch(s, kind_job, "j", "{spec: {suspend: true}}");
    else if (str_eq(word, "resume"))
        patch(s, kind_job, "j", "{spec: {suspend: false}}");
    else if (str_has_prefix(word, "pass:"))
        pass(s, strtol(word + 5, NULL, 10));
    else
        fail_msg("no such word: %s", word);
    pass(s, 5);
}

static const struct {
    const char *name, *job, *script, *pods, *status;
} cases[] = {
    {"a Job gets a pod that is tracked", NULL, "", "live!", "active 1"},
    {"a ready pod is counted", NULL, "run", "live!", "active 1, ready 1"},
    {"a success completes it",
        NULL,
        "run succeed",
        "over",
        "succeeded 1; SuccessCriteriaMet; Complete"},
    {"without retries a failure fails it",
        NULL,
        "run fail",
        "over",
        "failed 1; FailureTarget; Failed"},
    {"a pod that goes counts as failed, and holds the end",
        NULL,
        "run drop",
        "going",
        "terminating 1, failed 1; FailureTarget"},
    {"until it is gone", NULL, "run drop bury", "", "failed 1; FailureTarget; Failed"},

    {"a retry waits ten seconds", "{spec: {backoffLimit: 3}}", "run fail", "over", "failed 1"},
    {"and then comes",
        "{spec: {backoffLimit: 3}}",
        "run fail pass:10",
        "live! over",
        "active 1, failed 1"},
    {"the second waits twenty",
        "{spec: {backoffLimit: 3}}",
        "run fail pass:10 fail pass:5",
        "over over",
        "failed 2"},
    {"the limit is a limit",
        "{spec: {backoffLimit: 1}}",
        "fail pass:10 fail",
        "over over",
        "failed 2; FailureTarget; Failed"},
    {"a retry can succeed",
        "{spec: {backoffLimit: 1}}",
        "fail pass:10 succeed",
        "over over",
        "succeeded 1, failed 1; SuccessCriteriaMet; Complete"},

    {"two of three at a time",
        "{spec: {completions: 3, parallelism: 2}}",
        "",
        "live! live!",
        "active 2"},
    {"the third comes when one is done",
        "{spec: {completions: 3, parallelism: 2}}",
        "succeed",
        "live! live! over",
        "active 2, succeeded 1"},
    {"no more than are wanted",
        "{spec: {completions: 3, parallelism: 2}}",
        "succeed succeed",
        "live! over over",
        "active 1, succeeded 2"},

    {"a suspended Job has no pod", "{spec: {suspend: true}}", "", "", "; Suspended"},
    {"resuming gives it one", "{spec: {suspend: true}}", "resume", "live!", "active 1"},
    {"suspending takes it away uncounted", NULL, "run suspend bury", "", "; Suspended"},

    {"past its deadline it fails, and its pod goes",
        "{spec: {activeDeadlineSeconds: 60}}",
        "run pass:60",
        "going",
        "terminating 1, failed 1; FailureTarget"},
    {"before its deadline it runs",
        "{spec: {activeDeadlineSeconds: 60}}",
        "run pass:20",
        "live!",
        "active 1, ready 1"},
};

/* The order of the server's list follows random names. */
static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static const char *sorted(Stage *s, const char *text)
{
    char *words[16], *rest = NULL, *copy = (char *)(uintptr_t)str_copy(s->arena, text);
    size_t count = 0;

    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    qsort(words, count, sizeof *words, by_text);
    text = "";
    for (size_t i = 0; i < count; i++)
        text = str_format(s->arena, "%s%s%s", text, i ? " " : "", words[i]);
    return text;
}

TEST(a_job_runs_its_pods_and_reports_their_results)
{
    each_case(i, cases) {
        SCOPED_STAGE s = job_open(cases[i].job);
        char *rest = NULL, *words = (char *)(uintptr_t)str_copy(s->arena, cases[i].script);

        for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            act(s, word);

        then_str(sorted(s, pods_text(s)), cases[i].pods);
        then_str(status_text(s), cases[i].status);
    }
}

/* Letting go and deleting are two writes: both are about the same pod. */
TEST(lower_parallelism_releases_and_deletes_surplus_pods_in_two_writes)
{
    SCOPED_STAGE s = job_open("{spec: {completions: 3, parallelism: 3}}");

    patch(s, kind_job, "j", "{spec: {parallelism: 1}}");
    pass(s, 5);
    then_str(sorted(s, pods_text(s)), "going going live!");
}

TEST(the_pod_of_a_job_has_its_labels_and_owner)
{
    SCOPED_STAGE s = job_open(NULL);
    const Json *pod = json_first(pods(s)), *owner = look(s, kind_job, "j");

    then_true(str_has_prefix(meta_name(pod), "j-"));
    then_str(json_str(pod, ".metadata.generateName"), "j-");
    then_str(meta_label(pod, "x"), "z");
    then_str(meta_label(pod, "batch.kubernetes.io/job-name"), "j");
    then_str(meta_label(pod, "batch.kubernetes.io/controller-uid"), meta_uid(owner));
    then_true(meta_controlled_by(pod, owner));
}

/* As there, write by write: first the UID, then the finalizer, then the count and the end. */
typedef struct Diary {
    Stage *stage;
    const char *text;
} Diary;

static void note(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Diary *d = self;
    const Json *status = json_find(after, ".status");

    (void)before;
    if (str_eq(user, "job-controller"))
        d->text = str_format(d->stage->arena,
            "%s%s uncounted=%d tracked=%d succeeded=%d conditions=%d\n",
            d->text,
            request->kind->name,
            (int)json_count(json_find(status, ".uncountedTerminatedPods.succeeded")),
            meta_has_finalizer(after, "batch.kubernetes.io/job-tracking"),
            (int)json_int(status, ".succeeded", 0),
            (int)json_count(json_find(status, ".conditions")));
}

TEST(the_job_controller_counts_a_finished_pod_in_three_writes)
{
    SCOPED_STAGE s = job_open(NULL);
    Diary diary = {.stage = s, .text = ""};

    server_on_write(world_server(s->world), note, &diary);
    act(s, "succeed");
    then_str(diary.text,
        "Job uncounted=1 tracked=0 succeeded=0 conditions=1\n"
        "Pod uncounted=0 tracked=0 succeeded=0 conditions=1\n"
        "Job uncounted=0 tracked=0 succeeded=1 conditions=2\n");
}

TEST(the_status_of_a_job_has_the_fields_of_the_real_controller)
{
    SCOPED_STAGE s = job_open(NULL);
    const Json *status;

    then_json(json_find(look(s, kind_job, "j"), ".status"),
        "{active: 1, ready: 0, startTime: '2026-01-01T00:00:00Z', terminating: 0,"
        " uncountedTerminatedPods: {}}");
    act(s, "succeed");
    status = json_find(look(s, kind_job, "j"), ".status");
    then_str(
        json_str(status, ".completionTime"), json_str(status, ".conditions[1].lastTransitionTime"));
    then_str(json_str(status, ".conditions[1].reason"), "CompletionsReached");
    then_str(
        json_str(status, ".conditions[1].message"), "Reached expected number of succeeded pods");
    then_true(!json_find(status, ".active"));
}

TEST(a_foreground_deletion_of_a_job_deletes_its_pods_first)
{
    SCOPED_STAGE s = job_open(NULL);

    act(s, "run");
    drop(s, kind_job, "j", PROPAGATION_FOREGROUND);
    pass(s, 5);
    then_str(names(s, kind_job), "j†");
    then_str(pods_text(s), "going");
    act(s, "bury");
    then_str(names(s, kind_job), "");
}

TEST(a_deleted_job_removes_the_tracking_finalizer_of_its_pods)
{
    SCOPED_STAGE s = job_open(NULL);

    act(s, "run");
    drop(s, kind_job, "j", PROPAGATION_BACKGROUND);
    pass(s, 5);
    then_str(pods_text(s), "going");
    act(s, "bury");
    then_str(pods_text(s), "");
}

TEST(an_orphaned_pod_of_a_job_loses_its_finalizer_and_keeps_running)
{
    SCOPED_STAGE s = job_open(NULL);

    act(s, "run");
    drop(s, kind_job, "j", PROPAGATION_ORPHAN);
    pass(s, 5);
    then_str(names(s, kind_job), "");
    then_str(pods_text(s), "live");
    then_true(!meta_controller(json_first(pods(s))));
}

TEST(a_pod_with_a_tracking_finalizer_and_no_job_loses_the_finalizer)
{
    SCOPED_STAGE s = job_open(NULL);

    create(s,
        kind_pod,
        "{metadata: {name: 'stray', finalizers: ['batch.kubernetes.io/job-tracking']},"
        " spec: {nodeName: 'n', containers: [{name: 'c', image: 'i'}]}}");
    pass(s, 5);
    then_true(!json_find(look(s, kind_pod, "stray"), ".metadata.finalizers"));
}

TEST(a_pod_that_matches_the_selector_of_a_job_is_adopted)
{
    SCOPED_STAGE s = job_open("{spec: {parallelism: 0}}");
    const Json *owner = look(s, kind_job, "j");

    create(s,
        kind_pod,
        str_format(s->arena,
            "{metadata: {name: 'stray', labels: {'batch.kubernetes.io/job-name': 'j',"
            " 'batch.kubernetes.io/controller-uid': '%s'}},"
            " spec: {nodeName: 'n', terminationGracePeriodSeconds: 30,"
            " containers: [{name: 'c', image: 'i'}]}}",
            meta_uid(owner)));
    pass(s, 5);
    then_true(meta_controlled_by(look(s, kind_pod, "stray"), owner));
    then_str(pods_text(s), "going");
}

TEST(a_pod_of_a_job_that_lost_its_owner_reference_is_adopted_again)
{
    SCOPED_STAGE s = job_open(NULL);

    patch(s, kind_pod, live_pod(s), "{metadata: {ownerReferences: null}}");
    pass(s, 5);
    then_str(pods_text(s), "live!");
    then_true(meta_controlled_by(json_first(pods(s)), look(s, kind_job, "j")));
}

TEST(restarts_of_a_container_count_against_the_backoff_limit_of_a_job)
{
    SCOPED_STAGE s =
        job_open("{spec: {backoffLimit: 2, template: {spec: {restartPolicy: 'OnFailure'}}}}");

    patch_status(s,
        kind_pod,
        live_pod(s),
        "{status: {phase: 'Running', containerStatuses: [{name: 'c', restartCount: 2}]}}");
    pass(s, 5);
    then_str(pods_text(s), "going");
    then_str(status_text(s), "terminating 1, failed 1; FailureTarget");
}

TEST(a_job_at_rest_causes_no_writes)
{
    SCOPED_STAGE s = job_open(NULL);

    act(s, "run");
    uint64_t version = server_version(world_server(s->world));
    pass(s, 3600);
    then_int(server_version(world_server(s->world)), version);
}
