/* Definitions: what is stored, looked up in the schema of who is to store it. The members of a
 * status are those of its own table (node_status.c, fleet_status.c); what lies deeper and is not
 * the reference's is listed here. */
#include "operator/definitions.h"

#include "base/str.h"
#include "kube/api.h"
#include "sei/api/fleet_status.h"
#include "sei/api/node_status.h"

#include <string.h>

enum { DEFINITIONS_ARENA_MAX = 16 << 20, NAMES_TOLD = 4 };

#define PLAN_FIELDS                                                                                \
    "status.plan.kind", "status.plan.cause", "status.plan.startedAt", "status.plan.generation",    \
        "status.plan.targetHash", "status.plan.waiting", "status.plan.retry"

static const char *const node_fields[] = {
    PLAN_FIELDS, "status.plan.appliedHash", "status.dataVolume.uid", NULL};

static const char *const fleet_fields[] = {PLAN_FIELDS,
    "status.rollout.failedHash",
    "status.rollout.nodes[].state",
    "status.rollout.nodes[].updatedAt",
    "status.rollout.nodes[].message",
    "status.nodes[].revision",
    "status.nodes[].adopted",
    "spec.updateStrategy.maxUnavailable",
    "spec.updateStrategy.partition",
    "spec.updateStrategy.hold",
    "spec.updateStrategy.minReadySeconds",
    "spec.updateStrategy.progressDeadlineSeconds",
    "spec.updateStrategy.onFailure",
    NULL};

typedef struct DefinedKind {
    const Kind *kind;
    const char *name; /* of the definition */
    const char *(*status_member)(size_t place);
    const char *const *fields;
} DefinedKind;

static const DefinedKind defined[] = {
    {kind_seinode, "seinodes.sei.io", node_status_member, node_fields},
    {kind_seinodedeployment, "seinodedeployments.sei.io", fleet_status_member, fleet_fields},
};

enum { DEFINED = sizeof defined / sizeof defined[0] };

/* --- one field in a schema --- */

/* Below here the server keeps what it does not know. */
static bool keeps_all(const Json *schema)
{
    return json_bool(schema, ".x-kubernetes-preserve-unknown-fields", false);
}

/* "nodes[]" is one element of the list. */
static const Json *step_into(Arena *a, const Json *schema, const char *step, size_t length)
{
    bool is_list = length > 2 && step[length - 1] == ']';
    const char *name = str_slice(a, step, is_list ? length - 2 : length);
    const Json *found = json_member(json_find(schema, ".properties"), name);

    return is_list ? json_find(found, ".items") : found;
}

static bool has_field(Arena *a, const Json *schema, const char *path)
{
    while (schema && *path && !keeps_all(schema)) {
        size_t length = strcspn(path, ".");
        schema = step_into(a, schema, path, length);
        path += length + (path[length] == '.');
    }
    return schema != NULL;
}

/* --- all of them --- */

typedef struct Lacks {
    Arena *arena;
    const Json *schema;
    const char *names; /* of the first few, or NULL */
    int count;
} Lacks;

static void look_for(Lacks *l, const char *path)
{
    if (has_field(l->arena, l->schema, path))
        return;
    if (l->count++ < NAMES_TOLD)
        l->names = l->names ? str_format(l->arena, "%s, %s", l->names, path) : path;
}

static const Json *schema_of(const Kind *kind, const Json *definition)
{
    const Json *version;

    json_each(version, json_find(definition, ".spec.versions"))
        if (str_eq(json_str(version, ".name"), kind->version))
            return json_find(version, ".schema.openAPIV3Schema");
    return NULL;
}

static const DefinedKind *find_defined(const Kind *kind)
{
    for (size_t i = 0; i < DEFINED; i++)
        if (kind_eq(defined[i].kind, kind))
            return &defined[i];
    BUG("a kind that has no definition of ours");
}

const char *definition_lacks(Arena *a, const Kind *kind, const Json *definition)
{
    const DefinedKind *d = find_defined(kind);
    Lacks lacks = {.arena = a, .schema = schema_of(kind, definition)};
    const char *member;

    for (size_t i = 0; (member = d->status_member(i)); i++)
        look_for(&lacks, str_format(a, "status.%s", member));
    for (size_t i = 0; d->fields[i]; i++)
        look_for(&lacks, d->fields[i]);
    if (lacks.count <= NAMES_TOLD)
        return lacks.names;
    return str_format(a, "%s and %d more", lacks.names, lacks.count - NAMES_TOLD);
}

/* --- at the start --- */

static Err *look(Api *api, Arena *a, const DefinedKind *d, const Log *log)
{
    Request get = {.verb = VERB_GET,
        .kind = kind_crd,
        .key = {.name = d->name},
        .deadline_ms = DEFINITIONS_DEADLINE_MS};
    const Json *definition = NULL;

    TRY(api_call(api, a, &get, &definition));
    const char *lacks = definition_lacks(a, d->kind, definition);
    if (lacks)
        log_warn(log,
            "the installed definition is older than this operator: the server drops fields that "
            "are stored, so statuses are written again and again and deadlines may never pass. "
            "Install the definitions of this release: kubectl apply --server-side "
            "--force-conflicts -f deploy/crds (with Helm: upgrade the release that has them)",
            log_str("definition", d->name),
            log_str("lacks", lacks));
    return OK;
}

void definitions_look(Transport *transport, const Log *log)
{
    Api *api = transport->open_api(transport);
    bool answers = true;

    for (size_t i = 0; i < DEFINED && answers; i++) {
        SCOPED_ARENA a = arena_open(DEFINITIONS_ARENA_MAX);
        const Err *err = look(api, a, &defined[i], log);
        answers = !err;
        if (err)
            log_info(log,
                "it is not known whether the installed definitions are of this release",
                log_str("definition", defined[i].name),
                log_str("error", err_text(a, err)));
    }
    transport->close_api(transport, api);
}
