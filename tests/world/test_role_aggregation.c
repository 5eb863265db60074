/* Roles that are the sum of others. */
#include "tests/world/stage.h"
#include "world/rights.h"

static const char *const nobody[] = {NULL};

static const Json *role(Stage *s, const char *name)
{
    return told(s, (Request){.verb = VERB_GET, .kind = kind_clusterrole, .key.name = name});
}

static void patch_role(Stage *s, const char *name, const char *json5)
{
    told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_clusterrole,
            .key.name = name,
            .body = json_fixture(s->arena, json5)});
}

static Stage *summing(void)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    rights_bootstrap(world_server(s->world));
    world_add(s->world, role_aggregation_open(&options));
    pass(s, 5);
    return s;
}

TEST(the_default_roles_view_and_edit_and_admin_are_aggregated)
{
    SCOPED_STAGE s = summing();
    size_t view = json_count(json_find(role(s, "view"), ".rules"));
    size_t edit = json_count(json_find(role(s, "edit"), ".rules"));
    size_t admin = json_count(json_find(role(s, "admin"), ".rules"));
    then_int(view, 11);
    then_int(edit, 14 + 11);
    then_int(admin, 2 + 14 + 11);
}

TEST(a_role_with_the_aggregation_label_is_added_and_removed)
{
    SCOPED_STAGE s = summing();
    create(s,
        kind_clusterrole,
        "{metadata: {name: 'nodes', labels: {"
        "  'rbac.authorization.k8s.io/aggregate-to-view': 'true'}},"
        " rules: [{apiGroups: ['sei.io'], resources: ['seinodes'], verbs: ['get']}]}");
    create(s,
        kind_clusterrolebinding,
        "{metadata: {name: 'ann'}, roleRef: {kind: 'ClusterRole', name: 'admin'},"
        " subjects: [{kind: 'User', name: 'ann'}]}");
    RightsQuestion q = {
        .user = "ann", .groups = nobody, .verb = "get", .group = "sei.io", .resource = "seinodes"};
    const char *reason;
    pass(s, 5);
    then_true(rights_allow(world_server(s->world), s->arena, &q, &reason));
    patch_role(s, "nodes", "{metadata: {labels: null}}");
    pass(s, 5);
    then_true(!rights_allow(world_server(s->world), s->arena, &q, &reason));
}

TEST(manual_rules_of_an_aggregated_role_are_overwritten)
{
    SCOPED_STAGE s = summing();
    patch_role(s, "view", "{rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]}");
    pass(s, 5);
    then_int(json_count(json_find(role(s, "view"), ".rules")), 11);
}
