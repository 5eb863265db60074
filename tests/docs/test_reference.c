/* The reference pages of docs/: made from the tables that the code itself reads, and compared with
 * what is there. SEI_GOLDEN=write rewrites them. */
#include "kube/runtime/instruments.h"
#include "sei/api/condition_about.h"
#include "sei/api/names.h"
#include "sei/api/task_about.h"
#include "sei/reconcile/fleet_telling.h"
#include "sei/reconcile/telling.h"
#include "tests/docs/page.h"
#include "tests/sei/golden.h"

/* A clause as the beginning of a sentence, with its full stop. */
static const char *sentence(Arena *a, const char *clause)
{
    bool is_word = *clause >= 'a' && *clause <= 'z' && !str_has_prefix(clause, "spec.")
        && !str_has_prefix(clause, "status.");

    return str_format(a, "%c%s.", is_word ? *clause - 'a' + 'A' : *clause, clause + 1);
}

/* --- conditions --------------------------------------------------------------------------------
 */

static int first_of(bool fleets)
{
    return fleets ? REASON_COUNT + 1 : 0;
}

static int end_of(bool fleets)
{
    return fleets ? REASON_ALL_COUNT : REASON_COUNT;
}

static bool is_first_of_its_condition(Reason reason)
{
    for (int i = first_of(reason_is_of_fleet(reason)); i < (int)reason; i++)
        if (str_eq(reason_condition((Reason)i), reason_condition(reason)))
            return false;
    return true;
}

/* The condition of which this is the first reason. */
static void say_condition(Page *p, Reason first)
{
    bool fleets = reason_is_of_fleet(first);
    const char *type = reason_condition(first);

    say(p,
        "\n### %s\n\n%s\n\n| Reason | When | What to do |\n| --- | --- | --- |\n",
        type,
        condition_about(first));
    for (int i = (int)first; i < end_of(fleets); i++) {
        const char *advice = reason_advice((Reason)i), *caution = reason_caution((Reason)i);
        if (str_eq(reason_condition((Reason)i), type))
            say(p,
                "| `%s` | %s | %s%s%s |\n",
                reason_text((Reason)i),
                sentence(p->arena, reason_when((Reason)i)),
                advice ? advice : "",
                caution ? " " : "",
                caution ? caution : "");
    }
}

static void say_conditions(Page *p, bool fleets)
{
    for (int i = first_of(fleets); i < end_of(fleets); i++)
        if (is_first_of_its_condition((Reason)i))
            say_condition(p, (Reason)i);
}

TEST(the_conditions_page_in_docs_is_current)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Page p = page_open(a,
        "test_reference",
        "Conditions",
        "`kubectl get seinode NAME -o yaml` shows them below `status.conditions`, and so does "
        "`kubectl get snd`.\n`Ready`, `Reconciling` and `Stalled` are what kstatus reads: nothing "
        "is ever Current while something is\nleft to do. Types and reasons are API: alerts may "
        "name them; messages are for people and may change.");

    say(&p,
        "\n## Of a SeiNode\n\nAll but those of things that a node does not have are there from "
        "the first write.\n");
    say_conditions(&p, false);
    say(&p, "\n## Of a SeiNodeDeployment\n\nAll are there from the first write.\n");
    say_conditions(&p, true);
    then_page(&p, "CONDITIONS.md");
}

/* --- tasks -------------------------------------------------------------------------------------
 */

static void say_task(Page *p, TaskType type)
{
    const TaskAbout *about = task_about(type);
    const char *waits = about->waits ? sentence(p->arena, about->waits) : "";
    const char *fails = about->fails ? sentence(p->arena, about->fails) : "";

    say(p,
        "| `%s` | %d | %s | %s | %s |\n",
        task_type_text(type),
        task_type_retries(type),
        about->does,
        waits,
        fails);
}

typedef bool TaskQuestion(TaskType type);

static bool is_of_operator(TaskType type)
{
    return !task_type_is_of_fleet(type) && !task_type_is_sidecar(type);
}

