/* Plugin: the protocol of credential plugins. What it is told goes by the environment, as an
 * ExecCredential in KUBERNETES_EXEC_INFO; what it answers is the same object with a status. */
#include "kube/client/plugin.h"

#include "base/base64.h"
#include "base/draft.h"
#include "base/str.h"
#include "kube/client/child.h"
#include "kube/client/file.h"
#include "kube/client/tls.h"
#include "kube/client/token.h"
#include "kube/timestamp.h"

#include <string.h>
#include <unistd.h>

#define KIND     "ExecCredential"
#define VARIABLE "KUBERNETES_EXEC_INFO="
#define NO_LOGIN 401

/* --- what it is told */

/* The authorities in base64, wherever they stand; NULL when there are none. */
static Err *encode_authorities(Arena *a, const Config *config, const char **ret)
{
    Buf pem = {.ceiling = TLS_PEM_MAX};
    Err *err = OK;

    *ret = NULL;
    if (config->ca_pem)
        *ret = base64_encode(a, bytes_of(config->ca_pem));
    else if (config->ca_file)
        err = file_read(a, config->ca_file, &pem, NULL);
    if (!err && pem.len)
        *ret = base64_encode(a, buf_bytes(&pem));
    buf_close(&pem);
    return err;
}

static Err *cluster_info(Arena *a, const Config *config, Draft **ret)
{
    const char *authorities = NULL;

    TRY(encode_authorities(a, config, &authorities));
    *ret = draft(a,
        str("server", config->server),
        str("tls-server-name", config->tls_server_name),
        draft_flag_if("insecure-skip-tls-verify", config->insecure),
        str("certificate-authority-data", authorities),
        draft_json("config", config->exec->cluster_config));
    return OK;
}

static Err *exec_info(Arena *a, const Config *config, bool is_interactive, const char **ret)
{
    Draft *cluster = NULL;

    if (config->exec->gets_cluster)
        TRY(cluster_info(a, config, &cluster));
    Draft *info = draft(a,
        str("apiVersion", config->exec->api_version),
        str("kind", KIND),
        obj("spec", flag("interactive", is_interactive), sub("cluster", cluster)));
    *ret = str_format(a, VARIABLE "%s", json_write(a, json_seal(a, info)).data);
    return OK;
}

/* --- what it answers */

static Err *decode_expiry(Arena *a, const Json *status, int64_t *ret)
{
    const char *text = json_str(status, ".expirationTimestamp");

    *ret = INT64_MAX;
    if (text && !timestamp_parse(text, ret))
        return err_failed(a, "its expirationTimestamp is no time");
    return OK;
}

static Err *decode_answer(Arena *a, const ConfigExec *exec, const Json *answer, PluginAnswer *ret)
{
    const Json *status = json_find(answer, ".status");
    PluginAnswer read = {
        .token = json_str(status, ".token"),
        .cert_pem = json_str(status, ".clientCertificateData"),
        .key_pem = json_str(status, ".clientKeyData"),
    };

    if (!str_eq(json_str(answer, ".kind"), KIND)
        || !str_eq(json_str(answer, ".apiVersion"), exec->api_version))
        return err_failed(a,
            "its answer is no " KIND " of %s: update it, or correct apiVersion",
            exec->api_version);
    if (!read.token && !read.cert_pem)
        return err_failed(a, "its answer has neither a token nor a certificate");
    if (!read.cert_pem != !read.key_pem)
        return err_failed(a, "its answer has a certificate or a key, but not both");
    if (read.token && !token_is_clean(read.token))
        return err_failed(a, "its token has a character that no token has");
    TRY(decode_expiry(a, status, &read.expires_ns));
    *ret = read;
    return OK;
}

/* --- asking */

static Err *check_interactive(Arena *a, const ConfigExec *exec, bool asks_nobody, bool *ret)
{
    bool can_ask = !asks_nobody && isatty(STDIN_FILENO) == 1;

    if (exec->interactive == CONFIG_INTERACTIVE_ALWAYS && !can_ask)
        return err_failed(a,
            "it must be able to ask a person (interactiveMode Always), and %s",
            asks_nobody ? "nobody is asked now" : "stdin is no terminal");
    *ret = can_ask && exec->interactive != CONFIG_INTERACTIVE_NEVER;
    return OK;
}

static int64_t limit_ms(const PluginTerms *terms, bool is_interactive)
{
    int64_t own_ms = is_interactive ? PLUGIN_INTERACTIVE_TIMEOUT_MS : PLUGIN_TIMEOUT_MS;
    bool is_bound = terms->left_ms && (terms->hurries || !is_interactive);

    return is_bound && terms->left_ms < own_ms ? terms->left_ms : own_ms;
}

typedef struct Waiting {
    const PluginWait *wait;
    const char *command;
} Waiting;

static void tell_waiting(void *self)
{
    const Waiting *w = self;

    if (w->wait)
        w->wait->tell(w->wait->self, w->command);
}

static const char *const *words_of(Arena *a, const ConfigExec *exec)
{
    size_t count = 0;

    while (exec->args[count])
        count++;
    const char **words = arena_array(a, const char *, count + 2);
    words[0] = exec->command;
    for (size_t i = 0; i < count; i++)
        words[i + 1] = exec->args[i];
    return words;
}

static const char *const *env_of(Arena *a, const ConfigExec *exec, const char *info)
{
    size_t count = 0;

    while (exec->env[count])
        count++;
    const char **env = arena_array(a, const char *, count + 2);
    env[0] = info;
    for (size_t i = 0; i < count; i++)
        env[i + 1] = exec->env[i];
    return env;
}

static Err *ask(
    Arena *a, const Config *config, const PluginTerms *terms, Buf *printed, PluginAnswer *ret)
{
    const ConfigExec *exec = config->exec;
    const char *info = NULL;
    const Json *answer = NULL;
    bool is_interactive = false;
    Waiting waiting = {terms->wait, exec->command};

    TRY(check_interactive(a, exec, terms->asks_nobody, &is_interactive));
    TRY(exec_info(a, config, is_interactive, &info));
    ChildOptions options = {
        .words = words_of(a, exec),
        .env = env_of(a, exec, info),
        .keeps_stdin = is_interactive,
        .timeout_ms = limit_ms(terms, is_interactive),
        .clock = terms->clock,
        .on_slow = tell_waiting,
        .self = &waiting,
    };
    TRY(child_run(a, &options, printed));
    if (json_parse(a, buf_bytes(printed), &answer))
        return err_failed(a, "its answer is no JSON");
    TRY(decode_answer(a, exec, answer, ret));
    ret->may_have_asked = is_interactive;
    return OK;
}

Err *plugin_ask(Arena *a, const Config *config, const PluginTerms *terms, PluginAnswer *ret)
{
    Buf printed = {.ceiling = PLUGIN_ANSWER_MAX};
    Err *err = ask(a, config, terms, &printed, ret);

    buf_wipe(&printed);
    buf_close(&printed);
    if (!err)
        return OK;
    /* What could not be run at all was not asked to log anybody in. */
    bool was_run = err_is(err, ERR_FAILED);
    const char *hint = was_run ? NULL : config->exec->install_hint;
    Err *told = err_terminal(a,
        "%s: credential plugin %s: %s%s%s",
        config->origin,
        config->exec->command,
        err_text(a, err),
        hint ? ": " : "",
        hint ? hint : "");
    told->status = was_run ? NO_LOGIN : 0;
    return told;
}
