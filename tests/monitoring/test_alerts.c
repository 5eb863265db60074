/* The alerts of deploy/monitoring: few, each with its page and with a case for and against it in
 * alerts.test.yaml, each about metrics that exist; and promtool finds them right.
 *
 * What surprises: promtool reads the rules as JSON, which is YAML: they are taken out of the
 * PrometheusRule, so that there is one source. */
#include "tests/e2e/controlplane.h"
#include "tests/e2e/folder.h"
#include "tests/e2e/process.h"
#include "tests/monitoring/monitoring.h"
#include "tests/tables.h"
#include "tests/test.h"

#define RULES "deploy/monitoring/prometheusrule.yaml"
#define CASES "tests/monitoring/alerts.test.yaml"
#define PAGES "https://github.com/sei-protocol/sei-operator/blob/main/"

enum { ALERTS_MAX = 16, BYTES_MAX = 16 << 20 };

/* All alerts, of all groups. */
static size_t load_alerts(Arena *a, const Json *ret[ALERTS_MAX])
{
    const Json *groups = json_find(monitoring_yaml(a, RULES), ".spec.groups"), *group, *rule;
    size_t count = 0;

    json_each(group, groups)
        json_each(rule, json_find(group, ".rules")) {
            then_true(count < ALERTS_MAX);
            ret[count++] = rule;
        }
    then_true(count > 0);
    return count;
}

TEST(alert_expressions_use_only_existing_metrics_and_labels)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const Json *alerts[ALERTS_MAX];
    size_t count = load_alerts(a, alerts);

    for (size_t i = 0; i < count; i++)
        then_expression_exists(a, json_str(alerts[i], ".alert"), json_str(alerts[i], ".expr"));
}

static const char *runbook_path(Arena *a, const Json *alert)
{
    return str_format(a, "docs/runbooks/%s.md", json_str(alert, ".alert"));
}

static const char *runbook_of(Arena *a, const Json *alert)
{
    return table_source(a, runbook_path(a, alert));
}

/* A page is found by the URL that the alert carries, and speaks of what a person types. */
TEST(each_alert_has_a_description_and_a_runbook)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const Json *alerts[ALERTS_MAX];
    size_t count = load_alerts(a, alerts);

    for (size_t i = 0; i < count; i++) {
        const char *name = json_str(alerts[i], ".alert");
        const char *severity = json_str(alerts[i], ".labels.severity");
        then_str(json_str(alerts[i], ".annotations.runbook_url"),
            str_format(a, PAGES "%s", runbook_path(a, alerts[i])));
        then_true(!str_empty(json_str(alerts[i], ".annotations.summary")));
        then_true(!str_empty(json_str(alerts[i], ".annotations.description")));
        then_true(str_eq(severity, "warning") || str_eq(severity, "critical"));
        const char *page = runbook_of(a, alerts[i]);
        then_true(str_has_prefix(page, str_format(a, "# %s\n", name)));
        then_true(strstr(page, "\n## What it means\n") && strstr(page, "\n## How to look\n")
            && strstr(page, "\n## How to cure it\n") && strstr(page, "\n## When to ignore it\n"));
        then_true(strstr(page, "kubectl ") != NULL);
    }
}

/* What a person types at night would answer, and be about something else. */
TEST(no_runbook_suggests_a_command_that_checks_the_wrong_thing)
{
    static const struct {
        const char *name, *typed;
    } wrong[] = {
        {"the API server's own readiness, which is always well", "--raw /readyz"},
        {"one replica of two, as often the one that stands by", "deployment/sei-operator"},
    };
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const Json *alerts[ALERTS_MAX];
    size_t count = load_alerts(a, alerts);

    for (size_t i = 0; i < count; i++) {
        const char *page = runbook_of(a, alerts[i]);
        each_case(j, wrong)
            then_true(!strstr(page, wrong[j].typed));
    }
}

