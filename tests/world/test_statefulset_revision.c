/* Revisions of a StatefulSet. The hash and the data are those that kube-controller-manager 1.34.4
 * made of this very set. */
#include "kube/meta.h"
#include "tests/test.h"
#include "world/statefulset_revision.h"

/* As the server completes it. */
static const char web[] =
    "{metadata: {name: 'web', namespace: 'default', uid: 'u', annotations: {note: 'hi'}},"
    " spec: {template: {metadata: {annotations: {a: 'b <&>'}, labels: {app: 'web', extra: 'x'}},"
    "  spec: {containers: [{image: 'i:1', imagePullPolicy: 'IfNotPresent', name: 'c',"
    "    resources: {requests: {cpu: '1'}}, terminationMessagePath: '/dev/termination-log',"
    "    terminationMessagePolicy: 'File'},"
    "   {env: [{name: 'X', value: '1'}], image: 'i:2', imagePullPolicy: 'IfNotPresent', name: 'd',"
    "    terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File'}],"
    "   dnsPolicy: 'ClusterFirst', initContainers: [{image: 'i:3', imagePullPolicy:"
    "    'IfNotPresent', name: 'e', terminationMessagePath: '/dev/termination-log',"
    "    terminationMessagePolicy: 'File'}], restartPolicy: 'Always',"
    "   schedulerName: 'default-scheduler', securityContext: {}, terminationGracePeriodSeconds: 30,"
    "   volumes: [{emptyDir: {}, name: 't'}]}}}}";

TEST(the_name_of_a_controller_revision_equals_that_of_the_real_controller)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *set = json_fixture(a, web), *data = statefulset_revision_data(a, set);
    const Json *revision =
        statefulset_revision_new(a, set, (StatefulSetRevision){data, .number = 4});

    then_str(statefulset_revision_hash(a, data, 0), "7ff74bfd47");
    then_true(!str_eq(statefulset_revision_hash(a, data, 1), "7ff74bfd47"));
    then_str(meta_name(revision), "web-7ff74bfd47");
    then_str(meta_namespace(revision), "default");
    then_json(json_find(revision, ".metadata.labels"),
        "{app: 'web', extra: 'x', 'controller.kubernetes.io/hash': '7ff74bfd47'}");
    then_str(meta_annotation(revision, "note"), "hi");
    then_int(json_int(revision, ".revision", 0), 4);
    then_true(meta_controlled_by(revision, set));
}

TEST(a_controller_revision_gives_its_template_back)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *set = json_fixture(a, web), *data = statefulset_revision_data(a, set);
    const Json *revision = statefulset_revision_new(a, set, (StatefulSetRevision){data});
    const Json *template = statefulset_revision_template(revision);

    then_str(json_str(template, ".spec.containers[0].resources.requests.cpu"), "1");
    then_json(json_find(template, ".spec.containers[1].resources"), "{}");
    then_json(json_find(template, ".spec.initContainers[0].resources"), "{}");
    then_str(json_str(template, ".$patch"), "replace");
}

TEST(a_long_statefulset_name_is_cut_in_the_revision_name)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char name[254];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const Json *set = json_fixture(
        a, str_format(a, "{metadata: {name: '%s', uid: 'u'}, spec: {template: {spec: {}}}}", name));
    const Json *revision =
        statefulset_revision_new(a, set, (StatefulSetRevision){statefulset_revision_data(a, set)});

    then_int(strcspn(meta_name(revision), "-"), 223);
}

TEST(revisions_are_ordered_by_number_and_age_and_name)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *all = json_fixture(a,
        "[{metadata: {name: 'e'}, revision: 10},"
        " {metadata: {name: 'd', creationTimestamp: '2026-01-02T00:00:00Z'}, revision: 9},"
        " {metadata: {name: 'c', creationTimestamp: '2026-01-01T00:00:00Z'}, revision: 9},"
        " {metadata: {name: 'b', creationTimestamp: '2026-01-01T00:00:00Z'}, revision: 9},"
        " {metadata: {name: 'a'}, revision: 1}]");
    const Json *items[5], *each;
    ViewList list = {.items = items};

    json_each(each, all)
        items[list.count++] = each;
    statefulset_revision_sort(&list);
    const char *text = "";
    for (size_t i = 0; i < list.count; i++)
        text = str_format(a, "%s%s", text, meta_name(items[i]));
    then_str(text, "abcde");
}
