/* A right that is missing stops what needs it, aloud, and nothing else; when it comes back, so does
 * the work, without a restart. */
#include "tests/e2e/copies.h"

#define ME "limited"

/* The operator starts without the verb; then a copy is wanted, and then no more: over the case,
 * every verb is needed. */
static const struct {
    const char *name, *verbs;
    bool blind; /* without it, nothing is seen, so nothing is tried */
} cases[] = {
    {"list", "get,watch,create,patch,delete", .blind = true},
    {"watch", "get,list,create,patch,delete"},
    {"get", "list,watch,create,patch,delete"},
    {"create", "get,list,watch,patch,delete"},
    {"patch", "get,list,watch,create,delete"},
    {"delete", "get,list,watch,create,patch"},
};

static bool reports(const Operator *op, const char *verb)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return operator_said(op, str_format(a, "cannot %s resource", verb));
}

TEST(a_missing_permission_is_reported_and_recovery_needs_no_restart)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Controlplane *cp = scene_begin(controlplane_shared());
        const char *verb = cases[i].name;
        const char *config = scene_user(cp, a, ME, NULL);

        copies_prepare(cp, a);
        scene_allow(cp, a, ME, cases[i].verbs);
        Operator op = operator_start(cp, a, &(OperatorOptions){.kubeconfig = config});
        copies_put_source(cp, a, verb, "red", "one");
        if (str_eq(verb, "delete")) {
            eventually(copies_hold(cp, "red", verb, "one"));
            copies_put_source(cp, a, verb, "blue", "one");
        }
        eventually(reports(&op, verb));
        if (cases[i].blind)
            then_true(!operator_is_ready(&op));
        else if (!str_eq(verb, "watch"))
            eventually(operator_metric(&op, "controller_runtime_reconcile_errors_total") > 0);

        scene_allow(cp, a, ME, SCENE_VERBS);
        copies_put_source(cp, a, verb, "green", "two");
        eventually(copies_hold(cp, "green", verb, "two"));
        eventually(copies_lack(cp, "red", verb));
        eventually(copies_status_says(cp, verb, "True"));
        eventually(operator_is_ready(&op));
        copies_delete_source(cp, a, verb);
        eventually(copies_lack(cp, "home", verb));
        then_int(operator_end(&op), 0);
    }
}
