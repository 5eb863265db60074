/* FleetAdmission: two sets of the fields for which a pod is replaced, compared. The annotation has
 * those that differ, as they were asked for. */
#include "sei/api/fleet_admission.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "sei/api/spec_field.h"

enum { TEXT_MAX = 512 };

const Json *fleet_admission_notes(Arena *a, const Json *wanted, const Json *stored)
{
    NodeSpec *asked = arena_new(a, NodeSpec), *got = arena_new(a, NodeSpec);

    if (node_spec_decode(a, wanted, asked) || node_spec_decode(a, stored, got))
        return NULL;
    const Json *to = fleet_spec_inputs(a, asked), *from = fleet_spec_inputs(a, got);
    if (json_equal(from, to))
        return NULL;
    const Json *change = json_merge_diff(a, from, to);
    return json_seal(a,
        draft(a,
            obj("metadata",
                obj("annotations",
                    str(ANNOTATION_RELEASED_SPEC, fleet_released_spec(a, got)),
                    str(ANNOTATION_ASKED_SPEC, json_write(a, change).data)))));
}

const Json *fleet_admission_asked(Arena *a, const SeiNode *child)
{
    const char *text = meta_annotation(child->object, ANNOTATION_ASKED_SPEC);
    const Json *asked;

    if (!text || !str_eq(child->released_spec, fleet_released_spec(a, &child->spec))
        || json_parse(a, bytes_of(text), &asked) || json_type(asked) != JSON_OBJECT)
        return NULL;
    return asked;
}

static const char *value_text(Arena *a, const Json *value)
{
    if (!value || json_type(value) == JSON_NULL)
        return "nothing";
    return json_text(value) ? json_text(value) : json_write(a, value).data;
}

const char *fleet_admission_text(Arena *a, const SeiNode *child)
{
    const Json *asked = fleet_admission_asked(a, child), *field;
    const char *text = NULL;

    if (!asked)
        return NULL;
    const Json *stored = fleet_spec_inputs(a, &child->spec);
    json_each(field, asked) {
        const char *one = str_format(a,
            "%s: wanted %s, stored %s",
            spec_path_of_input(a, json_key(field)),
            value_text(a, field),
            value_text(a, json_member(stored, json_key(field))));
        text = text ? str_format(a, "%s; %s", text, one) : one;
    }
    return text ? str_cut(a, text, TEXT_MAX) : NULL;
}
