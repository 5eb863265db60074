/* What can be said of the CRDs without a server: that each part is described, that each rule has
 * cases, that nothing of the reference is taken away. */
#include "tests/crds/crds.h"
#include "tests/test.h"

enum { ARENA_MAX = 256 << 20 };

static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};

TEST(every_crd_property_has_a_description)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        CrdNodes nodes = crd_nodes(a, crd_load(a, kinds[k]));

        then_true(nodes.count > 100);
        for (size_t i = 0; i < nodes.count; i++) {
            const char *description = json_str(nodes.items[i].schema, ".description");
            /* The server describes metadata, and refuses to be told about it. */
            if (!nodes.items[i].property || str_eq(nodes.items[i].path, "metadata"))
                continue;
            if (!description || strlen(description) < 8 || !str_has_suffix(description, "."))
                fail_msg("%s: %s has no sentence for kubectl explain",
                    kinds[k]->name,
                    nodes.items[i].path);
        }
    }
}

static size_t count_cases(const CrdCases *cases, CrdRule rule, bool accepted)
{
    size_t count = 0;

    for (size_t i = 0; i < cases->count; i++) {
        const CrdCase *one = &cases->items[i];
        count += one->accepted == accepted && str_eq(one->rule.at, rule.at)
            && str_eq(one->rule.rule, rule.rule);
    }
    return count;
}

TEST(every_crd_rule_has_a_case_that_it_accepts_and_one_that_it_refuses)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        CrdRules rules = crd_rules(a, crd_load(a, kinds[k]));
        CrdCases cases = crd_cases(a, kinds[k]);

        for (size_t i = 0; i < rules.count; i++) {
            CrdRule rule = rules.items[i];
            if (!count_cases(&cases, rule, true) || !count_cases(&cases, rule, false))
                fail_msg("%s: %s %s lacks a case", kinds[k]->name, rule.at, rule.rule);
        }
    }
}

TEST(no_two_crd_rules_of_one_field_have_the_same_message)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        CrdRules rules = crd_rules(a, crd_load(a, kinds[k]));

        for (size_t i = 0; i < rules.count; i++) {
            for (size_t j = i + 1; j < rules.count; j++)
                then_true(!str_eq(rules.items[i].at, rules.items[j].at)
                    || !str_eq(rules.items[i].rule, rules.items[j].rule));
        }
    }
}

TEST(every_crd_rule_has_a_message)
{
    for (size_t k = 0; k < array_count(kinds); k++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        CrdRules rules = crd_rules(a, crd_load(a, kinds[k]));

        for (size_t i = 0; i < rules.count; i++)
            then_true(!str_empty(crd_says(rules.items[i])));
    }
}

TEST(the_template_schema_of_a_fleet_equals_the_spec_schema_of_a_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *node = json_find(crd_load(a, crd_seinode),
        ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties");
    const Json *template = json_find(crd_load(a, crd_seinodedeployment),
        ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.template.properties"
        ".spec.properties");

    then_true(json_count(node) > 10);
    then_true(json_equal(node, template));
}

/* Scripts that read `kubectl get` count columns. */
TEST(the_first_printer_columns_are_those_of_the_go_operator)
{
    static const struct {
        const char *name;
        const Kind *kind;
        const char *known[7], *later[3]; /* those that plain `kubectl get` shows behind them */
    } cases[] = {
        {"SeiNode", crd_seinode, {"Phase", "StatefulSet", "Age"}, {"Ready", "State"}},
        {"SeiNodeDeployment",
            crd_seinodedeployment,
            {"Ready", "Replicas", "Phase", "Paused", "Target", "Age"},
            {"Available", "State"}},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *column,
            *columns =
                json_find(crd_load(a, cases[i].kind), ".spec.versions[0].additionalPrinterColumns");
        size_t at = 0, later = 0;
        json_each(column, columns) {
            const char *known = at < array_count(cases[i].known) ? cases[i].known[at] : NULL;
            if (known) {
                then_str(json_str(column, ".name"), known);
                at++;
            } else if (json_int(column, ".priority", 0) == 0) {
                then_str(json_str(column, ".name"), cases[i].later[later]);
                later++;
            }
        }
        then_str(cases[i].known[at], NULL);
        then_str(cases[i].later[later], NULL);
    }
}
