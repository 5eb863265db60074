/* Kubeconfig: named clusters, users and contexts become one Config.
 *
 * Several files are never merged: a name is looked up in one after the other, and the first that
 * knows it wins with its whole entry. That is kubectl's rule, and it keeps every message able to
 * name the one file that is wrong. Ways to log in that are not supported are errors: to pass them
 * over would be to act as somebody else. */
#include "kube/client/kubeconfig.h"

#include "base/base64.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "kube/client/kubeconfig_exec.h"
#include "kube/client/server_url.h"
#include "kube/client/token.h"
#include "kube/client/yaml.h"

#include <string.h>

enum {
    ENTRIES_MAX = 1024, /* of one list */
    MEMBERS_MAX = 64,   /* of one entry */
    NAMES_SHOWN = 10,
};

/* The three lists of a kubeconfig. */
typedef struct Section {
    const char *list;   /* "clusters" */
    const char *entry;  /* "cluster": the noun, and the member that holds the fields */
    const char *choose; /* what to do about a name that is not there */
} Section;

static const Section section_clusters = {"clusters", "cluster", "add it, or correct the context"};
static const Section section_users = {"users", "user", "add it, or correct the context"};
static const Section section_contexts = {"contexts", "context", "choose one with --context"};

/* One entry that was found, and where: all that a message needs. */
typedef struct Entry {
    Arena *arena;
    const char *path;
    const char *noun;
    const char *name;
    const Json *fields; /* never NULL */
} Entry;

static Err *entry_err(const Entry *e, const char *field, const char *what)
{
    return err_terminal(
        e->arena, "kubeconfig %s: %s \"%s\": %s: %s", e->path, e->noun, e->name, field, what);
}

static Err *refuse_double_keys(Arena *a, const Json *object)
{
    const char *keys[MEMBERS_MAX];
    size_t count = 0;
    const Json *member;

    if (json_count(object) > MEMBERS_MAX)
        return err_terminal(a, "more than %d fields", MEMBERS_MAX);
    json_each(member, object) {
        keys[count] = json_key(member);
        for (size_t i = 0; i < count; i++)
            if (str_eq(keys[i], keys[count]))
                return err_terminal(a, "the field %s stands there twice", keys[count]);
        count++;
    }
    return OK;
}

/* The entry of a name in one file; *ret is NULL when the file has none. */
static Err *find_in_file(
    Arena *a, const Kubeconfig *file, const Section *section, const char *name, const Json **ret)
{
    const Json *list = json_member(file->root, section->list), *entry, *found = NULL;

    json_each(entry, list) {
        const char *here = json_text(json_member(entry, "name"));
        if (!here)
            return err_terminal(
                a, "kubeconfig %s: %s: an entry has no name", file->path, section->list);
        if (!str_eq(here, name))
            continue;
        if (found)
            return err_terminal(
                a, "kubeconfig %s: %s: two are named \"%s\"", file->path, section->list, name);
        found = entry;
    }
    *ret = found;
    return OK;
}

static const char *names_of(Arena *a, const Kubeconfigs *files, const Section *section)
{
    const char *names = NULL;
    size_t count = 0;

    for (size_t i = 0; i < files->count; i++) {
        const Json *entry;
        json_each(entry, json_member(files->items[i].root, section->list)) {
            const char *name = json_text(json_member(entry, "name"));
            if (name && count++ < NAMES_SHOWN)
                names = names ? str_format(a, "%s, %s", names, name) : name;
        }
    }
    return names ? str_cut(a, names, 300) : "none";
}

static Err *not_found(Arena *a, const Kubeconfigs *files, const Section *section, const char *name)
{
    return err_terminal(a,
        "kubeconfig %s: %s: there is no %s \"%s\" (there are: %s): %s",
        files->items[0].path,
        section->list,
        section->entry,
        name,
        names_of(a, files, section),
        section->choose);
}

