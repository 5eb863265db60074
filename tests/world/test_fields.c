/* Who owns what: stories of writes to one object. Each row is one write, one second later than the
 * row before; what it must leave behind is what a Kubernetes 1.34 server left behind. */
#include "base/draft.h"
#include "kube/kind.h"
#include "tests/test.h"
#include "world/fields.h"

typedef enum Op { UPDATE, APPLY, FORCE } Op;

typedef struct Row {
    const char *name;
    Op op;
    const char *manager;
    const char *said;        /* of an update a merge patch; of an apply the applied object */
    const char *owners;      /* managedFields afterwards; NULL: as before */
    const char *object;      /* the object without metadata afterwards; NULL: not looked at */
    const char *subresource; /* of the write */
    Want want;
} Row;

/* managedFields as an object: "manager operation second[ subresource]" to fieldsV1. */
static const Json *owners_of(Arena *a, const Json *object)
{
    Draft *owners = draft_object(a);
    const Json *entry;

    json_each(entry, json_find(object, ".metadata.managedFields")) {
        const char *time = json_str(entry, ".time");
        const char *subresource = json_str(entry, ".subresource");
        then_str(json_str(entry, ".fieldsType"), "FieldsV1");
        draft_set(owners,
            draft_json(str_format(a,
                           "%s %s %s%s%s",
                           json_str(entry, ".manager"),
                           json_str(entry, ".operation"),
                           time ? str_slice(a, time + strlen("2026-01-01T00:00:0"), 1) : "never",
                           subresource ? " " : "",
                           subresource ? subresource : ""),
                json_find(entry, ".fieldsV1")));
    }
    return json_seal(a, owners);
}

static Err *write_row(
    Arena *a, const Schema *schema, const Row *row, size_t second, const Json **object)
{
    const Json *said = json_fixture(a, row->said);
    FieldWriter writer = {.manager = row->manager,
        .subresource = row->subresource,
        .api_version = json_str(said, ".apiVersion"),
        .now = str_format(a, "2026-01-01T00:00:0%zuZ", second)};

    if (!writer.api_version)
        writer.api_version = "v1";
    if (row->op != UPDATE) {
        FieldApply apply = {.live = *object, .applied = said, .force = row->op == FORCE};
        return fields_apply(a, schema, &apply, &writer, object);
    }
    *object = fields_updated(a, schema, *object, json_merge(a, *object, said), &writer);
    return OK;
}

static void tell(const Kind *kind, const Row *rows, size_t count)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    const Schema *schema = schema_of_kind(kind);
    const Json *object = NULL, *before = NULL;

    for (size_t i = 0; i < count; i++) {
        test_case(true, rows[i].name);
        before = owners_of(a, object);
        then_err(write_row(a, schema, &rows[i], i + 1, &object), rows[i].want);
        then_json(
            owners_of(a, object), rows[i].owners ? rows[i].owners : json_canonical(a, before).data);
        if (rows[i].object)
            then_json(json_merge(a, object, json_fixture(a, "{metadata: null}")), rows[i].object);
    }
    test_case(false, NULL);
}

static const Row of_a_configmap[] = {
    {"a create owns what it says, maps included",
        UPDATE,
        "m1",
        "{metadata: {name: 'c', labels: {a: 'b'}}, data: {x: '1', y: '2'}}",
        "{'m1 Update 1': {'f:data': {'.': {}, 'f:x': {}, 'f:y': {}},"
        " 'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}}}"},
    {"an update takes what it changes",
        UPDATE,
        "m2",
        "{data: {x: '9', z: '3'}, metadata: {annotations: {q: 'r'}}}",
        "{'m1 Update 1': {'f:data': {'.': {}, 'f:y': {}},"
        "    'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}},"
        " 'm2 Update 2': {'f:data': {'f:x': {}, 'f:z': {}},"
        "    'f:metadata': {'f:annotations': {'.': {}, 'f:q': {}}}}}"},
    {"an update that changes nothing owns nothing", UPDATE, "m3", "{data: {x: '9'}}"},
    {"a removed field has no manager, and finalizers are a set",
        UPDATE,
        "m1",
        "{data: {y: null}, metadata: {finalizers: ['a.io/x', 'b.io/y']}}",
        "{'m1 Update 4': {'f:data': {}, 'f:metadata': {'f:finalizers': {'.': {},"
        "    'v:\"a.io/x\"': {}, 'v:\"b.io/y\"': {}}, 'f:labels': {'.': {}, 'f:a': {}}}},"
        " 'm2 Update 2': {'f:data': {'f:x': {}, 'f:z': {}},"
        "    'f:metadata': {'f:annotations': {'.': {}, 'f:q': {}}}}}"},
};

