/* Resources: the table of built-in kinds, and what a CustomResourceDefinition makes of one. */
#include "world/resource.h"

#include "base/str.h"

#include <string.h>

static const char *const pod_fields[] = {
    ".spec.nodeName",
    ".spec.restartPolicy",
    ".spec.schedulerName",
    ".spec.serviceAccountName",
    ".spec.hostNetwork",
    ".status.phase",
    ".status.podIP",
    ".status.nominatedNodeName",
    NULL,
};
static const char *const core_event_fields[] = {
    ".involvedObject",
    ".reason",
    ".reportingComponent",
    ".source",
    ".type",
    NULL,
};
static const char *const event_fields[] = {
    ".regarding",
    ".reason",
    ".reportingController",
    ".type",
    NULL,
};
static const char *const secret_fields[] = {".type", NULL};
static const char *const node_fields[] = {".spec.unschedulable", NULL};
static const char *const namespace_fields[] = {".status.phase", NULL};
static const char *const job_fields[] = {".status.successful", NULL};

static const Traits built_ins[] = {
    {.kind = kind_configmap},
    {.kind = kind_controllerrevision},
    {.kind = kind_core_event,
        .update_creates = true,
        .has_no_dependents = true,
        .any_finalizer = true,
        .selectable = core_event_fields},
    {.kind = kind_crd, .has_status = true, .has_generation = true, .update_needs_version = true},
    {.kind = kind_event,
        .update_creates = true,
        .has_no_dependents = true,
        .selectable = event_fields},
    {.kind = kind_job,
        .has_status = true,
        .has_generation = true,
        .orphans = true,
        .update_counts = true,
        .new_status = "{}",
        .selectable = job_fields},
    {.kind = kind_lease,
        .update_needs_version = true,
        .update_creates = true,
        .any_finalizer = true},
    {.kind = kind_namespace,
        .has_status = true,
        .names = NAME_LABEL,
        .new_status = "{\"phase\":\"Active\"}",
        .selectable = namespace_fields},
    {.kind = kind_node, .has_status = true, .keeps_status = true, .selectable = node_fields},
    {.kind = kind_pod,
        .has_status = true,
        .has_generation = true,
        .has_grace = true,
        .deletion_shows = true,
        .new_status = "{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}",
        .selectable = pod_fields},
    {.kind = kind_pv,
        .has_status = true,
        .deletion_shows = true,
        .protection = "kubernetes.io/pv-protection",
        .new_status = "{\"phase\":\"Pending\"}"},
    {.kind = kind_pvc,
        .has_status = true,
        .deletion_shows = true,
        .update_counts = true,
        .protection = "kubernetes.io/pvc-protection",
        .new_status = "{\"phase\":\"Pending\"}"},
    {.kind = kind_secret, .selectable = secret_fields},
    {.kind = kind_service,
        .has_status = true,
        .deletion_shows = true,
        .update_creates = true,
        .names = NAME_LABEL_1035,
        .new_status = "{\"loadBalancer\":{}}"},
    {.kind = kind_serviceaccount, .deletion_shows = true},
    {.kind = kind_statefulset,
        .has_status = true,
        .has_generation = true,
        .names = NAME_LABEL,
        .new_status = "{\"replicas\":0,\"availableReplicas\":0}"},

    /* What nobody in the world acts upon: stored, and answered for. */
    {.kind = kind_clusterrole, .update_creates = true, .names = NAME_PATH_SEGMENT},
    {.kind = kind_clusterrolebinding, .update_creates = true, .names = NAME_PATH_SEGMENT},
    {.kind = kind_cronjob, .has_status = true, .has_generation = true, .new_status = "{}"},
    {.kind = kind_deployment, .has_status = true, .has_generation = true, .new_status = "{}"},
    {.kind = kind_endpointslice, .has_generation = true},
    {.kind = kind_networkpolicy, .has_generation = true},
    {.kind = kind_pdb,
        .any_finalizer = true,
        .has_status = true,
        .has_generation = true,
        .update_needs_version = true,
        .new_status = "{\"currentHealthy\":0,\"desiredHealthy\":0,\"disruptionsAllowed\":0,"
                      "\"expectedPods\":0}"},
    {.kind = kind_replicaset,
        .has_status = true,
        .has_generation = true,
        .new_status = "{\"replicas\":0}"},
    {.kind = kind_role, .update_creates = true, .names = NAME_PATH_SEGMENT},
    {.kind = kind_rolebinding, .update_creates = true, .names = NAME_PATH_SEGMENT},
    {.kind = kind_storageclass, .deletion_shows = true},
};

