/* The example's objects, made and looked at as the admin. */
#include "tests/e2e/copies.h"

#include "kube/meta.h"

void copies_prepare(Controlplane *cp, Arena *a)
{
    scene_namespaces(cp, a, "home", "red", "green", "blue");
}

void copies_put_source(
    Controlplane *cp, Arena *a, const char *name, const char *to, const char *value)
{
    scene_apply(cp,
        a,
        str_format(a,
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: '%s', namespace: home,"
            " labels: {copy.example.io/source: '%s'}, annotations: {copy.example.io/to: '%s'}},"
            " data: {key: '%s'}}",
            name,
            name,
            to,
            value));
}

void copies_delete_source(Controlplane *cp, Arena *a, const char *name)
{
    kubectl(cp, a, "delete", "configmap", name, "-n", "home", "--wait=false");
}

const char *copies_path(Arena *a, const char *namespace, const char *name)
{
    return str_format(a, "/api/v1/namespaces/%s/configmaps/%s", namespace, name);
}

bool copies_hold(Controlplane *cp, const char *namespace, const char *name, const char *value)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *copy = scene_get(cp, a, copies_path(a, namespace, name));

    return copy && str_eq(json_str(copy, ".data.key"), value);
}

/* Asks for the list: an answer that does not come is no absence. */
bool copies_lack(Controlplane *cp, const char *namespace, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *found = scene_get(cp,
        a,
        str_format(a,
            "/api/v1/namespaces/%s/configmaps?fieldSelector=metadata.name%%3D%s",
            namespace,
            name));

    return found && json_count(json_find(found, ".items")) == 0;
}

bool copies_status_says(Controlplane *cp, const char *name, const char *phrase)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *source = scene_get(cp, a, copies_path(a, "home", name));
    const char *status = meta_annotation(source, "copy.example.io/status");

    return status && strstr(status, phrase);
}

const char *copies_version(Controlplane *cp, Arena *a, const char *namespace, const char *name)
{
    const char *version = meta_resource_version(scene_get(cp, a, copies_path(a, namespace, name)));

    return version ? version : "";
}