static Err *get_entry(
    Arena *a, const Kubeconfigs *files, const Section *section, const char *name, Entry *ret)
{
    for (size_t i = 0; i < files->count; i++) {
        const Json *found = NULL;
        TRY(find_in_file(a, &files->items[i], section, name, &found));
        if (!found)
            continue;
        Entry entry = {
            .arena = a,
            .path = files->items[i].path,
            .noun = section->entry,
            .name = name,
            .fields = json_member(found, section->entry),
        };
        if (json_type(entry.fields) != JSON_OBJECT)
            return entry_err(&entry, section->entry, "must be an object");
        TRY(err_wrap(a,
            refuse_double_keys(a, entry.fields),
            "kubeconfig %s: %s \"%s\"",
            entry.path,
            entry.noun,
            name));
        *ret = entry;
        return OK;
    }
    return not_found(a, files, section, name);
}

static Err *entry_decode(const Entry *e, const JsonField *fields, void *ret)
{
    return err_wrap(e->arena,
        json_decode(e->arena, e->fields, fields, ret),
        "kubeconfig %s: %s \"%s\"",
        e->path,
        e->noun,
        e->name);
}

/* A file or the same thing inline: at most one of them. */
typedef struct Pem {
    const char *field; /* "client-key"; inline it is "client-key-data" */
    const char *file;
    const char *data;
} Pem;

static Err *decode_pem(const Entry *e, const Pem *pem, const char **ret_file, const char **ret_text)
{
    if (!str_empty(pem->file) && !str_empty(pem->data))
        return entry_err(e,
            pem->field,
            str_format(e->arena, "given twice, here and as %s-data: keep one", pem->field));
    if (!str_empty(pem->file))
        *ret_file = file_beside(e->arena, e->path, pem->file);
    if (str_empty(pem->data))
        return OK;

    Bytes text;
    const char *field = str_format(e->arena, "%s-data", pem->field);
    Err *err = base64_decode(e->arena, pem->data, &text);
    if (err)
        return entry_err(e, field, err->message);
    if (strlen(text.data) != text.len || !strstr(text.data, "-----BEGIN "))
        return entry_err(e, field, "is not PEM once base64 is taken off");
    *ret_text = text.data;
    return OK;
}

typedef struct Cluster {
    const char *server, *tls_server_name, *ca_file, *ca_data, *proxy;
    bool insecure;
} Cluster;

static const JsonField cluster_fields[] = {
    {.path = ".server",
        .type = JSON_FIELD_STR,
        .offset = offsetof(Cluster, server),
        .required = true},
    {.path = ".tls-server-name",
        .type = JSON_FIELD_STR,
        .offset = offsetof(Cluster, tls_server_name)},
    {.path = ".insecure-skip-tls-verify",
        .type = JSON_FIELD_BOOL,
        .offset = offsetof(Cluster, insecure)},
    {.path = ".certificate-authority",
        .type = JSON_FIELD_STR,
        .offset = offsetof(Cluster, ca_file)},
    {.path = ".certificate-authority-data",
        .type = JSON_FIELD_STR,
        .offset = offsetof(Cluster, ca_data)},
    {.path = ".proxy-url", .type = JSON_FIELD_STR, .offset = offsetof(Cluster, proxy)},
    {0},
};

static Err *resolve_cluster(const Entry *e, Config *ret)
{
    Cluster cluster = {0};
    ServerUrl url;

    TRY(entry_decode(e, cluster_fields, &cluster));
    Err *err = server_url_parse(e->arena, cluster.server, &url);
    if (err)
        return entry_err(e, "server", err->message);
    if (!str_empty(cluster.proxy))
        return entry_err(e,
            "proxy-url",
            "proxies are not supported: give a server that can be reached directly");
    const Pem ca = {"certificate-authority", cluster.ca_file, cluster.ca_data};
    TRY(decode_pem(e, &ca, &ret->ca_file, &ret->ca_pem));
    if (cluster.insecure && (ret->ca_file || ret->ca_pem))
        return entry_err(e,
            "insecure-skip-tls-verify",
            "contradicts certificate-authority: keep the one that is meant");
    ret->server = url.base;
    ret->tls_server_name = str_empty(cluster.tls_server_name) ? NULL : cluster.tls_server_name;
    ret->insecure = cluster.insecure;
    return OK;
}

typedef struct User {
    const char *cert_file, *cert_data, *key_file, *key_data, *token, *token_file;
} User;

