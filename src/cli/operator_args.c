/* OperatorArgs: read as the operator reads its flags, without knowing all of them: what stands
 * behind a flag is its value, whatever it looks like. */
#include "cli/operator_args.h"

#include "base/str.h"
#include "kube/meta.h"

#include <string.h>

#define POD_NAMESPACE "$(POD_NAMESPACE)"

OperatorArgs operator_args_of_deployment(const Json *deployment)
{
    return (OperatorArgs){
        json_find(deployment, ".spec.template.spec.containers[0].args"),
        meta_namespace(deployment),
    };
}

OperatorArgs operator_args_of_pod(const Json *pod)
{
    return (OperatorArgs){json_find(pod, ".spec.containers[0].args"), meta_namespace(pod)};
}

static const char *with_namespace(Arena *a, const char *namespace, const char *value)
{
    const char *filled = "", *mark;

    while ((mark = strstr(value, POD_NAMESPACE))) {
        filled = str_format(a, "%s%.*s%s", filled, (int)(mark - value), value, namespace);
        value = mark + strlen(POD_NAMESPACE);
    }
    return str_format(a, "%s%s", filled, value);
}

const char *operator_args_flag(Arena *a, OperatorArgs told, const char *name)
{
    const char *alone = str_format(a, "--%s", name), *found = NULL;
    const char *start = str_format(a, "--%s=", name);
    const Json *arg;
    bool is_next = false;

    json_each(arg, told.args) {
        const char *text = json_text(arg);
        if (is_next)
            found = text;
        else if (str_has_prefix(text, start))
            found = text + strlen(start);
        is_next = !is_next && str_eq(text, alone);
    }
    return found ? with_namespace(a, told.namespace, found) : NULL;
}

bool operator_args_is_on(Arena *a, OperatorArgs told, const char *name)
{
    const char *alone = str_format(a, "--%s", name);
    const char *start = str_format(a, "--%s=", name);
    const Json *arg;
    bool is_on = false;

    json_each(arg, told.args) {
        const char *text = json_text(arg);
        if (str_eq(text, alone))
            is_on = true;
        else if (str_has_prefix(text, start))
            is_on = str_eq(text + strlen(start), "true") || str_eq(text + strlen(start), "1");
    }
    return is_on;
}

Watched operator_args_watched(Arena *a, OperatorArgs told)
{
    const char *rest = operator_args_flag(a, told, "watch-namespaces");
    Watched ret = {.count = 0};

    while (rest && *(rest += strspn(rest, ", ")) && ret.count < WATCHED_MAX) {
        const char *name = str_slice(a, rest, strcspn(rest, ", "));
        rest += strlen(name);
        ret.names[ret.count++] = name;
    }
    return ret;
}

bool watched_names(const Watched *watched, const char *namespace)
{
    for (size_t i = 0; i < watched->count; i++)
        if (str_eq(watched->names[i], namespace))
            return true;
    return false;
}