TEST(an_update_manages_the_fields_that_it_changes)
{
    tell(kind_configmap, of_a_configmap, array_count(of_a_configmap));
}

#define CONFIGMAP "apiVersion: 'v1', kind: 'ConfigMap'"

static const Row of_appliers[] = {
    {"a create by apply owns the leaves",
        APPLY,
        "ap",
        "{" CONFIGMAP ", metadata: {name: 'c', labels: {l: 'm'}}, data: {x: '1', y: '2'}}",
        "{'ap Apply 1': {'f:data': {'f:x': {}, 'f:y': {}}, 'f:metadata': {'f:labels': {'f:l': "
        "{}}}}}",
        "{" CONFIGMAP ", data: {x: '1', y: '2'}}"},
    {"the same again moves no time",
        APPLY,
        "ap",
        "{" CONFIGMAP ", metadata: {name: 'c', labels: {l: 'm'}}, data: {x: '1', y: '2'}}"},
    {"another manager with the same value shares the field, and has no time",
        APPLY,
        "other",
        "{" CONFIGMAP ", metadata: {name: 'c'}, data: {x: '1'}}",
        "{'ap Apply 1': {'f:data': {'f:x': {}, 'f:y': {}}, 'f:metadata': {'f:labels': {'f:l': "
        "{}}}},"
        " 'other Apply never': {'f:data': {'f:x': {}}}}"},
    {"another mind is a conflict",
        APPLY,
        "third",
        "{" CONFIGMAP ", metadata: {name: 'c'}, data: {y: '3', z: '4'}}",
        .want = RETRY("Apply failed with 1 conflict: conflict with \"ap\": .data.y")},
    {"all conflicts are named, by manager",
        APPLY,
        "third",
        "{" CONFIGMAP ", metadata: {name: 'c', labels: {l: 'n'}}, data: {x: '7'}}",
        .want = RETRY("Apply failed with 3 conflicts: conflicts with \"ap\":\n- .data.x\n"
                      "- .metadata.labels.l\nconflicts with \"other\":\n- .data.x")},
    {"force takes it over",
        FORCE,
        "third",
        "{" CONFIGMAP ", metadata: {name: 'c'}, data: {y: '3', z: '4'}}",
        "{'ap Apply 1': {'f:data': {'f:x': {}}, 'f:metadata': {'f:labels': {'f:l': {}}}},"
        " 'other Apply never': {'f:data': {'f:x': {}}},"
        " 'third Apply 6': {'f:data': {'f:y': {}, 'f:z': {}}}}"},
    {"what is applied no more stays while another applies it",
        APPLY,
        "ap",
        "{" CONFIGMAP ", metadata: {name: 'c', labels: {l: 'm'}}}",
        "{'ap Apply 1': {'f:metadata': {'f:labels': {'f:l': {}}}},"
        " 'other Apply never': {'f:data': {'f:x': {}}},"
        " 'third Apply 6': {'f:data': {'f:y': {}, 'f:z': {}}}}",
        "{" CONFIGMAP ", data: {x: '1', y: '3', z: '4'}}"},
    {"a field that no manager applies any more is removed",
        APPLY,
        "third",
        "{" CONFIGMAP ", metadata: {name: 'c'}}",
        "{'ap Apply 1': {'f:metadata': {'f:labels': {'f:l': {}}}},"
        " 'other Apply never': {'f:data': {'f:x': {}}}}",
        "{" CONFIGMAP ", data: {x: '1'}}"},
};

TEST(a_server_side_apply_merges_its_fields_and_manages_them)
{
    tell(kind_configmap, of_appliers, array_count(of_appliers));
}

#define STATEFULSET "apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 's'}"
#define CONTAINERS(list)                                                                           \
    "{" STATEFULSET ", spec: {replicas: 1, template: {spec: {containers: [" list "]}}}}"

