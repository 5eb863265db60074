/* Pods for tests of tasks: what the StatefulSet of the sample node has made, and strangers. */
#ifndef TESTS_SEI_PODS_H
#define TESTS_SEI_PODS_H

#include "tests/sei/world.h"

/* A settled pod of an old template. Its owner is added when it is given. */
static const char sample_pod[] =
    "{metadata: {name: 'rpc-0-0', namespace: 'sei',"
    "  labels: {'sei.io/node': 'rpc-0', 'controller-revision-hash': 'rpc-0-old'},"
    "  annotations: {'sei.io/template-hash': 'old'}},"
    " spec: {terminationGracePeriodSeconds: 600, nodeName: 'a',"
    "  containers: [{name: 'seid', image: 'mirror/seid:v6'}],"
    "  volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]},"
    " status: {phase: 'Running', podIP: '10.0.0.7', containerStatuses: [{name: 'seid',"
    "  image: 'mirror/seid:v6', imageID: 'x', ready: true, restartCount: 0, containerID: 'c://1',"
    "  state: {running: {startedAt: '2025-12-31T00:00:00Z'}}}]}}";

/* A person's pod that works on the data. */
static const char sample_job[] =
    "{metadata: {name: 'analyzer', namespace: 'sei'},"
    " spec: {containers: [{name: 'main', image: 'analyzer'}],"
    "  volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]},"
    " status: {phase: 'Running'}}";

/* The StatefulSet as our task applies it, seen by its controller, rolling to "rpc-0-new". */
static inline const Json *given_statefulset(TaskWorld *w)
{
    then_ok(when_task_runs(w, TASK_APPLY_STATEFULSET));
    w->said = NULL;
    return changed(w,
        kind_statefulset,
        "rpc-0",
        "status",
        "{status: {observedGeneration: 1, replicas: 1, currentRevision: 'rpc-0-old',"
        " updateRevision: 'rpc-0-new'}}");
}

/* Its pod. */
static inline const Json *given_pod(TaskWorld *w, const char *patch)
{
    const Json *sts = stored(w, kind_statefulset, "rpc-0");
    const char *owned = str_format(w->arena,
        "{metadata: {ownerReferences: [{apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'rpc-0',"
        " uid: '%s', controller: true}]}}",
        meta_uid(sts));

    if (str_eq(patch, ABSENT))
        return NULL;
    const Json *pod =
        json_merge(w->arena, json_fixture(w->arena, sample_pod), json_fixture(w->arena, owned));
    return given(w, kind_pod, json_write(w->arena, pod).data, patch);
}

/* A merge patch of a pod of the template that is wanted. */
static inline const char *new_pod(TaskWorld *w)
{
    return str_format(w->arena,
        "{metadata: {labels: {'controller-revision-hash': 'rpc-0-new'},"
        " annotations: {'sei.io/template-hash': '%s'}}}",
        w->wanted.template_hash);
}

#endif
