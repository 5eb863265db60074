/* The keys of a validator, as volumes: what signs blocks and what names the node for seid, the
 * operator's keyring for the sidecar. Other modes have none.
 *
 * Keys are mounted by subPath on purpose: a mounted directory would be swapped under a running seid
 * when its Secret changes, and a validator must not change who it is. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

#define VOLUME_SIGNING_KEY "signing-key"
#define VOLUME_NODE_KEY    "node-key"
#define VOLUME_KEYRING     "operator-keyring"

enum { KEY_MODE = 0400 };

/* The block of a validator; NULL for other modes. */
static const Json *keys_of(const Subject *s)
{
    return s->mode == MODE_VALIDATOR ? s->node->spec.validator : NULL;
}

static const char *signing_key_secret(const Subject *s)
{
    return json_str(keys_of(s), ".signingKey.secret.secretName");
}

static const char *node_key_secret(const Subject *s)
{
    return json_str(keys_of(s), ".nodeKey.secret.secretName");
}

static const char *keyring_secret(const Subject *s)
{
    return json_str(keys_of(s), ".operatorKeyring.secret.secretName");
}

static const Json *passphrase_of(const Subject *s)
{
    return json_find(keys_of(s), ".operatorKeyring.secret.passphraseSecretRef");
}

/* --- volumes and mounts --- */

/* `file` is the only key of the Secret that is shown; NULL shows all. */
static void add_volume(
    Arena *a, Draft *volumes, const char *name, const char *secret, const char *file)
{
    if (!secret)
        return;
    Draft *source = draft(a, str("secretName", secret), num("defaultMode", KEY_MODE));
    if (file)
        draft_set(source, list("items", draft(a, str("key", file), str("path", file))));
    draft_push(volumes, draft(a, str("name", name), sub("secret", source)));
}

void render_key_volumes(Arena *a, const Subject *s, Draft *volumes)
{
    add_volume(a, volumes, VOLUME_SIGNING_KEY, signing_key_secret(s), KEY_FILE_SIGNING);
    add_volume(a, volumes, VOLUME_NODE_KEY, node_key_secret(s), KEY_FILE_NODE);
    add_volume(a, volumes, VOLUME_KEYRING, keyring_secret(s), NULL);
}

static Draft *key_mount(Arena *a, const char *volume, const char *path, const char *file)
{
    return draft(a,
        str("name", volume),
        str("mountPath", path),
        str("subPath", file),
        flag("readOnly", true));
}

void render_seid_key_mounts(Arena *a, const Subject *s, Draft *mounts)
{
    static const char config[] = DATA_DIR "/config/";

    if (signing_key_secret(s))
        draft_push(mounts,
            key_mount(a,
                VOLUME_SIGNING_KEY,
                str_format(a, "%s%s", config, KEY_FILE_SIGNING),
                KEY_FILE_SIGNING));
    if (node_key_secret(s))
        draft_push(mounts,
            key_mount(
                a, VOLUME_NODE_KEY, str_format(a, "%s%s", config, KEY_FILE_NODE), KEY_FILE_NODE));
}

void render_sidecar_key_mounts(Arena *a, const Subject *s, Draft *mounts)
{
    if (keyring_secret(s))
        draft_push(mounts, key_mount(a, VOLUME_KEYRING, DATA_DIR "/keyring-file", NULL));
}

void render_sidecar_key_variables(Arena *a, const Subject *s, Draft *variables)
{
    const Json *passphrase = passphrase_of(s);

    if (s->mode != MODE_VALIDATOR)
        return;
    draft_push(
        variables, render_variable(a, "SEI_KEYRING_BACKEND", keyring_secret(s) ? "file" : "test"));
    draft_push(variables, render_variable(a, "SEI_KEYRING_DIR", DATA_DIR));
    if (keyring_secret(s))
        draft_push(variables,
            draft(a,
                str("name", "SEI_KEYRING_PASSPHRASE"),
                obj("valueFrom",
                    obj("secretKeyRef",
                        str("name", json_str(passphrase, ".secretName")),
                        str("key", json_str(passphrase, ".key"))))));
}

/* --- the guard --- */

typedef struct Guarded {
    const char *keyring, *passphrase;
} Guarded;

static bool is_guarded(const Guarded *g, const char *secret)
{
    return secret && (str_eq(secret, g->keyring) || str_eq(secret, g->passphrase));
}

static bool volume_shows(const Json *volumes, const char *name, const Guarded *g)
{
    const Json *volume, *source;

    json_each(volume, volumes) {
        if (!str_eq(json_str(volume, ".name"), name))
            continue;
        if (is_guarded(g, json_str(volume, ".secret.secretName")))
            return true;
        json_each(source, json_find(volume, ".projected.sources"))
            if (is_guarded(g, json_str(source, ".secret.name")))
                return true;
    }
    return false;
}

static bool container_sees(const Json *container, const Json *volumes, const Guarded *g)
{
    const Json *part;

    json_each(part, json_find(container, ".env"))
        if (is_guarded(g, json_str(part, ".valueFrom.secretKeyRef.name")))
            return true;
    json_each(part, json_find(container, ".envFrom"))
        if (is_guarded(g, json_str(part, ".secretRef.name")))
            return true;
    json_each(part, json_find(container, ".volumeMounts"))
        if (volume_shows(volumes, json_str(part, ".name"), g))
            return true;
    return false;
}

static Err *check_containers(
    Arena *a, const Json *containers, const Json *volumes, const Guarded *g)
{
    const Json *container;

    json_each(container, containers) {
        const char *name = json_str(container, ".name");

        if (!str_eq(name, CONTAINER_SIDECAR) && container_sees(container, volumes, g))
            return err_terminal(a,
                "spec.validator.operatorKeyring: container %s would see the operator's keyring or "
                "its passphrase, which only %s may; give each of the validator's Secrets its own "
                "name",
                name,
                CONTAINER_SIDECAR);
    }
    return OK;
}

Err *render_check_keyring(Arena *a, const Subject *s, const Json *pod_spec)
{
    const Json *passphrase = passphrase_of(s);
    Guarded g = {keyring_secret(s), json_str(passphrase, ".secretName")};
    const Json *volumes = json_find(pod_spec, ".volumes");

    if (!g.keyring)
        return OK;
    if (str_empty(g.passphrase) || str_empty(json_str(passphrase, ".key")))
        return err_terminal(a,
            "spec.validator.operatorKeyring.secret.passphraseSecretRef: secretName and key must be "
            "set");
    TRY(check_containers(a, json_find(pod_spec, ".initContainers"), volumes, &g));
    return check_containers(a, json_find(pod_spec, ".containers"), volumes, &g);
}
