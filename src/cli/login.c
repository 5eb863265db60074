/* Login: one sentence for each kind of credential that a config can have. */
#include "cli/login.h"

#include "base/str.h"

#include <string.h>

#define EXPIRED "it has expired, was revoked, or belongs to another cluster"

/* Plugins of which the command that logs a person in is known. */
static const struct {
    const char *program, *login;
} known_plugins[] = {
    {"aws", "aws sso login"},
    {"aws-iam-authenticator", "aws sso login"},
    {"doctl", "doctl auth init"},
    {"gcloud", "gcloud auth login"},
    {"gke-gcloud-auth-plugin", "gcloud auth login"},
    {"tsh", "tsh login"},
};

static const char *renewal_of(Arena *a, const ConfigExec *exec)
{
    const char *slash = strrchr(exec->command, '/');
    const char *program = slash ? slash + 1 : exec->command;

    for (size_t i = 0; i < sizeof known_plugins / sizeof known_plugins[0]; i++)
        if (str_eq(known_plugins[i].program, program))
            return str_format(a, "log in again with `%s`", known_plugins[i].login);
    return "log in again with the tool that this plugin belongs to";
}

/* "aws eks get-token" */
static const char *command_of(Arena *a, const ConfigExec *exec)
{
    const char *text = exec->command;

    for (const char *const *arg = exec->args; *arg && **arg != '-' && !strpbrk(*arg, "={"); arg++)
        text = str_format(a, "%s %s", text, *arg);
    return text;
}

/* "user "admin" (kubeconfig /home/me/.kube/config, context c)" */
static const char *owner_of(Arena *a, const Config *config)
{
    return config->user ? str_format(a, "user \"%s\" (%s)", config->user, config->origin)
                        : str_format(a, "the user of %s", config->origin);
}

static const char *advice_on_plugin(Arena *a, const Config *config, LoginTrouble trouble)
{
    const char *command = command_of(a, config->exec), *owner = owner_of(a, config);
    const char *renewal = renewal_of(a, config->exec);

    if (trouble == LOGIN_PLUGIN_FAILED)
        return str_format(a,
            "the login plugin `%s` of %s did not log in; what it printed itself stands above; %s",
            command,
            owner,
            renewal);
    return str_format(a,
        "the server does not accept what the login plugin `%s` gave for %s: it has expired, or "
        "belongs to another cluster; %s",
        command,
        owner,
        renewal);
}

static const char *advice_on_token_file(Arena *a, const Config *config)
{
    return str_format(a,
        "the server does not accept the token in %s, of %s: " EXPIRED "; %s",
        config->token_file,
        config->user ? owner_of(a, config) : "the pod's service account",
        config->user ? "run what writes this file again" : "restart the pod, or give --kubeconfig");
}

static const char *advice_on_certificate(Arena *a, const Config *config)
{
    return str_format(a,
        "the server does not accept the client certificate of %s: " EXPIRED "; %s",
        owner_of(a, config),
        config->cert_file ? str_format(a,
                                "`openssl x509 -noout -enddate -in %s` shows its end; replace it",
                                config->cert_file)
                          : "replace it, or get a new kubeconfig from who runs the cluster");
}

const char *login_advice(Arena *a, const Config *config, LoginTrouble trouble)
{
    if (config->exec)
        return advice_on_plugin(a, config, trouble);
    if (config->token_file)
        return advice_on_token_file(a, config);
    if (config->token)
        return str_format(a,
            "the server does not accept the token of %s: " EXPIRED "; replace users[].user.token "
            "there, or log in again with the tool that wrote it",
            owner_of(a, config));
    if (config->cert_file || config->cert_pem)
        return advice_on_certificate(a, config);
    return str_format(a,
        "%s has no token, certificate or login plugin; add one there, or choose another with "
        "--context or --user",
        owner_of(a, config));
}
