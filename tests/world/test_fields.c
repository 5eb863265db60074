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
    {"what is gone is nobody's, and finalizers are a set",
        UPDATE,
        "m1",
        "{data: {y: null}, metadata: {finalizers: ['a.io/x', 'b.io/y']}}",
        "{'m1 Update 4': {'f:data': {}, 'f:metadata': {'f:finalizers': {'.': {},"
        "    'v:\"a.io/x\"': {}, 'v:\"b.io/y\"': {}}, 'f:labels': {'.': {}, 'f:a': {}}}},"
        " 'm2 Update 2': {'f:data': {'f:x': {}, 'f:z': {}},"
        "    'f:metadata': {'f:annotations': {'.': {}, 'f:q': {}}}}}"},
};

TEST(an_update_owns_what_it_changes)
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
    {"somebody of the same mind owns it, too, and has no time",
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
    {"what nobody applies any more goes",
        APPLY,
        "third",
        "{" CONFIGMAP ", metadata: {name: 'c'}}",
        "{'ap Apply 1': {'f:metadata': {'f:labels': {'f:l': {}}}},"
        " 'other Apply never': {'f:data': {'f:x': {}}}}",
        "{" CONFIGMAP ", data: {x: '1'}}"},
};

TEST(an_apply_merges_and_owns)
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
    {"so that who applies them meets it",
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

TEST(lists_are_owned_by_element)
{
    tell(kind_statefulset, of_lists, array_count(of_lists));
}
