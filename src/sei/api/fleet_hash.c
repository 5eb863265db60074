/* Hashes of templates: of the fields that spec_field.h says a pod is replaced for. */
#include "sei/api/fleet_hash.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/fleet_admission.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/api/spec_field.h"

enum { SCRATCH_MAX = 1 << 20 };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

const char *fleet_template_hash(Arena *a, const FleetSpec *spec)
{
    const NodeSpec *node = &spec->node;
    const char *all = str_format(
        a, "%s%s%s", text_of(node->chain_id), text_of(node->image), text_of(node->sidecar_image));
    char hex[SHA256_HEX_SIZE];

    sha256_hex(bytes_of(all), hex);
    return str_slice(a, hex, HASH_SIZE - 1);
}

static const Json *inputs(Arena *a, const NodeSpec *spec, const char *restarted_at)
{
    Draft *d = draft(a, str("mode", node_mode_text(spec->mode)), str("restartedAt", restarted_at));

    spec_fields_hash_into(a, d, spec, spec->mode, SPEC_TEMPLATE);
    return json_seal(a, d);
}

const Json *fleet_spec_inputs(Arena *a, const NodeSpec *spec)
{
    return inputs(a, spec, NULL);
}

static const char *revision_of(Arena *a, const NodeSpec *spec, const char *restarted_at)
{
    return hash_json(a, inputs(a, spec, restarted_at));
}

/* What admission has changed counts as it was asked for. */
static const char *child_revision_of(Arena *a, const SeiNode *child, const char *restarted_at)
{
    const Json *asked = fleet_admission_asked(a, child);

    if (!asked)
        return revision_of(a, &child->spec, restarted_at);
    return hash_json(a, json_merge(a, inputs(a, &child->spec, restarted_at), asked));
}

static const char *restart_of(const Json *template)
{
    const char *text = meta_annotation(template, ANNOTATION_RESTARTED_AT);
    return str_empty(text) ? NULL : text;
}

Err *fleet_revision(Arena *a, const Json *template, const char **ret)
{
    NodeSpec *spec = arena_new(a, NodeSpec);

    TRY(node_spec_decode(a, template, spec));
    *ret = revision_of(a, spec, restart_of(template));
    return OK;
}

/* `have` is at least as late as `want`: nothing is left to be restarted. */
static bool covers(const char *have, const char *want)
{
    int64_t have_ns, want_ns;

    if (!want || str_eq(have, want))
        return true;
    return have && timestamp_parse(have, &have_ns) && timestamp_parse(want, &want_ns)
        && have_ns >= want_ns;
}

const char *fleet_released_spec(Arena *a, const NodeSpec *spec)
{
    return revision_of(a, spec, NULL);
}

bool fleet_child_is_unreleased(const SeiNode *child)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const Json *controller = meta_controller(child->object);
    const char *fleet = json_str(controller, ".name");

    return fleet && str_eq(json_str(controller, ".kind"), kind_seinodedeployment->name)
        && fleet_name_ordinal(a, fleet, meta_name(child->object)) >= 0
        && !str_eq(child->released_spec, fleet_released_spec(a, &child->spec));
}

bool fleet_child_was_unreleased(const SeiNode *node)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);

    return node->released_spec && !meta_controller(node->object)
        && !str_eq(node->released_spec, fleet_released_spec(a, &node->spec));
}

static const char *revision_when_asked(Arena *a, const SeiNode *child, const char *want)
{
    const char *have = node_restarted_at(child);

    return child_revision_of(a, child, covers(have, want) ? want : have);
}

const char *fleet_child_revision(Arena *a, const SeiNode *child, const Json *template)
{
    return revision_when_asked(a, child, restart_of(template));
}

bool fleet_child_tells_restart(
    Arena *a, const SeiNode *child, const char *revision, const char **ret)
{
    const char *const known[] = {NULL, child->wishes.restarted_at, node_restarted_at(child)};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_eq(child_revision_of(a, child, known[i]), revision))
            continue;
        *ret = known[i];
        return true;
    }
    return false;
}

bool fleet_child_is_of(
    Arena *a, const SeiNode *child, const char *revision, const char *restarted_at)
{
    return str_eq(revision_when_asked(a, child, restarted_at), revision);
}
