/* What the server says about objects that cannot be, word for word. */
#include "tests/world/desk.h"

#define SUBDOMAIN                                                                                  \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character"

static const struct {
    const char *name;
    const Kind *kind;
    const char *metadata, *phrase, *field;
} metadata[] = {
    {"a name with an underscore",
        kind_configmap,
        "{name: 'Bad_'}",
        "ConfigMap \"Bad_\" is invalid: metadata.name: Invalid value: \"Bad_\": " SUBDOMAIN,
        "metadata.name"},
    {"a name that ends in a dot",
        kind_configmap,
        "{name: 'a.'}",
        "metadata.name: Invalid value: \"a.\": " SUBDOMAIN,
        "metadata.name"},
    {"no name",
        kind_configmap,
        "{}",
        "Required value: name or generateName is required",
        "metadata.name"},
    {"a namespace with a dot",
        kind_namespace,
        "{name: 'a.b'}",
        "Invalid value: \"a.b\": must not contain dots",
        "metadata.name"},
    {"a namespace that is no label",
        kind_namespace,
        "{name: '-a'}",
        "a lowercase RFC 1123 label must consist of",
        "metadata.name"},
    {"a Service that begins with a digit",
        kind_service,
        "{name: '1a'}",
        "a DNS-1035 label must consist of",
        "metadata.name"},
    {"a prefix of names",
        kind_configmap,
        "{generateName: 'A-'}",
        "metadata.generateName: Invalid value: \"A-\": " SUBDOMAIN,
        "metadata.generateName"},
    {"a label's key",
        kind_configmap,
        "{name: 'x', labels: {'a b': 'c'}}",
        "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric "
        "characters",
        "metadata.labels"},
    {"a label's prefix",
        kind_configmap,
        "{name: 'x', labels: {'A_/b': 'c'}}",
        "Invalid value: \"A_/b\": prefix part a lowercase RFC 1123 subdomain",
        "metadata.labels"},
    {"a label's key of two slashes",
        kind_configmap,
        "{name: 'x', labels: {'a/b/c': 'd'}}",
        "a qualified name must consist of",
        "metadata.labels"},
    {"a label's key without a name",
        kind_configmap,
        "{name: 'x', labels: {'a/': 'd'}}",
        "name part must be non-empty",
        "metadata.labels"},
    {"a label's key without a prefix",
        kind_configmap,
        "{name: 'x', labels: {'/a': 'd'}}",
        "prefix part must be non-empty",
        "metadata.labels"},
    {"a label's value",
        kind_configmap,
        "{name: 'x', labels: {a: 'c d'}}",
        "metadata.labels: Invalid value: \"c d\": a valid label must be an empty string or consist",
        "metadata.labels"},
    {"an annotation's key",
        kind_configmap,
        "{name: 'x', annotations: {'A B': 'c'}}",
        "metadata.annotations: Invalid value: \"A B\": name part must consist of",
        "metadata.annotations"},
    {"a finalizer without a domain",
        kind_configmap,
        "{name: 'x', finalizers: ['t.io/a', 'bad']}",
        "metadata.finalizers[1]: Invalid value: \"bad\": name is neither a standard finalizer name "
        "nor is it fully qualified",
        "metadata.finalizers[1]"},
    {"an owner without a uid",
        kind_configmap,
        "{name: 'x', ownerReferences: [{apiVersion: 'v1', kind: 'Pod', name: 'y'}]}",
        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty",
        "metadata.ownerReferences.uid"},
    {"an owner without a version",
        kind_configmap,
        "{name: 'x', ownerReferences: [{kind: 'Pod', name: 'y', uid: 'u'}]}",
        "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
        "metadata.ownerReferences.apiVersion"},
    {"two controllers",
        kind_configmap,
        "{name: 'x', ownerReferences: [{apiVersion: 'v1', kind: 'Pod', name: 'y', uid: 'u', "
        "controller: true}, {apiVersion: 'v1', kind: 'Pod', name: 'z', uid: 'v', controller: "
        "true}]}",
        "Only one reference can have Controller set to true. Found \"true\" in references for "
        "Pod/y "
        "and Pod/z",
        "metadata.ownerReferences"},
};

