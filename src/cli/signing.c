/* Signing: stopped is only what is seen to be: paused, held by the operator, and without a pod.
 * What cannot be seen may sign. The operator starts no second one either (SigningKeyInUse); whoever
 * is told so before he writes need not find it out afterwards. */
#include "cli/signing.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/object.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#define KEY_OF_SPEC ".validator.signingKey.secret.secretName"

bool signing_is_validator(const Json *object)
{
    return json_find(object, ".spec.validator")
        || json_find(object, ".spec.template.spec.validator");
}

static const char *secret_of(const Target *target)
{
    return json_str(target->object,
        target_is_fleet(target) ? ".spec.template.spec" KEY_OF_SPEC : ".spec" KEY_OF_SPEC);
}

static bool is_itself(const Target *target, const Json *node)
{
    return target_is_fleet(target) ? str_eq(meta_label(node, LABEL_FLEET), target->key.name)
                                   : str_eq(meta_name(node), target->key.name);
}

static bool is_stopped(Cli *cli, const Json *node)
{
    Key key = {
        .namespace = meta_namespace(node),
        .name = name_pod(cli->arena, meta_name(node)),
    };
    const Json *pod = NULL;

    return json_bool(node, ".spec.paused", false)
        && str_eq(object_condition(node, COND_PAUSED), "True")
        && !connection_find(cli, kind_pod, key, &pod) && !pod;
}

/* The operator holds it back for as long as somebody else has the key. */
static bool is_held_back(const Json *node)
{
    return str_eq(object_condition(node, COND_STALLED), "True")
        && str_eq(object_reason(node, COND_STALLED), reason_text(REASON_SIGNING_KEY_IN_USE));
}

Err *signing_find_twin(Cli *cli, const Target *target, const char **ret_words)
{
    const char *secret = secret_of(target);
    Objects nodes = {0};

    *ret_words = NULL;
    if (!secret)
        return OK;
    Err *err = connection_list(cli, kind_seinode, target->key.namespace, NULL, &nodes);
    if (status_is_forbidden(err))
        return OK;
    TRY(err);
    for (size_t i = 0; i < nodes.count; i++) {
        const Json *node = nodes.items[i];
        if (is_itself(target, node) || !str_eq(json_str(node, ".spec" KEY_OF_SPEC), secret)
            || is_stopped(cli, node))
            continue;
        *ret_words = str_format(cli->arena,
            "%s would sign with Secret %s, as node/%s %s: pause that one, wait until its pod is "
            "gone, then try again; two that sign are slashed and jailed for good",
            target_text(cli->arena, target),
            secret,
            meta_name(node),
            is_held_back(node) ? "is to as soon as the key is free" : "does, which is not stopped");
        return OK;
    }
    return OK;
}
