/* What others have put into a template. */
#include "sei/plan/explain.h"
#include "tests/sei/plan/given.h"

#define ENTRY(manager, template)                                                                   \
    "{manager: '" manager                                                                          \
    "', operation: 'Update', fieldsV1: {'f:spec': {'f:template': " template "}}}"
#define RESTART                                                                                    \
    "{'f:metadata': {'f:annotations': {'.': {}, 'f:kubectl.kubernetes.io/restartedAt': {}}}}"
#define ENV                                                                                        \
    "{'f:spec': {'f:containers': {'k:{\"name\":\"seid\"}': {'f:env': {"                            \
    "'k:{\"name\":\"AGENT\"}': {'.': {}, 'f:name': {}, 'f:value': {}}}}}}}"

static const struct {
    const char *name, *entries, *phrase;
} cases[] = {
    {"nobody", "[]"},
    {"ourselves", "[" ENTRY("seinode-controller", RESTART) "]"},
    {"the StatefulSet controller, which writes the status",
        "[{manager: 'kube-controller-manager', fieldsV1: {'f:status': {}}}]"},
    {"kubectl rollout restart",
        "[" ENTRY("kubectl-rollout", RESTART) "]",
        ": metadata.annotations[kubectl.kubernetes.io/restartedAt] (kubectl-rollout)"},
    {"a variable of the environment",
        "[" ENTRY("agent", ENV) "]",
        ": spec.containers[seid].env[AGENT].name (agent), "
        "spec.containers[seid].env[AGENT].value (agent)"},
    {"many",
        "[" ENTRY("x", "{'f:a': {}, 'f:b': {}, 'f:c': {}, 'f:d': {}, 'f:e': {}, 'f:g': {}}") "]",
        "e (x), and more"},
};

TEST(fields_of_other_managers_in_a_template_are_named_with_their_manager)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *object = str_format(a, "{metadata: {managedFields: %s}}", cases[i].entries);
        const char *text = plan_foreign_fields(a, json_fixture(a, object));

        if (!cases[i].phrase)
            then_str(text, NULL);
        else if (!text || !strstr(text, cases[i].phrase))
            then_str(text, cases[i].phrase);
    }
}

TEST(fields_of_other_managers_are_reported_in_the_up_to_date_condition)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){0});

    p->s.foreign_fields = "x";
    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    then_str(conds_find(&p->d.status.conds, COND_UP_TO_DATE)->reason, "ForeignFields");
    then_str(conds_find(&p->d.status.conds, COND_RECONCILING)->status, "False");
}