static const Row of_lists[] = {
    {"elements are owned by their keys, defaults included",
        APPLY,
        "ap",
        CONTAINERS("{name: 'x', image: 'i', args: ['a', 'b'], ports: [{containerPort: 80}]}"),
        "{'ap Apply 1': {'f:spec': {'f:replicas': {}, 'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"x\"}': {'.': {}, 'f:args': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {"
        " 'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': "
        "{}}}}}}}}}}"},
    {"an updater adds an element",
        UPDATE,
        "up",
        CONTAINERS("{name: 'w', image: 'w'}, {name: 'x', image: 'i', args: ['a', 'b'],"
                   " ports: [{containerPort: 80, protocol: 'TCP'}]}"),
        "{'ap Apply 1': {'f:spec': {'f:replicas': {}, 'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"x\"}': {'.': {}, 'f:args': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {"
        " 'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': {}}}}}}}}},"
        " 'up Update 2': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"w\"}': {'.': {}, 'f:image': {}, 'f:name': {}},"
        " 'k:{\"name\":\"x\"}': {'f:ports': {'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {"
        "   'f:protocol': {}}}}}}}}}}"},
    {"the scale subresource takes the replicas, and has no time",
        UPDATE,
        "scaler",
        "{apiVersion: 'apps/v1', spec: {replicas: 5}}",
        "{'ap Apply 1': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"x\"}': {'.': {}, 'f:args': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {"
        " 'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': {}}}}}}}}},"
        " 'scaler Update never scale': {'f:spec': {'f:replicas': {}}},"
        " 'up Update 2': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"w\"}': {'.': {}, 'f:image': {}, 'f:name': {}},"
        " 'k:{\"name\":\"x\"}': {'f:ports': {'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {"
        "   'f:protocol': {}}}}}}}}}}",
        .subresource = "scale"},
    {"a later apply of the field conflicts",
        APPLY,
        "ap",
        CONTAINERS("{name: 'x', image: 'i', args: ['a', 'b'], ports: [{containerPort: 80}]}"),
        .want = RETRY("conflict with \"scaler\" with subresource \"scale\" using apps/v1: "
                      ".spec.replicas")},
    {"an atomic list is one conflict",
        APPLY,
        "third",
        "{" STATEFULSET ", spec: {template: {spec: {containers: [{name: 'x', args: ['b']}]}}}}",
        .want = RETRY("conflict with \"ap\": .spec.template.spec.containers[name=\"x\"].args")},
    {"a status write leaves the spec alone",
        UPDATE,
        "ctl",
        "{apiVersion: 'apps/v1', spec: {replicas: 9}, status: {replicas: 1,"
        " conditions: [{type: 'A', status: 'True'}]}}",
        "{'ap Apply 1': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"x\"}': {'.': {}, 'f:args': {}, 'f:image': {}, 'f:name': {}, 'f:ports': {"
        " 'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': {}}}}}}}}},"
        " 'ctl Update 6 status': {'f:status': {'f:conditions': {'.': {}, 'k:{\"type\":\"A\"}': {"
        "   '.': {}, 'f:status': {}, 'f:type': {}}}, 'f:replicas': {}}},"
        " 'scaler Update never scale': {'f:spec': {'f:replicas': {}}},"
        " 'up Update 2': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"
        " 'k:{\"name\":\"w\"}': {'.': {}, 'f:image': {}, 'f:name': {}},"
        " 'k:{\"name\":\"x\"}': {'f:ports': {'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {"
        "   'f:protocol': {}}}}}}}}}}",
        .subresource = "status"},
};

#define ENV(list)                                                                                  \
    "{apiVersion: 'apps/v1', spec: {template: {spec: {containers: [{name: 'x', env: [" list        \
    "]}]}}}}"
#define OWNED_ENV(entry, env)                                                                      \
    "'" entry "': {'f:spec': {'f:template': {'f:spec': {'f:containers': {"                         \
    " 'k:{\"name\":\"x\"}': {" env "}}}}}}"
#define WHOLE_ELEMENT "{'.': {}, 'f:name': {}, 'f:value': {}}"