TEST(invalid_metadata_is_refused_with_the_message_of_the_real_server)
{
    each_case(i, metadata) {
        SCOPED_DESK d = desk_open();

        create(d,
            metadata[i].kind,
            str_format(
                d->arena, "{metadata: %s, spec: {ports: [{port: 1}]}}", metadata[i].metadata));

        then_refused(d, 422, metadata[i].phrase);
        then_str(json_str(d->answer.body, ".reason"), "Invalid");
        then_str(json_str(d->answer.body, ".details.causes[0].field"), metadata[i].field);
    }
}

TEST(overlong_names_and_too_many_annotations_are_refused)
{
    SCOPED_DESK d = desk_open();
    char *text = arena_array(d->arena, char, (256 << 10) + 1);

    memset(text, 'a', 254);
    create(d, kind_configmap, str_format(d->arena, "{metadata: {name: '%s'}}", text));
    then_refused(d, 422, "must be no more than 253 characters");
    text[64] = '\0';
    create(d, kind_service, str_format(d->arena, "{metadata: {name: '%s'}}", text));
    then_refused(d, 422, "must be no more than 63 characters");
    create(d,
        kind_configmap,
        str_format(d->arena, "{metadata: {name: 'x', labels: {a: '%s'}}}", text));
    then_refused(d, 422, "must be no more than 63 characters");
    memset(text, 'a', 256 << 10);
    create(d,
        kind_configmap,
        str_format(d->arena, "{metadata: {name: 'x', annotations: {a: '%s'}}}", text));
    then_refused(d, 422, "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST(a_finalizer_of_a_custom_object_needs_no_domain)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d,
        kind_widget,
        "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'x', finalizers: ['plain']}}");
    then_status(d, 201);
    create(d, kind_configmap, "{metadata: {name: 'x', finalizers: ['orphan']}}");
    then_status(d, 201);
}

TEST(a_finalizer_of_a_lease_or_a_core_event_needs_no_domain)
{
    SCOPED_DESK d = desk_open();
    static const char object[] = "{metadata: {name: 'x', finalizers: ['plain']}}";

    create(d, kind_lease, object);
    then_status(d, 201);
    create(d, kind_core_event, object);
    then_status(d, 201);
    create(d,
        kind_event,
        "{metadata: {name: 'x', finalizers: ['plain']}, " EVENT_PARTS
        ", reason: 'R', type: 'Normal'}");
    then_refused(
        d, 422, "Event \"x\" is invalid: metadata.finalizers[0]: Invalid value: \"plain\"");
}

TEST(an_invalid_update_lists_each_cause_twice_and_the_message_once)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'x'}}");
    merge(d, kind_configmap, "x", "{metadata: {uid: 'moon', deletionGracePeriodSeconds: 5}}");
    then_str(json_str(d->answer.body, ".message"),
        "ConfigMap \"x\" is invalid: [metadata.uid: Invalid value: \"moon\": field is immutable, "
        "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable]");
    then_int(json_count(json_find(d->answer.body, ".details.causes")), 4);
}

/* --- fields that stay --- */

