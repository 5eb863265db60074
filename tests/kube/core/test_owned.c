/* What is ours: a StatefulSet as a Kubernetes 1.34 server stored it after our apply of `rendered`,
 * and after another manager had added an env and a medium. */
#include "base/draft.h"
#include "kube/core/owned.h"
#include "tests/test.h"

static const char rendered[] =
    "{apiVersion: 'apps/v1', kind: 'StatefulSet',"
    " metadata: {name: 'fx', namespace: 'default', labels: {'a.io/b': 'c'}, finalizers: ['f.io/x'],"
    "   ownerReferences: [{apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u-1', controller: true}]},"
    " spec: {serviceName: 'fx', replicas: 0, selector: {matchLabels: {a: 'b'}},"
    "   template: {metadata: {labels: {a: 'b'}}, spec: {hostNetwork: false,"
    "     containers: [{name: 'x', image: 'i:1', args: ['-c'], ports: [{containerPort: 80}],"
    "       env: [{name: 'B', value: '2'}, {name: 'A', value: ''}]}],"
    "     volumes: [{name: 'tmp', emptyDir: {}}]}}}}";

static const char live[] =
    "{kind: 'StatefulSet', apiVersion: 'apps/v1',"
    " metadata: {name: 'fx', namespace: 'default', uid: '2346', resourceVersion: '308',"
    "   generation: 2, labels: {'a.io/b': 'c'}, finalizers: ['f.io/x'],"
    "   ownerReferences: [{apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u-1', controller: true}],"
    "   managedFields: ["
    "     {manager: 'me', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1',"
    "      fieldsV1: {'f:metadata': {'f:finalizers': {'v:\"f.io/x\"': {}},"
    "          'f:labels': {'f:a.io/b': {}}, 'f:ownerReferences': {'k:{\"uid\":\"u-1\"}': {}}},"
    "        'f:spec': {'f:replicas': {}, 'f:selector': {}, 'f:serviceName': {}, 'f:template': {"
    "          'f:metadata': {'f:labels': {'f:a': {}}}, 'f:spec': {"
    "            'f:containers': {'k:{\"name\":\"x\"}': {'.': {}, 'f:args': {},"
    "              'f:env': {'k:{\"name\":\"A\"}': {'.': {}, 'f:name': {}, 'f:value': {}},"
    "                        'k:{\"name\":\"B\"}': {'.': {}, 'f:name': {}, 'f:value': {}}},"
    "              'f:image': {}, 'f:name': {}, 'f:ports': {"
    "                'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': "
    "{}}}}},"
    "            'f:hostNetwork': {}, 'f:volumes': {'k:{\"name\":\"tmp\"}': {"
    "              '.': {}, 'f:emptyDir': {}, 'f:name': {}}}}}}}},"
    "     {manager: 'other', operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1',"
    "      fieldsV1: {'f:spec': {'f:template': {'f:spec': {"
    "        'f:containers': {'k:{\"name\":\"x\"}': {'f:env': {'k:{\"name\":\"F\"}': {"
    "          '.': {}, 'f:name': {}, 'f:value': {}}}}},"
    "        'f:volumes': {'k:{\"name\":\"tmp\"}': {'f:emptyDir': {'f:medium': {}}}}}}}}}]},"
    " spec: {replicas: 0, selector: {matchLabels: {a: 'b'}}, serviceName: 'fx',"
    "   podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10,"
    "   updateStrategy: {type: 'RollingUpdate', rollingUpdate: {partition: 0}},"
    "   template: {metadata: {labels: {a: 'b'}}, spec: {"
    "     volumes: [{name: 'tmp', emptyDir: {medium: 'Memory'}}],"
    "     containers: [{name: 'x', image: 'i:1', args: ['-c'],"
    "       ports: [{containerPort: 80, protocol: 'TCP'}], resources: {},"
    "       env: [{name: 'F', value: 'x'}, {name: 'B', value: '2'}, {name: 'A'}],"
    "       terminationMessagePath: '/dev/termination-log', imagePullPolicy: 'IfNotPresent'}],"
    "     restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst',"
    "     securityContext: {}}}},"
    " status: {replicas: 1}}";

