/* Fuzzes schemas and the ownership of fields, with [kind, applied, live]: whatever clients send,
 * completing twice is completing once, who writes the same again changes nothing, and what is
 * applied by force is there and can be applied again in peace. */
#include "kube/kind.h"
#include "world/fields.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static const Schema *schema_of(const Json *kind)
{
    static const Kind *const kinds[] = {kind_configmap,
        kind_pod,
        kind_service,
        kind_secret,
        kind_pvc,
        kind_statefulset,
        kind_job,
        kind_lease,
        kind_namespace,
        kind_node};
    int64_t row = json_int(kind, "", 0);

    return schema_of_kind(kinds[(uint64_t)row % (sizeof kinds / sizeof *kinds)]);
}

static void try_update(Arena *a, const Schema *schema, const Json *before, const Json *after)
{
    FieldWriter writer = {.manager = "me", .api_version = "v1", .now = "2026-01-01T00:00:00Z"};
    const Json *written = fields_updated(a, schema, before, after, &writer);

    writer.now = "2026-01-01T00:00:01Z";
    must(json_equal(written, fields_updated(a, schema, written, written, &writer)));
}

/* The second apply may still tidy up: of a key that was sent twice one stays. */
static void try_apply(Arena *a, const Schema *schema, const Json *live, const Json *applied)
{
    FieldWriter writer = {.manager = "me", .api_version = "v1", .now = "2026-01-01T00:00:00Z"};
    FieldApply apply = {.live = live, .applied = applied, .force = true};
    const Json *once = NULL, *twice = NULL, *thrice = NULL;

    if (fields_apply(a, schema, &apply, &writer, &once))
        return;
    apply.live = once;
    apply.force = false;
    must(!fields_apply(a, schema, &apply, &writer, &twice));
    apply.live = twice;
    must(!fields_apply(a, schema, &apply, &writer, &thrice));
    must(json_equal(twice, thrice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED_ARENA a = arena_open(512 << 20);
    const Json *input = NULL;
    Err *err = json_parse(a, (Bytes){(const char *)data, size}, &input);
    const Schema *schema = schema_of(json_find(input, "[0]"));
    const Json *applied = json_find(input, "[1]"), *live = json_find(input, "[2]");

    if (err || json_type(applied) != JSON_OBJECT || json_type(live) != JSON_OBJECT)
        return 0;
    live = schema_complete(a, schema, live, NULL);
    must(json_equal(live, schema_complete(a, schema, live, NULL)));
    must(json_equal(live, schema_complete(a, schema, live, live)));
    must(!schema_check(a, schema, live, NULL));
    try_update(a, schema, NULL, live);
    try_update(a, schema, live, schema_complete(a, schema, applied, live));
    try_apply(a, schema, NULL, applied);
    try_apply(a, schema, live, applied);
    return 0;
}