static const struct {
    const char *name;
    const Kind *kind;
    const char *made, *status, *patch;
    const char *phrase; /* NULL: it may change */
} fixed[] = {
    {"a StatefulSet's service",
        kind_statefulset,
        "{replicas: 1, serviceName: 's', selector: {matchLabels: {a: 'b'}}, template: {metadata: "
        "{labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'i'}]}}}",
        NULL,
        "{spec: {serviceName: 't'}}",
        "StatefulSet.apps \"x\" is invalid: spec: Forbidden: updates to statefulset spec for "
        "fields "
        "other than 'replicas', 'ordinals', 'template', 'updateStrategy'"},
    {"a StatefulSet's template",
        kind_statefulset,
        "{replicas: 1, serviceName: 's', selector: {matchLabels: {a: 'b'}}, template: {metadata: "
        "{labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'i'}]}}}",
        NULL,
        "{spec: {template: {spec: {terminationGracePeriodSeconds: 5}}, replicas: 3}}",
        NULL},
    {"a claim's mode",
        kind_pvc,
        "{accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}",
        NULL,
        "{spec: {accessModes: ['ReadWriteMany']}}",
        "PersistentVolumeClaim \"x\" is invalid: spec: Forbidden: spec is immutable after creation "
        "except resources.requests and volumeAttributesClassName for bound claims"},
    {"the size of a claim that is not bound",
        kind_pvc,
        "{accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}",
        NULL,
        "{spec: {resources: {requests: {storage: '2Gi'}}}}",
        "spec is immutable after creation"},
    {"the size of a bound claim",
        kind_pvc,
        "{storageClassName: 'c', accessModes: ['ReadWriteOnce'], resources: {requests: {storage: "
        "'1Gi'}}}",
        "{status: {phase: 'Bound'}}",
        "{spec: {resources: {requests: {storage: '2Gi'}}}}",
        NULL},
    {"the first volume of a claim",
        kind_pvc,
        "{accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}",
        NULL,
        "{spec: {volumeName: 'v', storageClassName: 'fast'}}",
        NULL},
    {"the second volume of a claim",
        kind_pvc,
        "{accessModes: ['ReadWriteOnce'], volumeName: 'u', resources: {requests: {storage: "
        "'1Gi'}}}",
        NULL,
        "{spec: {volumeName: 'v'}}",
        "spec is immutable after creation"},
    {"a Service's address",
        kind_service,
        "{ports: [{port: 1}]}",
        NULL,
        "{spec: {clusterIP: 'None'}}",
        "spec.clusterIPs[0]: Invalid value: [\"None\"]: may not change once set"},
    {"a Service's selector",
        kind_service,
        "{ports: [{port: 1}]}",
        NULL,
        "{spec: {selector: {a: 'b'}}}",
        NULL},
    {"a pod's node",
        kind_pod,
        "{nodeName: 'n1', containers: [{name: 'c', image: 'i'}]}",
        NULL,
        "{spec: {nodeName: 'n2'}}",
        "Pod \"x\" is invalid: spec: Forbidden: pod updates may not change fields other than "
        "`spec.containers[*].image`"},
    {"a pod's tolerations",
        kind_pod,
        "{containers: [{name: 'c', image: 'i'}]}",
        NULL,
        "{spec: {tolerations: [{operator: 'Exists'}]}}",
        NULL},
    {"a pod's deadline, later",
        kind_pod,
        "{activeDeadlineSeconds: 5, containers: [{name: 'c', image: 'i'}]}",
        NULL,
        "{spec: {activeDeadlineSeconds: 6}}",
        "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous "
        "value"},
    {"a pod's deadline, away",
        kind_pod,
        "{activeDeadlineSeconds: 5, containers: [{name: 'c', image: 'i'}]}",
        NULL,
        "{spec: {activeDeadlineSeconds: null}}",
        "must not update from a positive integer to nil value"},
    {"a Job's completions",
        kind_job,
        "{completions: 1, template: {spec: {restartPolicy: 'Never', containers: [{name: 'c', "
        "image: 'i'}]}}}",
        NULL,
        "{spec: {completions: 2}}",
        "spec.completions: Invalid value: 2: field is immutable"},
    {"a Job's parallelism",
        kind_job,
        "{completions: 1, template: {spec: {restartPolicy: 'Never', containers: [{name: 'c', "
        "image: 'i'}]}}}",
        NULL,
        "{spec: {parallelism: 2}}",
        NULL},
};

TEST(immutable_fields_cannot_be_changed)
{
    each_case(i, fixed) {
        SCOPED_DESK d = desk_open();

        create(d,
            fixed[i].kind,
            str_format(d->arena, "{metadata: {name: 'x'}, spec: %s}", fixed[i].made));
        then_status(d, 201);
        if (fixed[i].status)
            merge_status(d, fixed[i].kind, "x", fixed[i].status);
        merge(d, fixed[i].kind, "x", fixed[i].patch);

        if (fixed[i].phrase)
            then_refused(d, 422, fixed[i].phrase);
        else
            then_status(d, 200);
    }
}

TEST(a_headless_service_with_two_ip_families_cannot_get_a_selector)
{
    SCOPED_DESK d = desk_open();

    create(
        d, kind_service, "{metadata: {name: 'x'}, spec: {clusterIP: 'None', ports: [{port: 80}]}}");
    then_status(d, 201);
    merge(d, kind_service, "x", "{spec: {selector: {a: 'b'}}}");
    then_refused(d,
        422,
        "Service \"x\" is invalid: [spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this "
        "cluster is not configured for dual-stack services, spec.ipFamilies[1]: Invalid value: "
        "\"IPv6\": not configured on this cluster]");
    merge(d, kind_service, "x", "{spec: {publishNotReadyAddresses: true}}");
    then_status(d, 200);
}

