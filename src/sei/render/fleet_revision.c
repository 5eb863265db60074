/* The ControllerRevision of a template. Its data can never be changed, says the server; so what is
 * read back under a name is what was kept under it, or somebody else's. */
#include "sei/render/fleet_revision.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

/* The template as it stands, with the label by which its children know it. */
static const Json *labelled_template(Arena *a, const Fleet *fleet)
{
    static const char *const kept[] = {".metadata.labels", ".metadata.annotations", ".spec", NULL};
    const char *generation = str_format(a, "%lld", (long long)fleet->generation);
    Draft *label = draft(a, obj("metadata", obj("labels", str(LABEL_FLEET_REVISION, generation))));

    return json_merge(a, json_project(a, fleet->spec.template, kept), json_seal(a, label));
}

Draft *render_came_after(Arena *a, const Fleet *fleet, const char *hash)
{
    const char *complete = fleet->status.complete_revision;

    if (!complete || str_eq(complete, hash))
        return NULL;
    return draft(a, str(ANNOTATION_CAME_AFTER, complete));
}

const Json *render_fleet_revision(Arena *a, const Fleet *fleet, const char *hash)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", "apps/v1"),
            str("kind", "ControllerRevision"),
            obj("metadata",
                str("name", name_fleet_revision(a, fleet->key.name, hash)),
                str("namespace", fleet->key.namespace),
                obj("labels", str(LABEL_FLEET, fleet->key.name)),
                sub("annotations", render_came_after(a, fleet, hash)),
                list("ownerReferences",
                    meta_owner_reference(a, kind_seinodedeployment, fleet->object))),
            draft_json("data", labelled_template(a, fleet)),
            num("revision", fleet->generation)));
}

const Json *render_template_of(Arena *a, const char *hash, const Json *revision)
{
    const Json *template = json_find(revision, ".data");
    const char *has = NULL;

    return !fleet_revision(a, template, &has) && str_eq(has, hash) ? template : NULL;
}
