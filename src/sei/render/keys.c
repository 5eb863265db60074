/* The keys of a validator, as volumes: what signs blocks and what names the node for seid, the
 * operator's keyring for the sidecar. Other modes have none.
 *
 * Keys are mounted by subPath on purpose: a mounted directory would be swapped under a running seid
 * when its Secret changes, and a validator must not change who it is. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

#define VOLUME_NODE_KEY "node-key"
#define VOLUME_KEYRING  "operator-keyring"

enum { KEY_MODE = 0400 };

/* The spec of a validator; NULL for other modes, which have no keys. */
static const NodeSpec *keys_of(const Subject *s)
{
    return s->mode == MODE_VALIDATOR ? &s->node->spec : NULL;
}

static const char *signing_key_secret(const Subject *s)
{
    return keys_of(s) ? keys_of(s)->signing_key.secret : NULL;
}

static const char *node_key_secret(const Subject *s)
{
    return keys_of(s) ? keys_of(s)->node_key.secret : NULL;
}

static const char *keyring_secret(const Subject *s)
{
    return keys_of(s) ? keys_of(s)->keyring.secret : NULL;
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
    const KeyringSource *keyring = &s->node->spec.keyring;

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
                        str("name", keyring->passphrase),
                        str("key", keyring->passphrase_key)))));
}