/* How many cases expect the alert (or its silence). A case is about one alert, and is so named. */
static int count_cases(Arena *a, const Json *cases, const char *alert, bool fires)
{
    const char *title = str_format(a, "%s %s", alert, fires ? "fires" : "is silent");
    const Json *each, *asked;
    int count = 0;

    json_each(each, json_find(cases, ".tests")) {
        if (!str_has_prefix(json_str(each, ".name"), title))
            continue;
        asked = json_first(json_find(each, ".alert_rule_test"));
        then_str(json_str(asked, ".alertname"), alert);
        then_true((json_count(json_find(asked, ".exp_alerts")) > 0) == fires);
        count++;
    }
    return count;
}

TEST(each_alert_has_a_test_case_that_fires_and_one_that_does_not)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const Json *alerts[ALERTS_MAX], *cases = monitoring_yaml(a, CASES);
    size_t count = load_alerts(a, alerts);
    int all = 0;

    for (size_t i = 0; i < count; i++) {
        int firing = count_cases(a, cases, json_str(alerts[i], ".alert"), true);
        int silent = count_cases(a, cases, json_str(alerts[i], ".alert"), false);
        then_true(firing > 0 && silent > 0);
        all += firing + silent;
    }
    then_int(json_count(json_find(cases, ".tests")), all);
}

static void promtool(Arena *a, const char *folder, const char *verb, const char *file)
{
    const char *said;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = str_format(a, "%s/build/deps/promtool", getenv("SEI_SOURCE_ROOT")),
            .args = PROCESS_ARGS(verb, "rules", file),
            .folder = folder},
        &said));
}

TEST(promtool_accepts_the_alert_rules_and_their_tests)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    Folder *folder;

    then_ok(folder_open(a, "/tmp", &folder));
    const char *path = folder_path(folder);
    const Json *rules = json_find(monitoring_yaml(a, RULES), ".spec");
    then_ok(
        controlplane_write(a, str_format(a, "%s/rules.yaml", path), json_pretty(a, rules).data));
    then_ok(
        controlplane_write(a, str_format(a, "%s/alerts.test.yaml", path), table_source(a, CASES)));
    promtool(a, path, "check", "rules.yaml");
    promtool(a, path, "test", "alerts.test.yaml");
    folder_close(folder, false);
}

/* What the check itself is worth. */
TEST(an_expression_with_a_missing_metric_or_label_is_detected)
{
    static const struct {
        const char *name, *expression, *fault;
    } cases[] = {
        {"a counter of the Go operator",
            "rate(sei_controller_tasks_failed_total[5m]) > 0",
            "there is no metric sei_controller_tasks_failed_total"},
        {"a label that another has",
            "sei_controller_seinode_ready{phase=\"Running\"}",
            "sei_controller_seinode_ready has no label phase"},
        {"a grouping by nothing",
            "sum by (fleet) (sei_controller_seinode_ready)",
            "what is asked for has no label fleet"},
        {"a reason that is none",
            "sei_controller_seinode_attention{reason=~\"InvalidSpec|Lost\"}",
            "no reason is ever Lost"},
        {"a phase that is none",
            "sei_controller_seinode_phase{phase=\"Upgraded\"}",
            "no phase is ever Upgraded"},
        {"a plan that is none",
            "sei_controller_plan_start_time_seconds{plan_type=\"update\"}",
            "no plan_type is ever update"},
        {"a histogram without its part",
            "sei_controller_plan_duration_seconds",
            "there is no metric sei_controller_plan_duration_seconds"},
        {"nothing", "vector(1)", "it asks for no metric"},
        {"a good one",
            "histogram_quantile(0.9, sum by (le, pod) "
            "(rate(controller_runtime_reconcile_time_seconds_bucket{controller=\"x\"}[5m])))",
            NULL},
    };
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, cases)
        then_str(expression_fault(a, cases[i].expression), cases[i].fault);
}
