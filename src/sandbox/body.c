/* Body: JSON where it is JSON; what else is called YAML is read as that. */
#include "sandbox/body.h"

#include "base/str.h"
#include "kube/client/yaml.h"
#include "sandbox/protobuf.h"
#include "world/refusal.h"

#include <string.h>
#include <strings.h>

typedef struct PatchType {
    const char *media;
    Verb verb;
} PatchType;

static const PatchType patch_types[] = {
    {"application/json-patch+json", VERB_JSON_PATCH},
    {"application/merge-patch+json", VERB_MERGE_PATCH},
    {"application/strategic-merge-patch+json", VERB_STRATEGIC_PATCH},
    {"application/apply-patch+yaml", VERB_APPLY},
};

enum { PATCH_TYPES = sizeof patch_types / sizeof *patch_types };

/* The media type without parameters. */
static bool media_is(const char *content_type, const char *media)
{
    size_t len = strcspn(content_type, "; ");

    return strlen(media) == len && strncasecmp(content_type, media, len) == 0;
}

static bool refuse(Arena *a, Routed *ret, int status, const char *reason, const char *message)
{
    ret->refusal =
        (Answer){.status = status, .body = refusal_status(a, status, reason, message, NULL)};
    return false;
}

static bool refuse_type(Arena *a, Routed *ret, const char *accepted)
{
    return refuse(a,
        ret,
        415,
        "UnsupportedMediaType",
        str_format(a,
            "the body of the request was in an unknown format - accepted media types include: %s",
            accepted));
}

static bool find_patch(Arena *a, const HallRequest *in, Routed *ret)
{
    const char *accepted = NULL;

    for (size_t i = 0; i < PATCH_TYPES; i++) {
        accepted = accepted ? str_format(a, "%s, %s", accepted, patch_types[i].media)
                            : patch_types[i].media;
        if (media_is(in->content_type, patch_types[i].media)) {
            ret->request.verb = patch_types[i].verb;
            return true;
        }
    }
    return refuse_type(a, ret, accepted);
}

static bool is_patch(const HallRequest *in)
{
    return str_eq(in->method, "PATCH");
}

static Err *parse(Arena *a, const HallRequest *in, bool is_yaml, const Json **ret)
{
    if (media_is(in->content_type, protobuf_type))
        return protobuf_read(a, in->body, ret);
    const Err *err = json_parse(a, in->body, ret);

    if (!err)
        return OK;
    if (is_yaml)
        return yaml_parse(a, str_slice(a, in->body.data, in->body.len), ret);
    return err_terminal(a, "%s", err->message);
}

static bool is_object_type(const char *content_type)
{
    return !*content_type || media_is(content_type, "application/json")
        || media_is(content_type, "application/yaml") || media_is(content_type, protobuf_type);
}

static bool refuse_bytes(Arena *a, const HallRequest *in, const Err *err, Routed *ret)
{
    if (ret->request.verb == VERB_APPLY)
        return refuse(
            a, ret, 400, "BadRequest", str_format(a, "error decoding YAML: %s", err->message));
    if (is_patch(in))
        return refuse(
            a, ret, 400, "BadRequest", str_format(a, "error decoding patch: %s", err->message));
    return refuse(a,
        ret,
        400,
        "BadRequest",
        str_format(a,
            "the object provided is unrecognized (must be of type %s): couldn't get version/kind; "
            "json parse error: %s",
            ret->request.verb == VERB_DELETE ? "DeleteOptions" : ret->request.kind->name,
            err->message));
}

static bool refuse_shape(Arena *a, const HallRequest *in, Routed *ret)
{
    JsonType type = json_type(ret->request.body);
    bool fits = ret->request.verb == VERB_JSON_PATCH ? type == JSON_ARRAY : type == JSON_OBJECT;
    static const char *const names[] = {[JSON_ABSENT] = "nothing",
        [JSON_NULL] = "null",
        [JSON_BOOL] = "bool",
        [JSON_NUMBER] = "number",
        [JSON_STRING] = "string",
        [JSON_ARRAY] = "array",
        [JSON_OBJECT] = "object"};

    return fits
        || refuse_bytes(a,
            in,
            err_terminal(a,
                "json: cannot unmarshal %s into Go value of type %s",
                names[type],
                ret->request.verb == VERB_JSON_PATCH ? "jsonpatch.Patch"
                                                     : "map[string]interface {}"),
            ret);
}

bool body_read(Arena *a, const HallRequest *in, Routed *ret)
{
    bool is_yaml = media_is(in->content_type, "application/yaml");
    bool is_write = is_patch(in) || str_eq(in->method, "POST") || str_eq(in->method, "PUT");

    if (!is_write && (!str_eq(in->method, "DELETE") || in->body.len == 0))
        return true;
    if (is_patch(in)) {
        if (!find_patch(a, in, ret))
            return false;
        is_yaml = ret->request.verb == VERB_APPLY;
    } else if (!is_object_type(in->content_type)) {
        return refuse_type(
            a, ret, "application/json, application/yaml, application/vnd.kubernetes.protobuf");
    }
    Err *err = parse(a, in, is_yaml, &ret->request.body);
    if (err)
        return refuse_bytes(a, in, err, ret);
    return refuse_shape(a, in, ret);
}
