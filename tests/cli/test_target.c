/* Target: which object a word means. */
#include "cli/target.h"
#include "tests/cli/cast.h"

static const struct {
    const char *name, *word;
    const Kind *want;
} kinds[] = {
    {"node", "node", kind_seinode},
    {"nodes", "nodes", kind_seinode},
    {"the kind", "SeiNode", kind_seinode},
    {"its plural", "seinodes", kind_seinode},
    {"with its group", "seinodes.sei.io", kind_seinode},
    {"short", "snode", kind_seinode},
    {"fleet", "fleet", kind_seinodedeployment},
    {"its kind", "seinodedeployment.sei.io", kind_seinodedeployment},
    {"its short name", "snd", kind_seinodedeployment},
    {"another", "pods", NULL},
    {"nothing", "", NULL},
    {"a group alone", ".sei.io", NULL},
};

TEST(each_kind_has_several_names)
{
    each_case(i, kinds)
        then_true(target_kind(kinds[i].word) == kinds[i].want);
}

static const struct {
    const char *name, *line;
    int code;
    const char *text;
} words[] = {
    {"a node", "pause only-node --dry-run", EXIT_FINE, "node/only-node: "},
    {"a fleet", "pause only-fleet --dry-run", EXIT_FINE, "fleet/only-fleet: "},
    {"a name of both", "pause both --dry-run", EXIT_MISUSED, "say fleet/both or node/both"},
    {"the fleet of both", "pause fleet/both --dry-run", EXIT_FINE, "fleet/both: "},
    {"the node of both", "pause snode/both --dry-run", EXIT_FINE, "node/both: "},
    {"a kind that it is not", "pause node/only-fleet", EXIT_NOT_FOUND, "there is no node"},
    {"nothing of that name", "pause none", EXIT_NOT_FOUND, "in namespace \"default\""},
    {"another namespace", "pause only-node -n x", EXIT_NOT_FOUND, "in namespace \"x\""},
    {"a kind alone", "pause node/", EXIT_MISUSED, "names nothing"},
    {"a foreign kind", "pause pod/x", EXIT_MISUSED, "names nothing"},
    {"a name that cannot be one", "pause ../x", EXIT_MISUSED, "names nothing"},
};

TEST(a_name_without_a_kind_matches_a_node_or_a_fleet)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "only-node", "{}");
    given_node(t, "both", "{}");
    given_fleet(t, "only-fleet", "{}");
    given_fleet(t, "both", "{}");

    each_case(i, words) {
        then_int(type(t, words[i].line), words[i].code);
        then_talked(t, words[i].text);
    }
}
