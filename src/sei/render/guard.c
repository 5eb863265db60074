/* The guards of a validator's keys: who could read them is looked for in what was rendered,
 * whatever the way it got there, and not in what the renderers meant.
 *
 * They fail closed: the spec's Secrets are guarded in every mode, and a volume whose contents
 * cannot be judged is refused as well. A volume of a bootstrap pod that nobody mounts counts, too:
 * who can run something in the pod can mount it. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

/* One Secret, the only container that may see it (NULL: none), and where it stands in the spec. */
typedef struct Guarded {
    const char *secret, *container, *path;
} Guarded;

/* --- who sees what --- */

static const char *name_of(const Json *part)
{
    const char *name = json_str(part, ".name");

    return name ? name : "(none)";
}

static bool volume_holds(const Json *volume, const char *secret)
{
    const Json *source;

    if (str_eq(json_str(volume, ".secret.secretName"), secret))
        return true;
    json_each(source, json_find(volume, ".projected.sources"))
        if (str_eq(json_str(source, ".secret.name"), secret))
            return true;
    return false;
}

static bool mount_shows(const Json *volumes, const Json *mount, const char *secret)
{
    const Json *volume;

    json_each(volume, volumes)
        if (str_eq(json_str(volume, ".name"), json_str(mount, ".name"))
            && volume_holds(volume, secret))
            return true;
    return false;
}

static bool container_sees(const Json *container, const Json *volumes, const char *secret)
{
    const Json *part;

    json_each(part, json_find(container, ".env"))
        if (str_eq(json_str(part, ".valueFrom.secretKeyRef.name"), secret))
            return true;
    json_each(part, json_find(container, ".envFrom"))
        if (str_eq(json_str(part, ".secretRef.name"), secret))
            return true;
    json_each(part, json_find(container, ".volumeMounts"))
        if (mount_shows(volumes, part, secret))
            return true;
    return false;
}

/* The first container that sees the Secret and may not, or NULL. */
static const Json *find_onlooker(const Json *containers, const Json *volumes, const Guarded *g)
{
    const Json *container;

    json_each(container, containers) {
        bool may = g->container && str_eq(json_str(container, ".name"), g->container);

        if (!may && container_sees(container, volumes, g->secret))
            return container;
    }
    return NULL;
}

static const Json *find_onlooker_in_pod(const Json *pod_spec, const Guarded *g)
{
    const Json *volumes = json_find(pod_spec, ".volumes");
    const Json *found = find_onlooker(json_find(pod_spec, ".initContainers"), volumes, g);

    return found ? found : find_onlooker(json_find(pod_spec, ".containers"), volumes, g);
}

/* --- volumes that cannot be judged --- */

static bool is_judged(const char *member)
{
    static const char *const known[] = {
        "name", "persistentVolumeClaim", "emptyDir", "configMap", "secret", "projected"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_eq(member, known[i]))
            return true;
    return false;
}

static Err *check_volumes(Arena *a, const NodeSpec *spec, const Json *pod_spec)
{
    const Json *volume, *member;

    if (!spec->signing_key.secret && !spec->node_key.secret && !spec->keyring.secret)
        return OK;
    json_each(volume, json_find(pod_spec, ".volumes"))
        json_each(member, volume)
            if (!is_judged(json_key(member)))
                return err_terminal(a,
                    "spec.validator: volume %s is a %s, which may hold a Secret that nobody may "
                    "see",
                    name_of(volume),
                    json_key(member));
    return OK;
}

/* --- the pod of a node --- */

static Err *check_container(Arena *a, const Json *pod_spec, const Guarded *g)
{
    const Json *onlooker = g->secret ? find_onlooker_in_pod(pod_spec, g) : NULL;

    if (!onlooker)
        return OK;
    return err_terminal(a,
        "%s: container %s would see the Secret %s, which only %s may; give each of the validator's "
        "Secrets its own name",
        g->path,
        name_of(onlooker),
        g->secret,
        g->container);
}

static Err *check_passphrase(Arena *a, const KeyringSource *keyring)
{
    if (keyring->secret && (!keyring->passphrase || !keyring->passphrase_key))
        return err_terminal(a,
            "spec.validator.operatorKeyring.secret.passphraseSecretRef: secretName and key must be "
            "set");
    return OK;
}

Err *render_check_keys(Arena *a, const Subject *s, const Json *pod_spec)
{
    const NodeSpec *spec = &s->node->spec;
    const Guarded rows[] = {
        {spec->keyring.secret, CONTAINER_SIDECAR, "spec.validator.operatorKeyring"},
        {spec->keyring.passphrase, CONTAINER_SIDECAR, "spec.validator.operatorKeyring"},
        {spec->signing_key.secret, CONTAINER_SEID, "spec.validator.signingKey"},
        {spec->node_key.secret, CONTAINER_SEID, "spec.validator.nodeKey"},
    };

    TRY(check_passphrase(a, &spec->keyring));
    TRY(check_volumes(a, spec, pod_spec));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        TRY(check_container(a, pod_spec, &rows[i]));
    return OK;
}

/* --- a bootstrap pod --- */

static bool pod_has(const Json *pod_spec, const char *secret)
{
    const Guarded nobody = {.secret = secret};
    const Json *volume;

    json_each(volume, json_find(pod_spec, ".volumes"))
        if (volume_holds(volume, secret))
            return true;
    return find_onlooker_in_pod(pod_spec, &nobody);
}

Err *render_check_bootstrap(Arena *a, const Subject *s, const Json *pod_spec)
{
    const NodeSpec *spec = &s->node->spec;
    const char *const secrets[] = {
        spec->signing_key.secret, spec->keyring.secret, spec->keyring.passphrase};

    TRY(check_volumes(a, spec, pod_spec));
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
        if (secrets[i] && pod_has(pod_spec, secrets[i]))
            return err_terminal(a,
                "spec.validator: the bootstrap pod would see the Secret %s, and no key may be in "
                "it",
                secrets[i]);
    return OK;
}
