/* Reads deploy/crds and the tables. The schema is walked with a list of places to visit, not by
 * recursion; a CEL rule is known by its message, because that is what users see of it. */
#include "tests/crds/crds.h"

#include "base/draft.h"
#include "kube/client/yaml.h"
#include "tests/tables.h"
#include "tests/test.h"

enum {
    NODES_MAX = 2000,
    RULES_MAX = 1000,
    CASES_MAX = 2000,
};

const Kind crd_seinode[1] = {{"sei.io", "v1alpha1", "seinodes", "SeiNode", .namespaced = true}};
const Kind crd_seinodedeployment[1] = {
    {"sei.io", "v1alpha1", "seinodedeployments", "SeiNodeDeployment", .namespaced = true}};

/* Keywords of a schema that can refuse a value of the right type, and how the server says so. */
static const struct {
    const char *keyword, *says;
} keywords[] = {
    {"enum", "Unsupported value"},
    {"format", "must be of type date-time"},
    {"maxItems", "must have at most"},
    {"maxLength", "may not be more than"},
    {"maximum", "should be less than or equal to"},
    {"minItems", "should have at least"},
    {"minLength", "should be at least"},
    {"minProperties", "should have at least"},
    {"minimum", "should be greater than or equal to"},
    {"pattern", "should match"},
    {"x-kubernetes-int-or-string", "must be of type integer,string"},
    {"x-kubernetes-list-map-keys", "Duplicate value"},
};
enum { KEYWORD_COUNT = sizeof keywords / sizeof keywords[0] };

const Json *crd_load(Arena *a, const Kind *kind)
{
    const Json *crd = NULL;

    then_ok(yaml_parse(
        a, table_source(a, str_format(a, "deploy/crds/sei.io_%s.yaml", kind->plural)), &crd));
    return crd;
}

const Json *crd_minimal(Arena *a, const Kind *kind)
{
    if (kind_eq(kind, crd_seinode))
        return json_fixture(a,
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', metadata: {name: 'minimal'},"
            " spec: {chainId: 'pacific-1', image: 'seid:1', fullNode: {}}}");
    return json_fixture(a,
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', metadata: {name: 'minimal'},"
        " spec: {updateStrategy: {type: 'InPlace'},"
        "  template: {spec: {chainId: 'pacific-1', image: 'seid:1', fullNode: {}}}}}");
}

/* --- the schema */

static void add_node(CrdNodes *nodes, CrdNode node)
{
    if (node.schema && nodes->count == NODES_MAX)
        BUG("a schema has more places than NODES_MAX");
    if (node.schema)
        nodes->items[nodes->count++] = node;
}

static bool lists(const Json *required, const char *name)
{
    const Json *one;

    json_each(one, required) {
        if (str_eq(json_text(one), name))
            return true;
    }
    return false;
}

static void add_children(Arena *a, CrdNodes *nodes, CrdNode node)
{
    const Json *child, *required = json_find(node.schema, ".required");

    json_each(child, json_find(node.schema, ".properties")) {
        const char *name = json_key(child), *dot = str_empty(node.path) ? "" : ".";
        add_node(nodes,
            (CrdNode){str_format(a, "%s%s%s", node.path, dot, name),
                child,
                .required = lists(required, name),
                .property = true});
    }
    add_node(nodes,
        (CrdNode){str_format(a, "%s[]", node.path), .schema = json_find(node.schema, ".items")});
    add_node(nodes,
        (CrdNode){str_format(a, "%s.*", node.path),
            .schema = json_find(node.schema, ".additionalProperties")});
}

CrdNodes crd_nodes(Arena *a, const Json *crd)
{
    CrdNodes nodes = {.items = arena_array(a, CrdNode, NODES_MAX)};

    add_node(&nodes,
        (CrdNode){"", .schema = json_find(crd, ".spec.versions[0].schema.openAPIV3Schema")});
    for (size_t i = 0; i < nodes.count; i++)
        add_children(a, &nodes, nodes.items[i]);
    return nodes;
}

static void add_rule(CrdRules *rules, CrdRule rule)
{
    if (rules->count == RULES_MAX)
        BUG("a schema has more rules than RULES_MAX");
    rules->items[rules->count++] = rule;
}

/* Of the formats that we use the server checks only that of times. */
static bool refuses(const Json *schema, const char *keyword)
{
    return json_member(schema, keyword)
        && (!str_eq(keyword, "format") || str_eq(json_str(schema, ".format"), "date-time"));
}

