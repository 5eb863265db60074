/* Task types: the spellings stand in stored objects, so they are spelt out here once more. */
#include "sei/api/task_type.h"
#include "tests/test.h"

static const struct {
    const char *name; /* the spelling */
    TaskType type;
    int retries;
    bool is_sidecar;
} cases[] = {
    {"ensure-data-pvc", TASK_ENSURE_DATA_PVC},
    {"validate-signing-key", TASK_VALIDATE_SIGNING_KEY},
    {"validate-node-key", TASK_VALIDATE_NODE_KEY},
    {"validate-operator-keyring", TASK_VALIDATE_OPERATOR_KEYRING},
    {"apply-rbac-proxy-config", TASK_APPLY_RBAC_PROXY_CONFIG},
    {"apply-statefulset", TASK_APPLY_STATEFULSET},
    {"apply-service", TASK_APPLY_SERVICE},
    {"replace-pod", TASK_REPLACE_POD, 3},
    {"observe-image", TASK_OBSERVE_IMAGE},
    {"deploy-bootstrap-service", TASK_DEPLOY_BOOTSTRAP_SERVICE},
    {"deploy-bootstrap-job", TASK_DEPLOY_BOOTSTRAP_JOB},
    {"await-bootstrap-complete", TASK_AWAIT_BOOTSTRAP_COMPLETE},
    {"teardown-bootstrap", TASK_TEARDOWN_BOOTSTRAP},
    {"snapshot-restore", TASK_SNAPSHOT_RESTORE, 21, true},
    {"configure-genesis", TASK_CONFIGURE_GENESIS, 180, true},
    {"config-apply", TASK_CONFIG_APPLY, 0, true},
    {"discover-peers", TASK_DISCOVER_PEERS, 20, true},
    {"configure-state-sync", TASK_CONFIGURE_STATE_SYNC, 21, true},
    {"config-validate", TASK_CONFIG_VALIDATE, 0, true},
    {"snapshot-upload", TASK_SNAPSHOT_UPLOAD, 0, true},
    {"generate-identity", TASK_GENERATE_IDENTITY, 0, true},
    {"generate-gentx", TASK_GENERATE_GENTX, 0, true},
    {"upload-genesis-artifacts", TASK_UPLOAD_GENESIS_ARTIFACTS, 21, true},
    {"set-genesis-peers", TASK_SET_GENESIS_PEERS, 21, true},
    {"mark-ready", TASK_MARK_READY, 0, true},
};

TEST(every_task_type_has_its_spelling_and_its_retry_budget)
{
    each_case(i, cases) {
        then_str(task_type_text(cases[i].type), cases[i].name);
        then_int(task_type_parse(cases[i].name), cases[i].type);
        then_int(task_type_retries(cases[i].type), cases[i].retries);
        then_int(task_type_is_sidecar(cases[i].type), cases[i].is_sidecar);
        then_int(task_type_never_ends(cases[i].type), cases[i].type == TASK_SNAPSHOT_UPLOAD);
    }
}

TEST(every_sidecar_task_that_ends_has_an_overdue_time)
{
    each_case(i, cases) {
        bool ends = cases[i].is_sidecar && cases[i].type != TASK_SNAPSHOT_UPLOAD;
        then_int(task_type_overdue_ms(cases[i].type) > 0, ends);
    }
}

TEST(tasks_that_rely_on_a_bootstrap_job_are_stored_before_the_job_is_deleted)
{
    each_case(i, cases)
        then_int(task_type_is_stored_first(cases[i].type),
            cases[i].type == TASK_AWAIT_BOOTSTRAP_COMPLETE
                || cases[i].type == TASK_TEARDOWN_BOOTSTRAP);
}

TEST(an_unknown_task_spelling_is_parsed_as_unknown)
{
    then_int(task_type_parse("config-patch"), TASK_UNKNOWN);
    then_int(task_type_parse("Mark-Ready"), TASK_UNKNOWN);
    then_int(task_type_parse(""), TASK_UNKNOWN);
    then_int(task_type_parse(NULL), TASK_UNKNOWN);
    then_str(task_type_text(TASK_UNKNOWN), NULL);
    then_int(task_type_retries(TASK_UNKNOWN), 0);
    then_true(!task_type_is_sidecar(TASK_UNKNOWN));
}

TEST(the_text_of_a_number_outside_of_the_task_types_is_a_bug)
{
    then_bug("task type", task_type_text(TASK_TYPE_COUNT));
}

TEST(fleet_task_types_are_not_node_task_types)
{
    then_true(task_type_is_of_fleet(TASK_UPDATE_NODE_SPECS));
    then_true(task_type_is_of_fleet(task_type_parse("await-nodes-running")));
    then_true(!task_type_is_of_fleet(TASK_MARK_READY));
    then_true(!task_type_is_of_fleet(TASK_UNKNOWN));
    then_int(task_type_retries(TASK_ASSEMBLE_GENESIS), 180);
    then_int(task_type_parse(NULL), TASK_UNKNOWN);
    then_bug("out of its range", task_type_text(TASK_ALL_COUNT));
}
