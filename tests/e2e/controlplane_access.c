/* Ways into a control plane: kubeconfigs, tokens, kubectl, and etcd behind the server's back. */
#include "tests/e2e/controlplane_parts.h"

#include "base/json.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_SECONDS = 3600 };

const char *controlplane_file(const Controlplane *cp, Arena *a, const char *name)
{
    return str_format(a, "%s/%s", cp->folder, name);
}

const char *controlplane_url(Controlplane *cp, Arena *a, int port, const char *path)
{
    return str_format(a, "https://%s:%d%s", cp->address, port, path);
}

Fetch controlplane_fetch(Controlplane *cp, Arena *a)
{
    return (Fetch){
        .ca_file = controlplane_file(cp, a, "ca.crt"),
        .cert_file = controlplane_file(cp, a, "admin.crt"),
        .key_file = controlplane_file(cp, a, "admin.key"),
    };
}

Err *controlplane_write(Arena *a, const char *path, const char *text)
{
    const char *new = str_format(a, "%s.new", path);
    size_t len = strlen(text);
    int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t written;

    if (fd < 0)
        return err_failed(a, "cannot create %s: %s", new, strerror(errno));
    written = write(fd, text, len);
    if (close(fd) != 0 || written != (ssize_t)len || rename(new, path) != 0)
        return err_failed(a, "cannot write %s: %s", path, strerror(errno));
    return OK;
}

/* What stands under "user" in a kubeconfig. */
static const char *user_text(Controlplane *cp, Arena *a, const char *name, const Identity *identity)
{
    if (identity->token_file)
        return str_format(a, "{\"tokenFile\": \"%s\"}", identity->token_file);
    return str_format(a,
        "{\"client-certificate\": \"%s/%s.crt\", \"client-key\": \"%s/%s.key\"}",
        cp->folder,
        name,
        cp->folder,
        name);
}

Err *controlplane_write_kubeconfig(
    Controlplane *cp, Arena *a, const char *name, const Identity *identity, const char **ret_path)
{
    PkiOptions client = {.common_name = identity->user, .organizations = identity->groups};
    const char *path = str_format(a, "%s/%s.kubeconfig", cp->folder, name);
    const char *text = str_format(a,
        "{\"apiVersion\": \"v1\", \"kind\": \"Config\", \"current-context\": \"e2e\",\n"
        " \"clusters\": [{\"name\": \"e2e\", \"cluster\": {\"server\": \"%s\","
        " \"certificate-authority\": \"%s/ca.crt\"}}],\n"
        " \"users\": [{\"name\": \"e2e\", \"user\": %s}],\n"
        " \"contexts\": [{\"name\": \"e2e\", \"context\": {\"cluster\": \"e2e\","
        " \"user\": \"e2e\"}}]}\n",
        identity->server ? identity->server : controlplane_server(cp),
        cp->folder,
        user_text(cp, a, name, identity));
    PkiCert cert;

    if (!identity->token_file) {
        TRY(pki_new_cert(a, &cp->ca, &client, &cert));
        TRY(pki_write(a, &cert, cp->folder, name));
    }
    TRY(controlplane_write(a, path, text));
    *ret_path = path;
    return OK;
}

Err *controlplane_kubeconfig(
    Controlplane *cp, Arena *a, const Identity *identity, const char **ret_path)
{
    const char *name = str_format(a, "identity-%d", ++cp->kubeconfigs);

    return controlplane_write_kubeconfig(cp, a, name, identity, ret_path);
}

Err *controlplane_token(Controlplane *cp, Arena *a, const TokenWish *wish, const char **ret_token)
{
    Fetch request = controlplane_fetch(cp, a);
    const char *bound = "", *answer, *token;
    const Json *review;

    if (wish->bound_secret)
        bound = str_format(a,
            ", \"boundObjectRef\": {\"apiVersion\": \"v1\", \"kind\": \"Secret\","
            " \"name\": \"%s\"}",
            wish->bound_secret);
    request.url = str_format(a,
        "%s/api/v1/namespaces/%s/serviceaccounts/%s/token",
        controlplane_server(cp),
        wish->namespace,
        wish->account);
    request.body = str_format(a,
        "{\"apiVersion\": \"authentication.k8s.io/v1\", \"kind\": \"TokenRequest\","
        " \"spec\": {\"expirationSeconds\": %lld%s}}",
        (long long)(wish->expiration_seconds ? wish->expiration_seconds : TOKEN_SECONDS),
        bound);
    TRY(fetch(a, &request, &answer));
    TRY(json_parse(a, bytes_of(answer), &review));
    token = json_str(review, ".status.token");
    if (!token)
        return err_failed(a, "the server gave no token: %s", answer);
    *ret_token = token;
    return OK;
}

Err *controlplane_kubectl(Controlplane *cp, Arena *a, const Kubectl *run, const char **ret_output)
{
    const char *kubeconfig = run->kubeconfig ? run->kubeconfig : cp->admin;
    ProcessOptions options = {
        .program = str_format(a, "%s/kubectl", cp->binaries),
        .args = run->args,
        .env = PROCESS_ARGS(str_format(a, "KUBECONFIG=%s", kubeconfig),
            str_format(a, "HOME=%s", cp->folder), /* for its cache */
            "PATH=/usr/bin:/bin",
            CONTROLPLANE_FEW_COLLECTIONS),
        .input = run->input,
    };

    return process_run(a, &options, ret_output);
}

static Err *call_etcd(
    Controlplane *cp, Arena *a, const char *path, const char *body, const Json **ret)
{
    Fetch request = controlplane_fetch(cp, a);
    const char *answer;

    request.url = controlplane_url(cp, a, CONTROLPLANE_ETCD_PORT, path);
    request.body = body;
    TRY(fetch(a, &request, &answer));
    return json_parse(a, bytes_of(answer), ret);
}

Err *controlplane_compact(Controlplane *cp, Arena *a)
{
    const Json *answer;
    const char *revision, *body;

    /* "AA==" is the key "\0", the shortest that etcd takes; only the header of the answer matters.
     */
    TRY(call_etcd(cp, a, "/v3/kv/range", "{\"key\": \"AA==\"}", &answer));
    revision = json_str(answer, ".header.revision");
    if (!revision)
        return err_failed(a, "etcd did not say its revision");
    body = str_format(a, "{\"revision\": \"%s\", \"physical\": true}", revision);
    return call_etcd(cp, a, "/v3/kv/compaction", body, &answer);
}