static const ScalePaths set_scale = {
    .spec_replicas = ".spec.replicas",
    .status_replicas = ".status.replicas",
    .selector = ".spec.selector",
};

const Traits *resource_built_in(size_t row)
{
    return row < sizeof built_ins / sizeof *built_ins ? &built_ins[row] : NULL;
}

/* The paths that a record's glance keeps. */
static const char *const *glance_paths(Slab *slab, const char *const *selectable)
{
    static const char *const always[] = {
        ".metadata.name", ".metadata.namespace", ".metadata.labels"};
    size_t count = 0, always_count = sizeof always / sizeof *always;
    const char **paths;

    while (selectable && selectable[count])
        count++;
    paths = slab_alloc(slab, (always_count + count + 1) * sizeof *paths);
    memcpy(paths, always, sizeof always);
    if (count > 0)
        memcpy(paths + always_count, selectable, count * sizeof *paths);
    paths[always_count + count] = NULL;
    return paths;
}

Resource *resource_open(Slab *slab, const Traits *traits)
{
    Resource *r = slab_alloc(slab, sizeof *r);

    *r = (Resource){.traits = *traits};
    kind_api_version(traits->kind, r->api_version);
    r->schema = schema_of_kind(traits->kind);
    r->shelf = shelf_open(slab);
    r->glance = glance_paths(slab, traits->selectable);
    if (traits->kind == kind_statefulset || traits->kind == kind_deployment
        || traits->kind == kind_replicaset)
        r->scale = set_scale;
    return r;
}

static void free_glance(Slab *slab, const char *const *glance)
{
    size_t count = 1;

    while (glance[count - 1])
        count++;
    slab_free(slab, (void *)glance, count * sizeof *glance);
}

void resource_close(Slab *slab, Resource *r)
{
    if (!r)
        return;
    free_glance(slab, r->glance);
    shelf_close(r->shelf);
    packer_close(r->packer);
    arena_close(r->arena);
    slab_free(slab, r, sizeof *r);
}

/* --- custom resources --- */

enum { DESCRIPTION_MAX = 64 << 20 }; /* of one definition, parsed */

/* The version that is stored, which is the one that is served here. */
static const Json *stored_version(const Json *crd)
{
    const Json *version;

    json_each(version, json_find(crd, ".spec.versions"))
        if (json_bool(version, ".storage", false) && json_bool(version, ".served", false))
            return version;
    return NULL;
}

static const char *const *selectable_fields(Arena *a, const Json *version)
{
    const Json *fields = json_find(version, ".selectableFields"), *field;
    const char **paths = arena_array(a, const char *, json_count(fields) + 1);
    size_t count = 0;

    json_each(field, fields) {
        if (json_str(field, ".jsonPath"))
            paths[count++] = json_str(field, ".jsonPath");
    }
    return paths;
}

static Err *check_names(Arena *a, const Kind *kind)
{
    if (!kind->group || !kind->version || !kind->plural || !kind->name)
        return err_terminal(a, "group, plural, kind or the name of a version is missing");
    return OK;
}

/* A status by default is not stored with a new object, only shown: the first update stores it. */
static const char default_status[] = ".schema.openAPIV3Schema.properties.status.default";