static const Row of_repetitions[] = {
    {"elements of one name are one thing",
        UPDATE,
        "m1",
        ENV("{name: 'A', value: '1'}, {name: 'A', value: '2'}, {name: 'B', value: '1'}"),
        "{" OWNED_ENV("m1 Update 1",
            "'.': {}, 'f:name': {}, 'f:env': {'.': {}, 'k:{\"name\":\"A\"}': {},"
            " 'k:{\"name\":\"B\"}': " WHOLE_ELEMENT "}") "}"},
    {"the same again is no change",
        UPDATE,
        "m2",
        ENV("{name: 'A', value: '1'}, {name: 'A', value: '2'}, {name: 'B', value: '1'}")},
    {"another value of one of them is a change to all",
        UPDATE,
        "m2",
        ENV("{name: 'A', value: '1'}, {name: 'A', value: '3'}, {name: 'B', value: '1'}"),
        "{" OWNED_ENV("m1 Update 1",
            "'.': {}, 'f:name': {}, 'f:env': {'.': {}, 'k:{\"name\":\"B\"}': " WHOLE_ELEMENT
            "}") ", " OWNED_ENV("m2 Update 3", "'f:env': {'k:{\"name\":\"A\"}': {}}") "}"},
    {"a change to another one is not a change to them",
        UPDATE,
        "m2",
        ENV("{name: 'A', value: '1'}, {name: 'A', value: '3'}, {name: 'B', value: '1'},"
            " {name: 'C'}"),
        "{" OWNED_ENV("m1 Update 1",
            "'.': {}, 'f:name': {}, 'f:env': {'.': {}, 'k:{\"name\":\"B\"}': " WHOLE_ELEMENT
            "}") ", " OWNED_ENV("m2 Update 4",
            "'f:env': {'k:{\"name\":\"A\"}': {}, 'k:{\"name\":\"C\"}': {'.': {}, 'f:name': "
            "{}}}") "}"},
    {"nor is one that goes",
        UPDATE,
        "m3",
        ENV("{name: 'A', value: '1'}, {name: 'A', value: '3'}, {name: 'B', value: '1'}"),
        "{" OWNED_ENV("m1 Update 1",
            "'.': {}, 'f:name': {}, 'f:env': {'.': {}, 'k:{\"name\":\"B\"}': " WHOLE_ELEMENT
            "}") ", " OWNED_ENV("m2 Update 4", "'f:env': {'k:{\"name\":\"A\"}': {}}") "}"},
    {"the last one is a thing of its own again",
        UPDATE,
        "m3",
        ENV("{name: 'A', value: '1'}, {name: 'B', value: '1'}"),
        "{" OWNED_ENV("m1 Update 1",
            "'.': {}, 'f:name': {}, 'f:env': {'.': {}, 'k:{\"name\":\"B\"}': " WHOLE_ELEMENT
            "}") ", " OWNED_ENV("m3 Update 6",
            "'f:env': {'k:{\"name\":\"A\"}': " WHOLE_ELEMENT "}") "}"},
    {"until there is another one",
        UPDATE,
        "m4",
        ENV("{name: 'A', value: '1'}, {name: 'B', value: '1'}, {name: 'B', value: '2'}"),
        "{" OWNED_ENV("m1 Update 1", "'.': {}, 'f:name': {}, 'f:env': {}") ", " OWNED_ENV(
            "m3 Update 6",
            "'f:env': {'k:{\"name\":\"A\"}': " WHOLE_ELEMENT
            "}") ", " OWNED_ENV("m4 Update 7", "'f:env': {'k:{\"name\":\"B\"}': {}}") "}"},
};

TEST(list_elements_with_the_same_key_are_managed_together)
{
    tell(kind_statefulset, of_repetitions, array_count(of_repetitions));
}

static const Row of_subresources[] = {
    {"a create",
        UPDATE,
        "m1",
        "{metadata: {name: 'p'}, spec: {nodeName: 'n'}, status: {}}",
        "{'m1 Update 1': {'f:spec': {'f:nodeName': {}}}}"},
    {"a subresource cannot reset managed fields",
        UPDATE,
        "m2",
        "{metadata: {managedFields: []}, status: {phase: 'Running'}}",
        "{'m1 Update 1': {'f:spec': {'f:nodeName': {}}},"
        " 'm2 Update 2 status': {'f:status': {'f:phase': {}}}}",
        .subresource = "status"},
    {"nor say it",
        UPDATE,
        "m2",
        "{metadata: {managedFields: [{manager: 'x', operation: 'Apply', apiVersion: 'v1',"
        " fieldsType: 'FieldsV1', fieldsV1: {'f:spec': {}}}]}, status: {reason: 'x'}}",
        "{'m1 Update 1': {'f:spec': {'f:nodeName': {}}},"
        " 'm2 Update 3 status': {'f:status': {'f:phase': {}, 'f:reason': {}}}}",
        .subresource = "status"},
    {"the owners of a pod are not a matter of its status",
        UPDATE,
        "m2",
        "{metadata: {labels: {a: 'b'}, ownerReferences: [{uid: 'u'}]}}",
        "{'m1 Update 1': {'f:spec': {'f:nodeName': {}}},"
        " 'm2 Update 4 status': {'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}},"
        "   'f:status': {'f:phase': {}, 'f:reason': {}}}}",
        .subresource = "status"},
    {"the status is not a matter of the object",
        UPDATE,
        "m3",
        "{status: {phase: 'Failed'}, spec: {hostname: 'h'}}",
        "{'m1 Update 1': {'f:spec': {'f:nodeName': {}}},"
        " 'm2 Update 4 status': {'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}},"
        "   'f:status': {'f:phase': {}, 'f:reason': {}}},"
        " 'm3 Update 5': {'f:spec': {'f:hostname': {}}}}"},
};