CrdRules crd_rules(Arena *a, const Json *crd)
{
    CrdNodes nodes = crd_nodes(a, crd);
    CrdRules rules = {.items = arena_array(a, CrdRule, RULES_MAX)};
    const Json *cel;

    for (size_t i = 0; i < nodes.count; i++) {
        CrdNode node = nodes.items[i];
        for (size_t k = 0; k < KEYWORD_COUNT; k++) {
            if (refuses(node.schema, keywords[k].keyword))
                add_rule(&rules, (CrdRule){node.path, keywords[k].keyword});
        }
        /* What has a default is never missing. */
        if (node.required && !json_find(node.schema, ".default"))
            add_rule(&rules, (CrdRule){node.path, "required"});
        json_each(cel, json_member(node.schema, "x-kubernetes-validations")) {
            add_rule(&rules, (CrdRule){node.path, json_str(cel, ".message"), .cel = true});
        }
    }
    return rules;
}

const char *crd_says(CrdRule rule)
{
    for (size_t k = 0; k < KEYWORD_COUNT; k++) {
        if (!rule.cel && str_eq(rule.rule, keywords[k].keyword))
            return keywords[k].says;
    }
    return rule.cel ? rule.rule : "Required value";
}

/* --- the tables */

/* A table, and how its rows are meant for the kind at hand. */
typedef struct Table {
    const char *file;
    bool template; /* speaks of a SeiNode, and is tried on the template of a fleet */
} Table;

/* A patch of a SeiNode as one of a fleet's template. */
static const Json *patch_of(Arena *a, Table table, const Json *patch)
{
    if (!patch || !table.template)
        return patch;
    return json_seal(
        a, draft(a, obj("spec", obj("template", draft_json("spec", json_find(patch, ".spec"))))));
}

static void add_case(Arena *a, CrdCases *cases, CrdCase one, const Json *base, const Json *patch)
{
    if (!patch)
        return;
    then_true(cases->count < CASES_MAX);
    one.object = json_merge(a, one.old ? one.old : base, patch);
    one.name = str_format(
        a, "%s %s, %s", one.rule.at, one.rule.rule, one.accepted ? "accepted" : "refused");
    cases->items[cases->count++] = one;
}

static void add_table(Arena *a, CrdCases *cases, Table table, const Json *minimal)
{
    const char *path = str_format(a, "tests/crds/%s.json5", table.file);
    const Json *row, *rows = table_load(a, path);

    json_each(row, rows) {
        const char *at = json_str(row, ".at"), *rule = json_str(row, ".rule");
        const Json *old = patch_of(a, table, json_find(row, ".old"));
        then_true(at && rule);
        CrdCase one = {
            .rule = {table.template ? str_format(a, "spec.template.%s", at) : at, rule},
            .old = old ? json_merge(a, minimal, old) : NULL,
        };
        one.accepted = true;
        add_case(a, cases, one, minimal, patch_of(a, table, json_find(row, ".accept")));
        one.accepted = false;
        add_case(a, cases, one, minimal, patch_of(a, table, json_find(row, ".refuse")));
    }
}

/* A case knows from the table only what its rule is called: the schema knows the rest. */
static void know_rules(Arena *a, CrdCases *cases, const Kind *kind)
{
    CrdRules rules = crd_rules(a, crd_load(a, kind));

    for (size_t i = 0; i < cases->count; i++) {
        CrdRule *rule = &cases->items[i].rule;
        bool known = false;
        for (size_t r = 0; r < rules.count && !known; r++) {
            known = str_eq(rule->at, rules.items[r].at) && str_eq(rule->rule, rules.items[r].rule);
            if (known)
                *rule = rules.items[r];
        }
        if (!known)
            fail_msg("a case of %s speaks of no rule: %s", kind->name, cases->items[i].name);
    }
}

CrdCases crd_cases(Arena *a, const Kind *kind)
{
    static const Table of_node[] = {{"node-spec"}, {"node-status"}, {"status"}, {0}};
    static const Table of_fleet[] = {
        {"fleet-spec"}, {"node-spec", .template = true}, {"fleet-status"}, {"status"}, {0}};
    CrdCases cases = {.items = arena_array(a, CrdCase, CASES_MAX)};
    const Table *tables = kind_eq(kind, crd_seinode) ? of_node : of_fleet;

    for (size_t i = 0; tables[i].file; i++)
        add_table(a, &cases, tables[i], crd_minimal(a, kind));
    know_rules(a, &cases, kind);
    return cases;
}
