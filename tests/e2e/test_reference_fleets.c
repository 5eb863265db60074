/* Fleets of the reference on a real API server with our CRD: whoever changes operators loses no
 * object and no field. The corpus is tests/crds/reference-fleets.json5; each of its fleets is made,
 * edited and reported on as it was under the reference's CRD, and what was asked for is kept. */
#include "tests/crds/crds.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"
#include "tests/tables.h"

#include "base/draft.h"

#define NS "reference-fleets"

static Live *given_kind(Controlplane *cp, Arena *a)
{
    Live *live = live_open(a, controlplane_admin(cp));

    scene_namespaces(cp, a, NS);
    then_ok(kube_apply(&live->ctx,
        kind_crd,
        crd_load(a, crd_seinodedeployment),
        (ApplyOptions){"test", .force = true},
        NULL));
    eventually(scene_has(cp, "/apis/sei.io/v1alpha1/namespaces/" NS "/seinodedeployments"));
    return live;
}

static const Json *wrap(Arena *a, const char *field, const Json *value)
{
    return json_seal(a, draft(a, draft_json(field, value)));
}

/* Nothing of it was left out, and nothing is another. */
static void then_kept(Arena *a, const Json *stored, const Json *asked)
{
    if (!json_equal(json_merge(a, stored, asked), stored))
        test_fail(__FILE__, __LINE__, "the server kept of it only %s", json_write(a, stored).data);
}

static Err *create(Live *live, int number, const Json *spec, const Json **ret)
{
    Arena *a = live->ctx.arena;
    const Json *fleet = json_fixture(a,
        str_format(a,
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
            " metadata: {name: 'fleet-%d', namespace: '" NS "'}}",
            number));

    return kube_create(
        &live->ctx, crd_seinodedeployment, json_merge(a, fleet, wrap(a, "spec", spec)), ret);
}

/* The first thing that the server refuses, or OK. */
static Err *live_through(Live *live, int number, const Json *row)
{
    Arena *a = live->ctx.arena;
    const Json *fleet = NULL, *edit, *status;

    TRY(create(live, number, json_find(row, ".spec"), &fleet));
    then_kept(a, fleet, wrap(a, "spec", json_find(row, ".spec")));
    json_each(status, json_find(row, ".statuses")) {
        TRY(kube_patch_status(
            &live->ctx, crd_seinodedeployment, fleet, wrap(a, "status", status), &fleet));
        then_kept(a, fleet, wrap(a, "status", status));
    }
    json_each(edit, json_find(row, ".edits")) {
        TRY(kube_merge_patch(
            &live->ctx, crd_seinodedeployment, fleet, wrap(a, "spec", edit), &fleet));
        then_kept(a, fleet, wrap(a, "spec", edit));
    }
    return OK;
}

static void then_judged(Arena *a, const Err *err, const char *why)
{
    if (!why)
        then_ok(err);
    else if (!err_has_status(err, 422) || !strstr(err_text(a, err), why))
        test_fail(__FILE__, __LINE__, "got: %s\nwant: %s", err_text(a, err), why);
}

TEST(every_fleet_of_the_go_operator_stays_valid_except_for_shared_keys_and_volumes)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Live *live = given_kind(scene_begin(controlplane_shared()), a);
    const Json *row, *rows = table_load(a, "tests/crds/reference-fleets.json5");
    int number = 0, refused = 0;

    json_each(row, rows) {
        const char *why = json_str(row, ".refused");
        test_case(true, json_str(row, ".name"));
        then_judged(a, live_through(live, number++, row), why);
        refused += why != NULL;
    }
    test_case(false, NULL);
    then_int(refused, 3);
    then_true(number - refused >= 8);
    live_close(live);
}