TEST(spec_and_status_have_separate_managed_fields)
{
    tell(kind_pod, of_subresources, array_count(of_subresources));
}

TEST(list_elements_are_managed_one_by_one)
{
    tell(kind_statefulset, of_lists, array_count(of_lists));
}

/* --- who gets what back --- */

static const Row of_resets[] = {
    {"a create",
        UPDATE,
        "m1",
        "{metadata: {name: 'c'}, data: {x: '1'}}",
        "{'m1 Update 1': {'f:data': {'.': {}, 'f:x': {}}}}"},
    {"an empty list resets", UPDATE, "m2", "{metadata: {managedFields: []}, data: {x: '2'}}", "{}"},
    {"and nothing is tracked from then on", UPDATE, "m2", "{data: {x: '3'}}", "{}"},
    {"until the first apply, which finds what was there before",
        FORCE,
        "ap",
        "{" CONFIGMAP ", metadata: {name: 'c'}, data: {y: '4'}}",
        "{'ap Apply 4': {'f:data': {'f:y': {}}},"
        " 'before-first-apply Update 4': {'f:data': {'.': {}, 'f:x': {}}}}"},
    {"an entry of nothing resets, too", UPDATE, "m2", "{metadata: {managedFields: [{}]}}", "{}"},
};

TEST(clients_can_reset_managed_fields)
{
    tell(kind_configmap, of_resets, array_count(of_resets));
}

static const Row of_odd_entries[] = {
    {"entries that are none count as nothing",
        UPDATE,
        "m1",
        "{metadata: {name: 'c', managedFields: [{manager: 'x', operation: 'Eat'}]}, data: {x: "
        "'1'}}",
        "{'m1 Update 1': {'f:data': {'.': {}, 'f:x': {}}}}"},
    {"a client may write entries, which get one spelling and order",
        UPDATE,
        "m1",
        "{metadata: {managedFields: [{manager: 'z', operation: 'Update', apiVersion: 'v1',"
        " time: '2026-01-01T00:00:01Z', fieldsType: 'FieldsV1', fieldsV1: {'x:odd': {},"
        " 'f:metadata': {'f:finalizers': {'v: \"b\"': {}, 'v:\"a\"': {}}}, 'f:data': {'f:x': "
        "{}}}}]}}",
        "{'z Update 1': {'f:data': {'f:x': {}},"
        " 'f:metadata': {'f:finalizers': {'v:\"a\"': {}, 'v:\"b\"': {}}}}}"},
};

TEST(managed_fields_entries_that_clients_write_are_decoded)
{
    tell(kind_configmap, of_odd_entries, array_count(of_odd_entries));
}

TEST(managed_fields_entries_are_ordered_as_the_real_server_orders_them)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Schema *schema = schema_of_kind(kind_configmap);
    const Json *object = json_fixture(a, "{metadata: {name: 'c'}, data: {x: '1'}}"), *entry;
    static const Row rows[] = {
        {"", UPDATE, "b", "{data: {a: '1'}}"},
        {"", UPDATE, "a", "{data: {b: '1'}}"},
        {"", APPLY, "z", "{" CONFIGMAP ", metadata: {name: 'c'}, data: {z: '1'}}"},
        {"", UPDATE, "b", "{data: {c: '1'}}"},
    };
    static const char *const order[] = {"z", "a", "b"};
    size_t at = 0;

    object = fields_updated(a,
        schema,
        NULL,
        object,
        &(FieldWriter){.manager = "b", .api_version = "v1", .now = "2026-01-01T00:00:00Z"});
    for (size_t i = 0; i < array_count(rows); i++)
        then_ok(write_row(a, schema, &rows[i], i + 1, &object));

    json_each(entry, json_find(object, ".metadata.managedFields"))
        then_str(json_str(entry, ".manager"), order[at++]);
    then_int(at, array_count(order));
}

