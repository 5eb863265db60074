/* The boards of deploy/monitoring/dashboards: each panel asks for metrics that exist, says what it
 * shows, and stands where no other does; each variable that is used is one that the board has. */
#include "tests/monitoring/monitoring.h"
#include "tests/tables.h"
#include "tests/test.h"

#include <ctype.h>

enum { BYTES_MAX = 16 << 20, PANELS_MAX = 15, COLUMNS = 24 };

static const struct {
    const char *name, *uid;
    const char *variables[5]; /* ended by NULL */
    const char *wide;         /* the panel that shows more than was chosen, and says so; or NULL */
} boards[] = {
    {"fleet", "sei-fleet", {"datasource", "namespace", "fleet"}, "How long plans take"},
    {"node", "sei-node", {"datasource", "namespace", "fleet", "node"}, NULL},
    {"operator", "sei-operator", {"datasource", "job"}, NULL},
};

static const Json *load(Arena *a, const char *name)
{
    const char *text = table_source(a, str_format(a, "deploy/monitoring/dashboards/%s.json", name));
    const Json *board;

    then_ok(json_parse(a, (Bytes){text, strlen(text)}, &board));
    return board;
}

static bool is_declared(const char *const *variables, const char *word)
{
    if (str_eq(word, "__rate_interval") || str_eq(word, "1")) /* a group of label_replace */
        return true;
    while (*variables && !str_eq(*variables, word))
        variables++;
    return *variables != NULL;
}

/* Every $word of an expression is a variable of the board, or Grafana's own. */
static void then_variables_exist(Arena *a, const char *const *variables, const char *expression)
{
    for (const char *at = expression; (at = strchr(at, '$'));) {
        size_t len = 0;
        for (at++; isalnum((unsigned char)at[len]) || at[len] == '_';)
            len++;
        const char *word = str_slice(a, at, len);
        if (!is_declared(variables, word))
            test_fail(__FILE__, __LINE__, "$%s is no variable of the board: %s", word, expression);
    }
}

/* Every variable of the board is in an expression, but for the datasource, which is beside it. */
static void then_all_are_asked(Arena *a, const char *const *variables, const char *expression)
{
    for (variables++; *variables; variables++)
        if (!strstr(expression, str_format(a, "\"$%s\"", *variables)))
            test_fail(__FILE__, __LINE__, "$%s does not matter to: %s", *variables, expression);
}

TEST(dashboard_variables_are_filled_from_existing_metrics)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, boards) {
        const Json *board = load(a, boards[i].name), *variable;
        size_t n = 0;
        then_str(json_str(board, ".uid"), boards[i].uid);
        json_each(variable, json_find(board, ".templating.list")) {
            then_str(json_str(variable, ".name"), boards[i].variables[n++]);
            if (!str_eq(json_str(variable, ".type"), "query"))
                continue;
            const char *query = json_str(variable, ".query");
            then_str(query, json_str(variable, ".definition"));
            then_expression_exists(a, boards[i].name, query);
            then_variables_exist(a, boards[i].variables, query);
        }
        then_str(boards[i].variables[n], NULL);
    }
}

static void then_panel_is_right(Arena *a, const Json *panel, const char *const *variables)
{
    const char *title = json_str(panel, ".title");
    const Json *target;

    then_true(!str_empty(title) && !str_empty(json_str(panel, ".description")));
    then_str(json_str(panel, ".datasource.uid"), "${datasource}");
    /* Grafana's own choices are a scale, which has no legend, and thresholds, which hide mappings.
     */
    if (str_eq(json_str(panel, ".type"), "state-timeline"))
        then_str(json_str(panel, ".fieldConfig.defaults.color.mode"), "fixed");
    then_true(json_count(json_find(panel, ".targets")) > 0);
    json_each(target, json_find(panel, ".targets")) {
        then_expression_exists(a, title, json_str(target, ".expr"));
        then_variables_exist(a, variables, json_str(target, ".expr"));
    }
}

TEST(dashboard_panels_use_only_existing_metrics_and_labels)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, boards) {
        const Json *panels = json_find(load(a, boards[i].name), ".panels"), *panel;
        then_true(json_count(panels) > 0 && json_count(panels) <= PANELS_MAX);
        json_each(panel, panels)
            then_panel_is_right(a, panel, boards[i].variables);
    }
}

/* With a fleet and all nodes chosen, $node alone stands for the nodes of every fleet. */
TEST(dashboard_panels_show_only_the_selected_objects)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, boards) {
        const Json *panels = json_find(load(a, boards[i].name), ".panels"), *panel, *target;
        json_each(panel, panels) {
            if (str_eq(json_str(panel, ".title"), boards[i].wide))
                continue;
            json_each(target, json_find(panel, ".targets"))
                then_all_are_asked(a, boards[i].variables, json_str(target, ".expr"));
        }
    }
}

static bool overlap(const Json *one, const Json *other, const char *from, const char *size)
{
    return json_int(one, from, -1) < json_int(other, from, -1) + json_int(other, size, 0)
        && json_int(other, from, -1) < json_int(one, from, -1) + json_int(one, size, 0);
}

TEST(dashboard_panels_do_not_overlap)
{
    SCOPED_ARENA a = arena_open(BYTES_MAX);

    each_case(i, boards) {
        const Json *panels = json_find(load(a, boards[i].name), ".panels"), *one, *other;
        json_each(one, panels) {
            const Json *place = json_find(one, ".gridPos");
            then_true(json_int(place, ".x", -1) >= 0
                && json_int(place, ".x", 0) + json_int(place, ".w", COLUMNS + 1) <= COLUMNS);
            for (other = json_next(panels, one); other; other = json_next(panels, other)) {
                const Json *beside = json_find(other, ".gridPos");
                then_true(
                    !overlap(place, beside, ".x", ".w") || !overlap(place, beside, ".y", ".h"));
                then_true(json_int(one, ".id", 0) != json_int(other, ".id", 0));
            }
        }
    }
}
