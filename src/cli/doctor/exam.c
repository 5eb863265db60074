/* Exam: asks every check that matters, once, in the order of the tables. */
#include "cli/doctor/exam.h"

#include "base/str.h"
#include "kube/meta.h"

#include <string.h>
#include <strings.h>

enum { MESSAGE_MAX = 300 };

static const Check *const tables[] = {
    cluster_checks,
    definition_checks,
    right_checks,
    operator_checks,
    lease_checks,
    monitoring_checks,
    storage_checks,
    node_checks,
    object_checks,
    pod_checks,
    surrounding_checks,
    fleet_checks,
    validator_checks,
    gitops_checks,
};

enum { TABLES = sizeof tables / sizeof tables[0] };

const Check *check_at(size_t index)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const Check *check = tables[i]; check->code; check++)
            if (index-- == 0)
                return check;
    return NULL;
}

size_t check_count(void)
{
    size_t count = 0;

    while (check_at(count))
        count++;
    return count;
}

const Check *check_find(const char *code)
{
    for (size_t i = 0; check_at(i); i++)
        if (strcasecmp(check_at(i)->code, code) == 0)
            return check_at(i);
    return NULL;
}

const char *area_text(Area area)
{
    static const char *const texts[AREA_COUNT] = {
        [AREA_CLUSTER] = "cluster",
        [AREA_DEFINITIONS] = "definitions",
        [AREA_RIGHTS] = "rights",
        [AREA_OPERATOR] = "operator",
        [AREA_MONITORING] = "monitoring",
        [AREA_STORAGE] = "storage",
        [AREA_NODES] = "nodes",
        [AREA_PODS] = "pods",
        [AREA_SURROUNDINGS] = "surroundings",
        [AREA_FLEETS] = "fleets",
        [AREA_VALIDATORS] = "validators",
        [AREA_GITOPS] = "gitops",
    };

    return texts[area];
}

const char *severity_text(Severity severity)
{
    static const char *const texts[SEVERITY_COUNT] = {
        [SEVERITY_NOTE] = "note",
        [SEVERITY_WARNING] = "warning",
        [SEVERITY_ERROR] = "error",
    };

    return texts[severity];
}

/* --- fix lines */

static bool is_plain(const char *text)
{
    return *text
        && text[strspn(
               text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=@,+-")]
        == '\0';
}

const char *exam_shell_word(Arena *a, const char *text)
{
    const char *word = "'";

    if (is_plain(text))
        return text;
    while (*text) {
        size_t len = strcspn(text, "'");
        word = str_format(a, "%s%.*s%s", word, (int)len, text, text[len] ? "'\\''" : "");
        text += len + (text[len] != '\0');
    }
    return str_format(a, "%s'", word);
}

/* What stands for "{name}" and its like; NULL for a brace that is only a brace. */
static const char *filling(const Finding *f, const char *mark, size_t len)
{
    const struct {
        const char *name, *value;
    } marks[] = {
        {"{namespace}", f->object.namespace},
        {"{name}", f->object.name},
        {"{other}", f->other},
        {"{value}", f->value},
    };

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strlen(marks[i].name) == len && strncmp(marks[i].name, mark, len) == 0)
            return marks[i].value ? marks[i].value : "";
    return NULL;
}

static const char *fill(Arena *a, const Finding *f, const char *template)
{
    const char *line = "";

    while (*template) {
        size_t len = strcspn(template, "{");
        line = str_format(a, "%s%.*s", line, (int)len, template);
        template += len;
        if (!*template)
            break;
        len = strcspn(template, "}") + 1;
        const char *value = filling(f, template, len);
        line = str_format(a, "%s%s", line, value ? exam_shell_word(a, value) : "{");
        template += value ? len : 1;
    }
    return line;
}

const char *check_fix_text(Arena *a, const Check *check)
{
    const Finding nobody = {
        .object = {.namespace = "NAMESPACE", .name = "NAME"},
        .other = check->other_is,
        .value = check->value_is,
    };

    return fill(a, &nobody, check->fix);
}

/* --- findings */

const char *exam_word(const char *text)
{
    return text ? text : "?";
}

Finding exam_about(const char *kind, const Json *object, const char *message)
{
    return (Finding){.kind = kind, .object = meta_key(object), .message = message};
}

/* The operator lives in a namespace of its own, and a key that is used twice is nobody's private
 * matter: these are told of wherever they are. */
static bool is_told_everywhere(Area area)
{
    return area < AREA_STORAGE || area == AREA_VALIDATORS;
}

void exam_find(Exam *exam, Finding finding)
{
    if (!chart_is_asked_about(exam->chart, finding.object.namespace)
        && !is_told_everywhere(exam->check->area))
        return;
    exam->outcomes[exam->outcome_at].found++;
    exam->outcomes[exam->outcome_at].skipped = NULL;
    if (exam->count == FINDINGS_MAX) {
        exam->dropped++;
        return;
    }
    finding.check = exam->check;
    finding.message = str_cut(exam->arena, finding.message, MESSAGE_MAX);
    finding.fix = fill(exam->arena, &finding, finding.fix ? finding.fix : exam->check->fix);
    exam->findings[exam->count++] = finding;
}

void exam_skip(Exam *exam, const char *why)
{
    Outcome *outcome = &exam->outcomes[exam->outcome_at];

    outcome->skipped = outcome->found ? NULL : why;
}

/* Why a check cannot be asked, or NULL. */
static const char *obstacle(Arena *a, const Chart *chart, const Check *check)
{
    for (size_t i = 0; i < CHECK_NEEDS_MAX && check->needs[i] != CHART_NOTHING; i++) {
        ChartList list = check->needs[i];
        if (!chart_knows(chart, list))
            return str_format(a,
                chart->parts[list].state == CHART_FORBIDDEN ? "may not list %s" : "%s not read",
                chart_list_text(list));
        if (check->needs_kinds && !chart_serves(chart, list))
            return str_format(a, "the server has no %s", chart_list_text(list));
    }
    if ((check->needs_operator || check->run_of_operator) && !chart_operator(chart))
        return "no operator has a Deployment";
    return NULL;
}

static void run_check(Exam *exam, const Check *check)
{
    const Objects operators = check->run ? (Objects){0} : chart_operators(exam->chart);

    if (check->run)
        check->run(exam);
    for (size_t i = 0; i < operators.count; i++)
        check->run_of_operator(exam, operators.items[i]);
}

Exam *exam_run(Arena *a, const Chart *chart)
{
    Exam *exam = arena_new(a, Exam);
    size_t count = check_count();

    *exam = (Exam){.chart = chart,
        .arena = a,
        .outcomes = arena_array(a, Outcome, count),
        .findings = arena_array(a, Finding, FINDINGS_MAX)};
    for (size_t i = 0; i < count; i++) {
        const Check *check = check_at(i);
        Outcome *outcome = &exam->outcomes[i];
        outcome->is_asked = chart->is_pre ? check->is_pre : !check->is_pre_alone;
        if (!outcome->is_asked)
            continue;
        outcome->skipped = obstacle(a, chart, check);
        if (outcome->skipped)
            continue;
        exam->check = check;
        exam->outcome_at = i;
        run_check(exam, check);
    }
    return exam;
}
