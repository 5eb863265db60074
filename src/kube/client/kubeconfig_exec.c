/* KubeconfigExec: checked when it is read, so that a plugin is run only as it was meant. Its old
 * form v1alpha1 is refused: the servers that it was for are gone. */
#include "kube/client/kubeconfig_exec.h"

#include "base/str.h"
#include "kube/client/file.h"

#include <string.h>

#define EXEC_GROUP "client.authentication.k8s.io/"

/* The strings of a list, ended by NULL. */
static Err *decode_strings(Arena *a, const char *field, const Json *list, const char *const **ret)
{
    const char **words = arena_array(a, const char *, json_count(list) + 1);
    size_t count = 0;
    const Json *word;

    if (json_count(list) > KUBECONFIG_EXEC_WORDS_MAX)
        return err_terminal(a, "%s: more than %d", field, KUBECONFIG_EXEC_WORDS_MAX);
    json_each(word, list) {
        if (!json_text(word))
            return err_terminal(a, "%s: must be a list of strings", field);
        words[count++] = json_text(word);
    }
    *ret = words;
    return OK;
}

static Err *decode_env(Arena *a, const Json *list, const char *const **ret)
{
    const char **words = arena_array(a, const char *, json_count(list) + 1);
    size_t count = 0;
    const Json *pair;

    if (json_count(list) > KUBECONFIG_EXEC_WORDS_MAX)
        return err_terminal(a, "env: more than %d", KUBECONFIG_EXEC_WORDS_MAX);
    json_each(pair, list) {
        const char *name = json_str(pair, ".name"), *value = json_str(pair, ".value");
        if (str_empty(name) || strchr(name, '='))
            return err_terminal(a, "env: an entry has no name that can be one");
        words[count++] = str_format(a, "%s=%s", name, value ? value : "");
    }
    *ret = words;
    return OK;
}

static Err *decode_interactive(Arena *a, const char *text, ConfigInteractive *ret)
{
    if (!text || str_eq(text, "IfAvailable"))
        *ret = CONFIG_INTERACTIVE_IF_AVAILABLE;
    else if (str_eq(text, "Never"))
        *ret = CONFIG_INTERACTIVE_NEVER;
    else if (str_eq(text, "Always"))
        *ret = CONFIG_INTERACTIVE_ALWAYS;
    else
        return err_terminal(a, "interactiveMode: must be Never, IfAvailable or Always");
    return OK;
}

static Err *check_version(Arena *a, const char *version)
{
    if (str_eq(version, EXEC_GROUP "v1") || str_eq(version, EXEC_GROUP "v1beta1"))
        return OK;
    return err_terminal(a,
        "apiVersion: must be " EXEC_GROUP "v1 or v1beta1%s",
        str_eq(version, EXEC_GROUP "v1alpha1")
            ? ": v1alpha1 is out of use; update the plugin and make its entry anew"
            : "");
}

Err *kubeconfig_exec_decode(Arena *a, const char *path, const Json *exec, const ConfigExec **ret)
{
    const char *command = json_str(exec, ".command");
    ConfigExec *e = arena_new(a, ConfigExec);

    if (json_type(exec) != JSON_OBJECT)
        return err_terminal(a, "must be an object");
    if (str_empty(command))
        return err_terminal(a, "command: must name a program");
    TRY(check_version(a, json_str(exec, ".apiVersion")));
    *e = (ConfigExec){
        .api_version = json_str(exec, ".apiVersion"),
        .command = strchr(command, '/') ? file_beside(a, path, command) : command,
        .install_hint = json_str(exec, ".installHint"),
        .gets_cluster = json_bool(exec, ".provideClusterInfo", false),
    };
    TRY(decode_strings(a, "args", json_find(exec, ".args"), &e->args));
    TRY(decode_env(a, json_find(exec, ".env"), &e->env));
    TRY(decode_interactive(a, json_str(exec, ".interactiveMode"), &e->interactive));
    *ret = e;
    return OK;
}