static const JsonField user_fields[] = {
    {.path = ".client-certificate", .type = JSON_FIELD_STR, .offset = offsetof(User, cert_file)},
    {.path = ".client-certificate-data",
        .type = JSON_FIELD_STR,
        .offset = offsetof(User, cert_data)},
    {.path = ".client-key", .type = JSON_FIELD_STR, .offset = offsetof(User, key_file)},
    {.path = ".client-key-data", .type = JSON_FIELD_STR, .offset = offsetof(User, key_data)},
    {.path = ".token", .type = JSON_FIELD_STR, .offset = offsetof(User, token)},
    {.path = ".tokenFile", .type = JSON_FIELD_STR, .offset = offsetof(User, token_file)},
    {0},
};

/* Ways to log in that are refused, each with what to do instead. */
static const struct {
    const char *field, *advice;
} refused_logins[] = {
    {"auth-provider", "is not supported: use a token, a tokenFile or a client certificate"},
    {"username", "passwords are not supported: use a token, a tokenFile or a client certificate"},
    {"password", "passwords are not supported: use a token, a tokenFile or a client certificate"},
    {"as", "impersonation is not supported: log in as that user"},
    {"as-uid", "impersonation is not supported: log in as that user"},
    {"as-groups", "impersonation is not supported: log in as that user"},
    {"as-user-extra", "impersonation is not supported: log in as that user"},
};

static bool is_given(const Json *v)
{
    JsonType type = json_type(v);
    return type != JSON_ABSENT && type != JSON_NULL && !str_eq(json_text(v), "")
        && !((type == JSON_ARRAY || type == JSON_OBJECT) && json_count(v) == 0);
}

static Err *refuse_logins(const Entry *e)
{
    for (size_t i = 0; i < sizeof refused_logins / sizeof refused_logins[0]; i++)
        if (is_given(json_member(e->fields, refused_logins[i].field)))
            return entry_err(e, refused_logins[i].field, refused_logins[i].advice);
    return OK;
}

/* A token that is given beside it wins, as with kubectl. */
static Err *resolve_exec(const Entry *e, bool runs_plugins, Config *ret)
{
    const Json *exec = json_member(e->fields, "exec");

    if (!is_given(exec))
        return OK;
    if (!runs_plugins)
        return entry_err(e,
            "exec",
            "credential plugins are not supported: use a token, a tokenFile or a client "
            "certificate");
    if (ret->token || ret->token_file)
        return OK;
    Err *err = kubeconfig_exec_decode(e->arena, e->path, exec, &ret->exec);
    return err ? entry_err(e, "exec", err_text(e->arena, err)) : OK;
}

static Err *resolve_user(const Entry *e, bool runs_plugins, Config *ret)
{
    User user = {0};

    TRY(refuse_logins(e));
    TRY(entry_decode(e, user_fields, &user));
    const Pem cert = {"client-certificate", user.cert_file, user.cert_data};
    const Pem key = {"client-key", user.key_file, user.key_data};
    TRY(decode_pem(e, &cert, &ret->cert_file, &ret->cert_pem));
    TRY(decode_pem(e, &key, &ret->key_file, &ret->key_pem));

    bool has_cert = ret->cert_file || ret->cert_pem, has_key = ret->key_file || ret->key_pem;
    if (has_cert && !has_key)
        return entry_err(e, "client-certificate", "needs client-key or client-key-data beside it");
    if (has_key && !has_cert)
        return entry_err(
            e, "client-key", "needs client-certificate or client-certificate-data beside it");
    if (!str_empty(user.token) && !token_is_clean(user.token))
        return entry_err(e, "token", "has a space or another character that no token has");
    ret->token = str_empty(user.token) ? NULL : user.token;
    if (!str_empty(user.token_file))
        ret->token_file = file_beside(e->arena, e->path, user.token_file);
    return resolve_exec(e, runs_plugins, ret);
}

typedef struct Context {
    const char *cluster, *user, *namespace;
} Context;

static const JsonField context_fields[] = {
    {.path = ".cluster",
        .type = JSON_FIELD_STR,
        .offset = offsetof(Context, cluster),
        .required = true},
    {.path = ".user", .type = JSON_FIELD_STR, .offset = offsetof(Context, user)},
    {.path = ".namespace", .type = JSON_FIELD_STR, .offset = offsetof(Context, namespace)},
    {0},
};