static bool is_of_sidecar(TaskType type)
{
    return !task_type_is_of_fleet(type) && task_type_is_sidecar(type);
}

static void say_tasks(Page *p, const char *title, const char *intro, TaskQuestion *is)
{
    say(p,
        "\n## %s\n\n%s\n\n| Task | Retries | Does | Waits while | Fails when |\n"
        "| --- | --- | --- | --- | --- |\n",
        title,
        intro);
    for (int type = TASK_UNKNOWN + 1; type < TASK_ALL_COUNT; type++)
        if (type != TASK_TYPE_COUNT && is((TaskType)type))
            say_task(p, (TaskType)type);
}

TEST(the_tasks_page_in_docs_is_current)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Page p = page_open(a,
        "test_reference",
        "Tasks of a plan",
        "`status.plan.tasks` lists them in the order in which they are done. A task is done again "
        "from where\nit was after any crash, and does nothing when its work is done already. What "
        "a plan waits for stands\nin `status.plan.waiting` and in the condition `Reconciling`. "
        "A failure is counted; while retries are\nleft the task is tried again after 10, 20 and "
        "then every 30 seconds, and then the plan has failed:\na node that was being set up is "
        "`Failed`, an update is tried again later.");

    say_tasks(&p, "By the operator", "They need nothing but the API server.", is_of_operator);
    say_tasks(&p,
        "By the sidecar",
        "Handed over once, under the task's id, and then asked for until they have ended. A "
        "sidecar that does\nnot answer is waited for, with growing pauses, and delays no other "
        "node.",
        is_of_sidecar);
    say_tasks(&p,
        "Of a fleet",
        "In the plans of a SeiNodeDeployment: the first two roll a template out, the others found "
        "a chain.",
        task_type_is_of_fleet);
    then_page(&p, "TASKS.md");
}

/* --- events ------------------------------------------------------------------------------------
 */

static void say_conditions_told(Page *p, bool fleets)
{
    say(p,
        "\n### Under the reason of a condition\n\nTold when the condition begins to have it, with "
        "its message.\n\n| Reason | Condition | When |\n| --- | --- | --- |\n");
    for (int i = first_of(fleets); i < end_of(fleets); i++)
        if (fleets ? fleet_telling_tells((Reason)i) : telling_tells((Reason)i))
            say(p,
                "| `%s` | `%s` | %s |\n",
                reason_text((Reason)i),
                reason_condition((Reason)i),
                sentence(p->arena, reason_when((Reason)i)));
}

TEST(the_events_page_in_docs_is_current)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Page p = page_open(a,
        "test_reference",
        "Events",
        "`kubectl events --for seinode/NAME` shows them: events.k8s.io/v1. Each tells of a "
        "transition once, when\nit has been stored.");

#define X(name, reason, type, when)                                                                \
    say(&p, "| `%s` | %s | %s |\n", reason, type, sentence(a, when));
    say(&p,
        "\n## About a SeiNode\n\nReported by `" NODE_MANAGER
        "`.\n\n| Reason | Type | When |\n| --- | --- | --- |\n");
    TELLINGS(X)
    say_conditions_told(&p, false);
    say(&p,
        "\n## About a SeiNodeDeployment\n\nReported by `" FLEET_MANAGER
        "`.\n\n| Reason | Type | When |\n| --- | --- | --- |\n");
    FLEET_TELLINGS(X)
    say_conditions_told(&p, true);
#undef X
    then_page(&p, "EVENTS.md");
}

/* --- metrics -----------------------------------------------------------------------------------
 */

/* Markdown takes "<error>" for a tag. */
static const char *escaped(Arena *a, const char *text)
{
    const char *at = strchr(text, '<');

    return at ? str_format(a, "%.*s&lt;%s", (int)(at - text), text, at + 1) : text;
}