TEST(the_oldest_update_managers_are_merged_when_there_are_too_many)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Schema *schema = schema_of_kind(kind_configmap);
    const Json *object = NULL, *entries;

    for (int i = 10; i < 23; i++) {
        FieldWriter writer = {.manager = str_format(a, "m%d", i),
            .api_version = "v1",
            .now = str_format(a, "2026-01-01T00:00:%dZ", i)};
        const Json *after = json_merge(a,
            object,
            json_fixture(a, str_format(a, "{metadata: {name: 'c'}, data: {x%d: '1'}}", i)));
        object = fields_updated(a, schema, object, after, &writer);
    }
    entries = json_find(object, ".metadata.managedFields");

    then_int(json_count(entries), 10);
    then_str(json_str(entries, "[0].manager"), "ancient-changes");
    then_str(json_str(entries, "[0].time"), "2026-01-01T00:00:13Z");
    then_json(json_find(entries, "[0].fieldsV1"),
        "{'f:data': {'.': {}, 'f:x10': {}, 'f:x11': {}, 'f:x12': {}, 'f:x13': {}}}");
    then_str(json_str(entries, "[1].manager"), "m14");
}

/* --- merging --- */

/* Names of elements, one letter each. */
static const struct {
    const char *name, *live, *applied, *merged;
} orders[] = {
    {"new elements come behind", "age", "d", "aged"},
    {"elements keep their order", "aegdh", "ae", "aegdh"},
    {"the applied order wins", "ghcde", "ebg", "hcdebg"},
    {"others stay in between", "chdbag", "cae", "chdbage"},
    {"others come before what they stood before", "dcae", "beaghd", "cbeaghd"},
    {"a stray one stays where it was", "daech", "hce", "dahce"},
    {"applied ones come before an element that they stand before", "hf", "bafcdh", "bafcdh"},
    {"a new list", "", "daghe", "daghe"},
};

static const Json *with_volumes(Arena *a, const char *names)
{
    Draft *volumes = draft_array(a);

    for (; *names; names++)
        draft_push(volumes, draft(a, str("name", str_slice(a, names, 1))));
    return json_seal(
        a, draft(a, obj("metadata", str("name", "p")), obj("spec", sub("volumes", volumes))));
}

TEST(applied_lists_are_merged_in_the_order_of_the_real_server)
{
    each_case(i, orders) {
        SCOPED_ARENA a = arena_open(1 << 20);
        FieldApply apply = {.live = with_volumes(a, orders[i].live),
            .applied = with_volumes(a, orders[i].applied),
            .force = true};
        FieldWriter writer = {.manager = "m", .api_version = "v1", .now = "now"};
        const Json *merged = NULL;

        then_ok(fields_apply(a, schema_of_kind(kind_pod), &apply, &writer, &merged));

        then_json(json_find(merged, ".spec.volumes"),
            json_canonical(a, json_find(with_volumes(a, orders[i].merged), ".spec.volumes")).data);
    }
}

static const struct {
    const char *name, *live, *applied, *spec;
} merges[] = {
    {"null removes nothing",
        "{nodeName: 'n', affinity: {a: 1}}",
        "{affinity: null}",
        "{nodeName: 'n', affinity: {a: 1}}"},
    {"neither does an empty object",
        "{affinity: {podAffinity: {a: 1}}}",
        "{affinity: {}}",
        "{affinity: {podAffinity: {a: 1}}}"},
    {"what is atomic is replaced",
        "{nodeSelector: {a: 'b'}, tolerations: [{key: 'a'}]}",
        "{nodeSelector: {c: 'd'}, tolerations: []}",
        "{nodeSelector: {c: 'd'}, tolerations: []}"},
    {"elements that stand twice are replaced by the applied one",
        "{volumes: [{name: 'a', emptyDir: {}}, {name: 'a', emptyDir: {medium: 'Memory'}}]}",
        "{volumes: [{name: 'a', secret: {}}]}",
        "{volumes: [{name: 'a', secret: {}}]}"},
    {"elements of several keys are told apart by all of them",
        "{containers: [{name: 'c', ports: [{containerPort: 80, protocol: 'UDP'}]}]}",
        "{containers: [{name: 'c', ports: [{containerPort: 80, name: 'x'}]}]}",
        "{containers: [{name: 'c', ports: [{containerPort: 80, protocol: 'UDP'},"
        " {containerPort: 80, name: 'x'}]}]}"},
};

