/* Config: which source is asked, in which order, and what is checked of the files it names.
 *
 * The first source that is there decides alone: a wrong KUBECONFIG never falls through to a service
 * account, which would be another cluster. Only here does the library read the environment, and
 * only when a program asks it to. */
#include "kube/config.h"

#include "base/bytes.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "kube/client/in_cluster.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Err *read_kubeconfig(Arena *a, const char *path, Kubeconfigs *files)
{
    if (files->count == KUBECONFIG_FILES_MAX)
        return err_terminal(a, "KUBECONFIG names more than %d files", KUBECONFIG_FILES_MAX);
    Buf text = {.ceiling = YAML_BYTES_MAX};
    Err *err = err_wrap(a, file_read(a, path, &text, NULL), "kubeconfig");
    if (!err && memchr(buf_bytes(&text).data, '\0', text.len))
        err = err_terminal(a, "kubeconfig %s: holds a NUL byte: it is no text file", path);
    if (!err)
        err = kubeconfig_parse(a, path, text.len ? text.data : "", &files->items[files->count]);
    if (!err)
        files->count++;
    buf_close(&text);
    return err;
}

/* Reads the files of a list such as "a:b"; those that do not exist are passed over. */
static Err *read_list(Arena *a, const char *list, Kubeconfigs *files)
{
    for (const char *start = list; *start;) {
        size_t len = strcspn(start, ":");
        const char *path = str_slice(a, start, len);
        if (len > 0 && !file_is_missing(path))
            TRY(read_kubeconfig(a, path, files));
        start += len + (start[len] == ':');
    }
    if (files->count == 0)
        return err_terminal(a, "KUBECONFIG: none of its files exists: %s", str_cut(a, list, 300));
    return OK;
}

/* A file that a Config names must be there now; what is in it is the client's to judge. */
static Err *check_file(Arena *a, const Config *config, const char *field, const char *path)
{
    if (!path || access(path, R_OK) == 0)
        return OK;
    return err_terminal(
        a, "%s: %s: cannot read %s: %s", config->origin, field, path, strerror(errno));
}

static Err *load_context(
    Arena *a, const Kubeconfigs *files, const ConfigSource *source, Config *ret)
{
    KubeconfigChoice choice = {
        .context = source->context,
        .cluster = source->cluster,
        .user = source->user,
        .runs_plugins = source->runs_plugins,
    };
    Config config;

    TRY(kubeconfig_resolve(a, files, &choice, &config));
    TRY(check_file(a, &config, "certificate-authority", config.ca_file));
    TRY(check_file(a, &config, "client-certificate", config.cert_file));
    TRY(check_file(a, &config, "client-key", config.key_file));
    if (!config.token)
        TRY(check_file(a, &config, "tokenFile", config.token_file));
    *ret = config;
    return OK;
}

static Err *no_source(Arena *a, const ConfigSource *source, const char *home_file)
{
    const char *pod = str_empty(source->service_host)
        ? "not in a pod"
        : "in a pod without a mounted token (automountServiceAccountToken)";
    return err_terminal(a,
        "no cluster to talk to: no --kubeconfig, no KUBECONFIG, %s, and no %s",
        pod,
        home_file ? home_file : "HOME");
}

Err *config_load(Arena *a, const ConfigSource *source, Config *ret)
{
    Kubeconfigs files = {.count = 0};
    const char *list = source->kubeconfig_list;
    bool has_list = list && list[strspn(list, ":")];
    const char *home_file =
        str_empty(source->home) ? NULL : str_format(a, "%s/.kube/config", source->home);

    if (!str_empty(source->path))
        TRY(read_kubeconfig(a, source->path, &files));
    else if (has_list)
        TRY(read_list(a, list, &files));
    else if (in_cluster_is_present(a, source))
        return in_cluster_load(a, source, ret);
    else if (home_file && !file_is_missing(home_file))
        TRY(read_kubeconfig(a, home_file, &files));
    else
        return no_source(a, source, home_file);
    return load_context(a, &files, source, ret);
}

void config_source_from_environment(ConfigSource *ret)
{
    *ret = (ConfigSource){
        .kubeconfig_list = getenv("KUBECONFIG"),
        .home = getenv("HOME"),
        .service_host = getenv("KUBERNETES_SERVICE_HOST"),
        .service_port = getenv("KUBERNETES_SERVICE_PORT"),
    };
}

Err *config_parse(Arena *a, const char *path, const char *text, const char *context, Config *ret)
{
    Kubeconfigs files = {.count = 1};

    TRY(kubeconfig_parse(a, path, text, &files.items[0]));
    return kubeconfig_resolve(a, &files, &(KubeconfigChoice){.context = context}, ret);
}
