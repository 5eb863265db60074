/* What clients are told of the kinds that are served. That all of it is what the real server says
 * is shown beside one, by tests/e2e/test_faces.c. */
#include "sandbox/discovery.h"
#include "tests/world/desk.h"

static const Json *ask_for(Desk *d, const char *path)
{
    return discovery_find(
        d->arena, d->server, &(DiscoveryQuestion){.path = path, .address = "127.0.0.1:6443"});
}

static const Json *ask_whole(Desk *d, const char *path)
{
    return discovery_find(d->arena, d->server, &(DiscoveryQuestion){.path = path, .whole = true});
}

/* The element of a list with this text in a member. */
static const Json *pick(const Json *list, const char *member, const char *text)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_str(each, member), text))
            return each;
    return NULL;
}

TEST(discovery_of_the_core_group_shows_one_version_and_one_address)
{
    SCOPED_DESK d = desk_open();

    then_json(ask_for(d, "/api"),
        "{kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{clientCIDR: "
        "'0.0.0.0/0', serverAddress: '127.0.0.1:6443'}]}");
}

static const struct {
    const char *name, *path, *kind;
} paths[] = {
    {"the core", "/api/v1", "APIResourceList"},
    {"with a slash behind it", "/api/v1/", "APIResourceList"},
    {"groups", "/apis", "APIGroupList"},
    {"a group", "/apis/apps", "APIGroup"},
    {"a version of a group", "/apis/apps/v1", "APIResourceList"},
    {"a version that is not there", "/apis/apps/v2", NULL},
    {"a group that is not there", "/apis/nobody.io", NULL},
    {"the core as a group", "/apis/v1", NULL},
    {"a group of no name", "/apis//v1", NULL},
    {"a version of the core that is not there", "/api/v2", NULL},
    {"a resource", "/apis/apps/v1/statefulsets", NULL},
    {"the root", "/", NULL},
};

TEST(each_discovery_path_has_a_document_or_none)
{
    each_case(i, paths) {
        SCOPED_DESK d = desk_open();

        then_str(json_str(ask_for(d, paths[i].path), ".kind"), paths[i].kind);
    }
}

TEST(a_resource_in_discovery_is_followed_by_its_subresources)
{
    SCOPED_DESK d = desk_open();
    const Json *core = json_find(ask_for(d, "/api/v1"), ".resources");

    then_json(pick(core, ".name", "serviceaccounts"),
        "{name: 'serviceaccounts', singularName: 'serviceaccount', namespaced: true,"
        " kind: 'ServiceAccount', shortNames: ['sa'],"
        " verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', "
        "'watch']}");
    then_json(pick(core, ".name", "serviceaccounts/token"),
        "{name: 'serviceaccounts/token', singularName: '', namespaced: true,"
        " group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create']}");
    then_json(pick(core, ".name", "nodes/status"),
        "{name: 'nodes/status', singularName: '', namespaced: false, kind: 'Node',"
        " verbs: ['get', 'patch', 'update']}");
}

TEST(discovery_shows_a_custom_kind_while_its_crd_exists)
{
    SCOPED_DESK d = desk_open();

    then_true(!ask_for(d, "/apis/test.io/v1"));
    create(d, kind_crd, widget_crd);
    then_json(ask_for(d, "/apis/test.io"),
        "{kind: 'APIGroup', apiVersion: 'v1', name: 'test.io',"
        " versions: [{groupVersion: 'test.io/v1', version: 'v1'}],"
        " preferredVersion: {groupVersion: 'test.io/v1', version: 'v1'}}");
    then_json(ask_for(d, "/apis/test.io/v1"),
        "{kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'test.io/v1', resources: ["
        " {name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget',"
        "  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', "
        "'watch']},"
        " {name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget',"
        "  verbs: ['get', 'patch', 'update']},"
        " {name: 'widgets/scale', singularName: '', namespaced: true, group: 'autoscaling',"
        "  version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update']}]}");
    delete (d, kind_crd, "widgets.test.io");
    then_true(!ask_for(d, "/apis/test.io/v1"));
    then_true(!pick(json_find(ask_for(d, "/apis"), ".groups"), ".name", "test.io"));
}

TEST(aggregated_discovery_contains_the_same_as_the_single_documents)
{
    SCOPED_DESK d = desk_open();
    const Json *core, *groups, *widgets;

    create(d, kind_crd, widget_crd);
    core = ask_whole(d, "/api");
    groups = ask_whole(d, "/apis");
    then_str(json_str(core, ".apiVersion"), "apidiscovery.k8s.io/v2");
    then_json(json_find(core, ".items[0].metadata"), "{}");
    then_str(json_str(core, ".items[0].versions[0].freshness"), "Current");
    then_int(json_count(json_find(core, ".items")), 1);
    then_json(pick(json_find(core, ".items[0].versions[0].resources"), ".resource", "namespaces"),
        "{resource: 'namespaces', responseKind: {group: '', version: '', kind: 'Namespace'},"
        " scope: 'Cluster', singularResource: 'namespace', shortNames: ['ns'],"
        " verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],"
        " subresources: [{subresource: 'finalize', verbs: ['update'],"
        "   responseKind: {group: '', version: '', kind: 'Namespace'}},"
        "  {subresource: 'status', verbs: ['get', 'patch', 'update'],"
        "   responseKind: {group: '', version: '', kind: 'Namespace'}}]}");
    widgets = pick(json_find(groups, ".items"), ".metadata.name", "test.io");
    then_json(json_find(widgets, ".versions[0].resources[0].responseKind"),
        "{group: 'test.io', version: 'v1', kind: 'Widget'}");
    then_json(json_find(widgets, ".versions[0].resources[0].subresources[1]"),
        "{subresource: 'scale', verbs: ['get', 'patch', 'update'],"
        " responseKind: {group: 'autoscaling', version: 'v1', kind: 'Scale'}}");
}

TEST(aggregated_discovery_has_its_own_content_type)
{
    then_true(str_has_suffix(discovery_whole_type, "v=v2;as=APIGroupDiscoveryList"));
}
