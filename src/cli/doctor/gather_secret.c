/* The Secrets that validators name. Each is read into memory of its own that is overwritten as soon
 * as the next is read; of the two files with keys a hash is kept, of the others their names. */
#include "base/base64.h"
#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/doctor/gather.h"
#include "kube/meta.h"
#include "sei/api/names.h"

enum { SECRETS_MAX = 4000, SECRET_ARENA_MAX = 8 << 20 };

static const char *const paths[] = {
    ".spec.validator.signingKey.secret.secretName",
    ".spec.validator.nodeKey.secret.secretName",
    ".spec.validator.operatorKeyring.secret.secretName",
    ".spec.validator.operatorKeyring.secret.passphraseSecretRef.secretName",
};

enum { PATHS = sizeof paths / sizeof paths[0] };

/* Two files with one key need not be the same bytes: what counts is the key in them. */
static const char *hash_of_key(Arena *a, Arena *secret, const char *encoded)
{
    Bytes file = {0};
    const Json *parsed = NULL;
    char hash[SHA256_HEX_SIZE];

    if (!encoded || base64_decode(secret, encoded, &file))
        return "";
    const char *key =
        json_parse(secret, file, &parsed) ? NULL : json_str(parsed, ".priv_key.value");
    sha256_hex(key ? bytes_of(key) : file, hash);
    return str_copy(a, hash);
}

static const Json *without_contents(Arena *a, Arena *secret_arena, Key key, const Json *secret)
{
    Draft *files = draft_object(a);
    const Json *file;

    json_each(file, json_find(secret, ".data")) {
        const char *name = json_key(file);
        bool is_key = str_eq(name, KEY_FILE_SIGNING) || str_eq(name, KEY_FILE_NODE);
        draft_add(files,
            str(str_copy(a, name), is_key ? hash_of_key(a, secret_arena, json_text(file)) : ""));
    }
    return json_seal(a,
        draft(a,
            obj("metadata", str("namespace", key.namespace), str("name", key.name)),
            sub("files", files)));
}

/* NULL where there is none. */
static Err *read_secret(Cli *cli, Arena *secret_arena, Key key, const Json **ret)
{
    Arena *whole = cli->arena;
    const Json *secret = NULL;

    *ret = NULL;
    arena_reset(secret_arena);
    cli->arena = secret_arena;
    Err *err = connection_find(cli, kind_secret, key, &secret);
    cli->arena = whole;
    if (err)
        return err_copy(whole, err);
    if (secret)
        *ret = without_contents(whole, secret_arena, key, secret);
    return OK;
}

static Err *read_secrets(Cli *cli, const Chart *c, Map *known, Objects *ret)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    SCOPED_ARENA secret_arena = arena_open(SECRET_ARENA_MAX);

    arena_keep_secret(secret_arena);
    for (size_t i = 0; i < nodes->count * PATHS; i++) {
        const Json *node = nodes->items[i / PATHS], *found = NULL;
        Key key = {meta_namespace(node), json_str(node, paths[i % PATHS])};
        const char *text = key.name ? str_format(c->arena, "%s/%s", key.namespace, key.name) : NULL;
        if (!text || map_find(known, text))
            continue;
        if (!map_put(known, text, (void *)node))
            return err_terminal(c->arena, "validators name more than %d", SECRETS_MAX);
        TRY(read_secret(cli, secret_arena, key, &found));
        if (found)
            ret->items[ret->count++] = found;
    }
    return OK;
}

static void read_all(Cli *cli, Chart *c)
{
    Objects found = {.items = arena_array(c->arena, const Json *, SECRETS_MAX)};
    Map *known = map_open(SECRETS_MAX);
    const Err *err = read_secrets(cli, c, known, &found);

    map_close(known);
    gather_note(c, CHART_SECRETS, err, found);
}

void gather_secrets(Cli *cli, Chart *c)
{
    if (cli->spares_secrets)
        chart_miss(c, CHART_SECRETS, CHART_UNREAD, "a report reads none");
    else
        read_all(cli, c);
}
