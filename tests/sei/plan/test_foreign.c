/* Objects of our name that are somebody else's: told, never touched. */
#include "tests/sei/plan/given.h"

#define THEIRS                                                                                     \
    "{metadata: {ownerReferences: [{kind: 'Site', name: 'x', uid: 'other', controller: true}]}}"
#define EARLIER                                                                                    \
    "{metadata: {ownerReferences: [{kind: 'SeiNode', name: 'a', uid: 'other', controller: "        \
    "true}]}}"

static const struct {
    const char *name;
    Given given;
    const char *stall, *plan;
    bool frozen, held;
} cases[] = {
    {"a StatefulSet of another controller",
        {.statefulset = THEIRS, .service = GONE},
        "ForeignObject",
        "",
        .frozen = true,
        .held = true},
    {"one without a controller that selects other pods",
        {.statefulset = "{metadata: {ownerReferences: null},"
                        " spec: {selector: {matchLabels: {'sei.io/node': 'b'}}}}"},
        "ForeignObject",
        "",
        .frozen = true,
        .held = true},
    {"one that is being deleted is only waited for",
        {.statefulset = "{metadata: {deletionTimestamp: '" NOW "', ownerReferences: null},"
                        " spec: {selector: null}}"},
        "",
        ""},
    {"one of an earlier node of this name is not foreign",
        {.statefulset = EARLIER},
        "",
        REPAIR_PLAN},
    {"a Service without a controller that selects our pods is adopted",
        {.service = "{metadata: {ownerReferences: null}}"},
        "",
        REPAIR_PLAN},
    {"a Service without a controller whose selector has one more label",
        {.service = "{metadata: {ownerReferences: null},"
                    " spec: {selector: {'sei.io/node': 'a', tier: 'x'}}}"},
        "ForeignObject",
        ""},
    {"a Service", {.service = THEIRS}, "ForeignObject", ""},
    {"a Service, beside which all else is repaired",
        {.service = THEIRS, .config = GONE},
        "ForeignObject",
        "repair: apply-rbac-proxy-config apply-statefulset"},
    {"the node is approved all the same",
        {.service = THEIRS, .health = HEALTH_NOT_READY},
        "ForeignObject",
        REAPPROVAL},
    {"a ConfigMap without our label",
        {.config = "{metadata: {ownerReferences: null, labels: null}}"},
        "ForeignObject",
        ""},
    {"a new node is not begun among them",
        {.fresh = true, .service = THEIRS},
        "ForeignObject",
        "",
        .frozen = true},
};

TEST(a_foreign_object_of_the_expected_name_is_reported_and_not_touched)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(stall_text(&p->d), cases[i].stall);
        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.stall.look_again_ms, p->d.stall.is_set ? 30000 : 0);
        then_int(p->d.frozen, cases[i].frozen);
        then_int(p->d.hold_statefulset, cases[i].held);
    }
}