TEST(applied_objects_are_merged_by_their_schema)
{
    each_case(i, merges) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *metadata = json_fixture(a, "{name: 'p'}");
        FieldApply apply = {.live = json_seal(a,
                                draft(a,
                                    draft_json("metadata", metadata),
                                    draft_json("spec", json_fixture(a, merges[i].live)))),
            .applied = json_seal(a,
                draft(a,
                    draft_json("metadata", metadata),
                    draft_json("spec", json_fixture(a, merges[i].applied)))),
            .force = true};
        FieldWriter writer = {.manager = "m", .api_version = "v1", .now = "now"};
        const Json *merged = NULL;

        then_ok(fields_apply(a, schema_of_kind(kind_pod), &apply, &writer, &merged));

        then_json(json_find(merged, ".spec"), merges[i].spec);
    }
}

/* --- what cannot be applied --- */

#define REFUSED(what)                                                                              \
    TERMINAL("failed to create typed patch object (/s; apps/v1, Kind=StatefulSet): " what)
#define APPLIED(spec) "{" STATEFULSET ", spec: " spec "}"

static const struct {
    const char *name, *applied;
    Want want;
    int status;
} refusals[] = {
    {"an unknown field",
        APPLIED("{bogus: 1}"),
        REFUSED(".spec.bogus: field not declared in schema"),
        500},
    {"an unknown field of an element",
        CONTAINERS("{name: 'x', foo: 1}"),
        REFUSED(".spec.template.spec.containers[name=\"x\"].foo: field not declared in schema"),
        500},
    {"an element twice",
        CONTAINERS("{name: 'x'}, {name: 'x'}"),
        REFUSED(".spec.template.spec.containers: duplicate entries for key [name=\"x\"]"),
        500},
    {"an element twice by a default",
        CONTAINERS(
            "{name: 'x', ports: [{containerPort: 80}, {containerPort: 80, protocol: 'TCP'}]}"),
        REFUSED(".spec.template.spec.containers[name=\"x\"].ports: duplicate entries for key "
                "[containerPort=80,protocol=\"TCP\"]"),
        500},
    {"an element that is null",
        CONTAINERS("null"),
        REFUSED(
            ".spec.template.spec.containers: element 0: associative list with keys may not have "
            "a null element"),
        500},
    {"an element that is no object",
        CONTAINERS("{name: 'x'}, 1"),
        REFUSED(
            ".spec.template.spec.containers: element 1: associative list with keys may not have "
            "non-map elements"),
        500},
    {"something else than a list",
        APPLIED("{template: {spec: {containers: 5}}}"),
        REFUSED(".spec.template.spec.containers: expected list, got &{5}"),
        500},
    {"something else than an object",
        APPLIED("'x'"),
        REFUSED(".spec: expected map, got &{x}"),
        500},
    {"several faults",
        APPLIED("{template: {bogus: 1}, updateStrategy: {odd: 1}}"),
        REFUSED("errors:\n  .spec.template.bogus: field not declared in schema\n"
                "  .spec.updateStrategy.odd: field not declared in schema"),
        500},
    {"managed fields",
        "{" CONFIGMAP ", metadata: {name: 's', managedFields: []}}",
        TERMINAL("metadata.managedFields must be nil"),
        400},
};

TEST(an_applied_value_that_does_not_match_the_schema_is_refused)
{
    each_case(i, refusals) {
        SCOPED_ARENA a = arena_open(1 << 20);
        FieldApply apply = {.applied = json_fixture(a, refusals[i].applied)};
        FieldWriter writer = {.manager = "m", .api_version = "apps/v1", .now = "now"};
        const Json *merged = NULL;

        Err *err = fields_apply(a, schema_of_kind(kind_statefulset), &apply, &writer, &merged);

        then_err(err, refusals[i].want);
        then_int(err->status, refusals[i].status);
        then_true(!merged);
    }
}

/* --- custom kinds --- */