/* The form that both have. */
static const char form[] =
    "{metadata: {labels: {'a.io/b': 'c'}, finalizers: ['f.io/x'],"
    "   ownerReferences: [{apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u-1', controller: true}]},"
    " spec: {serviceName: 'fx', replicas: null, selector: {matchLabels: {a: 'b'}},"
    "   template: {metadata: {labels: {a: 'b'}}, spec: {hostNetwork: null,"
    "     containers: [{name: 'x', image: 'i:1', args: ['-c'], ports: [{containerPort: 80}],"
    "       env: [{name: 'B', value: '2'}, {name: 'A', value: null}]}],"
    "     volumes: [{name: 'tmp', emptyDir: null}]}}}}";

TEST(the_applied_object_and_the_owned_part_of_the_stored_object_have_the_same_form)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_json(owned_part(a, json_fixture(a, live), "me"), form);
    then_json(owned_part_of_rendered(a, json_fixture(a, rendered)), form);
}

/* --- what others do to the object --- */

static const struct {
    const char *name;
    const char *live; /* a merge patch */
    bool differs;
} changes[] = {
    {"a new version", "{metadata: {resourceVersion: '999', generation: 7, uid: 'x'}}"},
    {"another status", "{status: {replicas: 5, conditions: [{type: 'x'}]}}"},
    {"another default", "{spec: {revisionHistoryLimit: 3, podManagementPolicy: 'Parallel'}}"},
    {"a label of another manager", "{metadata: {labels: {other: 'x'}}}"},
    {"a finalizer of another manager", "{metadata: {finalizers: ['a.io/a', 'f.io/x']}}"},
    {"an owner reference of another manager",
        "{metadata: {ownerReferences: [{uid: 'u-2'}, {apiVersion: 'v1', kind: 'X', name: 'o',"
        " uid: 'u-1', controller: true}]}}"},
    {"another value of a label", "{metadata: {labels: {'a.io/b': 'd'}}}", .differs = true},
    {"a label that is gone", "{metadata: {labels: {'a.io/b': null}}}", .differs = true},
    {"a finalizer that is gone", "{metadata: {finalizers: []}}", .differs = true},
    {"an owner that does not control any more",
        "{metadata: {ownerReferences: [{apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u-1'}]}}",
        .differs = true},
    {"an owner that is gone", "{metadata: {ownerReferences: null}}", .differs = true},
    {"another number", "{spec: {replicas: 1}}", .differs = true},
    {"more in a value that is ours as a whole",
        "{spec: {selector: {matchLabels: {c: 'd'}}}}",
        .differs = true},
    {"no containers", "{spec: {template: {spec: {containers: null}}}}", .differs = true},
    {"an item that is gone", "{spec: {template: {spec: {volumes: []}}}}", .differs = true},
    {"a list that is none", "{spec: {template: {spec: {volumes: 'none'}}}}", .differs = true},
    {"an object that is none", "{spec: {template: {spec: 5}}}", .differs = true},
};

TEST(the_owned_part_changes_only_if_an_owned_field_changes)
{
    each_case(i, changes) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *changed =
            json_merge(a, json_fixture(a, live), json_fixture(a, changes[i].live));

        const Json *part = owned_part(a, changed, "me");

        then_true(part != NULL);
        then_true(json_equal(part, json_fixture(a, form)) == !changes[i].differs);
    }
}

/* --- small shapes --- */