TEST(the_image_of_a_pod_can_be_changed)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_pod, "{metadata: {name: 'x'}, spec: {containers: [{name: 'c', image: 'i'}]}}");
    jsonpatch(d, kind_pod, "x", "[{op: 'replace', path: '/spec/containers/0/image', value: 'j'}]");
    then_status(d, 200);
    then_int(meta_generation(d->answer.body), 2);
}

TEST(immutable_data_of_secrets_and_configmaps_cannot_be_changed)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_secret, "{metadata: {name: 'x'}, type: 'Opaque'}");
    merge(d, kind_secret, "x", "{type: 'kubernetes.io/tls'}");
    then_refused(d, 422, "type: Invalid value: \"kubernetes.io/tls\": field is immutable");
    create(d, kind_controllerrevision, "{metadata: {name: 'x'}, revision: 1, data: {a: 1}}");
    merge(d, kind_controllerrevision, "x", "{data: {a: 2}}");
    then_refused(d, 422, "data: Invalid value: {\"a\":2}: field is immutable");
    merge(d, kind_controllerrevision, "x", "{revision: 2}");
    then_status(d, 200);
}

TEST(only_the_series_of_an_event_can_be_changed)
{
    SCOPED_DESK d = desk_open();

    create(d,
        kind_event,
        "{metadata: {name: 'x'}, " EVENT_PARTS ", type: 'Normal', reason: 'Made',"
        " regarding: {kind: 'Pod', name: 'p', namespace: 'default'}}");
    merge(d, kind_event, "x", "{type: 'Warning'}");
    then_refused(
        d, 422, "Event \"x\" is invalid: type: Invalid value: \"Warning\": field is immutable");
    merge(d, kind_event, "x", "{regarding: {name: 'q'}}");
    then_refused(d,
        422,
        "involvedObject: Invalid value: {\"Kind\":\"Pod\",\"Namespace\":\"default\",\"Name\":\"q\","
        "\"UID\":\"\",\"APIVersion\":\"\",\"ResourceVersion\":\"\",\"FieldPath\":\"\"}: field is "
        "immutable");
    merge(d,
        kind_event,
        "x",
        "{series: {count: 2, lastObservedTime: '2020-01-01T00:00:01.000000Z'}}");
    then_status(d, 200);
}

/* One of the two is a part of the other, and said all the same. */
TEST(a_validation_error_that_is_part_of_another_one_is_also_reported)
{
    SCOPED_DESK d = desk_open();

    create(d,
        kind_statefulset,
        "{metadata: {name: 'x'}, spec: {selector: {matchLabels: {a: 'b'}}, template: {metadata: "
        "{labels: {a: 'b'}}, spec: {restartPolicy: 'Odd', containers: [{name: 'c', image: "
        "'i'}]}}}}");
    then_refused(d,
        422,
        "is invalid: [spec.template.spec.restartPolicy: Unsupported value: \"Odd\": supported "
        "values: \"Always\", \"OnFailure\", \"Never\", spec.template.spec.restartPolicy: "
        "Unsupported value: \"Odd\": supported values: \"Always\"]");
}

static const struct {
    const char *name, *object;
    int causes;
} events[] = {
    {"an old event in another namespace and without a time",
        "{metadata: {name: 'x'}, type: 'Normal', regarding: {name: 'n', namespace: 'elsewhere'}}",
        2},
    {"a new event lacks several fields",
        "{metadata: {name: 'x'}, type: 'Normal', regarding: {name: 'n', namespace: 'elsewhere'},"
        " eventTime: '2020-01-01T00:00:00.000000Z'}",
        6},
};

TEST(an_event_is_validated_as_an_old_or_a_new_event_by_its_event_time)
{
    each_case(i, events) {
        SCOPED_DESK d = desk_open();
        const Json *refusal = create(d, kind_event, events[i].object);

        then_status(d, 422);
        then_int(json_count(json_find(refusal, ".details.causes")), events[i].causes);
    }
}
