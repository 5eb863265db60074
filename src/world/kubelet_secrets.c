/* Secrets that a pod mounts: as long as one of them, or a key that is named of it, is not there, no
 * container of the pod begins. A kubelet tells so in events alone; the pod's status stays mute. */
#include "world/kubelet_state.h"

static bool has_items(const Json *secret, const Json *items)
{
    const Json *item;

    json_each(item, items)
        if (!json_member(json_find(secret, ".data"), json_str(item, ".key")))
            return false;
    return true;
}

bool kubelet_has_secrets(const Tenant *t, Arena *a, Api *api)
{
    const Json *volume, *secret;

    json_each(volume, t->pod.secrets) {
        Request get = {
            .verb = VERB_GET,
            .kind = kind_secret,
            .key = {t->pod.key.namespace, json_str(volume, ".secret.secretName")},
        };
        if (!get.key.name || json_bool(volume, ".secret.optional", false))
            continue;
        if (api_call(api, a, &get, &secret)
            || !has_items(secret, json_find(volume, ".secret.items")))
            return false;
    }
    return true;
}