static Err *get_context_name(
    Arena *a, const Kubeconfigs *files, const char *wanted, const char **ret)
{
    for (size_t i = 0; str_empty(wanted) && i < files->count; i++) {
        const Json *current = json_member(files->items[i].root, "current-context");
        if (is_given(current) && !json_text(current))
            return err_terminal(
                a, "kubeconfig %s: current-context: must be a string", files->items[i].path);
        wanted = json_text(current);
    }
    if (str_empty(wanted))
        return err_terminal(a,
            "kubeconfig %s: current-context: not set (contexts there: %s): choose one with "
            "--context",
            files->items[0].path,
            names_of(a, files, &section_contexts));
    *ret = wanted;
    return OK;
}

/* What a plugin is told of a cluster beyond how to reach it. */
static const Json *find_cluster_config(const Entry *cluster)
{
    const Json *extension;

    json_each(extension, json_member(cluster->fields, "extensions"))
        if (str_eq(json_str(extension, ".name"), KUBECONFIG_EXEC_EXTENSION))
            return json_member(extension, "extension");
    return NULL;
}

static Err *resolve_user_of(Arena *a, const Kubeconfigs *files, const KubeconfigChoice *choice,
    const Entry *cluster, Config *ret)
{
    Entry user;

    TRY(get_entry(a, files, &section_users, choice->user, &user));
    TRY(resolve_user(&user, choice->runs_plugins, ret));
    if (ret->exec) {
        ConfigExec *exec = arena_new(a, ConfigExec);
        *exec = *ret->exec;
        exec->cluster_config = find_cluster_config(cluster);
        ret->exec = exec;
    }
    return OK;
}

Err *kubeconfig_resolve(
    Arena *a, const Kubeconfigs *files, const KubeconfigChoice *choice, Config *ret)
{
    const char *name = NULL;
    Entry entry, cluster;
    Context fields = {0};

    TRY(get_context_name(a, files, choice->context, &name));
    TRY(get_entry(a, files, &section_contexts, name, &entry));
    TRY(entry_decode(&entry, context_fields, &fields));

    Config config = {.namespace = str_empty(fields.namespace) ? "default" : fields.namespace};
    KubeconfigChoice chosen = *choice;
    if (str_empty(chosen.cluster))
        chosen.cluster = fields.cluster;
    if (str_empty(chosen.user))
        chosen.user = fields.user;
    TRY(get_entry(a, files, &section_clusters, chosen.cluster, &cluster));
    TRY(resolve_cluster(&cluster, &config));
    if (!str_empty(chosen.user))
        TRY(resolve_user_of(a, files, &chosen, &cluster, &config));
    config.user = str_empty(chosen.user) ? NULL : chosen.user;
    config.origin = str_format(a, "kubeconfig %s, context %s", entry.path, name);
    *ret = config;
    return OK;
}

static Err *check_shape(Arena *a, const Json *root)
{
    static const Section *const sections[] = {&section_clusters, &section_users, &section_contexts};

    if (json_type(root) != JSON_OBJECT)
        return err_terminal(a, "must hold an object");
    TRY(refuse_double_keys(a, root));
    if (is_given(json_member(root, "kind")) && !str_eq(json_str(root, ".kind"), "Config"))
        return err_terminal(a, "kind: must be Config");
    if (is_given(json_member(root, "apiVersion")) && !str_eq(json_str(root, ".apiVersion"), "v1"))
        return err_terminal(a, "apiVersion: must be v1");
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const Json *list = json_member(root, sections[i]->list);
        if (is_given(list) && json_type(list) != JSON_ARRAY)
            return err_terminal(a, "%s: must be a list", sections[i]->list);
        if (json_count(list) > ENTRIES_MAX)
            return err_terminal(a, "%s: more than %d entries", sections[i]->list, ENTRIES_MAX);
    }
    return OK;
}

Err *kubeconfig_parse(Arena *a, const char *path, const char *text, Kubeconfig *ret)
{
    const Json *root = NULL;
    Err *err = yaml_parse(a, text, &root);
    if (!err)
        err = check_shape(a, root);
    if (err)
        return err_wrap(a, err, "kubeconfig %s", path);
    *ret = (Kubeconfig){.path = path, .root = root};
    return OK;
}