static void say_family(Page *p, const MetricSpec *spec)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    const char *labels = "";
    size_t len = strlen(spec->help);

    for (size_t i = 0; i < METRIC_LABELS_MAX && spec->labels[i]; i++)
        labels = str_format(p->arena, "%s%s%s", labels, i ? ", " : "", spec->labels[i]);
    say(p,
        "| `%s` | %s | %s | %s%s |\n",
        spec->name,
        types[spec->type],
        labels,
        escaped(p->arena, spec->help),
        spec->help[len - 1] == '.' ? "" : ".");
}

typedef enum FamilyOf { OF_NODES, OF_FLEETS, OF_OPERATOR } FamilyOf;

/* Those of plans and tasks have a label that tells nodes from fleets. */
static FamilyOf family_of(const char *name)
{
    if (str_has_prefix(name, "sei_controller_seinodedeployment_"))
        return OF_FLEETS;
    return str_has_prefix(name, "sei_controller_") ? OF_NODES : OF_OPERATOR;
}

static void say_families(Page *p, const Metrics *m, const char *title, FamilyOf of)
{
    const MetricSpec *spec;

    say(p, "\n## %s\n\n| Name | Type | Labels | Meaning |\n| --- | --- | --- | --- |\n", title);
    for (size_t n = 0; (spec = metrics_spec(m, n)); n++)
        if (family_of(spec->name) == of)
            say_family(p, spec);
}

TEST(the_metrics_page_in_docs_is_current)
{
    SCOPED_ARENA a = arena_open(8 << 20);
    Metrics *m = metrics_open(0);
    Figures figures = {0};
    Page p = page_open(a,
        "test_reference",
        "Metrics",
        "Served at `/metrics` of `--metrics-bind-address`. Series that name a node or a fleet go "
        "with it, those that name a chain\nalone with its last node in the namespace, and those "
        "that name a namespace alone with the last node or fleet there; a counter\nthat comes back "
        "begins at 0. There are at most 250,000 series, with 256 bytes for each on the page; "
        "what finds no room\nis counted in `metrics_dropped_series_total`.");

    (void)instruments_declare(m);
    figures_declare(&figures, m, guard_none());
    say_families(&p, m, "About nodes", OF_NODES);
    say_families(&p, m, "About fleets", OF_FLEETS);
    say_families(&p, m, "About the operator", OF_OPERATOR);
    then_page(&p, "METRICS.md");
    figures_close(&figures);
    metrics_close(m);
}

/* --- what the tables promise -------------------------------------------------------------------
 */

TEST(every_text_of_the_reference_tables_is_a_sentence)
{
    for (int i = 0; i < REASON_ALL_COUNT; i++) {
        if (i == REASON_COUNT)
            continue;
        const char *advice = reason_advice((Reason)i), *when = reason_when((Reason)i);
        const char *about = condition_about((Reason)i), *caution = reason_caution((Reason)i);
        then_true(!caution || (advice && caution[strlen(caution) - 1] == '.'));
        then_true(!advice || advice[strlen(advice) - 1] == '.');
        then_true(*when && when[strlen(when) - 1] != '.');
        then_true(about[strlen(about) - 1] == '.');
    }
    for (int i = TASK_UNKNOWN + 1; i < TASK_ALL_COUNT; i++) {
        const char *does = i == TASK_TYPE_COUNT ? "." : task_about((TaskType)i)->does;
        then_true(does[strlen(does) - 1] == '.');
    }
    then_bug("a reason out of its range", reason_when(REASON_COUNT));
    then_bug("a reason out of its range", condition_about(REASON_ALL_COUNT));
    then_bug("a task type out of its range", task_about(TASK_UNKNOWN));
    then_bug("a task type out of its range", task_about(TASK_TYPE_COUNT));
}

/* A stall is what only a person can end: so there is something that a person can do. */
TEST(every_stall_reason_says_what_to_do)
{
    for (int i = 0; i < REASON_ALL_COUNT; i++) {
        if (i == REASON_COUNT || i == REASON_NOT_STALLED || i == FLEET_REASON_NOT_STALLED)
            continue;
        if (str_eq(reason_condition((Reason)i), COND_STALLED))
            then_true(reason_advice((Reason)i) != NULL);
    }
}
