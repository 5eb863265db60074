/* InCluster: two environment variables and a mounted folder of three files. A pod may have the
 * variables and not the folder (automountServiceAccountToken: false): then it is not "in cluster"
 * for us, and the next source is asked. */
#include "kube/client/in_cluster.h"

#include "base/bytes.h"
#include "base/str.h"
#include "kube/client/file.h"
#include "kube/client/server_url.h"

#include <string.h>

enum { NAMESPACE_MAX = 256 };

static const char *account_file(Arena *a, const ConfigSource *source, const char *name)
{
    const char *dir = source->account_dir;
    return str_format(
        a, "%s/%s", dir ? dir : "/var/run/secrets/kubernetes.io/serviceaccount", name);
}

bool in_cluster_is_present(Arena *a, const ConfigSource *source)
{
    return !str_empty(source->service_host) && !str_empty(source->service_port)
        && !file_is_missing(account_file(a, source, "token"));
}

static Err *read_namespace(Arena *a, const char *path, const char **ret)
{
    if (file_is_missing(path)) {
        *ret = "default";
        return OK;
    }
    Buf text = {.ceiling = NAMESPACE_MAX};
    Err *err = file_read(a, path, &text, NULL);
    if (!err) {
        size_t len = text.len;
        while (len > 0 && strchr(" \t\r\n", text.data[len - 1]))
            len--;
        *ret = len > 0 ? str_slice(a, text.data, len) : "default";
    }
    buf_close(&text);
    return err;
}

Err *in_cluster_load(Arena *a, const ConfigSource *source, Config *ret)
{
    const char *host = source->service_host, *ca = account_file(a, source, "ca.crt");
    bool bare_ipv6 = strchr(host, ':') && host[0] != '[';
    const char *server =
        str_format(a, bare_ipv6 ? "https://[%s]:%s" : "https://%s:%s", host, source->service_port);
    ServerUrl url;
    Config config = {
        .ca_file = ca,
        .token_file = account_file(a, source, "token"),
        .origin = "in-cluster",
    };

    TRY(err_wrap(a,
        server_url_parse(a, server, &url),
        "in-cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: %s",
        server));
    if (file_is_missing(ca))
        return err_terminal(
            a, "in-cluster: %s is missing, and the server cannot be verified without it", ca);
    TRY(err_wrap(a,
        read_namespace(a, account_file(a, source, "namespace"), &config.namespace),
        "in-cluster"));
    config.server = url.base;
    *ret = config;
    return OK;
}
