/* What is rendered, applied to the world's API server: it is stored as we own it, and applied again
 * it changes nothing. Claims are only ever created, so they are not here; Jobs are created as well,
 * but nothing in them may be a default either. The real server is asked the same end to end. */
#include "kube/hash.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/sei/render/cases.h"
#include "tests/world/stage.h"

static void then_settled(Stage *s, const Kind *kind, const Json *rendered)
{
    Request apply = {.verb = VERB_APPLY,
        .kind = kind,
        .key = meta_key(rendered),
        .body = rendered,
        .manager = NODE_MANAGER,
        .force = true};
    const Json *first = told(s, apply), *second = told(s, apply);

    then_str(hash_owned(s->arena, first, NODE_MANAGER), hash_owned_of_rendered(s->arena, rendered));
    then_str(meta_resource_version(second), meta_resource_version(first));
}

TEST(applying_rendered_objects_twice_to_the_simulated_api_server_changes_nothing)
{
    SCOPED_STAGE s = stage_open();

    told(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_namespace,
            .body = json_fixture(
                s->arena, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei'}}")});
    each_case(i, render_cases) {
        Wanted w = render_case(s->arena, &render_cases[i]);
        then_settled(s, kind_statefulset, w.statefulset);
        then_settled(s, kind_service, w.service);
        then_settled(s, kind_configmap, w.proxy_config);
        if (w.bootstrap_job)
            then_settled(s, kind_job, w.bootstrap_job);
    }
}
