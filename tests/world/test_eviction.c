/* Pods that are asked to go, and budgets that keep them. The real server is asked the same by
 * tests/e2e/sequences/eviction-under-budgets.json5 and random sequences. */
#include "tests/world/desk.h"

static const char budget[] =
    "{metadata: {name: 'b'}, spec: {minAvailable: 1, selector: {matchLabels: {app: 'a'}}}}";

static void begin(Desk *d)
{
    create(d,
        kind_pod,
        "{metadata: {name: 'x', labels: {app: 'a'}},"
        " spec: {nodeName: 'n', containers: [{name: 'c', image: 'i'}]}}");
    merge_status(d,
        kind_pod,
        "x",
        "{status: {phase: 'Running', conditions: [{type: 'Ready', status: 'True'}]}}");
}

static const Json *evict(Desk *d, const char *json5)
{
    return ask_body(d,
        (Request){
            .verb = VERB_CREATE, .kind = kind_pod, .key.name = "x", .subresource = "eviction"},
        json5);
}

static const Json *condition(Desk *d, const char *type)
{
    const Json *all = json_find(get(d, kind_pod, "x"), ".status.conditions"), *each;

    json_each(each, all)
        if (str_eq(json_str(each, ".type"), type))
            return each;
    return NULL;
}

TEST(a_pod_without_a_budget_is_evicted_and_gets_a_disruption_condition)
{
    SCOPED_DESK d = desk_open();
    begin(d);

    then_str(json_str(evict(d, "{metadata: {name: 'x'}, deleteOptions: {gracePeriodSeconds: 7}}"),
                 ".status"),
        "Success");
    then_status(d, 201);
    then_str(json_str(condition(d, "DisruptionTarget"), ".reason"), "EvictionByEvictionAPI");
    then_true(condition(d, "Ready") != NULL);
    then_int(json_int(get(d, kind_pod, "x"), ".metadata.deletionGracePeriodSeconds", 0), 7);
    evict(d, "{metadata: {name: 'x'}}"); /* once more is no harm */
    then_status(d, 201);
}

TEST(a_dry_run_eviction_leaves_the_pod_unchanged)
{
    SCOPED_DESK d = desk_open();
    begin(d);
    create(d, kind_pdb, budget);
    merge_status(d, kind_pdb, "b", "{status: {disruptionsAllowed: 1, observedGeneration: 1}}");
    const char *before = version_of(get(d, kind_pod, "x"));

    evict(d, "{metadata: {name: 'x'}, deleteOptions: {dryRun: ['All']}}");
    then_status(d, 201);
    then_str(version_of(get(d, kind_pod, "x")), before);
    then_int(json_int(get(d, kind_pdb, "b"), ".status.disruptionsAllowed", 0), 1);
}

TEST(an_invalid_eviction_is_refused)
{
    static const struct {
        const char *name, *body;
        int status;
        const char *phrase;
    } cases[] = {
        {"another name", "{metadata: {name: 'y'}}", 400, "name in URL does not match name"},
        {"no name", "{}", 400, "name in URL does not match name"},
        {"another kind",
            "{apiVersion: 'v1', kind: 'Binding', metadata: {name: 'x'}}",
            400,
            "cannot be handled as a Eviction"},
        {"another pod of that name",
            "{metadata: {name: 'x'}, deleteOptions: {preconditions: {uid: 'other'}}}",
            409,
            "the UID in the precondition (other) does not match"},
        {"an older one",
            "{metadata: {name: 'x'}, deleteOptions: {preconditions: {resourceVersion: '1'}}}",
            409,
            "the ResourceVersion in the precondition (1) does not match"},
    };

    each_case(i, cases) {
        SCOPED_DESK d = desk_open();
        begin(d);
        evict(d, cases[i].body);
        then_refused(d, cases[i].status, cases[i].phrase);
        then_true(!condition(d, "DisruptionTarget"));
    }
}

TEST(the_eviction_of_a_missing_pod_is_refused_with_404)
{
    SCOPED_DESK d = desk_open();

    evict(d, "{metadata: {name: 'x'}}");
    then_refused(d, 404, "pods \"x\" not found");
    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    ask_body(d,
        (Request){.verb = VERB_CREATE,
            .kind = kind_configmap,
            .key.name = "x",
            .subresource = "eviction"},
        "{metadata: {name: 'x'}}");
    then_refused(d, 404, "could not find");
}

TEST(a_budget_allows_or_denies_an_eviction_by_its_status)
{
    static const char violated[] = "Cannot evict pod as it would violate";
    static const struct {
        const char *name, *status, *pod;
        int want;
        const char *cause;
    } cases[] = {
        {"not seen by its controller", "{}", "{}", 429, "still being processed"},
        {"nothing left",
            "{observedGeneration: 1, desiredHealthy: 2, currentHealthy: 2}",
            "{}",
            429,
            "The disruption budget b needs 2 healthy pods and has 2 currently"},
        {"one left", "{observedGeneration: 1, disruptionsAllowed: 1}", "{}", 201, NULL},
        {"a pod that has not begun", "{}", "{phase: 'Pending'}", 201, NULL},
        {"a pod that has ended", "{}", "{phase: 'Failed'}", 201, NULL},
        {"an unready pod, and the others are enough",
            "{observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1}",
            "{conditions: [{type: 'Ready', status: 'False'}]}",
            201,
            NULL},
        {"an unready pod, and the others are not enough",
            "{observedGeneration: 1, desiredHealthy: 2, currentHealthy: 1}",
            "{conditions: [{type: 'Ready', status: 'False'}]}",
            429,
            "needs 2 healthy pods and has 1 currently"},
    };

    each_case(i, cases) {
        SCOPED_DESK d = desk_open();
        begin(d);
        merge_status(d, kind_pod, "x", str_format(d->arena, "{status: %s}", cases[i].pod));
        create(d, kind_pdb, budget);
        merge_status(d, kind_pdb, "b", str_format(d->arena, "{status: %s}", cases[i].status));
        const Json *answer = evict(d, "{metadata: {name: 'x'}}");
        then_int(d->answer.status, cases[i].want);
        if (!cases[i].cause)
            continue;
        then_true(strstr(json_str(answer, ".message"), violated) != NULL);
        then_true(strstr(json_str(answer, ".details.causes[0].message"), cases[i].cause) != NULL);
    }
}

TEST(an_eviction_decrements_the_allowed_disruptions)
{
    SCOPED_DESK d = desk_open();
    begin(d);
    create(d, kind_pdb, budget);
    merge_status(d, kind_pdb, "b", "{status: {disruptionsAllowed: 1, observedGeneration: 1}}");

    evict(d, "{metadata: {name: 'x'}}");
    then_status(d, 201);
    const Json *spent = get(d, kind_pdb, "b");
    then_int(json_int(spent, ".status.disruptionsAllowed", 9), 0);
    then_str(json_str(spent, ".status.disruptedPods.x"), "2026-01-01T00:00:00Z");
    then_str(json_str(spent, ".status.conditions[0].reason"), "InsufficientPods");
}

TEST(a_pod_with_two_budgets_cannot_be_evicted)
{
    SCOPED_DESK d = desk_open();
    begin(d);
    create(d, kind_pdb, budget);
    create(d, kind_pdb, "{metadata: {name: 'all'}, spec: {maxUnavailable: 1, selector: {}}}");

    evict(d, "{metadata: {name: 'x'}}");
    then_refused(d, 500, "more than one PodDisruptionBudget");
}
