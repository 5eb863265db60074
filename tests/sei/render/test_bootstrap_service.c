/* The Service of a bootstrap stage: of the node's name, in front of the Job's pod alone. */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/sei/render/cases.h"

TEST(the_service_of_a_bootstrap_stage_selects_only_the_pod_of_its_job)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Wanted w = render_case(
        a, &(RenderCase){"bootstrap", "{spec: {fullNode: {snapshot: {" BOOTSTRAP "}}}}"});
    const Json *selector = json_find(w.bootstrap_service, ".spec.selector");
    const Json *job_labels = json_find(w.bootstrap_job, ".spec.template.metadata.labels");
    const Json *own_labels = json_find(w.statefulset, ".spec.template.metadata.labels");

    then_json(selector, "{'sei.io/node': 'rpc-0', 'sei.io/component': 'bootstrap'}");
    then_true(json_equal(selector, job_labels));
    then_true(!json_member(own_labels, LABEL_COMPONENT));
    then_str(meta_name(w.bootstrap_service), meta_name(w.service));
}

TEST(the_service_of_a_bootstrap_stage_exposes_only_the_proxy)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Wanted w = render_case(
        a, &(RenderCase){"bootstrap", "{spec: {fullNode: {snapshot: {" BOOTSTRAP "}}}}"});
    const Json *ports = json_find(w.bootstrap_service, ".spec.ports");

    then_int(json_count(ports), 1);
    then_int(json_int(ports, "[0].port", 0), PROXY_PORT);
    then_str(json_str(w.bootstrap_service, ".spec.clusterIP"), "None");
}
