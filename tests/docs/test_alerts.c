/* The reference of the alerts, made from the rules that Prometheus is given; and what `explain`
 * says of each, held to the same rules and to the runbooks.
 *
 * What surprises: where a rule has a template, a reader has a word in capitals. */
#include "cli/alerts.h"
#include "kube/client/yaml.h"
#include "tests/docs/page.h"
#include "tests/tables.h"

#include <ctype.h>
#include <string.h>

#define RULES  "deploy/monitoring/prometheusrule.yaml"
#define LABEL  "{{ $labels."
#define NUMBER "{{ $value "
#define WHEN   "{{ with $labels."

enum { BYTES_MAX = 16 << 20 };

static const Json *load_groups(Arena *a)
{
    const Json *rules;

    then_ok(yaml_parse(a, table_source(a, RULES), &rules));
    then_true(json_count(json_find(rules, ".spec.groups")) > 0);
    return json_find(rules, ".spec.groups");
}

/* A word in capitals: what a label is called, as far as the next space. */
static const char *label_word(Arena *a, const char *label)
{
    size_t len = strcspn(label, " ");
    char *word = arena_alloc(a, len + 1);

    for (size_t i = 0; i < len; i++)
        word[i] = (char)toupper((unsigned char)label[i]);
    word[len] = '\0';
    return word;
}

/* One template, from its braces on, as a word; the label of `with` is kept for the dot in it. */
static const char *plain_word(Arena *a, const char *template, const char **with)
{
    if (str_has_prefix(template, WHEN)) {
        *with = label_word(a, template + strlen(WHEN));
        return "[";
    }
    if (str_has_prefix(template, "{{ end }}"))
        return "]";
    if (str_has_prefix(template, "{{ . }}"))
        return *with;
    if (str_has_prefix(template, NUMBER))
        return str_has_prefix(template, NUMBER "| humanizeDuration }}") ? "so long" : "N";
    then_true(str_has_prefix(template, LABEL));
    return label_word(a, template + strlen(LABEL));
}

/* A text of a rule without its templates. */
static const char *plain(Arena *a, const char *text)
{
    const char *ret = "", *with = "", *begin;
    bool is_after_label = false;

    while ((begin = strstr(text, "{{"))) {
        const char *end = strstr(begin, "}}");
        then_true(end != NULL);
        bool is_label = str_has_prefix(begin, LABEL);
        const char *between = begin == text && is_label && is_after_label ? " or " : "";
        const char *word = plain_word(a, begin, &with);
        ret = str_format(a, "%s%.*s%s%s", ret, (int)(begin - text), text, between, word);
        is_after_label = is_label;
        text = end + strlen("}}");
    }
    return str_format(a, "%s%s", ret, text);
}

static const char *runbook_of(Arena *a, const Json *rule)
{
    return table_source(a, str_format(a, "docs/runbooks/%s.md", json_str(rule, ".alert")));
}

/* The first line of the block below "How to look". */
static const char *first_look(Arena *a, const Json *rule)
{
    const char *block = strstr(runbook_of(a, rule), "\n## How to look\n\n```");

    then_true(block != NULL);
    block = strchr(strstr(block, "```"), '\n') + 1;
    return str_slice(a, block, strcspn(block, "\n"));
}

TEST(explain_has_the_same_text_for_each_alert_as_its_rule)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const AlertRow *row = alert_rows;
    const Json *groups = load_groups(a), *group, *rule;

    json_each(group, groups)
        json_each(rule, json_find(group, ".rules")) {
            then_str(row->name, json_str(rule, ".alert"));
            then_str(row->severity, json_str(rule, ".labels.severity"));
            then_str(row->after, json_str(rule, ".for"));
            then_str(row->says,
                plain(a,
                    str_format(a,
                        "%s. %s",
                        json_str(rule, ".annotations.summary"),
                        json_str(rule, ".annotations.description"))));
            then_str(row->look, first_look(a, rule));
            then_str(json_str(rule, ".annotations.runbook_url"),
                str_format(a, "%s%s.md", alert_runbooks, row->name));
            row++;
        }
    then_true(!row->name);
}

static const char *patience(const Json *rule)
{
    const char *after = json_str(rule, ".for");

    return after ? after : "at once";
}

static void say_table(Page *p, const Json *groups)
{
    const Json *group, *rule;

    say(p, "\n| Alert | Severity | After | What it says |\n| --- | --- | --- | --- |\n");
    json_each(group, groups)
        json_each(rule, json_find(group, ".rules"))
            say(p,
                "| [%s](runbooks/%s.md) | %s | %s | %s |\n",
                json_str(rule, ".alert"),
                json_str(rule, ".alert"),
                json_str(rule, ".labels.severity"),
                patience(rule),
                plain(p->arena, json_str(rule, ".annotations.summary")));
}

static void say_rule(Page *p, const Json *rule)
{
    const char *expression = json_str(rule, ".expr");

    say(p,
        "\n## %s\n\n%s\n\n```promql\n%s%s```\n",
        json_str(rule, ".alert"),
        plain(p->arena, json_str(rule, ".annotations.description")),
        expression,
        strchr(expression, '\n') ? "" : "\n");
}

TEST(the_alerts_page_in_docs_is_current)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);
    const Json *groups = load_groups(a), *group, *rule;
    Page p = page_open(a,
        "test_alerts",
        "Alerts",
        "The rules of `deploy/monitoring`, as Prometheus gets them; how to install them says\n"
        "[Monitoring](MONITORING.md). *After* is for how long it must be so. Words in capitals "
        "are\n"
        "labels of the alert, N is a number. Each name leads to its runbook;\n"
        "`kubectl sei explain SeiNodeStalled` says what it says where there is no browser.");

    say_table(&p, groups);
    json_each(group, groups)
        json_each(rule, json_find(group, ".rules"))
            say_rule(&p, rule);
    then_page(&p, "ALERTS.md");
}

/* What the words are worth that the page and `explain` are compared by. */
TEST(a_template_in_an_alert_text_is_replaced_by_a_word)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"none", "nobody leads", "nobody leads"},
        {"a label", "node {{ $labels.name }} waits", "node NAME waits"},
        {"two at one place", "({{ $labels.kind }}{{ $labels.name }})", "(KIND or NAME)"},
        {"what is not always there",
            "leads{{ with $labels.namespace }} in namespace {{ . }}{{ end }}",
            "leads[ in namespace NAMESPACE]"},
        {"a number", "{{ $value | printf \"%.0f\" }} calls", "N calls"},
        {"a while", "for {{ $value | humanizeDuration }}.", "for so long."},
    };
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, cases)
        then_str(plain(a, cases[i].text), cases[i].want);
}
