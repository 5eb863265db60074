/* deploy-bootstrap-service: ours by its owner and by what it selects, or replaced; never somebody
 * else's. */
#include "tests/sei/jobs.h"

static const struct {
    const char *name, *service, *said;
    Want want;
} cases[] = {
    {"none", ABSENT, "create services rpc-0"},
    {"the right one", "{}"},
    {"our own, for the pods of the node",
        "{spec: {selector: {'sei.io/component': null}}}",
        "delete services rpc-0",
        WAIT("is replaced")},
    {"somebody's", "{metadata: {ownerReferences: null}}", NULL, TERMINAL("left alone")},
    {"a foreign Service without our label",
        "{metadata: {ownerReferences: null, labels: null}}",
        "create services rpc-0, get services rpc-0",
        TERMINAL("left alone")},
};

TEST(a_bootstrap_service_is_created_or_kept_or_replaced)
{
    each_case(i, cases) {
        SCOPED_WORLD w = bootstrap_world();
        given(w,
            kind_service,
            json_write(w->arena, w->wanted.bootstrap_service).data,
            cases[i].service);

        then_err(when_task_runs(w, TASK_DEPLOY_BOOTSTRAP_SERVICE), cases[i].want);

        then_str(w->said, cases[i].said);
    }
}
