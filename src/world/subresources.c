/* Subresources that are acts upon an object: its binding to a node, and taking the finalizers that
 * only a namespace has. (Its status and its scale are parts of it: see writing and scaling; tokens
 * have a file of their own.) */
#include "base/str.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/storage.h"
#include "world/writing.h"

/* --- binding --- */

Err *call_answer_done(Call *c)
{
    c->status = 201;
    c->body = json_seal(c->arena,
        draft(c->arena,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(c->arena)),
            str("status", "Success"),
            num("code", c->status)));
    return OK;
}

static const Json *bound(Call *c, const Json *before, const char *node)
{
    Draft *conditions = draft_array(c->arena);
    const Json *pod, *each;

    json_each(each, json_find(before, ".status.conditions"))
        if (!str_eq(json_str(each, ".type"), "PodScheduled"))
            draft_push_json(conditions, each);
    draft_push(conditions,
        draft(c->arena,
            str("type", "PodScheduled"),
            str("status", "True"),
            str("lastTransitionTime", c->now)));
    pod = object_with_inner(
        c->arena, before, (MemberPath){"spec", "nodeName"}, object_text(c->arena, node));
    pod = object_with_inner(
        c->arena, pod, (MemberPath){"status", "conditions"}, json_seal(c->arena, conditions));
    return schema_complete(c->arena, c->resource->schema, pod, before);
}

Err *call_binding(Call *c)
{
    const char *node = json_str(c->request->body, ".target.name");
    const Json *pod = call_find(c);

    if (c->resource->traits.kind != kind_pod)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    if (!pod)
        return refuse_not_found(c);
    if (meta_deleting(pod))
        return refuse_conflict(c,
            "pods/binding",
            "pod %s is being deleted, cannot be assigned to a host",
            meta_name(pod));
    if (!str_empty(json_str(pod, ".spec.nodeName")))
        return refuse_conflict(c,
            "pods/binding",
            "pod %s is already assigned to node \"%s\"",
            meta_name(pod),
            json_str(pod, ".spec.nodeName"));
    if (str_empty(node))
        return refuse_bad_request(c, "the binding names no node");
    if (!c->request->dry_run) /* a node is nothing that is wanted of a pod: its generation stays */
        TRY(storage_write(c, pod, bound(c, pod, node), object_stamp(pod), &pod));
    return call_answer_done(c);
}

/* --- finalize --- */

Err *call_finalize(Call *c)
{
    static const MemberPath finalizers = {"spec", "finalizers"},
                            version = {"metadata", "resourceVersion"};
    const Json *before = call_find(c), *body = c->request->body, *object;

    if (c->resource->traits.kind != kind_namespace)
        return refuse_path(c);
    if (c->request->verb != VERB_UPDATE)
        return refuse_method(c);
    if (!before)
        return refuse_not_found(c);
    TRY(writing_check_name(c, body));
    object = object_with_inner(c->arena, before, finalizers, json_find(body, ".spec.finalizers"));
    object =
        object_with_inner(c->arena, object, version, json_find(body, ".metadata.resourceVersion"));
    return writing_replace(c, &(Wanted){.before = before, .object = object});
}