/* What a definition says about its kind, in the arena that holds the definition. */
static Err *read_definition(Arena *own, const Json *crd, Resource *ret)
{
    const Json *version = stored_version(crd), *names = json_find(crd, ".spec.names");
    const Json *scale = json_find(version, ".subresources.scale");

    if (!version)
        return err_terminal(own, "no version is both served and stored");
    *ret = (Resource){
        .own_kind =
            {
                .group = json_str(crd, ".spec.group"),
                .version = json_str(version, ".name"),
                .plural = json_str(names, ".plural"),
                .name = json_str(names, ".kind"),
                .namespaced = str_eq(json_str(crd, ".spec.scope"), "Namespaced"),
            },
        .traits =
            {
                .has_status = json_find(version, ".subresources.status") != NULL,
                .has_generation = true,
                .is_custom = true,
                .update_needs_version = true,
                .update_counts = json_find(version, default_status) != NULL,
                .selectable = selectable_fields(own, version),
            },
        .scale =
            {
                .spec_replicas = json_str(scale, ".specReplicasPath"),
                .status_replicas = json_str(scale, ".statusReplicasPath"),
                .selector = json_str(scale, ".labelSelectorPath"),
            },
        .crd_name = json_str(crd, ".metadata.name"),
        .definition = crd,
        .arena = own,
    };
    TRY(check_names(own, &ret->own_kind));
    kind_api_version(&ret->own_kind, ret->api_version);
    return schema_of_crd(own, crd, &ret->schema);
}

/* In an arena of its own, which is closed again when it fails. */
static Err *read_copy(Arena *a, const Json *crd, Resource *ret)
{
    Arena *own = arena_open(DESCRIPTION_MAX);
    Err *err = err_copy(a, read_definition(own, json_copy(own, crd), ret));

    if (err)
        arena_close(own);
    return err;
}

Err *resource_check_custom(Arena *a, const Json *crd)
{
    Resource read = {0};

    TRY(read_copy(a, crd, &read));
    arena_close(read.arena);
    return OK;
}

Err *resource_open_custom(Arena *a, Slab *slab, const Json *crd, Resource **ret)
{
    Resource read = {0}, *r;

    TRY(read_copy(a, crd, &read));
    r = slab_alloc(slab, sizeof *r);
    *r = read;
    r->traits.kind = &r->own_kind;
    r->shelf = shelf_open(slab);
    r->glance = glance_paths(slab, r->traits.selectable);
    *ret = r;
    return OK;
}

Err *resource_describe(Arena *a, Slab *slab, Resource *r, const Json *crd)
{
    Resource read = {0};

    TRY(read_copy(a, crd, &read));
    free_glance(slab, r->glance);
    r->glance = glance_paths(slab, read.traits.selectable);
    arena_close(r->arena);
    r->traits = read.traits;
    r->scale = read.scale;
    r->own_kind = read.own_kind;
    memcpy(r->api_version, read.api_version, sizeof r->api_version);
    r->schema = read.schema;
    r->crd_name = read.crd_name;
    r->definition = read.definition;
    r->arena = read.arena;
    r->traits.kind = &r->own_kind;
    return OK;
}

bool resource_serves(const Resource *r, const Kind *kind)
{
    const Kind *own = r->traits.kind;

    return own == kind || (kind_eq(own, kind) && str_eq(own->version, kind->version));
}

static const char *qualified(Arena *a, const char *noun, const Resource *r)
{
    const char *group = r->traits.kind->group;

    return *group ? str_format(a, "%s.%s", noun, group) : noun;
}

const char *resource_plural(Arena *a, const Resource *r)
{
    return qualified(a, r->traits.kind->plural, r);
}

const char *resource_singular(Arena *a, const Resource *r)
{
    /* The real server checks Events of both groups as those of the core. */
    if (r->traits.kind == kind_event)
        return kind_event->name;
    return qualified(a, r->traits.kind->name, r);
}