static const Schema *gadget(Arena *a)
{
    const Schema *schema = NULL;

    then_ok(schema_of_crd(a,
        json_fixture(a,
            "{spec: {group: 'g.io', names: {kind: 'Gadget'}, versions: [{served: true,"
            " subresources: {status: {}}, schema: {openAPIV3Schema: {type: 'object', properties: {"
            "  spec: {type: 'object', properties: {text: {type: 'string'}, count: {type: "
            "'integer'},"
            "   maps: {type: 'object', additionalProperties: {type: 'object',"
            "    properties: {y: {type: 'integer'}}}},"
            "   flag: {type: 'boolean'}, free: {type: 'object',"
            "    'x-kubernetes-preserve-unknown-fields': true}, whole: {type: 'object',"
            "    'x-kubernetes-map-type': 'atomic', additionalProperties: {type: 'string'}},"
            "   set: {type: 'array', 'x-kubernetes-list-type': 'set', items: {type: 'string'}}}},"
            "  status: {type: 'object', properties: {phase: {type: 'string'}}}}}}}]}}"),
        &schema));
    return schema;
}

static Err *apply_gadget(Arena *a, const char *manager, const char *applied, const Json **object)
{
    FieldApply apply = {.live = *object, .applied = json_fixture(a, applied)};
    FieldWriter writer = {
        .manager = manager, .api_version = "g.io/v1", .now = "2026-01-01T00:00:01Z"};

    return fields_apply(a, gadget(a), &apply, &writer, object);
}

#define GADGET "apiVersion: 'g.io/v1', kind: 'Gadget', metadata: {name: 'g'}"

TEST(fields_of_custom_objects_are_managed_by_their_schema)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Json *object = NULL;

    then_ok(apply_gadget(a,
        "ap",
        "{" GADGET
        ", spec: {text: 'a', free: {k: {l: {n: 1}}, m: [1]}, whole: {b: 'c'}, maps: {x: {y: 1}},"
        " set: ['d', 'é', 'a\"b', 'c\\\\d']}, status: {phase: 'x'}}",
        &object));
    then_json(owners_of(a, object),
        "{'ap Apply 1': {'f:spec': {'f:text': {}, 'f:whole': {}, 'f:maps': {'f:x': {'.': {}, "
        "'f:y': {}}},"
        " 'f:set': {'v:\"d\"': {}, 'v:\"é\"': {}, 'v:\"a\\\\\"b\"': {}, 'v:\"c\\\\\\\\d\"': {}},"
        " 'f:free': {'f:k': {'.': {}, 'f:l': {'.': {}, 'f:n': {}}}, 'f:m': {}}}}}");
}

TEST(an_apply_that_empties_an_object_leaves_null_which_is_refused)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Json *object = NULL;

    then_ok(apply_gadget(a, "one", "{" GADGET ", spec: {free: {a: 1}}}", &object));
    then_ok(apply_gadget(a, "two", "{" GADGET ", spec: {free: {}}}", &object));
    then_err(apply_gadget(a, "one", "{" GADGET ", spec: {text: 'x'}}", &object),
        TERMINAL(
            "Gadget.g.io \"g\" is invalid: spec.free: Invalid value: \"null\": spec.free in body "
            "must be of type object: \"null\""));
}

static const struct {
    const char *name, *spec;
    Want want;
} misfits[] = {
    {"a number for a text",
        "{text: 7}",
        TERMINAL(".spec.text: expected string, got &value.valueUnstructured{Value:7}")},
    {"a text for a number",
        "{count: 'x'}",
        TERMINAL(".spec.count: expected numeric (int or float), got string")},
    {"a text for a flag", "{flag: 'x'}", TERMINAL(".spec.flag: expected boolean, got &{x}")},
    {"a list for an object", "{free: []}", TERMINAL(".spec.free: expected map, got &{[]}")},
    {"a value twice",
        "{set: ['a', 'a']}",
        TERMINAL(".spec.set: duplicate entries for key [=\"a\"]")},
    {"an object in a set",
        "{set: [{}]}",
        TERMINAL(".spec.set: element 0: associative list without keys has an element that's a map "
                 "type")},
    {"an object for a text in data",
        "{whole: {a: {}}}",
        TERMINAL(".spec.whole.a: expected string, got &value.valueUnstructured{Value:map[string]"
                 "interface {}{}}")},
    {"null fits everywhere",
        "{text: null, flag: null}",
        TERMINAL("is invalid: [spec.flag: Invalid value: \"null\"")},
};

TEST(an_applied_custom_object_must_match_its_schema)
{
    each_case(i, misfits) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const Json *object = NULL;

        then_err(apply_gadget(
                     a, "ap", str_format(a, "{" GADGET ", spec: %s}", misfits[i].spec), &object),
            misfits[i].want);
    }
}