/* One field `x` of spec, ours by these fields, and what we rendered. */
static const struct {
    const char *name, *fields, *live, *rendered;
    bool differs;
} shapes[] = {
    {"a text", "{}", "'a'", "'a'"},
    {"a number", "{}", "1", "1.0"},
    {"another number", "{}", "1", "2", .differs = true},
    {"false that was not stored", "{}", NULL, "false"},
    {"false that was stored", "{}", "false", "false"},
    {"zero that was not stored", "{}", NULL, "0"},
    {"an empty text that was not stored", "{}", NULL, "''"},
    {"an empty map that was not stored", "{}", NULL, "{}"},
    {"an empty map that was stored", "{}", "{}", "{}"},
    {"null", "{}", NULL, "null"},
    {"something that was not stored", "{}", NULL, "'a'", .differs = true},
    {"something that was a zero", "{}", "'a'", "''", .differs = true},
    {"an empty list that is merged by items has no manager", NULL, NULL, "[]"},
    {"a map of an empty list, too", NULL, NULL, "{a: []}"},
    {"an empty list that was stored", "{}", "[]", "[]"},
    {"a list that is ours as a whole", "{}", "[{a: 1}, {}, 0, '']", "[{a: 1}, {}, 0, '']"},
    {"another order of it", "{}", "[1, 2]", "[2, 1]", .differs = true},
    {"zeros inside of a whole value", "{}", "[{a: 0, b: {c: ''}}]", "[{a: 0, b: {c: ''}}]"},
    {"a map of which all of ours is zeros that were not stored",
        "{'f:a': {}, 'f:b': {'f:c': {}}}",
        NULL,
        "{a: 0, b: {c: false}}"},
    {"items keep our order",
        "{'k:{\"id\":\"a\"}': {'.': {}, 'f:id': {}}, 'k:{\"id\":\"b\"}': {'.': {}, 'f:id': {}}}",
        "[{id: 'other'}, {id: 'b', d: 1}, {id: 'a', d: 1}]",
        "[{id: 'b'}, {id: 'a'}]"},
    {"items that another manager moved",
        "{'k:{\"id\":\"a\"}': {'.': {}, 'f:id': {}}, 'k:{\"id\":\"b\"}': {'.': {}, 'f:id': {}}}",
        "[{id: 'a'}, {id: 'b'}]",
        "[{id: 'b'}, {id: 'a'}]",
        .differs = true},
    {"items by two keys",
        "{'k:{\"n\":1,\"p\":\"TCP\"}': {'.': {}, 'f:n': {}}}",
        "[{n: 1, p: 'UDP'}, {n: 1, p: 'TCP'}, {n: 2, p: 'TCP'}]",
        "[{n: 1}]"},
    {"members of a set",
        "{'v:1': {}, 'v:\"b\"': {}, 'v:true': {}}",
        "['a', 'b', true, 1, 2]",
        "['b', true, 1]"},
    {"a list of lists", "{}", "[[1], [], [[2]]]", "[[1], [], [[2]]]"},
    {"keys that need quoting",
        "{'f:a\"\\\\b\\n': {}}",
        "{'a\"\\\\b\\n': 'c'}",
        "{'a\"\\\\b\\n': 'c'}"},
    {"a name that no server writes", "{'x:y': {}}", "{y: 1}", "{y: 1}", .differs = true},
    {"a key that does not parse", "{'k:{': {}}", "[{a: 1}]", "[{a: 1}]", .differs = true},
    {"a key that is a list", "{'k:[1]': {}}", "[[1]]", "[[1]]", .differs = true},
    {"fields that are a list", "[{}, 1]", "'a'", "'a'"},
    {"a key of nothing", "{'k:': {}}", "[{a: 1}]", "[{a: 1}]", .differs = true},
    {"a text where items were", "{'k:{\"a\":1}': {}}", "'text'", "[{a: 1}]", .differs = true},
    {"items where fields were", "{'f:a': {}}", "[{a: 1}]", "{a: 1}", .differs = true},
    {"fields where items were", "{'k:{\"a\":1}': {}}", "{a: 1}", "[{a: 1}]", .differs = true},
};

TEST(each_shape_of_an_owned_value_has_its_form)
{
    each_case(i, shapes) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *fields = shapes[i].fields
            ? str_format(a, "{'f:y': {}, 'f:x': %s}", shapes[i].fields)
            : "{'f:y': {}}";
        const char *stored =
            shapes[i].live ? str_format(a, "{y: 1, x: %s}", shapes[i].live) : "{y: 1}";
        const Json *object = json_fixture(a,
            str_format(a,
                "{metadata: {managedFields: [{manager: 'me', operation: 'Apply',"
                " fieldsV1: {'f:spec': %s}}]}, spec: %s}",
                fields,
                stored));
        const Json *applied =
            json_fixture(a, str_format(a, "{spec: {y: 1, x: %s}}", shapes[i].rendered));

        const Json *ours = owned_part(a, object, "me");

        then_int(json_int(ours, ".spec.y", 0), 1);
        then_true(json_equal(ours, owned_part_of_rendered(a, applied)) == !shapes[i].differs);
    }
}

/* --- whose fields --- */

