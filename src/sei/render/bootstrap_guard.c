/* The guard of bootstrap pods: looked for in what was rendered, whatever the way it got there.
 *
 * A volume that nobody mounts counts as well: who can run something in the pod can mount it. */
#include "base/str.h"
#include "sei/render/pod.h"

typedef struct Guarded {
    const char *signing_key, *keyring, *passphrase;
} Guarded;

static bool is_guarded(const Guarded *g, const char *secret)
{
    return !str_empty(secret)
        && (str_eq(secret, g->signing_key) || str_eq(secret, g->keyring)
            || str_eq(secret, g->passphrase));
}

static const char *in_volumes(const Json *volumes, const Guarded *g)
{
    const Json *volume, *source;

    json_each(volume, volumes) {
        const char *secret = json_str(volume, ".secret.secretName");
        if (is_guarded(g, secret))
            return secret;
        json_each(source, json_find(volume, ".projected.sources")) {
            const char *projected = json_str(source, ".secret.name");
            if (is_guarded(g, projected))
                return projected;
        }
    }
    return NULL;
}

static const char *in_container(const Json *container, const Guarded *g)
{
    const Json *part;

    json_each(part, json_find(container, ".env")) {
        const char *secret = json_str(part, ".valueFrom.secretKeyRef.name");
        if (is_guarded(g, secret))
            return secret;
    }
    json_each(part, json_find(container, ".envFrom")) {
        const char *secret = json_str(part, ".secretRef.name");
        if (is_guarded(g, secret))
            return secret;
    }
    return NULL;
}

static const char *in_containers(const Json *containers, const Guarded *g)
{
    const Json *container;

    json_each(container, containers) {
        const char *secret = in_container(container, g);
        if (secret)
            return secret;
    }
    return NULL;
}

Err *render_check_bootstrap(Arena *a, const Subject *s, const Json *pod_spec)
{
    const Json *keys = s->node->spec.validator;
    const Json *keyring = json_find(keys, ".operatorKeyring.secret");
    Guarded g = {
        .signing_key = json_str(keys, ".signingKey.secret.secretName"),
        .keyring = json_str(keyring, ".secretName"),
        .passphrase = json_str(keyring, ".passphraseSecretRef.secretName"),
    };
    const char *found = in_volumes(json_find(pod_spec, ".volumes"), &g);

    if (!found)
        found = in_containers(json_find(pod_spec, ".initContainers"), &g);
    if (!found)
        found = in_containers(json_find(pod_spec, ".containers"), &g);
    if (!found)
        return OK;
    return err_terminal(a,
        "spec.validator: the bootstrap pod would see the Secret %s, and no key may be in it",
        found);
}
