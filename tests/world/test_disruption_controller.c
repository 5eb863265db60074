/* Budgets and their counts. The real controller is asked the same by
 * tests/e2e/scripts/budgets.json5. */
#include "tests/world/stage.h"

static const char status_path[] = ".status.disruptionsAllowed";

static Stage *counting(void)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    world_add(s->world, disruption_controller_open(&options));
    return s;
}

static void add_pod(Stage *s, const char *name, bool is_ready)
{
    create(s,
        kind_pod,
        str_format(s->arena,
            "{metadata: {name: '%s', labels: {app: 'a'}},"
            " spec: {nodeName: 'n', containers: [{name: 'c', image: 'i'}]}}",
            name));
    told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_pod,
            .key = {"default", name},
            .subresource = "status",
            .body = json_fixture(s->arena,
                str_format(s->arena,
                    "{status: {phase: 'Running', conditions: [{type: 'Ready', status: '%s'}]}}",
                    is_ready ? "True" : "False"))});
}

static const Json *budget(Stage *s)
{
    return told(s, (Request){.verb = VERB_GET, .kind = kind_pdb, .key = {"default", "b"}});
}

static void evict(Stage *s, const char *name)
{
    told(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_pod,
            .key = {"default", name},
            .subresource = "eviction",
            .body =
                json_fixture(s->arena, str_format(s->arena, "{metadata: {name: '%s'}}", name))});
}

TEST(the_status_of_a_pod_disruption_budget_follows_its_pods)
{
    SCOPED_STAGE s = counting();
    create(s,
        kind_pdb,
        "{metadata: {name: 'b'}, spec: {minAvailable: 1, selector: {matchLabels: {app: 'a'}}}}");
    pass(s, 5);
    then_int(json_int(budget(s), ".status.observedGeneration", 0), 1);
    then_int(json_int(budget(s), status_path, 9), 0);
    add_pod(s, "x", true);
    add_pod(s, "y", true);
    add_pod(s, "z", false);
    pass(s, 5);
    then_int(json_int(budget(s), status_path, 9), 1);
    then_int(json_int(budget(s), ".status.expectedPods", 0), 3);
    then_str(json_str(budget(s), ".status.conditions[0].reason"), "SufficientPods");
}

TEST(an_eviction_counts_against_the_budget_until_the_pod_is_gone)
{
    SCOPED_STAGE s = counting();
    create(s, kind_pdb, "{metadata: {name: 'b'}, spec: {minAvailable: 1, selector: {}}}");
    add_pod(s, "x", true);
    add_pod(s, "y", true);
    pass(s, 5);
    evict(s, "x");
    pass(s, 5);
    then_int(json_int(budget(s), ".status.currentHealthy", 0), 1);
    then_int(json_int(budget(s), status_path, 9), 0);
    then_true(!json_find(budget(s), ".status.disruptedPods")); /* it is going */
}

TEST(an_evicted_pod_that_is_not_deleted_counts_again_after_two_minutes)
{
    SCOPED_STAGE s = counting();
    create(s, kind_pdb, "{metadata: {name: 'b'}, spec: {minAvailable: 1, selector: {}}}");
    add_pod(s, "x", true);
    add_pod(s, "y", true);
    pass(s, 5);
    char now[TIMESTAMP_SIZE];
    Clock *clock = world_clock(s->world);
    timestamp_format(clock->wall_ns(clock), now);
    told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_pdb,
            .key = {"default", "b"},
            .subresource = "status",
            .body = json_fixture(
                s->arena, str_format(s->arena, "{status: {disruptedPods: {x: '%s'}}}", now))});
    pass(s, 5);
    then_int(json_int(budget(s), ".status.currentHealthy", 0), 1);
    pass(s, 130);
    then_int(json_int(budget(s), ".status.currentHealthy", 0), 2);
    then_true(!json_find(budget(s), ".status.disruptedPods"));
}