static const struct {
    const char *name, *entries;
    bool ours;
} managers[] = {
    {"nobody", "[]"},
    {"no entries", "null"},
    {"us, by apply", "[{manager: 'me', operation: 'Apply', fieldsV1: {}}]", .ours = true},
    {"us, by update", "[{manager: 'me', operation: 'Update', fieldsV1: {}}]"},
    {"us, for the status",
        "[{manager: 'me', operation: 'Apply', subresource: 'status', fieldsV1: {}}]"},
    {"another", "[{manager: 'you', operation: 'Apply', fieldsV1: {}}]"},
    {"us among others",
        "[{manager: 'you', operation: 'Apply', fieldsV1: {}},"
        " {manager: 'me', operation: 'Apply', subresource: 'status', fieldsV1: {}},"
        " {manager: 'me', operation: 'Apply', fieldsV1: {}}]",
        .ours = true},
    {"us, without fields", "[{manager: 'me', operation: 'Apply'}]"},
    {"us, with fields that are none", "[{manager: 'me', operation: 'Apply', fieldsV1: [1]}]"},
    {"entries that are none", "'x'"},
};

TEST(a_field_is_owned_only_through_our_own_apply)
{
    each_case(i, managers) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *object = json_fixture(
            a, str_format(a, "{metadata: {managedFields: %s}, spec: {}}", managers[i].entries));

        then_json(owned_part(a, object, "me"), managers[i].ours ? "{}" : NULL);
    }
    SCOPED_ARENA a = arena_open(1 << 20);
    then_json(owned_part(a, NULL, "me"), NULL);
    then_json(owned_part(a, json_fixture(a, "[1]"), "me"), NULL);
    then_json(owned_part_of_rendered(a, json_fixture(a, "[1, {a: 0}]")), "[1, {a: null}]");
}

TEST(the_owned_part_contains_no_identifying_metadata)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *object = json_fixture(a,
        "{apiVersion: 'v1', kind: 'X', status: {a: 1}, metadata: {name: 'n', namespace: 'ns',"
        " uid: 'u', resourceVersion: '1', generation: 2, creationTimestamp: null,"
        " managedFields: []}, data: {name: 'kept', uid: 'kept', kind: 'kept', status: 'kept'}}");

    then_json(owned_part_of_rendered(a, object),
        "{data: {name: 'kept', uid: 'kept', kind: 'kept', status: 'kept'}}");
}

/* --- hostile objects --- */

/* A map of `count` members in the server's order, and the fields that own them. */
static const Json *wide_object(Arena *a, int count, bool sorted)
{
    Draft *data = draft_object(a), *fields = draft_object(a);

    for (int i = 0; i < count; i++) {
        int turned = sorted ? i : count - 1 - i;
        draft_set(data, str(str_format(a, "k%05d", i), "v"));
        draft_set(fields, sub(str_format(a, "f:k%05d", turned), draft_object(a)));
    }
    return json_seal(a,
        draft(a,
            obj("metadata",
                list("managedFields",
                    draft(a,
                        str("manager", "me"),
                        str("operation", "Apply"),
                        obj("fieldsV1", sub("f:data", fields))))),
            sub("data", data)));
}

TEST(the_owned_part_of_a_map_with_thousands_of_keys_is_computed_within_its_limit)
{
    SCOPED_ARENA a = arena_open(64 << 20);

    then_int(json_count(json_find(owned_part(a, wide_object(a, 5000, true), "me"), ".data")), 5000);
}

TEST(an_object_whose_owned_part_is_too_expensive_has_none)
{
    SCOPED_ARENA a = arena_open(64 << 20);

    then_json(owned_part(a, wide_object(a, 5000, false), "me"), NULL);
}

TEST(deeply_nested_managed_fields_do_no_harm)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char text[4096];
    size_t len = 0;
    const Json *object = NULL;

    len += (size_t)snprintf(text,
        sizeof text,
        "{\"metadata\": {\"managedFields\": [{\"manager\": \"me\", \"operation\": \"Apply\","
        " \"fieldsV1\": ");
    for (int i = 0; i < 90; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "{\"f:a\": ");
    len += (size_t)snprintf(text + len, sizeof text - len, "{}");
    memset(text + len, '}', 90);
    snprintf(text + len + 90, sizeof text - len - 90, "}]}}");

    then_ok(json_parse(a, bytes_of(text), &object));
    then_json(json_find(owned_part(a, object, "me"), ".a.a.a.a.b"), NULL);
    then_true(json_find(owned_part(a, object, "me"), ".a.a.a.a.a") != NULL);
}
